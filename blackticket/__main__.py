"""`python -m blackticket` is `blackticket`."""

from blackticket import main

main()
