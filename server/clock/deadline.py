"""The deadline of a turn, computed with an explanation of each step."""

from collections.abc import Collection, Iterator
from datetime import datetime, time, timedelta
from typing import NamedTuple

from server.clock.explanation import Step, code_of
from server.clock.kinds import calendar, with_defaults
from server.clock.local import instant
from server.clock.nights import Night, by_day
from server.clock.pauses import WEEKDAYS, Calendar, Pause, after, counted
from server.vocabulary.clocks import Clock
from server.vocabulary.durations import DAY, Length, format_duration, parse_duration, parse_length

MOST_SKIPPED = 400  # weeks of a schedule in a row that fall into pauses


class ComputedDeadline(NamedTuple):
    """A deadline, or None if there is none, and the steps that lead to it from the beginning of the turn."""

    due_at: datetime | None
    steps: tuple[Step, ...]


class ExtraTime(NamedTuple):
    """Time granted in addition to the clock's: a duration, and the code of the reason, see `explanation`."""

    length: str
    why: str


def compute_deadline(
    clock: Clock,
    phase: str,
    begin: datetime,
    *,
    left: timedelta | None = None,
    pauses: Collection[Pause] = (),
    nights: Collection[Night] = (),
    more: Collection[ExtraTime] = (),
) -> ComputedDeadline:
    """Compute the deadline of a turn in `phase` that began at `begin`; a pure function of its arguments.

    `left` is the time in the bank, for a clock of that kind. During `pauses` no time passes; `more` is added; a
    deadline in one of `nights` moves to the end of the night. The deadline is never earlier than the clock's length
    after `begin`; a later beginning or more pauses never make it earlier.
    """
    if clock["kind"] == "none":
        return ComputedDeadline(None, (Step("none", {}),))
    days = calendar(clock, tuple(pauses))
    given, reached = _given(clock, phase, begin, left, days)
    for gift in more:
        reached = after(reached, parse_length(gift.length), days)
    due = by_day(reached, nights)
    return ComputedDeadline(
        due, (*_steps(begin, given, reached, more, days), *_by_night(reached, due, nights), _due(due))
    )


def compute_grace_end(
    clock: Clock, begin: datetime, *, pauses: Collection[Pause] = (), more: Collection[ExtraTime] = ()
) -> ComputedDeadline:
    """Compute the end of the grace period that began at `begin`; days off and nights do not extend it."""
    days = calendar({**clock, "days_off": []}, tuple(pauses))
    grace = with_defaults(clock)["grace"]
    due = begin
    for length in (grace, *(gift.length for gift in more)):
        due = after(due, parse_length(length), days)
    return ComputedDeadline(due, (*_steps(begin, Step("grace", {"length": grace}), due, more, days), _due(due)))


def _steps(
    begin: datetime, given: Step, reached: datetime, more: Collection[ExtraTime], days: Calendar
) -> Iterator[Step]:
    yield Step("from", {}, begin)
    yield given
    for gift in more:
        yield Step("more", {"length": gift.length, "why": code_of(gift.why)})
    for pause in _skipped(begin, reached, days):
        yield Step("pause", {"pause": code_of(pause.why)}, pause.end, pause.seat)


def _due(due: datetime) -> Step:
    return Step("due", {}, due)


def reminder_at(clock: Clock, begin: datetime, due: datetime, share: float, pauses: Collection[Pause] = ()) -> datetime:
    """Return when `share` (0 to 1) of the counted time from `begin` to `due` has passed."""
    days = calendar(clock, tuple(pauses))
    return after(begin, Length(0, counted(begin, due, days) * share), days)


def bank_after_turn(
    clock: Clock, left: timedelta, begin: datetime, moved_at: datetime, pauses: Collection[Pause] = ()
) -> timedelta:
    """Return the time in the bank after a turn from `begin` to `moved_at`: less the time used, plus the increment."""
    used = counted(begin, moved_at, calendar(clock, tuple(pauses)))
    return min(max(left - used, timedelta(0)) + parse_duration(clock["increment"]), parse_duration(clock["cap"]))


def longest_game(clock: Clock, begin: datetime, rounds: int, seats: int, turns: int | None = None) -> timedelta | None:
    """Return how long a game that begins at `begin` can take if nobody is late or away; None if there is no limit.

    `seats` is the number of the detectives' seats, and `turns` how many of their turns follow each other in a round:
    `seats` if left out.
    """
    turns = seats if turns is None else turns
    if clock["kind"] == "none":
        return None
    if clock["kind"] == "bank":
        banks = parse_duration(clock["bank"]) * (1 + min(seats, turns))
        total = banks + parse_duration(clock["increment"]) * rounds * (1 + turns)
        return after(begin, Length(0, total), calendar(clock)) - begin
    phases = ["mr_x", *["detectives"] * (turns if clock["kind"] == "per_move" else 1)]
    at, days = begin, calendar(clock)
    for _ in range(rounds):
        for phase in phases:
            _, at = _given(clock, phase, at, None, days)
    return at - begin


def _given(clock: Clock, phase: str, begin: datetime, left: timedelta | None, days: Calendar) -> tuple[Step, datetime]:
    """Return the step of the time that a clock gives for a turn, and its end."""
    if clock["kind"] == "schedule":
        return _schedule(clock, begin, days)
    return _length(clock, phase, begin, left, days)


def _length(clock: Clock, phase: str, begin: datetime, left: timedelta | None, days: Calendar) -> tuple[Step, datetime]:
    if clock["kind"] == "bank":
        held = parse_duration(clock["bank"]) if left is None else left
        return Step("bank", {"held": format_duration(held)}), after(begin, Length(0, held), days)
    length = clock["mr_x"] if phase == "mr_x" else clock["detectives"]
    kind = "each" if phase != "mr_x" and clock["kind"] == "per_move" else phase
    return Step(kind, {"length": length}), after(begin, parse_length(length), days)


def _schedule(clock: Clock, begin: datetime, days: Calendar) -> tuple[Step, datetime]:
    at = time.fromisoformat(clock["at"])
    soonest = after(begin, parse_length(clock["least"]), days)
    day = soonest.astimezone(days.zone).date() - DAY
    for _ in range(MOST_SKIPPED * len(WEEKDAYS)):
        due = instant(datetime.combine(day, at), days.zone)
        if WEEKDAYS[day.weekday()] in clock["days"] and due >= soonest and not any(_skipped_at(due, days)):
            break
        day += DAY
    weekly = "all" if len(clock["days"]) == len(WEEKDAYS) else ", ".join(clock["days"])
    values = {"time": clock["at"], "zone": with_defaults(clock)["zone"], "days": weekly, "length": clock["least"]}
    return Step("schedule", values), due


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


def _by_night(reached: datetime, due: datetime, nights: Collection[Night]) -> Iterator[Step]:
    """Yield a step for each night that moved the deadline."""
    for night in nights if due != reached else ():
        if night.end_if_in(reached) is not None:
            yield Step("night", {}, reached, night.seat)
