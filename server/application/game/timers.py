"""The timers of a game: the timeouts and reminders of the current turns, and the other rows that fire at a time.

Where the seats of a phase share their time there is one timeout, under seat `SHARED`; where each seat has its own,
there is one for each seat whose turn it is. `server.clock` computes when they fall.
"""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, time, timedelta
from typing import Any, NamedTuple, TypeVar
from zoneinfo import ZoneInfo

from sqlalchemy import bindparam, func, select

from server import clock as clocks
from server import engine
from server.application.errors import Problem
from server.application.game.access import seat_of_number
from server.clock import ExtraTime, Night, Pause
from server.durations import format_duration, parse_duration, parse_length
from server.models import Absence, Deadline, Game, Outage, Player, Seat, insert, session, table_of
from server.models.types import UtcTime
from server.runtime import now, runtime

SHARED = 0
GRACE = 1  # the step of a timeout after the turn's own
_NOT_OF_A_TURN = ("vote", "invitation")
_Own = TypeVar("_Own", Night, Pause)
_CANCEL_ALL = table_of(Deadline).update().values(state="cancelled")
_CANCEL_ALL = _CANCEL_ALL.where(Deadline.game_id == bindparam("game"), Deadline.state == "armed")
_CANCEL_ALL = _CANCEL_ALL.where(Deadline.kind.not_in(_NOT_OF_A_TURN))
_TIMEOUTS = (Deadline.game_id == bindparam("game"), Deadline.kind == "timeout", Deadline.state == "armed")
_RUNNING = select(Deadline).where(*_TIMEOUTS).order_by(Deadline.due_at, Deadline.seat)
_EARLIEST = select(func.min(Deadline.due_at)).where(*_TIMEOUTS)
_CANCEL = table_of(Deadline).update().values(state="cancelled")
_CANCEL = _CANCEL.where(Deadline.game_id == bindparam("game"), Deadline.state == "armed")
_CANCEL = _CANCEL.where(Deadline.seat.in_(bindparam("seats", expanding=True)))
_CANCEL = _CANCEL.where(Deadline.kind.in_(("timeout", "reminder")))
# Outages that are given back, and that a game whose newest credited outage is `last` has not been credited with.
CREDITED = ("granted", "done")
NOT_CREDITED = (Outage.number > bindparam("last"), Outage.state.in_(CREDITED))
_OWED = select(Outage.begin, Outage.end).where(*NOT_CREDITED)
_TIME_OFF = select(Player.id, Player.night, Player.zone, Absence.begin, Absence.end).order_by(Player.id, Absence.begin)
_TIME_OFF = _TIME_OFF.outerjoin(
    Absence, (Absence.player_id == Player.id) & (Absence.end > bindparam("since", type_=UtcTime()))
).where(Player.id.in_(bindparam("people", expanding=True)))


class TimeOff(NamedTuple):
    """The nights and absences of some seats."""

    nights: list[Night]
    absences: list[Pause]


def check_clock(clock: Any, shortest: timedelta) -> dict[str, Any]:
    """Return the requested clock with its defaults; `Problem` form when it makes no sense."""
    try:
        return clocks.check(clock, shortest)
    except clocks.ClockError as error:
        raise Problem("form", str(error)) from None


def seats_on_clock(game: Game, state: engine.Game) -> list[int]:
    """Return the seats to be timed: `SHARED`, or those that may move; bots are timed like players."""
    if game.clock["kind"] == "none":
        return []
    if clocks.is_shared(game.clock):
        return [SHARED]
    return [seat.number for seat in game.seats if set(seat.pawns) & set(state.to_move)]


def start(game: Game, numbers: Collection[int], serial: int | None = None) -> None:
    """Start the timers of these seats with their full time. `serial` is the number of the event that says so."""
    if not numbers:
        return
    off = time_off(game, _concerned(game, numbers))
    dues = [_schedule(game, number, None, [], off, game.events if serial is None else serial) for number in numbers]
    game.due_at = min(dues if game.due_at is None else [game.due_at, *dues])


