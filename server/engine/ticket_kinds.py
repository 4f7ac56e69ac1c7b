"""The tickets, the lines each pays for, and who may use it; all in the order in which moves are listed.

A black ticket pays for any line, and nothing else pays for the ferry. Only Mr. X has black tickets, so only he can go
by ferry.
"""

from collections.abc import Mapping
from types import MappingProxyType

TRANSPORTS = ("taxi", "bus", "underground", "ferry")
PLAIN = ("taxi", "bus", "underground")  # the tickets of a detective
TICKETS = (*PLAIN, "black")
MR_X_TICKETS = (*TICKETS, "double")  # and the cards of Mr. X's double moves

# The lines that a ticket pays for. Of several that join two stations the first open one is taken.
LINES_OF: Mapping[str, tuple[str, ...]] = MappingProxyType({**{kind: (kind,) for kind in PLAIN}, "black": TRANSPORTS})


def is_for_mr_x_only(ticket: str) -> bool:
    """Return True if no detective ever has such a ticket."""
    return ticket not in PLAIN
