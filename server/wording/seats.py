"""Seats in words."""

from server import bots
from server.house_rules.dealing import WAYS
from server.house_rules.standing import Seat
from server.wording.words import number, pawn_names

# How seats are given when the game starts, in a sentence.
SEATING = {
    "chosen": "Everybody plays the seat they take.",
    "lot": "The seats are drawn when the game starts.",
    "rotation": "The player who has waited longest to be Mr. X is Mr. X.",
}
assert set(SEATING) == set(WAYS)


def seat_label(seat: Seat | None) -> str:
    """Return `Red and Green`, or `Player two` before the pawns are drawn, or `Host` for no seat."""
    if seat is None:
        return "Host"
    return f"Player {number(seat.number)}" if seat.is_to_be_drawn else pawn_names(seat.pawns)


def bots_in_words(role: str) -> list[tuple[str, str]]:
    """Return the bots that can play a role: each as `opening.read_guest` reads it, and in words without `a bot`."""
    return [(f"{bot} {level}", f"the {bot} ({level})") for bot in bots.names(role) for level in bots.LEVELS]


def bot_name(bot: str, level: str | None) -> str:
    """Return `a bot, the … (…)` with the name and the level of a bot."""
    return f"a bot, the {bot} ({level})"