def stop(game: Game, numbers: Collection[int]) -> None:
    """Stop the timers of these seats, and store their banks."""
    store_banks(game, numbers)
    _cancel(game, numbers)
    store_due_at(game)


def store_banks(game: Game, numbers: Collection[int]) -> None:
    """Store what the time banks of these seats hold as their turns end now; do nothing for other kinds of clocks."""
    if game.clock["kind"] != "bank":
        return
    for row in running(game):
        if row.seat in numbers:
            store_bank(game, row)


def store_bank(game: Game, row: Deadline) -> None:
    """Store the bank of the seat that the timeout is of."""
    if game.clock["kind"] != "bank" or row.began_at is None:
        return
    seat = seat_of_number(game, row.seat)
    if row.step == GRACE:  # the bank is spent
        seat.bank = int(parse_duration(game.clock["increment"]).total_seconds())
        return
    extra = sum((parse_duration(length) for length, _ in row.more or ()), _owed(game, row.began_at))
    pauses = [*pauses_of(game), *time_off(game, [seat]).absences]
    left = clocks.bank_after_turn(game.clock, _left(game, seat) + extra, row.began_at, now(), pauses)
    seat.bank = int(left.total_seconds())


def _owed(game: Game, began: datetime) -> timedelta:
    """Return the time that a turn which began then lost to outages, and that the game is not yet credited with."""
    outages = session.execute(_OWED, {"last": game.outages})
    lost = (whole_seconds(row.end - max(row.begin, began)) for row in outages if row.end is not None)
    return sum((length for length in lost if length > timedelta(0)), timedelta(0))


def running(game: Game) -> Sequence[Deadline]:
    """Return the timeouts of the current turns, the earliest first."""
    return session.scalars(_RUNNING, {"game": game.id}).all()


def timer_of(game: Game, seat: Seat) -> Deadline | None:
    """Return the timeout of the seat, its own or the shared one; None if none runs."""
    return next((row for row in running(game) if seat.role == _role(game) and row.seat in (SHARED, seat.number)), None)


def is_in_grace(game: Game, seat: Seat) -> bool:
    """Return True if the seat's time is up and its grace period runs."""
    return any(row.step == GRACE and row.seat in (SHARED, seat.number) for row in running(game))


def recompute(game: Game, *, serial: int, earlier: bool = False, only: Collection[int] | None = None) -> bool:
    """Compute the current deadlines again with today's pauses and absences; return True if one has moved.

    A deadline never comes nearer, unless `earlier`: a pause is over before its time. `only` are the seats whose nights
    and absences count, by default all of the phase.
    """
    moved = False
    for row in running(game):
        if row.began_at is None:
            continue
        off = time_off(game, _concerned(game, [row.seat]) if only is None else _numbered(game, only))
        computed = _computed(game, row.seat, row.began_at, row.more or [], off, row.step)
        assert computed.due_at is not None
        if computed.due_at > row.due_at or (earlier and computed.due_at != row.due_at):
            _replace(game, row, row.more or [], off, serial)
            moved = True
    store_due_at(game)
    return moved


def has_time_left(game: Game, row: Deadline, late: Collection[int]) -> bool:
    """Return whether a timeout that has fired is not yet due, given the nights and absences of the late seats."""
    if row.began_at is None:
        return False
    off = time_off(game, _numbered(game, late))
    due = _computed(game, row.seat, row.began_at, row.more or [], off).due_at
    return due is not None and due > now()


def schedule_again(game: Game, row: Deadline, late: Collection[int], serial: int) -> None:
    """Schedule a timeout that has fired for when it is due, given the nights and absences of the late seats."""
    off = time_off(game, _numbered(game, late))
    _schedule(game, row.seat, row.began_at, row.more or [], off, serial)
    store_due_at(game)


def extend(game: Game, length: str, why: str, serial: int) -> None:
    """Extend all running timeouts by `length`, such as `P2D`, and to no less than that from now."""
    off = time_off(game, [seat for seat in game.seats if seat.role == _role(game)])
    for row in running(game):
        late = [[format_duration(now() - row.due_at), why]] if row.due_at < now() else []
        _replace(game, row, [*(row.more or []), *late, [length, why]], off, serial)
    store_due_at(game)


