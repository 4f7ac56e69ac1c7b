"""The clock of a game: what it may be, and the deadline it gives. Pure functions of their arguments.

A clock is plain data: `{"kind": "per_phase", "mr_x": "P2D", "detectives": "P2D", "reminder": 0.75, "provisional":
"P1D"}`. Mr. X has the one length for his half of a round, all detectives together the other; `reminder` is the share
of the time after which who has not moved is reminded; `provisional` is how long a result that lateness brought about
can be undone.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from server.application.errors import Problem
from server.durations import parse_duration, say_duration

SIDES = ("mr_x", "detectives")
DEFAULT = {"kind": "per_phase", "mr_x": "P2D", "detectives": "P2D", "reminder": 0.75, "provisional": "P1D"}
LONGEST = timedelta(days=365)
LONGEST_PROVISIONAL = timedelta(days=30)


def check_clock(given: Mapping[str, Any] | None, shortest: timedelta) -> dict[str, Any]:
    """`given` with the defaults filled in; `Problem` form when it makes no sense."""
    clock = {**DEFAULT, **(given or {})}
    for name in clock.keys() - DEFAULT.keys():
        raise Problem("form", f"A clock has no {name!r}; it has {', '.join(DEFAULT)}.")
    if clock["kind"] != "per_phase":
        raise Problem("form", f"There is no clock of kind {clock['kind']!r}; the kind is per_phase.")
    for side in SIDES:
        _check_length(clock, side, shortest, LONGEST)
    _check_length(clock, "provisional", timedelta(0), LONGEST_PROVISIONAL)
    share = clock["reminder"]
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0 < share < 1:
        raise Problem("form", "clock.reminder: a share of the time between 0 and 1, such as 0.75.")
    return clock


def due(clock: Mapping[str, Any], side: str, begin: datetime) -> datetime:
    """When the half of `side` that began at `begin` is over."""
    return begin + parse_duration(clock[side])


def remind(clock: Mapping[str, Any], side: str, begin: datetime) -> datetime:
    """When those of `side` who have not moved are reminded."""
    return begin + parse_duration(clock[side]) * float(clock["reminder"])


def provisional(clock: Mapping[str, Any]) -> timedelta:
    """How long a result that lateness brought about is provisional; none at all where it is final at once."""
    # The clocks of the first games have no such entry.
    return parse_duration(clock.get("provisional", DEFAULT["provisional"]))


def _check_length(clock: Mapping[str, Any], name: str, shortest: timedelta, longest: timedelta) -> None:
    try:
        length = parse_duration(clock[name])
    except ValueError as error:
        raise Problem("form", f"clock.{name}: {error}.") from None
    if not shortest <= length <= longest:
        between = f"{say_duration(shortest)} and {longest.days} days"
        raise Problem("form", f"clock.{name}: {clock[name]} is not between {between}.")
