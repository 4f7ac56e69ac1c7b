"""`blackticket`, but players of the house need no time to think."""

from datetime import timedelta

from server.application.decisions import moves
from server.cli import main

moves.THINKING = timedelta(0)

if __name__ == "__main__":
    main(prog_name="blackticket")