def restart(game: Game, limit: datetime, serial: int) -> bool:
    """Restart timers that seem to begin after `limit`, which is in the future; return True if there are any."""
    off = time_off(game, [seat for seat in game.seats if seat.role == _role(game)])
    rows = [row for row in running(game) if row.began_at is not None and row.began_at > limit]
    for row in rows:
        _cancel(game, [row.seat])
        _schedule(game, row.seat, None, [], off, serial, row.step)
    store_due_at(game)
    return bool(rows)


def credit_outage(
    game: Game, begin: datetime, end: datetime, why: str, serial: int, timers: Sequence[Deadline]
) -> bool:  # fmt: skip
    """Give back the part of an outage that fell into the current turns; return True if there was any.

    `timers` are the scheduled rows of the game. Reminders move along, so that one that was sent is not sent again.
    """
    timeouts = [row for row in timers if row.kind == "timeout"]
    if not timeouts:
        return False
    off = time_off(game, [seat for seat in game.seats if seat.role == _role(game)])
    dues, moved = [], False
    for row in timeouts:
        lost = whole_seconds(end - max(begin, row.began_at or begin))
        if lost <= timedelta(0):
            dues.append(row.due_at)
            continue
        row.state = "cancelled"
        more = [*(row.more or []), [format_duration(lost), why]]
        dues.append(_schedule(game, row.seat, row.began_at or begin, more, off, serial, row.step, reminded=False))
        for reminder in timers:
            if reminder.kind == "reminder" and reminder.seat == row.seat:
                postpone(reminder, lost)
        moved = True
    game.due_at = min(dues)
    return moved


def postpone(row: Deadline, length: timedelta) -> None:
    """Move a row by `length`."""
    row.due_at += length
    row.try_at = row.due_at


