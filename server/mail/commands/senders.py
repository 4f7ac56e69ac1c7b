"""The sender of a mail, as its From names them."""

import re

from server.application.errors import Problem
from server.application.people.players import check_email, with_email
from server.mail.reading.message import Reading
from server.models import Player

_PLAIN = re.compile(r'[^\s"]+')  # can be quoted in a mail of ours


def sender_address(reading: Reading) -> str | None:
    """Return the one address in From, in lower case, if it could be a player's; else None."""
    try:
        (address,) = reading.from_addresses
        return check_email(address) if _PLAIN.fullmatch(address) else None
    except (Problem, ValueError):
        return None


def author(reading: Reading) -> Player | None:
    """Return the player to whom the one address in From belongs; it is not proved that they wrote."""
    return with_email(reading.from_addresses[0]) if len(reading.from_addresses) == 1 else None
