"""The kinds of clocks a game can have, and the values that each may have.

A clock is plain data, `{"kind": ..., ...}`, stored with its game; values that are left out have their defaults.
Lengths are durations such as `P2D`: a day is a calendar day in the clock's zone, `PT24H` is 24 hours.
"""

import re
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import TypeGuard
from zoneinfo import ZoneInfo

from server.clock.pauses import WEEKDAYS, Calendar, Pause
from server.clock.zones import unknown_zone, zones
from server.vocabulary.clocks import Clock, ClockValues
from server.vocabulary.durations import parse_duration, say_duration
from server.vocabulary.translation import gettext
from server.vocabulary.words import either

HOUR = timedelta(hours=1)
LONGEST = timedelta(days=365)
LONGEST_PROVISIONAL = timedelta(days=30)
LONGEST_GRACE = timedelta(days=14)
LONGEST_WAIT = {"grace": LONGEST_GRACE, "provisional": LONGEST_PROVISIONAL}  # others are turns, and not too short
MOST_REMINDERS = 5
TIME_OF_DAY = "([01][0-9]|2[0-3]):[0-5][0-9]"
LENGTHS = ("mr_x", "detectives", "bank", "cap", "increment", "least", "grace", "provisional")
# What may happen when somebody is late, the usual first. No choice lets the server know more than a detective can.
LATE = {"detectives_late": ("deduction", "easy"), "mr_x_late": ("forfeit", "vote")}


ANY: ClockValues = {
    "zone": "UTC",
    "days_off": [],
    "reminders": [0.75],
    "grace": "PT0S",
    "cover": False,
    "open_after": None,
    "detectives_late": LATE["detectives_late"][0],
    "mr_x_late": LATE["mr_x_late"][0],
    "provisional": "P1D",
}
KINDS: dict[str, ClockValues] = {
    "per_phase": {"mr_x": "P2D", "detectives": "P2D"},
    "per_move": {"mr_x": "P2D", "detectives": "P1D"},
    "bank": {"bank": "P10D", "increment": "P1D", "cap": "P10D"},
    "schedule": {"at": "20:00", "days": list(WEEKDAYS), "least": "PT12H"},
    "none": {},
}
DEFAULT: Clock = {"kind": "per_phase", **KINDS["per_phase"], **ANY}


class ClockError(ValueError):
    """A clock that makes no sense: a sentence that says what would be right, and the path to the value at fault."""

    def __init__(self, sentence: str, value: str = "") -> None:
        self.sentence = sentence
        self.field = f"clock.{value}" if value else ""
        super().__init__(f"{self.field}: {sentence}" if value else sentence)


def check(given: Mapping[str, object] | None, shortest: timedelta) -> Clock:
    """Return `given` with defaults filled in; `ClockError` if it makes no sense. No turn may be under `shortest`."""
    kind = (given or {}).get("kind", "per_phase")
    if not isinstance(kind, str) or kind not in KINDS:
        raise ClockError(f"There is no clock of kind {kind!r}; the kinds are {', '.join(KINDS)}.")
    usual = {"kind": kind, **KINDS[kind], **ANY}
    clock = {**usual, **_renamed(given or {})}
    for name in clock.keys() - usual.keys():
        raise ClockError(f"A clock of kind {kind} has no {name!r}; it has {', '.join(usual)}.")
    for name, wish in clock.items():
        if name in _CHECKS:
            _CHECKS[name](name, wish, shortest)
    assert _is_clock(clock)
    if kind == "bank" and parse_duration(clock["cap"]) < parse_duration(clock["bank"]):
        raise ClockError("the bank may not hold less than it begins with.", "cap")
    if kind == "schedule" and not set(clock["days"]) - set(clock["days_off"]):
        raise ClockError("every one of them is among the days off; name one that is not.", "days")
    if clock["cover"] and not parse_duration(clock["grace"]):
        sentence = gettext("others can only move for a late player while there is grace; set clock.grace too.")
        raise ClockError(sentence, "cover")
    return clock


_NAMES = Clock.__required_keys__ | Clock.__optional_keys__


def _is_clock(values: Mapping[str, object]) -> TypeGuard[Clock]:
    """Return True if a clock has these values, which were checked one by one."""
    return "kind" in values and values.keys() <= _NAMES


def with_defaults(clock: Clock) -> Clock:
    """Return a stored clock with defaults for the values that were introduced after its game began."""
    known = _renamed(clock)
    whole = known | {name: usual for name, usual in ANY.items() if name not in known}
    assert _is_clock(whole)
    return whole


def is_shared(clock: Clock) -> bool:
    """Return True if a side shares its time; otherwise each seat has its own, from the beginning of its turn."""
    return clock["kind"] not in ("per_move", "bank")


