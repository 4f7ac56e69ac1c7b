"""The goes under way: whose time runs, since when, until when, and how that came about.

Where a side has its time together there is one row for it, under `SHARED`; where each seat has its own, one for each seat
whose go it is. What is computed here is computed by `server.clock`.
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
GRACE = 1  # the step of a timeout behind the go's own
_NOT_OF_A_GO = ("vote", "invitation")
_Own = TypeVar("_Own", Night, Pause)
# Every move, and all that fires, asks and says these, so they are built once.
_DISARM = table_of(Deadline).update().values(state="cancelled")
_DISARM = _DISARM.where(Deadline.game_id == bindparam("game"), Deadline.state == "armed")
_DISARM = _DISARM.where(Deadline.kind.not_in(_NOT_OF_A_GO))
_TIMEOUTS = (Deadline.game_id == bindparam("game"), Deadline.kind == "timeout", Deadline.state == "armed")
_RUNNING = select(Deadline).where(*_TIMEOUTS).order_by(Deadline.due_at, Deadline.seat)
_EARLIEST = select(func.min(Deadline.due_at)).where(*_TIMEOUTS)
_CANCEL = table_of(Deadline).update().values(state="cancelled")
_CANCEL = _CANCEL.where(Deadline.game_id == bindparam("game"), Deadline.state == "armed")
_CANCEL = _CANCEL.where(Deadline.seat.in_(bindparam("seats", expanding=True)))
_CANCEL = _CANCEL.where(Deadline.kind.in_(("timeout", "reminder")))
# Outages that are made good, of which the game with the newest that it was credited (`last`) has nothing yet.
CREDITED = ("granted", "done")
NOT_CREDITED = (Outage.number > bindparam("last"), Outage.state.in_(CREDITED))
_OWED = select(Outage.begin, Outage.end).where(*NOT_CREDITED)
_TIME_OFF = select(Player.id, Player.night, Player.zone, Absence.begin, Absence.end).order_by(Player.id, Absence.begin)
_TIME_OFF = _TIME_OFF.outerjoin(
    Absence, (Absence.player_id == Player.id) & (Absence.end > bindparam("since", type_=UtcTime()))
).where(Player.id.in_(bindparam("people", expanding=True)))


class TimeOff(NamedTuple):
    """What some seats have of nights and absences."""

    nights: list[Night]
    absences: list[Pause]


def check_clock(clock: Any, shortest: timedelta) -> dict[str, Any]:
    """The whole clock that is wished for; `Problem` form when it makes no sense."""
    try:
        return clocks.check(clock, shortest)
    except clocks.ClockError as error:
        raise Problem("form", str(error)) from None


def seats_on_clock(game: Game, table: engine.Game) -> list[int]:
    """Whose time runs now: `SHARED`, or the seats that may move; bots are timed like anybody."""
    if game.clock["kind"] == "none":
        return []
    if clocks.is_shared(game.clock):
        return [SHARED]
    return [seat.number for seat in game.seats if set(seat.pawns) & set(table.to_move)]


def start(game: Game, numbers: Collection[int], serial: int | None = None) -> None:
    """Give each of these its whole time from now. `serial` is the number of the event that says so."""
    if not numbers:
        return
    off = time_off(game, _concerned(game, numbers))
    dues = [_arm(game, number, None, [], off, game.events if serial is None else serial) for number in numbers]
    game.due_at = min(dues if game.due_at is None else [game.due_at, *dues])


def stop(game: Game, numbers: Collection[int]) -> None:
    """The goes of these are over: what is left of a bank is kept, and nothing of them fires any more."""
    store_banks(game, numbers)
    _cancel(game, numbers)
    store_due_at(game)


def store_banks(game: Game, numbers: Collection[int]) -> None:
    """Note what the banks of these seats hold when their goes end now; nothing for other kinds of clocks."""
    if game.clock["kind"] != "bank":
        return
    for row in running(game):
        if row.seat in numbers:
            store_bank(game, row)


def store_bank(game: Game, row: Deadline) -> None:
    """The same for the go that the row is of."""
    if game.clock["kind"] != "bank" or row.began_at is None:
        return
    seat = seat_of_number(game, row.seat)
    if row.step == GRACE:  # all that it held is spent
        seat.bank = int(parse_duration(game.clock["increment"]).total_seconds())
        return
    given = sum((parse_duration(length) for length, _ in row.more or ()), _owed(game, row.began_at))
    pauses = [*pauses_of(game), *time_off(game, [seat]).absences]
    left = clocks.bank_after_turn(game.clock, _left(game, seat) + given, row.began_at, now(), pauses)
    seat.bank = int(left.total_seconds())


def _owed(game: Game, began: datetime) -> timedelta:
    """Return what a go that began then lost by outages for which the game is not yet credited."""
    outages = session.execute(_OWED, {"last": game.outages})
    lost = (whole_seconds(row.end - max(row.begin, began)) for row in outages if row.end is not None)
    return sum((length for length in lost if length > timedelta(0)), timedelta(0))


def running(game: Game) -> Sequence[Deadline]:
    """The armed timeouts of the goes under way, the earliest first."""
    return session.scalars(_RUNNING, {"game": game.id}).all()


def timer_of(game: Game, seat: Seat) -> Deadline | None:
    """The timeout of the go of that seat, alone or with its side; None where no time of its runs."""
    return next((row for row in running(game) if seat.role == _role(game) and row.seat in (SHARED, seat.number)), None)


def is_in_grace(game: Game, seat: Seat) -> bool:
    """Whether the time of that seat was up, and its grace runs."""
    return any(row.step == GRACE and row.seat in (SHARED, seat.number) for row in running(game))


def recompute(game: Game, *, serial: int, earlier: bool = False, only: Collection[int] | None = None) -> bool:
    """Reckon the deadlines under way anew, with the pauses and absences there are now; whether one has moved.

    A deadline that was told never comes nearer, unless `earlier`: a pause is over before its time. `only` are the
    seats whose nights and absences count, everybody's of the side if left out.
    """
    moved = False
    for row in running(game):
        if row.began_at is None:
            continue
        off = time_off(game, _concerned(game, [row.seat]) if only is None else _numbered(game, only))
        found = _reckoned(game, row.seat, row.began_at, row.more or [], off, row.step)
        assert found.due_at is not None
        if found.due_at > row.due_at or (earlier and found.due_at != row.due_at):
            _replace(game, row, row.more or [], off, serial)
            moved = True
    store_due_at(game)
    return moved


def has_time_left(game: Game, row: Deadline, late: Collection[int]) -> bool:
    """Return whether a timeout that has fired is not yet due, given the nights and absences of the late seats."""
    if row.began_at is None:
        return False
    off = time_off(game, _numbered(game, late))
    due = _reckoned(game, row.seat, row.began_at, row.more or [], off).due_at
    return due is not None and due > now()


def schedule_again(game: Game, row: Deadline, late: Collection[int], serial: int) -> None:
    """Schedule a timeout that has fired for when it is due, given the nights and absences of the late seats."""
    off = time_off(game, _numbered(game, late))
    _arm(game, row.seat, row.began_at, row.more or [], off, serial)
    store_due_at(game)


def extend(game: Game, length: str, why: str, serial: int) -> None:
    """Give everybody whose time runs `length` more, such as `P2D`, and no less than that from now."""
    off = time_off(game, [seat for seat in game.seats if seat.role == _role(game)])
    for row in running(game):
        late = [[format_duration(now() - row.due_at), why]] if row.due_at < now() else []
        _replace(game, row, [*(row.more or []), *late, [length, why]], off, serial)
    store_due_at(game)


def restart(game: Game, limit: datetime, serial: int) -> bool:
    """Let the goes begin now that seem to begin after `limit`, which is to come; whether there are any."""
    off = time_off(game, [seat for seat in game.seats if seat.role == _role(game)])
    rows = [row for row in running(game) if row.began_at is not None and row.began_at > limit]
    for row in rows:
        _cancel(game, [row.seat])
        _arm(game, row.seat, None, [], off, serial, row.step)
    store_due_at(game)
    return bool(rows)


def credit_outage(
    game: Game, begin: datetime, end: datetime, why: str, serial: int, timers: Sequence[Deadline]
) -> bool:  # fmt: skip
    """Give back what of an outage fell into the goes under way; return True if anything did.

    `timers` are the armed rows of the game. Reminders move along, so that one that was sent is not sent again.
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
        dues.append(_arm(game, row.seat, row.began_at or begin, more, off, serial, row.step, reminded=False))
        for reminder in timers:
            if reminder.kind == "reminder" and reminder.seat == row.seat:
                postpone(reminder, lost)
        moved = True
    game.due_at = min(dues)
    return moved


