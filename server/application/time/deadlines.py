"""What happens when time runs out. Firing goes through the same function as a move."""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, bindparam, exists, select

from server import bots, clock, engine
from server.application.errors import Problem
from server.application.game import notices, sealed_log, timers
from server.application.game.access import check_reason, happened, locked, rebuild, seat_of_pawn
from server.application.mail import imap_progress
from server.application.play import moves
from server.application.play.moves import waiting
from server.application.seats import lobby
from server.application.time import outages, vacation, votes
from server.durations import parse_duration, rfc3339
from server.models import ARMED, Deadline, Game, Outage, Player, Seat, session, table_of, transaction
from server.models.types import UtcTime
from server.runtime import now, runtime

RETRY = timedelta(minutes=1)
LONGEST_RETRY = timedelta(hours=1)
# Ends that play did not bring about.
UNDOABLE = ("out_of_time", "resigned", "agreed", "voided")
# Asked at every tick, so they are built once.
_DUE = select(Deadline.id, Deadline.game_id, Deadline.due_at).order_by(Deadline.try_at)
_DUE = _DUE.where(Deadline.state == ARMED, Deadline.try_at <= bindparam("at", type_=UtcTime()))
_FIRST_DUE = _DUE.limit(1)
_ROW = (Deadline.id == bindparam("row"), Deadline.state == ARMED)
_GAME = select(Deadline.game_id).where(*_ROW)
_CLAIM = table_of(Deadline).update().values(state="fired")
_CLAIM = _CLAIM.where(*_ROW, Deadline.due_at <= bindparam("at", type_=UtcTime()))
# The time of an outage was not yet given back to the game: its timers wait for that, of whatever kind.
_IS_OWED = exists().where(Game.id == Deadline.game_id, Outage.number > Game.outages, Outage.state.in_(timers.CREDITED))
_CLAIM = _CLAIM.where(~_IS_OWED).returning(table_of(Deadline).c.id)


def due(at: datetime, limit: int = 100) -> list[tuple[str, str, datetime]]:
    """`(id, game id, due_at)` of what is due and may fire, oldest first.

    While the server, or the way of the mail, is not to be relied on, that is only what nobody could miss. While the
    time of an outage is given back, it is nothing of a game that is still to be credited.
    """
    if session.execute(_FIRST_DUE, {"at": at}).first() is None:
        return []
    has_credited = outages.has_credited()
    query = _DUE.where(*_may_fire(at), *(() if has_credited is None else (has_credited,))).limit(limit)
    return [tuple(row) for row in session.execute(query, {"at": at})]  # type: ignore[misc]


def _may_fire(at: datetime) -> tuple[ColumnElement[bool], ...]:
    always = Deadline.kind.not_in(outages.KINDS)
    # A relay that takes nothing may be out for long, and then what is due moves; if not, it fires a little later.
    if outages.why_held(at) is not None or outages.is_relay_out():
        return (always,)
    # A mail that came in time may still lie in a mailbox that is read now and then.
    read_until = imap_progress.read_until(at)
    return () if read_until is None else (always | (Deadline.due_at < read_until),)


def armed(*, due_only: bool = False) -> list[dict[str, Any]]:
    """What has to happen at a time, the next first, for the operator; `due_only`: what is to be done by now."""
    query = select(Deadline).where(Deadline.state == "armed").order_by(Deadline.try_at, Deadline.id)
    if due_only:
        query = query.where(Deadline.try_at <= now())
    return [
        {
            "id": row.id,
            "game": row.game_id,
            "kind": row.kind,
            "side": row.side,
            "round": row.round,
            "due_at": rfc3339(row.due_at),
            "try_at": rfc3339(row.try_at),
            "attempts": row.attempts,
        }
        for row in session.scalars(query)
    ]


class Busy(Exception):
    """Somebody else is at the game just now."""


