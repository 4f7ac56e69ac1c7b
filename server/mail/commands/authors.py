"""The author of a mail: the player in From, the seat of its reply address, and whether the two agree."""

import re

from server.application.errors import Problem
from server.application.game import reply_addresses
from server.application.people.players import check_email, with_email
from server.house_rules.standing import Seat, Standing
from server.mail.reading.message import Reading
from server.mail.trust.results import Authentication
from server.models import Player, ReplyToken

_PLAIN = re.compile(r'[^\s"]+')  # can be quoted in a mail of ours


def sender_address(reading: Reading) -> str | None:
    """Return the one address in From, in lower case, if it could be a player's; else None."""
    try:
        (address,) = reading.from_addresses
        return check_email(address) if _PLAIN.fullmatch(address) else None
    except (Problem, ValueError):
        return None


def player_in_from(reading: Reading) -> Player | None:
    """Return the player to whom the one address in From belongs; it is not proved that they wrote."""
    return with_email(reading.from_addresses[0]) if len(reading.from_addresses) == 1 else None


def seat_of_token(game: Standing, token: ReplyToken) -> Seat | None:
    """Return the seat that the token acts for; None if it was printed for an earlier player, or nobody has the seat."""
    seat = next((seat for seat in game.seats if seat.number == token.seat), None)
    if seat is None or not (seat.is_taken or seat.is_reserved):
        return None
    return seat if reply_addresses.is_good(token, seat) else None


def counts_as_from(player: Player, in_from: Player | None, authentication: Authentication) -> bool:
    """Return True if a mail to a reply address of `player` counts as theirs; `in_from` is the player in From."""
    return in_from == player and not authentication.is_failing
