"""The one function that says when a go is over, and how that came about."""

from collections.abc import Collection, Mapping
from datetime import datetime, time, timedelta
from typing import Any, NamedTuple

from server.clock.kinds import calendar
from server.clock.local import instant
from server.clock.pauses import DAY, WEEKDAYS, Calendar, Night, Pause, after, by_day, counted
from server.durations import Length, parse_duration, parse_length, rfc3339, say_duration, say_length

MOST_SKIPPED = 400  # occurrences of a schedule in a row that fall into pauses


class Reckoned(NamedTuple):
    """When it is over, or None where there is no end to it; and the steps from its beginning to there, in words."""

    due_at: datetime | None
    steps: tuple[str, ...]


def reckon(
    clock: Mapping[str, Any],
    side: str,
    begin: datetime,
    *,
    left: timedelta | None = None,
    pauses: Collection[Pause] = (),
    nights: Collection[Night] = (),
) -> Reckoned:
    """When the go of `side` that began at `begin` is over: a pure function of its arguments.

    `left` is what its bank holds, for a clock of that kind. In `pauses` no time passes; a deadline in one of `nights`
    moves to its end. Never earlier than the clock's length after `begin`; a later beginning and more pauses never
    make it earlier.
    """
    if clock["kind"] == "none":
        return Reckoned(None, ("this game has no deadlines",))
    days = calendar(clock, tuple(pauses))
    if clock["kind"] == "schedule":
        given, reached = _schedule(clock, begin, days)
    else:
        given, reached = _length(clock, side, begin, left, days)
    due = by_day(reached, nights)
    steps = [f"from {_said(begin, days)}", given]
    steps += [f"{pause.why}, until {_said(pause.end, days)}" for pause in _skipped(begin, reached, days)]
    if due != reached:
        steps.append(f"{_said(reached, days)} is in somebody's night")
    return Reckoned(due, (*steps, f"due {_said(due, days)}"))


def remind(
    clock: Mapping[str, Any], begin: datetime, due: datetime, share: float, pauses: Collection[Pause] = ()
) -> datetime:
    """When `share` of the time from `begin` to `due` that counts is over."""
    days = calendar(clock, tuple(pauses))
    return after(begin, Length(0, counted(begin, due, days) * share), days)


def bank_after(
    clock: Mapping[str, Any], left: timedelta, begin: datetime, moved_at: datetime, pauses: Collection[Pause] = ()
) -> timedelta:
    """What the bank holds after a go from `begin` to `moved_at`: less the time that counted, and the increment."""
    used = counted(begin, moved_at, calendar(clock, tuple(pauses)))
    return min(max(left - used, timedelta(0)) + parse_duration(clock["increment"]), parse_duration(clock["cap"]))


def longest(clock: Mapping[str, Any], begin: datetime, rounds: int, detectives: int) -> timedelta | None:
    """How long a game that begins at `begin` can take at most if nobody is late or away; None where there is no end."""
    if clock["kind"] == "none":
        return None
    if clock["kind"] == "bank":
        seats = 1 + detectives
        total = seats * (parse_duration(clock["bank"]) + rounds * parse_duration(clock["increment"]))
        return after(begin, Length(0, total), calendar(clock)) - begin
    goes = ["mr_x", *["detectives"] * (detectives if clock["kind"] == "per_move" else 1)]
    at = begin
    for _ in range(rounds):
        for side in goes:
            at = reckon(clock, side, at).due_at or at
    return at - begin


def _length(
    clock: Mapping[str, Any], side: str, begin: datetime, left: timedelta | None, days: Calendar
) -> tuple[str, datetime]:
    each = "each detective has" if clock["kind"] == "per_move" else "the detectives have"
    if clock["kind"] == "bank":
        held = parse_duration(clock["bank"]) if left is None else left
        return f"{say_duration(held)} in the bank", after(begin, Length(0, held), days)
    length = parse_length(clock[side])
    return f"{'Mr. X has' if side == 'mr_x' else each} {say_length(length)}", after(begin, length, days)


def _schedule(clock: Mapping[str, Any], begin: datetime, days: Calendar) -> tuple[str, datetime]:
    at = time.fromisoformat(clock["at"])
    soonest = after(begin, parse_length(clock["least"]), days)
    day = soonest.astimezone(days.zone).date() - DAY
    for _ in range(MOST_SKIPPED * len(WEEKDAYS)):
        due = instant(datetime.combine(day, at), days.zone)
        if WEEKDAYS[day.weekday()] in clock["days"] and due >= soonest and not any(_skipped_at(due, days)):
            break
        day += DAY
    weekly = "every day" if len(clock["days"]) == len(WEEKDAYS) else ", ".join(clock["days"])
    least = say_length(parse_length(clock["least"]))
    return f"at {clock['at']} {days.zone.key} {weekly}, at least {least} later", due


def _skipped_at(at: datetime, days: Calendar) -> list[Pause]:
    first = next(days.since(at), None)
    return [first] if first is not None and first.begin <= at else []


def _skipped(begin: datetime, end: datetime, days: Calendar) -> list[Pause]:
    found = []
    for pause in days.listed(begin):
        if pause.begin >= end:
            break
        found.append(pause)
    return found


def _said(at: datetime, days: Calendar) -> str:
    zone = days.zone.key
    return f"{rfc3339(at)}" + ("" if zone == "UTC" else f" ({at.astimezone(days.zone):%a %d %b %H:%M} {zone})")
