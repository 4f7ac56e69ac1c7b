"""`blackticket`, but players of the house need no time to think."""

from datetime import timedelta

from server.application.play import flow
from server.cli import main

flow.THINKING = timedelta(0)

if __name__ == "__main__":
    main(prog_name="blackticket")
