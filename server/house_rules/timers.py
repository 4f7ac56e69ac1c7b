"""The timers of a game: the timeouts and reminders of the current turns, and the other things that happen at a time.

Where the seats of a phase share their time there is one timeout, under seat `SHARED`; where each seat has its own,
there is one for each seat whose turn it is. `server.clock` computes when they fall.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, time, timedelta
from typing import NamedTuple, TypeVar
from zoneinfo import ZoneInfo

from server import clock as clocks
from server.clock import ExtraTime, Night, Pause
from server.house_rules.draft import Draft
from server.house_rules.situation import Situation
from server.house_rules.standing import Seat, Standing, Timer
from server.vocabulary.clocks import Clock
from server.vocabulary.durations import format_duration, parse_duration
from server.vocabulary.errors import Problem, refusal
from server.vocabulary.votes import NO_DEADLINE

SHARED = 0
GRACE = 1  # the step of a timeout after the turn's own
OF_NO_TURN = ("vote", "invitation")
_Own = TypeVar("_Own", Night, Pause)


class TimeOff(NamedTuple):
    """The nights and absences of some seats."""

    nights: list[Night]
    absences: list[Pause]


def check_clock(clock: Mapping[str, object] | None, shortest: timedelta) -> Clock:
    """Return the requested clock with its defaults; `Problem` form when it makes no sense."""
    try:
        return clocks.check(clock, shortest)
    except clocks.ClockError as error:
        raise Problem("form", error.sentence, field=error.field) from None


# Looking -----------------------------------------------------------------------------------------


def check_deadline(game: Situation) -> None:
    """Raise `Problem` form if no timeout runs that could be extended, as in a vote on a late Mr. X."""
    if not game.timeouts():
        raise refusal("form", NO_DEADLINE, is_public=True)


def is_in_grace(timeouts: Iterable[Timer], seat: Seat) -> bool:
    """Return True if the time of a seat is up and its grace period runs, given the timeouts of the game."""
    return any(timer.step == GRACE and timer.seat in (SHARED, seat.number) for timer in timeouts)


def own_or_earliest(timeouts: Sequence[Timer], seat: Seat | None) -> Timer | None:
    """Return the seat's timeout, or else the earliest one; `timeouts` has the earliest first."""
    own = (timer for timer in timeouts if seat is not None and timer.seat in (SHARED, seat.number))
    return next(own, next(iter(timeouts), None))


def timer_of(game: Standing, seat: Seat, timeouts: Sequence[Timer]) -> Timer | None:
    """Return the timeout of the seat, its own or the shared one; None if none runs. `timeouts`: those of the game."""
    mine = (timer for timer in timeouts if timer.seat in (SHARED, seat.number))
    return next(mine, None) if seat.role == game.role_to_move else None


def seats_on_clock(game: Standing, to_move: Collection[str]) -> list[int]:
    """Return the seats to be timed: `SHARED`, or those that may move; bots are timed like players."""
    if game.clock["kind"] == "none":
        return []
    if clocks.is_shared(game.clock):
        return [SHARED]
    return [seat.number for seat in game.seats if set(seat.pawns) & set(to_move)]


def has_time_left(draft: Draft, timer: Timer, late: Collection[int]) -> bool:
    """Return whether a timeout that has fired is not yet due, given the nights and absences of the late seats."""
    if timer.began_at is None:
        return False
    off = time_off(draft, _numbered(draft.game, late))
    due = _computed(draft.game, timer.seat, timer.began_at, timer.more or [], off).due_at
    return due is not None and due > draft.now


def time_off(draft: Draft, seats: Collection[Seat]) -> TimeOff:
    """Return the nights and absences of the holders of these seats; bots have none, and none stalls an evening."""
    nights, absences = [], []
    since = draft.game.started_at or draft.now
    is_evening = clocks.gives_under_an_hour(draft.game.clock)
    for seat in sorted(seats, key=lambda seat: seat.number):
        if seat.holder is None or is_evening:
            continue
        if seat.holder.night:
            nights.append(night_of(seat.holder.night, seat.holder.zone, seat.number))
        absences += [
            Pause(absence.begin, absence.end, "away", seat.number)
            for absence in draft.game.absences
            if absence.player_id == seat.holder.id and absence.end > since
        ]
    return TimeOff(nights, absences)


def night_of(written: str, zone: str, seat: int | None = None) -> Night:
    """Return a night from a player's setting, such as 23:00-07:00."""
    first, last = written.split("-")
    return Night(time.fromisoformat(first), time.fromisoformat(last), ZoneInfo(zone), seat)


# Starting and stopping ---------------------------------------------------------------------------


def start(draft: Draft, numbers: Collection[int], serial: int | None = None) -> None:
    """Start the timers of these seats with their full time. `serial` is the number of the event that says so."""
    if not numbers:
        return
    game = draft.game
    off = time_off(draft, _concerned(game, numbers))
    for number in numbers:
        _schedule(draft, number, None, [], off, game.events if serial is None else serial)
    note_due_at(game)


