"""The cards above the form: each is a whole game, as the fields of the form that it fills in."""

from collections.abc import Mapping
from typing import NamedTuple

from server.engine import USUAL
from server.vocabulary.translation import gettext_noop


class Card(NamedTuple):
    """A kind of game: its title and a few words on it, and the fields that differ from those of an empty form."""

    title: str
    words: str
    fields: Mapping[str, str]


USUAL_CARD = "club"  # of a visitor who has chosen none
_THREE_DAYS = {"clock": "own", "kind": "per_phase", "mr_x": "3", "detectives": "3", "off_sat": "on", "off_sun": "on"}
CARDS = {
    "club": Card(
        gettext_noop("A club game"), gettext_noop("three days a move, weekends off, each one's night too"),
        {"edition": USUAL, "players": "6", "seat": "detective", "seating": "rotation", "guests": "any"}
        | _THREE_DAYS,
    ),
    "mine": Card(
        gettext_noop("All detectives are mine"), gettext_noop("a friend is Mr. X; a day a move"),
        {"edition": "condensed", "players": "2", "seat": "detective", "clock": "one_day", "guests": "any"},
    ),
}  # fmt: skip