def whole_seconds(length: timedelta) -> timedelta:
    """Return `length` rounded up to whole seconds."""
    return timedelta(seconds=-(-length // timedelta(seconds=1)))


def _replace(game: Game, row: Deadline, more: list[list[str]], off: TimeOff, serial: int) -> None:
    """Replace a timer; the old row stays, as mails were written by it."""
    _cancel(game, [row.seat])
    _schedule(game, row.seat, row.began_at or now(), more, off, serial, row.step)


def start_grace(game: Game, number: int, serial: int) -> datetime:
    """Start the grace period of a late seat now; return its end."""
    _schedule(game, number, None, [], TimeOff([], []), serial, GRACE)
    store_due_at(game)
    assert game.due_at is not None
    return game.due_at


# What stands still -------------------------------------------------------------------------------


def pauses_of(game: Game) -> list[Pause]:
    """Return the pauses of the game, past and future."""
    return [Pause(datetime.fromisoformat(first), datetime.fromisoformat(last), why) for first, last, why in game.pauses]


def time_off(game: Game, seats: Collection[Seat]) -> TimeOff:
    """Return the nights and absences of the players of these seats; bots have none."""
    holders = {seat.player_id: seat.number for seat in seats if seat.player_id}
    asked = {"people": list(holders), "since": game.started_at or now()}
    nights, absences = {}, []
    for player_id, night, zone, first, last in session.execute(_TIME_OFF, asked) if holders else ():
        number = holders[player_id]
        if night:
            nights[number] = night_of(night, zone, number)
        if first is not None:
            absences.append(Pause(first, last, "you are away", number))
    return TimeOff([nights[number] for number in sorted(nights)], absences)


def night_of(written: str, zone: str, seat: int | None = None) -> Night:
    """Return a night from a player's setting, such as 23:00-07:00."""
    first, last = written.split("-")
    return Night(time.fromisoformat(first), time.fromisoformat(last), ZoneInfo(zone), seat)


# Rows --------------------------------------------------------------------------------------------


def _schedule(
    game: Game, number: int, since: datetime | None, more: list[list[str]], off: TimeOff, serial: int, step: int = 0,
    *, reminded: bool = True,
) -> datetime:  # fmt: skip
    """Insert the rows of one turn, its timeout and the reminders still to come; return when it is due.

    It began at `since`, None is now. A reminder that was sent is not sent again, however much later the turn is due.
    """
    began = since or now()
    computed = _computed(game, number, began, more, off, step)
    due = computed.due_at
    assert due is not None
    explained = {"began_at": began, "more": more, "steps": [each.stored() for each in computed.steps]}
    rows = [_row(game, "timeout", due, serial, number, step) | explained]
    pauses = [*pauses_of(game), *_of(off.absences, number)]
    shares = clocks.with_defaults(game.clock)["reminders"] if reminded and step != GRACE else ()
    past = _reminded(game, number, since) if shares and since else ()
    for place, share in enumerate(shares):
        at = clocks.reminder_at(game.clock, began, due, share, pauses)
        if now() < at < due and place not in past:
            rows.append(_row(game, "reminder", at, serial, number, place))
    insert(Deadline, *rows)
    return due


def _reminded(game: Game, number: int, began: datetime) -> set[int]:
    """Return the steps of the reminders that were sent since the turn began."""
    mine = (Deadline.game_id == game.id, Deadline.kind == "reminder", Deadline.state == "fired")
    turn = (Deadline.side == game.side, Deadline.round == game.round, Deadline.seat == number, Deadline.due_at > began)
    return set(session.scalars(select(Deadline.step).where(*mine, *turn)))


def _computed(
    game: Game, number: int, began: datetime, more: list[list[str]], off: TimeOff, step: int = 0
) -> clocks.ComputedDeadline:
    assert game.side is not None
    extra = [ExtraTime(parse_length(length), why) for length, why in more]
    if step == GRACE:  # pauses of the game count, nights and absences do not
        return clocks.compute_grace_end(game.clock, began, pauses=pauses_of(game), more=extra)
    left = _left(game, seat_of_number(game, number)) if game.clock["kind"] == "bank" else None
    pauses = [*pauses_of(game), *_of(off.absences, number)]
    nights = _of(off.nights, number)
    return clocks.compute_deadline(game.clock, game.side, began, left=left, pauses=pauses, nights=nights, more=extra)


def _of(off: Iterable[_Own], number: int) -> list[_Own]:
    return [each for each in off if number in (SHARED, each.seat)]


def _left(game: Game, seat: Seat) -> timedelta:
    return parse_duration(game.clock["bank"]) if seat.bank is None else timedelta(seconds=seat.bank)


def add(game: Game, kind: str, due_at: datetime, serial: int = 1) -> None:
    """Insert one row that fires at `due_at`."""
    insert(Deadline, _row(game, kind, due_at, serial))


def _row(game: Game, kind: str, due_at: datetime, serial: int, seat: int = SHARED, step: int = 0) -> dict[str, Any]:
    return {
        "id": runtime().new_id("deadline"),
        "game_id": game.id,
        "kind": kind,
        "side": game.side,
        "round": game.round,
        "seat": seat,
        "step": step,
        "serial": serial,
        "due_at": due_at,
        "try_at": due_at,
        "began_at": None,
        "more": None,
        "steps": None,
    }


def cancel_all(game: Game) -> None:
    """Cancel all timers of the game except those of votes and invitations."""
    game.due_at = None
    session.execute(_CANCEL_ALL, {"game": game.id})


def _cancel(game: Game, numbers: Collection[int]) -> None:
    """Cancel the timeouts and reminders of these seats."""
    session.execute(_CANCEL, {"game": game.id, "seats": list(numbers)})


def store_due_at(game: Game) -> None:
    """Store the earliest current deadline in the game's row."""
    game.due_at = session.scalar(_EARLIEST, {"game": game.id})


def _concerned(game: Game, numbers: Collection[int]) -> list[Seat]:
    """Return the seats that these timers are about: all of the phase for `SHARED`."""
    return [seat for seat in game.seats if seat.role == _role(game) and (SHARED in numbers or seat.number in numbers)]


def _numbered(game: Game, numbers: Collection[int]) -> list[Seat]:
    return [seat for seat in game.seats if seat.number in numbers]


def _role(game: Game) -> str:
    return "mr_x" if game.side == "mr_x" else "detective"