def stop(draft: Draft, numbers: Collection[int]) -> None:
    """Stop the timers of these seats, and store their banks."""
    store_banks(draft, numbers)
    _cancel(draft.game, numbers)
    note_due_at(draft.game)


def cancel_all(game: Situation) -> None:
    """Cancel all timers of the game except those of votes and invitations."""
    game.due_at = None
    for timer in game.timers:
        if timer.state == "armed" and timer.kind not in OF_NO_TURN:
            timer.state = "cancelled"


def start_grace(draft: Draft, number: int, serial: int) -> datetime:
    """Start the grace period of a late seat now; return its end."""
    _schedule(draft, number, None, [], TimeOff([], []), serial, GRACE)
    note_due_at(draft.game)
    assert draft.game.due_at is not None
    return draft.game.due_at


def restart(draft: Draft, limit: datetime, serial: int) -> bool:
    """Restart timers that seem to begin after `limit`, which is in the future; return True if there are any."""
    game = draft.game
    off = time_off(draft, _of_phase(game))
    ahead = [timer for timer in game.timeouts() if timer.began_at is not None and timer.began_at > limit]
    for timer in ahead:
        _cancel(game, [timer.seat])
        _schedule(draft, timer.seat, None, [], off, serial, timer.step)
    note_due_at(game)
    return bool(ahead)


def note_due_at(game: Situation) -> None:
    """Note the earliest deadline of the current turns in the game."""
    game.due_at = min((timer.due_at for timer in game.timeouts()), default=None)


# Moving ------------------------------------------------------------------------------------------


def recompute(
    draft: Draft, *, serial: int, earlier: bool = False, only: Collection[int] | None = None, night: int | None = None
) -> bool:
    """Compute the current deadlines again with today's pauses and absences; return True if one has moved.

    A deadline never comes nearer, unless `earlier`: a pause is over before its time; or unless it has waited for the
    night of seat `night`, and is still ahead without it. `only` are the seats whose nights and absences count, by
    default all of the phase; where the deadline may come nearer, those that it has waited for count too.
    """
    game, moved = draft.game, False
    for timer in game.timeouts():
        if timer.began_at is None:
            continue
        waits = [(step.kind, step.seat) for step in clocks.read_steps(timer.steps or ()) if step.seat is not None]
        waits_for_night = ("night", night) in waits
        numbers = only if only is None or not waits_for_night else {*only, *(seat for _, seat in waits)}
        off = time_off(draft, _concerned(game, [timer.seat]) if numbers is None else _numbered(game, numbers))
        computed = _computed(game, timer.seat, timer.began_at, timer.more or [], off, timer.step)
        assert computed.due_at is not None
        may_come_nearer = earlier or (waits_for_night and computed.due_at > draft.now)
        if computed.due_at > timer.due_at or (may_come_nearer and computed.due_at != timer.due_at):
            _replace(draft, timer, timer.more or [], off, serial)
            moved = True
    note_due_at(game)
    return moved


def schedule_again(draft: Draft, timer: Timer, late: Collection[int], serial: int) -> None:
    """Schedule a timeout that has fired for when it is due, given the nights and absences of the late seats."""
    off = time_off(draft, _numbered(draft.game, late))
    _schedule(draft, timer.seat, timer.began_at, timer.more or [], off, serial)
    note_due_at(draft.game)


def grant(draft: Draft, length: str, why: str, serial: int) -> None:
    """Extend all running timeouts by `length`, such as `P2D`, and to no less than that from now."""
    off = time_off(draft, _of_phase(draft.game))
    for timer in draft.game.timeouts():
        late = [[format_duration(draft.now - timer.due_at), why]] if timer.due_at < draft.now else []
        _replace(draft, timer, [*(timer.more or []), *late, [length, why]], off, serial)
    note_due_at(draft.game)


def credit_outage(draft: Draft, begin: datetime, end: datetime, why: str, serial: int) -> timedelta:
    """Give back the part of an outage that fell into the current turns; return the longest time that one got.

    Reminders move along, so that one that was sent is not sent again.
    """
    game, longest = draft.game, timedelta(0)
    off = time_off(draft, _of_phase(game))
    for timer in game.timeouts():
        lost = whole_seconds(end - max(begin, timer.began_at or begin))
        if lost <= timedelta(0):
            continue
        timer.state = "cancelled"
        more = [*(timer.more or []), [format_duration(lost), why]]
        _schedule(draft, timer.seat, timer.began_at or begin, more, off, serial, timer.step, reminded=False)
        for reminder in game.armed("reminder"):
            if reminder.seat == timer.seat:
                put_off(reminder, lost)
        longest = max(longest, lost)
    if longest:
        note_due_at(game)
    return longest


def put_off(timer: Timer, length: timedelta) -> None:
    """Move a timer by `length`."""
    timer.due_at += length
    timer.try_at = timer.due_at