def fire(deadline_id: str, *, waits: bool = True) -> bool:
    """Do what a due row says, exactly once; False when it was no longer to be done.

    The guarded update claims the row and is undone with everything else if anything fails. `Busy` when somebody else is
    at the game, unless that is waited for.
    """
    with transaction():
        game_id = session.scalar(_GAME, {"row": deadline_id})
        if game_id is None:
            return False
        vacation.lock_who_spends(game_id)
        # The game's row first, as movers do: two that wait for each other's row would never end.
        game = session.get(Game, game_id, with_for_update={"skip_locked": not waits}, populate_existing=True)
        if game is None:
            raise Busy
        outages.settle(game)
        session.flush()
        if session.scalar(_CLAIM, {"row": deadline_id, "at": now()}) is None:
            return False
        row = session.get_one(Deadline, deadline_id)
        _KINDS[row.kind](game, row)
    return True


def is_armed(deadline_id: str) -> bool:
    """Whether it is still to be done: of many workers another may have been faster."""
    return session.scalar(_GAME, {"row": deadline_id}) is not None


def postpone(deadline_id: str) -> None:
    """Firing failed: try again later, ever more rarely, but never give up."""
    with transaction():
        row = session.get_one(Deadline, deadline_id)
        row.attempts += 1
        row.try_at = now() + min(RETRY * 2 ** min(row.attempts - 1, 10), LONGEST_RETRY)


def reinstate(game_id: str, reason: str) -> Game:
    """Take a game up again that something else than play ended, while that is provisional: the operator's undo."""
    with transaction():
        game = locked(game_id)
        if game.status != "over" or game.final or game.reason not in UNDOABLE:
            raise Problem(
                "game-not-running",
                "Only a game that something else than play ended, and that is not final, can be taken up.",
            )
        timers.disarm(game)
        game.status, game.winner, game.reason, game.ended_at, game.final_at = "running", None, None, None, None
        game.mr_x_misses = 0
        moves.is_in_time(seat_of_pawn(game, "mr_x"))
        told = {"reason": check_reason(game, reason)}
        happened(game, "reinstated", **told)
        moves.arm(game, rebuild(game), serial=game.events)
        notices.announced(game, "reinstated", told)
    return game


def _remind(game: Game, row: Deadline) -> None:
    # Where the time is up already, as after a standstill of the server, there is nothing left to remind of.
    time_left = game.due_at is not None and now() < game.due_at
    if not time_left or not _is_under_way(game, row):
        return
    share = clock.with_defaults(game.clock)["reminders"][row.step]
    for seat in _late(game, row):
        notices.reminder(seat, row.id, {"share": share}, after_night(seat, game.due_at))


def after_night(seat: Seat, due: datetime | None) -> datetime:
    """When a reminder is sent to who sits there: now, or if he sleeps in the morning, unless that is too late."""
    player = session.get(Player, seat.player_id) if seat.player_id else None
    morning = None
    if player is not None and player.night:
        morning = timers.night_of(player.night, player.zone).end_if_in(now())
    return morning if morning is not None and (due is None or morning < due) else now()


def _is_under_way(game: Game, row: Deadline) -> bool:
    return game.status == "running" and (game.side, game.round) == (row.side, row.round)


def _late(game: Game, row: Deadline) -> list[Seat]:
    """Whose moves are missing of those whose time the row is."""
    return [seat for seat in waiting(game) if row.seat in (timers.SIDE, seat.number)]


def _time_out(game: Game, row: Deadline) -> None:
    """What is to be done when the time of a go is up, in this order, each at most once.

    1. Who likes spends some of his vacation, and the deadline moves on; so it does where somebody is away or asleep.
    2. Who is late has the grace of the clock, and everybody is told who it is.
    3. Mr. X gets one more turn; later he forfeits, or the detectives are asked. Detectives are moved by the house.
    """
    late = _late(game, row) if _is_under_way(game, row) else []
    if not late:
        return
    if row.step != timers.GRACE and (_wait_for_the_absent(game, row, late) or _give_grace(game, row, late)):
        return
    if row.side == "mr_x":
        _mr_x_is_late(game, late[0], row.due_at)
    else:
        _move_for_the_late(game, row)


