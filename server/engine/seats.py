"""The pawns that each player holds, from the tables of the rule books."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from server.engine.move import DETECTIVES
from server.engine.reasons import Reason

Pawns = tuple[str, ...]


class PawnRule(NamedTuple):
    """A rule for sharing out the pawns.

    holders: number of people, Mr. X included -> the pawns of seats 2, 3, ... in order
    otherwise: why other numbers of people are not offered, if that is to be told
    """

    holders: Mapping[int, tuple[Pawns, ...]]
    otherwise: Reason | None = None


_ONE_EACH: dict[int, tuple[Pawns, ...]] = {
    6: (("purple",), ("red",), ("green",), ("yellow",), ("blue",)),
    5: (("purple",), ("red",), ("green",), ("yellow",)),
    4: (("purple",), ("red",), ("green",)),
}
_TWO_EACH: tuple[Pawns, ...] = (("purple", "red"), ("green", "yellow"))
WHOLE_TEAM = {2: "all_two", 3: "all_three", 4: "all_four", 5: "all_five"}
"""The rule, of no book, by which one person holds so many pawns: all that there are."""

PAWN_RULES: Mapping[str, PawnRule] = {
    # Milton Bradley 1985, "Select the fugitive": five pawns whatever the number of people.
    "five": PawnRule(
        {
            6: _ONE_EACH[6],
            5: (("purple", "yellow"), ("red",), ("green",), ("blue",)),
            4: (("purple", "yellow"), ("red", "green"), ("blue",)),
            3: (("purple", "yellow", "blue"), ("red", "green")),
        }
    ),
    # Ravensburger 2000, "Version for 3 players".
    "one_or_two_each": PawnRule({**_ONE_EACH, 3: _TWO_EACH}),
    # The condensed sheet, "Three-player Variant" and "Two-player Variant".
    "one_two_or_four_each": PawnRule({**_ONE_EACH, 3: _TWO_EACH, 2: (("purple", "red", "green", "yellow"),)}),
    "one_each": PawnRule(
        {6: _ONE_EACH[6], 5: _ONE_EACH[5]},
        Reason("bobbies", "With fewer people that edition brings in bobbies, and those are not offered here."),
    ),
    **{name: PawnRule({2: (DETECTIVES[:pawns],)}) for pawns, name in WHOLE_TEAM.items()},
}
