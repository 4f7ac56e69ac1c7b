"""The cards above the form: each is a whole game, as the fields of the form that it fills in."""

from collections.abc import Mapping
from datetime import timedelta
from typing import NamedTuple

from server.engine import USUAL
from server.runtime import runtime

EVENING = timedelta(minutes=10)  # for a move of an evening together


class Card(NamedTuple):
    """A kind of game: its title and a few words on it, and the fields that differ from those of an empty form."""

    title: str
    words: str
    fields: Mapping[str, str]


FRIENDS = "friends"  # the card of a visitor who has chosen none
_TEN_MINUTES = {"clock": "own", "kind": "per_phase", "undo": "1"} | {
    name: value for side in ("mr_x", "detectives") for name, value in ((side, "10"), (f"{side}_unit", "M"))
}
_THREE_DAYS = {"clock": "own", "kind": "per_phase", "mr_x": "3", "detectives": "3", "off_sat": "on", "off_sun": "on"}
_CARDS = {
    "practice": Card(
        "Practice", "you and five bots, at once and without deadlines",
        {"edition": USUAL, "players": "6", "seat": "detective", "others": "bots", "level": "easy", "clock": "none"},
    ),
    FRIENDS: Card(
        "Two friends", "a day a move; you are Mr. X",
        {"edition": "condensed", "players": "2", "seat": "mr_x", "clock": "one_day"},
    ),
    "evening": Card(
        "An evening together", "four of you, ten minutes a move, Mr. X by lot",
        {"edition": USUAL, "players": "4", "seat": "detective", "seating": "lot", "guests": "any"} | _TEN_MINUTES,
    ),
    "club": Card(
        "A club game", "three days a move, weekends off, each one's night too",
        {"edition": USUAL, "players": "6", "seat": "detective", "seating": "rotation", "guests": "any"}
        | _THREE_DAYS,
    ),
    "mine": Card(
        "All detectives are mine", "a friend is Mr. X; a day a move",
        {"edition": "condensed", "players": "2", "seat": "detective", "clock": "one_day", "guests": "any"},
    ),
}  # fmt: skip


def offered() -> dict[str, Card]:
    """Return the cards by their names, but none whose time is shorter than turns may be on this server."""
    is_too_short = runtime().settings.min_turn > EVENING
    return {name: card for name, card in _CARDS.items() if name != "evening" or not is_too_short}