def _wait_for_the_absent(game: Game, row: Deadline, late: list[Seat]) -> bool:
    for seat in late:
        vacation.spend(seat, row)
    if not timers.wait_longer(game, row, [seat.number for seat in late], game.events + 1):
        return False
    happened(game, "postponed", due_at=rfc3339(game.due_at))
    return True


def _give_grace(game: Game, row: Deadline, late: list[Seat]) -> bool:
    if not parse_duration(clock.with_defaults(game.clock)["grace"]):
        return False
    for seat in late:
        seat.late_since = seat.late_since or row.due_at
    until = rfc3339(timers.grace(game, row.seat, game.events + 1))
    pawns = [pawn for seat in late for pawn in seat.pawns]
    happened(game, "late", seats=[seat.number for seat in late], pawns=pawns, due_at=until)
    notices.overdue(game, late)
    return True


def _mr_x_is_late(game: Game, seat: Seat, due_at: datetime) -> None:
    if game.mr_x_misses == 0:
        _missed(seat, due_at)
        moves.grant(game)
    elif clock.with_defaults(game.clock)["mr_x_late"] == "vote" and votes.ask_for_claim(game):
        seat.late_since = seat.late_since or due_at
    else:
        moves.end(game, rebuild(game), "detectives", "out_of_time", undoable=True)


def _missed(seat: Seat, due_at: datetime) -> None:
    seat.misses += 1
    seat.late_since = seat.late_since or due_at


def _move_for_the_late(game: Game, row: Deadline) -> None:
    table = rebuild(game)
    timers.keep_bank(game, row)
    late: set[int] = set()
    half = (game.side, game.round)
    while table.outcome is None and (game.side, game.round) == half and (pawns := _timed_by(game, table, row)):
        late.add(seat_of_pawn(game, pawns[0]).number)
        moves.enter(game, table, _chosen(game, table, "constable", pawns[0]), "house")
    for seat in game.seats:
        if seat.number in late:
            _missed(seat, row.due_at)
            notices.late(seat)
            _offer(game, seat)


def _timed_by(game: Game, table: engine.Game, row: Deadline) -> list[str]:
    """The pawns to move whose time the row is."""
    return [pawn for pawn in table.to_move if row.seat in (timers.SIDE, seat_of_pawn(game, pawn).number)]


def _offer(game: Game, seat: Seat) -> None:
    """Who was late too often in a row may be replaced by whoever comes; until then he may come back himself."""
    often = clock.with_defaults(game.clock)["open_after"]
    if often is None or seat.misses < often or seat.is_offered or seat.bot or game.status != "running":
        return
    seat.is_offered = True
    happened(game, "offered", seat=seat.number, pawns=seat.pawns)
    notices.announced(game, "offered", {"pawns": seat.pawns})


def _move_of_the_house(game: Game, _row: Deadline) -> None:
    """One pawn moves; if it is the turn of another one of the house's then, that one has a row of its own."""
    if game.status != "running":
        return
    table = rebuild(game)
    for seat in game.seats:
        for pawn in seat.pawns:
            if seat.bot and pawn in table.to_move:
                moves.enter(game, table, _chosen(game, table, seat.bot, pawn), "bot")
                return


def _chosen(game: Game, table: engine.Game, name: str, pawn: str) -> engine.Move:
    """What a player of the house would do with a pawn, from what is shown to whoever holds it."""
    legal = table.legal_moves(pawn)
    # Where a teammate has sent his pawn ahead the house does not go: his move would come back, too late.
    free = [move for move in legal if pawn == "mr_x" or move.station not in moves.stations_ahead(game)]
    return bots.choose(name, table.view(pawn), free or legal, runtime().rng("house"))


def _finish(game: Game, _row: Deadline) -> None:
    if game.status == "over" and not game.final:
        game.final = True
        happened(game, "final", **sealed_log.opening(game, rebuild(game)))
        notices.announced(game, "final")


_KINDS = {"reminder": _remind, "timeout": _time_out, "move": _move_of_the_house, "final": _finish, "vote": votes.close,
          "invitation": lobby.lapse}  # fmt: skip