def postpone(row: Deadline, length: timedelta) -> None:
    """The same thing happens so much later."""
    row.due_at += length
    row.try_at = row.due_at


def whole_seconds(length: timedelta) -> timedelta:
    """`length` in whole seconds, none too few."""
    return timedelta(seconds=-(-length // timedelta(seconds=1)))


def _replace(game: Game, row: Deadline, more: list[list[str]], off: TimeOff, serial: int) -> None:
    """A row in the place of another; the old one stays as what was told until now."""
    _cancel(game, [row.seat])
    _arm(game, row.seat, row.began_at or now(), more, off, serial, row.step)


def start_grace(game: Game, number: int, serial: int) -> datetime:
    """Who is late has the grace of the clock, from now; until when."""
    _arm(game, number, None, [], TimeOff([], []), serial, GRACE)
    store_due_at(game)
    assert game.due_at is not None
    return game.due_at


# What stands still -------------------------------------------------------------------------------


def pauses_of(game: Game) -> list[Pause]:
    """When no clock of the game ran, or is to run."""
    return [Pause(datetime.fromisoformat(first), datetime.fromisoformat(last), why) for first, last, why in game.pauses]


def time_off(game: Game, seats: Collection[Seat]) -> TimeOff:
    """The nights and absences of who sits there: nobody's of a house player."""
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
    """A night as a player has set it, such as 23:00-07:00."""
    first, last = written.split("-")
    return Night(time.fromisoformat(first), time.fromisoformat(last), ZoneInfo(zone), seat)


# Rows --------------------------------------------------------------------------------------------


def _arm(
    game: Game, number: int, since: datetime | None, more: list[list[str]], off: TimeOff, serial: int, step: int = 0,
    *, reminded: bool = True,
) -> datetime:  # fmt: skip
    """The rows of one go: its timeout, and the reminders that are still to come, if any; when it is due.

    It began at `since`, None is now. What was reminded of in it already is not again, however much later it is due.
    """
    began = since or now()
    found = _reckoned(game, number, began, more, off, step)
    due = found.due_at
    assert due is not None
    explained = {"began_at": began, "more": more, "steps": [each.stored() for each in found.steps]}
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
    """Which reminders have come in the go that began then."""
    mine = (Deadline.game_id == game.id, Deadline.kind == "reminder", Deadline.state == "fired")
    go = (Deadline.side == game.side, Deadline.round == game.round, Deadline.seat == number, Deadline.due_at > began)
    return set(session.scalars(select(Deadline.step).where(*mine, *go)))


def _reckoned(
    game: Game, number: int, began: datetime, more: list[list[str]], off: TimeOff, step: int = 0
) -> clocks.ComputedDeadline:
    assert game.side is not None
    given = [ExtraTime(parse_length(length), why) for length, why in more]
    if step == GRACE:  # nobody's night or absence, but a pause of the game
        return clocks.compute_grace_end(game.clock, began, pauses=pauses_of(game), more=given)
    left = _left(game, seat_of_number(game, number)) if game.clock["kind"] == "bank" else None
    pauses = [*pauses_of(game), *_of(off.absences, number)]
    nights = _of(off.nights, number)
    return clocks.compute_deadline(game.clock, game.side, began, left=left, pauses=pauses, nights=nights, more=given)


def _of(off: Iterable[_Own], number: int) -> list[_Own]:
    return [each for each in off if number in (SHARED, each.seat)]


def _left(game: Game, seat: Seat) -> timedelta:
    return parse_duration(game.clock["bank"]) if seat.bank is None else timedelta(seconds=seat.bank)


def add(game: Game, kind: str, due_at: datetime, serial: int = 1) -> None:
    """One row of something that has to happen at `due_at`."""
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
    """Cancel what is armed: nothing of a half that is over may fire."""
    game.due_at = None
    session.execute(_DISARM, {"game": game.id})


def _cancel(game: Game, numbers: Collection[int]) -> None:
    """Nothing fires any more of the goes of these."""
    session.execute(_CANCEL, {"game": game.id, "seats": list(numbers)})


def store_due_at(game: Game) -> None:
    """Note the earliest of the deadlines under way with the game."""
    game.due_at = session.scalar(_EARLIEST, {"game": game.id})


def _concerned(game: Game, numbers: Collection[int]) -> list[Seat]:
    """Whom these rows are about: all of the side for `SHARED`."""
    return [seat for seat in game.seats if seat.role == _role(game) and (SHARED in numbers or seat.number in numbers)]


def _numbered(game: Game, numbers: Collection[int]) -> list[Seat]:
    return [seat for seat in game.seats if seat.number in numbers]


def _role(game: Game) -> str:
    return "mr_x" if game.side == "mr_x" else "detective"