def full_turn(clock: Clock, role: str) -> timedelta | None:
    """Return the full time of one turn of a side, in days of 24 hours; None where no time is up.

    Of a bank it is what each turn adds, and of a schedule the least that a turn gets.
    """
    if clock["kind"] == "none":
        return None
    if clock["kind"] == "bank":
        return parse_duration(clock["increment"])
    if clock["kind"] == "schedule":
        return parse_duration(clock["least"])
    return parse_duration(clock["mr_x"] if role == "mr_x" else clock["detectives"])


def gives_under_an_hour(clock: Clock) -> bool:
    """Return True if a side, or a seat, may have less than an hour for its moves: by its length, or by its bank."""
    lengths = (clock.get("mr_x"), clock.get("detectives"), clock.get("bank"))
    return any(parse_duration(length) < HOUR for length in lengths if length is not None)


def provisional_period(clock: Clock) -> timedelta:
    """Return how long a result caused by lateness stays provisional; zero if it is final at once."""
    return parse_duration(with_defaults(clock)["provisional"])


def _renamed(clock: Mapping[str, object]) -> dict[str, object]:
    """Return the clock with `reminders` instead of the one `reminder` of the first clocks."""
    named = dict(clock)
    if "reminder" in named:
        if "reminders" in named:
            raise ClockError("the same as clock.reminders with one share; give only one of the two.", "reminder")
        _share("reminder", named["reminder"])
        named["reminders"] = [named.pop("reminder")]
    return named


def calendar(clock: Clock, pauses: tuple[Pause, ...] = ()) -> Calendar:
    """Return the calendar of time that does not count: the clock's days off, unless time is short, and `pauses`."""
    whole = with_defaults(clock)
    return Calendar(ZoneInfo(whole["zone"]), () if gives_under_an_hour(clock) else whole["days_off"], pauses)


def _length(name: str, wish: object, shortest: timedelta) -> None:
    try:
        length = parse_duration(wish)
    except ValueError as error:
        raise ClockError(f"{error}.", name) from None
    longest = LONGEST_WAIT.get(name, LONGEST)
    shortest = timedelta(0) if name in LONGEST_WAIT else shortest
    if not shortest <= length <= longest:
        values = {"wish": wish, "shortest": say_duration(shortest), "days": longest.days}
        raise ClockError(gettext("{wish} is not between {shortest} and {days} days.", **values), name)


def _reminders(name: str, wish: object, _shortest: timedelta) -> None:
    if not isinstance(wish, list) or len(wish) > MOST_REMINDERS:
        raise ClockError(f"a list of up to {MOST_REMINDERS} shares of the time, such as [0.5, 0.9].", name)
    for share in wish:
        _share(name, share)
    if sorted(set(wish)) != wish:
        raise ClockError("shares of the time that grow, such as [0.5, 0.9].", name)


def _cover(name: str, wish: object, _shortest: timedelta) -> None:
    if not isinstance(wish, bool):
        raise ClockError("true or false.", name)


def _open_after(name: str, wish: object, _shortest: timedelta) -> None:
    if wish is not None and (isinstance(wish, bool) or not isinstance(wish, int) or not 1 <= wish <= 99):
        raise ClockError("how often in a row, 1 to 99, or null for never.", name)


def _late(name: str, wish: object, _shortest: timedelta) -> None:
    if wish not in LATE[name]:
        raise ClockError(gettext("{choices}.", choices=either(LATE[name])), name)


def _share(name: str, wish: object) -> None:
    if isinstance(wish, bool) or not isinstance(wish, int | float) or not 0 < wish < 1:
        raise ClockError("a share of the time between 0 and 1, such as 0.75.", name)


def _zone(name: str, wish: object, _shortest: timedelta) -> None:
    if not isinstance(wish, str) or wish not in zones():
        raise ClockError(unknown_zone(wish), name)


def _weekdays(name: str, wish: object, _shortest: timedelta) -> None:
    fewest, most = (1, 7) if name == "days" else (0, 6)
    if (
        not isinstance(wish, list)
        or any(day not in WEEKDAYS for day in wish)
        or len(set(wish)) != len(wish)
        or not fewest <= len(wish) <= most
    ):
        raise ClockError(f"a list of {fewest} to {most} different days out of {', '.join(WEEKDAYS)}.", name)


def _time(name: str, wish: object, _shortest: timedelta) -> None:
    if not isinstance(wish, str) or re.fullmatch(TIME_OF_DAY, wish) is None:
        raise ClockError(f"a time of day such as 20:00, not {wish!r}.", name)


_CHECKS: dict[str, Callable[[str, object, timedelta], None]] = {
    **dict.fromkeys(LENGTHS, _length),
    **dict.fromkeys(("days", "days_off"), _weekdays),
    **dict.fromkeys(LATE, _late),
    "at": _time, "zone": _zone, "reminders": _reminders, "cover": _cover, "open_after": _open_after,
}  # fmt: skip
