"""Seats in words."""

from server.models import Seat
from server.wording.words import number, pawn_names


def seat_label(seat: Seat | None) -> str:
    """Return `Red and Green`, or `Player two` before the pawns are drawn, or `Host` for no seat."""
    if seat is None:
        return "Host"
    return f"Player {number(seat.number)}" if is_to_be_drawn(seat) else pawn_names(seat.pawns)


def bot_name(bot: str) -> str:
    """Return `a bot, the …` with the name of a bot."""
    return f"a bot, the {bot}"


def is_to_be_drawn(seat: Seat) -> bool:
    """Return True if the start of the game will draw the pawns of this seat."""
    return seat.game.status == "open" and seat.game.seating != "chosen" and seat.bot is None
