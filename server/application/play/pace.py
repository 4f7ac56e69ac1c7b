"""The pace of a game: how long a round and the whole game take if everybody takes their whole time."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, NamedTuple

from server.application.game import views

EVENED_OUT = 35  # rounds, over which days off and times of day are


class Pace(NamedTuple):
    """The lengths of a round and of the whole game; None where the clock sets no such limit."""

    a_round: timedelta | None
    the_game: timedelta | None


def pace(options: Mapping[str, Any], clock: Mapping[str, Any], hands: Sequence[Sequence[str]]) -> Pace:
    """Return the pace of a game with these options and this clock that begins now.

    Args:
        hands: the pawns of each detective.
    """
    if clock["kind"] == "none":
        return Pace(None, None)
    whole = views.longest_of(options, clock, hands, views.most_rounds(options))
    if clock["kind"] == "bank":  # in which time is not that of a round
        return Pace(None, whole)
    first = views.longest_of(options, clock, hands, 1)
    if clock["kind"] != "schedule" and not clock["days_off"]:
        return Pace(first, whole)
    several = views.longest_of(options, clock, hands, 1 + EVENED_OUT)
    assert first is not None
    assert several is not None
    return Pace((several - first) / EVENED_OUT, whole)