def whole_seconds(length: timedelta) -> timedelta:
    """Return `length` rounded up to whole seconds."""
    return timedelta(seconds=-(-length // timedelta(seconds=1)))


# Time banks --------------------------------------------------------------------------------------


def store_banks(draft: Draft, numbers: Collection[int]) -> None:
    """Store what the time banks of these seats hold as their turns end now; do nothing for other kinds of clocks."""
    for timer in draft.game.timeouts():
        if timer.seat in numbers:
            store_bank(draft, timer)


def store_bank(draft: Draft, timer: Timer) -> None:
    """Store the bank of the seat that the timeout is of."""
    game = draft.game
    if game.clock["kind"] != "bank" or timer.began_at is None:
        return
    seat = game.seat_of_number(timer.seat)
    if timer.step == GRACE:  # the bank is spent
        seat.bank = int(parse_duration(game.clock["increment"]).total_seconds())
        return
    extra = sum((parse_duration(length) for length, _ in timer.more or ()), _owed(game, timer.began_at))
    pauses = [*game.pause_spans(), *time_off(draft, [seat]).absences]
    left = clocks.bank_after_turn(game.clock, _left(game, seat) + extra, timer.began_at, draft.now, pauses)
    seat.bank = int(left.total_seconds())


def _owed(game: Situation, began: datetime) -> timedelta:
    """Return the time that a turn which began then lost to outages, and that the game is not yet credited with."""
    lost = (whole_seconds(outage.end - max(outage.begin, began)) for outage in game.owed)
    return sum((length for length in lost if length > timedelta(0)), timedelta(0))


def _left(game: Situation, seat: Seat) -> timedelta:
    return parse_duration(game.clock["bank"]) if seat.bank is None else timedelta(seconds=seat.bank)


# Parts -------------------------------------------------------------------------------------------


def _replace(draft: Draft, timer: Timer, more: list[list[str]], off: TimeOff, serial: int) -> None:
    """Replace a timer; the old one stays as cancelled, as mails were written by it."""
    _cancel(draft.game, [timer.seat])
    _schedule(draft, timer.seat, timer.began_at or draft.now, more, off, serial, timer.step)


def _cancel(game: Situation, numbers: Collection[int]) -> None:
    """Cancel the timeouts and reminders of these seats."""
    for timer in game.armed("timeout", "reminder"):
        if timer.seat in numbers:
            timer.state = "cancelled"


def _schedule(
    draft: Draft, number: int, since: datetime | None, more: list[list[str]], off: TimeOff, serial: int, step: int = 0,
    *, reminded: bool = True,
) -> None:  # fmt: skip
    """Schedule one turn: its timeout, and the reminders still to come.

    It began at `since`, None is now. A reminder that was sent is not sent again, however much later the turn is due.
    """
    game = draft.game
    began = since or draft.now
    computed = _computed(game, number, began, more, off, step)
    due = computed.due_at
    assert due is not None
    steps = [each.stored() for each in computed.steps]
    draft.start_timer("timeout", due, serial, number, step, began_at=began, more=more, steps=steps)
    pauses = [*game.pause_spans(), *_of(off.absences, number)]
    shares = clocks.with_defaults(game.clock)["reminders"] if reminded and step != GRACE else ()
    past = _reminded(game, number, since) if shares and since else ()
    for place, share in enumerate(shares):
        at = clocks.reminder_at(game.clock, began, due, share, pauses)
        if draft.now < at < due and place not in past:
            draft.start_timer("reminder", at, serial, number, place)


def _reminded(game: Situation, number: int, began: datetime) -> set[int]:
    """Return the steps of the reminders that were sent since the turn began."""
    turn = (game.side, game.round, number)
    return {
        timer.step
        for timer in game.timers
        if timer.kind == "reminder" and timer.state == "fired" and timer.due_at > began
        and (timer.side, timer.round, timer.seat) == turn
    }  # fmt: skip


def _computed(
    game: Situation, number: int, began: datetime, more: list[list[str]], off: TimeOff, step: int = 0
) -> clocks.ComputedDeadline:
    assert game.side is not None
    extra = [ExtraTime(*each) for each in more]
    if step == GRACE:  # pauses of the game count, nights and absences do not
        return clocks.compute_grace_end(game.clock, began, pauses=game.pause_spans(), more=extra)
    left = _left(game, game.seat_of_number(number)) if game.clock["kind"] == "bank" else None
    pauses = [*game.pause_spans(), *_of(off.absences, number)]
    nights = _of(off.nights, number)
    return clocks.compute_deadline(game.clock, game.side, began, left=left, pauses=pauses, nights=nights, more=extra)


def _of(off: Iterable[_Own], number: int) -> list[_Own]:
    return [each for each in off if number in (SHARED, each.seat)]


def _concerned(game: Situation, numbers: Collection[int]) -> list[Seat]:
    """Return the seats that these timers are about: all of the phase for `SHARED`."""
    return [seat for seat in _of_phase(game) if SHARED in numbers or seat.number in numbers]


def _of_phase(game: Situation) -> list[Seat]:
    return [seat for seat in game.seats if seat.role == game.role_to_move]


def _numbered(game: Situation, numbers: Collection[int]) -> list[Seat]:
    return [seat for seat in game.seats if seat.number in numbers]
