"""`python -m server` is `blackticket`."""

from server.cli import main

main(prog_name="blackticket")
