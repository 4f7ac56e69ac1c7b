"""The names of tickets and of the lines they pay for, each in the order in which moves are listed."""

TRANSPORTS = ("taxi", "bus", "underground", "ferry")
PLAIN = ("taxi", "bus", "underground")  # the tickets of a detective
TICKETS = (*PLAIN, "black")
MR_X_TICKETS = (*TICKETS, "double")  # and the cards of Mr. X's double moves
