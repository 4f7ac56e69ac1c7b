"""The one function that says when a go is over, and how that came about."""

from collections.abc import Collection, Iterator, Mapping
from datetime import datetime, time, timedelta
from typing import Any, NamedTuple

from server.clock.explanation import Step
from server.clock.kinds import calendar, with_defaults
from server.clock.local import instant
from server.clock.pauses import DAY, WEEKDAYS, Calendar, Night, Pause, after, by_day, counted
from server.durations import Length, parse_duration, parse_length, say_duration, say_length

MOST_SKIPPED = 400  # occurrences of a schedule in a row that fall into pauses


class ComputedDeadline(NamedTuple):
    """When it is over, or None where there is no end to it; and the steps from its beginning to there."""

    due_at: datetime | None
    steps: tuple[Step, ...]


class ExtraTime(NamedTuple):
    """Time that was given on top of what the clock says, and why in a few words."""

    length: Length
    why: str


def compute_deadline(
    clock: Mapping[str, Any],
    side: str,
    begin: datetime,
    *,
    left: timedelta | None = None,
    pauses: Collection[Pause] = (),
    nights: Collection[Night] = (),
    more: Collection[ExtraTime] = (),
) -> ComputedDeadline:
    """When the go of `side` that began at `begin` is over: a pure function of its arguments.

    `left` is what its bank holds, for a clock of that kind. In `pauses` no time passes; `more` is given in addition; a
    deadline in one of `nights` moves to its end. Never earlier than the clock's length after `begin`; a later
    beginning and more pauses never make it earlier.
    """
    if clock["kind"] == "none":
        return ComputedDeadline(None, (Step("none", "this game has no deadlines"),))
    days = calendar(clock, tuple(pauses))
    if clock["kind"] == "schedule":
        given, reached = _schedule(clock, begin, days)
    else:
        given, reached = _length(clock, side, begin, left, days)
    for gift in more:
        reached = after(reached, gift.length, days)
    due = by_day(reached, nights)
    return ComputedDeadline(
        due, (*_steps(begin, given, reached, more, days), *_by_night(reached, due, nights), _due(due))
    )


def compute_grace_end(
    clock: Mapping[str, Any], begin: datetime, *, pauses: Collection[Pause] = (), more: Collection[ExtraTime] = ()
) -> ComputedDeadline:
    """When the grace of who was late at `begin` is over: no days off, no nights."""
    days = calendar({**clock, "days_off": []}, tuple(pauses))
    length = parse_length(with_defaults(clock)["grace"])
    due = after(begin, length, days)
    for gift in more:
        due = after(due, gift.length, days)
    return ComputedDeadline(due, (*_steps(begin, f"grace of {say_length(length)}", due, more, days), _due(due)))


def _steps(
    begin: datetime, given: str, reached: datetime, more: Collection[ExtraTime], days: Calendar
) -> Iterator[Step]:
    yield Step("from", "from {}", begin)
    yield Step("given", given)
    for gift in more:
        yield Step("more", f"{say_length(gift.length)} more, {gift.why}")
    for pause in _skipped(begin, reached, days):
        yield Step("pause", f"{pause.why}, until {{}}", pause.end, pause.seat)


def _due(due: datetime) -> Step:
    return Step("due", "due {}", due)


def reminder_at(
    clock: Mapping[str, Any], begin: datetime, due: datetime, share: float, pauses: Collection[Pause] = ()
) -> datetime:
    """When `share` of the time from `begin` to `due` that counts is over."""
    days = calendar(clock, tuple(pauses))
    return after(begin, Length(0, counted(begin, due, days) * share), days)


def bank_after_turn(
    clock: Mapping[str, Any], left: timedelta, begin: datetime, moved_at: datetime, pauses: Collection[Pause] = ()
) -> timedelta:
    """What the bank holds after a go from `begin` to `moved_at`: less the time that counted, and the increment."""
    used = counted(begin, moved_at, calendar(clock, tuple(pauses)))
    return min(max(left - used, timedelta(0)) + parse_duration(clock["increment"]), parse_duration(clock["cap"]))


def longest_game(
    clock: Mapping[str, Any], begin: datetime, rounds: int, seats: int, goes: int | None = None
) -> timedelta | None:
    """How long a game that begins at `begin` can take at most if nobody is late or away; None where there is no end.

    `seats` are the detectives', and `goes` how many goes of theirs follow each other in a round; as many, if left out.
    """
    goes = seats if goes is None else goes
    if clock["kind"] == "none":
        return None
    if clock["kind"] == "bank":
        banks = parse_duration(clock["bank"]) * (1 + min(seats, goes))
        total = banks + parse_duration(clock["increment"]) * rounds * (1 + goes)
        return after(begin, Length(0, total), calendar(clock)) - begin
    sides = ["mr_x", *["detectives"] * (goes if clock["kind"] == "per_move" else 1)]
    at = begin
    for _ in range(rounds):
        for side in sides:
            at = compute_deadline(clock, side, at).due_at or at
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
    return f"at {clock['at']} {with_defaults(clock)['zone']} {weekly}, at least {least} later", due


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
    """Whose nights kept the deadline from standing where it was reached."""
    for night in nights if due != reached else ():
        if night.end_if_in(reached) is not None:
            yield Step("night", "{} is in your night", reached, night.seat)
