"""`blackticket`, but players of the house need no time to think, and who waits for news gets them at once."""

from datetime import timedelta

from server.application.decisions import moves
from server.cli import main
from server.http import waiting

moves.THINKING = timedelta(0)
waiting.LOOKS, waiting.LONGEST_REST = 0.1, 0.1

if __name__ == "__main__":
    main(prog_name="blackticket")
