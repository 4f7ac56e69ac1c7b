"""Load the situation of a game, decide, and write what follows: the one way in which a running game changes."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from datetime import datetime, timedelta
from functools import cache
from typing import Any, TypeVar

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Row,
    Select,
    String,
    Update,
    and_,
    bindparam,
    exists,
    func,
    or_,
    select,
)
from sqlalchemy.orm.attributes import set_committed_value

from server.application.deciding import begin_to_write
from server.application.decisions.draft import Decision, Draft, Sources, decide
from server.application.decisions.situation import (
    COLUMNS,
    Absence,
    Holder,
    Motion,
    Outage,
    QueuedMove,
    Seat,
    Situation,
    Timer,
    Webhook,
)
from server.application.game import access
from server.application.game.state import cache_state, rebuild
from server.models import (
    ARMED,
    FIRED,
    OPEN,
    Ballot,
    Base,
    Deadline,
    Event,
    Game,
    MailWish,
    Move,
    Outgoing,
    Player,
    ReplyToken,
    WebhookDelivery,
    change_rows,
    flush,
    insert,
    rows,
    session,
    table_of,
    wake_when_committed,
)
from server.models import Absence as AbsenceRow
from server.models import Motion as MotionRow
from server.models import Outage as OutageRow
from server.models import QueuedMove as QueuedRow
from server.models import Seat as SeatRow
from server.models import Webhook as WebhookRow
from server.models.types import UtcTime
from server.runtime import now, runtime

Answer = TypeVar("Answer")
CREDITED = ("granted", "done")  # the states of outages that are given back
MOVES = "moves"  # the mail frequency of players who want a mail for every move
LOOK_BACK = timedelta(days=400)  # more than a year, for which vacation is counted


def _column(model: type[Base], name: str) -> ColumnElement[Any]:
    return model.__mapper__.column_attrs[name].columns[0]


def _names(value: type[Any], *without: str) -> tuple[str, ...]:
    """Return the fields of a value of the situation that are columns of its table."""
    return tuple(each.name for each in fields(value) if each.name not in without)


def _columns(model: type[Base], names: Iterable[str]) -> list[ColumnElement[Any]]:
    return [_column(model, name).label(name) for name in names]


# Of the games themselves
_GAME = select(*_columns(Game, COLUMNS)).with_for_update()
_ANY_GAME = _GAME.where(Game.id == bindparam("game"))
_VISIBLE_GAME = _GAME.where(*access.VISIBLE)
# Of what is around them
_GAME_ID: BindParameter[str] = bindparam("game")
_SEAT = _names(Seat, "holder")
_HOLDER = (Player.zone, Player.night, Player.spends_vacation, Player.bounces)
_WANTS_MOVES = (func.coalesce(MailWish.mail, Player.mail) == MOVES).label("wants_moves")
_SEATS = select(*_columns(SeatRow, _SEAT), *_HOLDER, _WANTS_MOVES).order_by(SeatRow.number)
_SEATS = _SEATS.outerjoin(Player, Player.id == SeatRow.player_id).where(SeatRow.game_id == _GAME_ID)
_SEATS = _SEATS.outerjoin(
    MailWish, and_(MailWish.player_id == SeatRow.player_id, MailWish.game_id == SeatRow.game_id)
)  # fmt: skip
_TIMER = _names(Timer)
_WAS_SENT = and_(
    Deadline.kind == "reminder", Deadline.state == FIRED,
    Deadline.side == bindparam("side"), Deadline.round == bindparam("round"),
)  # fmt: skip
_TIMERS = select(*_columns(Deadline, _TIMER)).order_by(Deadline.due_at, Deadline.seat)
_TIMERS = _TIMERS.where(Deadline.game_id == _GAME_ID, or_(Deadline.state == ARMED, _WAS_SENT))
_QUEUED = _names(QueuedMove)
_QUEUE = select(*_columns(QueuedRow, _QUEUED)).order_by(QueuedRow.kept_at, QueuedRow.pawn)
_QUEUE = _QUEUE.where(QueuedRow.game_id == _GAME_ID)
_MOTION = _names(Motion, "ballots")
_MOTIONS = select(*_columns(MotionRow, _MOTION)).order_by(MotionRow.opened_at, MotionRow.id)
_MOTIONS = _MOTIONS.where(MotionRow.game_id == _GAME_ID, MotionRow.state.in_(("open", "carried")))
_BALLOTS = select(Ballot.motion_id, Ballot.seat, Ballot.is_for).join(MotionRow, MotionRow.id == Ballot.motion_id)
_BALLOTS = _BALLOTS.where(MotionRow.game_id == _GAME_ID, MotionRow.state == OPEN).order_by(Ballot.seat)
_PEOPLE = select(SeatRow.player_id).where(SeatRow.game_id == _GAME_ID, SeatRow.player_id.is_not(None))
_ABSENCE = _names(Absence)
_ABSENCES = select(*_columns(AbsenceRow, _ABSENCE)).order_by(AbsenceRow.player_id, AbsenceRow.begin)
_COUNTS = AbsenceRow.end > bindparam("since", type_=UtcTime())
_OF_PEOPLE = (AbsenceRow.player_id.in_(_PEOPLE), _COUNTS)
_ABSENCES = _ABSENCES.where(*_OF_PEOPLE)
_OWED = select(OutageRow.number, OutageRow.cause, OutageRow.begin, OutageRow.end).order_by(OutageRow.number)
_IS_OWED = (OutageRow.number > bindparam("last"), or_(*(OutageRow.state == state for state in CREDITED)))
_OWED = _OWED.where(*_IS_OWED)
# A UNION and no OR, with which SQLite would read all webhooks.
_HEARS = WebhookRow.player_id.in_(_PEOPLE.union(select(bindparam("host", type_=String))))
_IS_ON = WebhookRow.off_because.is_(None)
_WEBHOOK = select(WebhookRow.id, WebhookRow.player_id).where(_IS_ON).order_by(WebhookRow.id)
_WEBHOOKS = _WEBHOOK.where(_HEARS)
# Only a question about a move, at the address that may answer anything, and of the player who sits there now.
_QUESTIONS = select(ReplyToken.seat, ReplyToken.question).join(
    SeatRow,
    and_(SeatRow.game_id == ReplyToken.game_id, SeatRow.number == ReplyToken.seat, SeatRow.nonce == ReplyToken.nonce),
)
_IS_OF_ROUND = (
    ReplyToken.game_id == _GAME_ID,
    ReplyToken.round == bindparam("round"),
    ReplyToken.question.is_not(None),
)
_QUESTIONS = _QUESTIONS.where(*_IS_OF_ROUND)
_NEWCOMER: BindParameter[str] = bindparam("newcomer")
_ABSENCES_OF = select(*_columns(AbsenceRow, _ABSENCE)).order_by(AbsenceRow.begin)
_ABSENCES_OF = _ABSENCES_OF.where(AbsenceRow.player_id == _NEWCOMER, _COUNTS)
_WEBHOOKS_OF = _WEBHOOK.where(WebhookRow.player_id == _NEWCOMER)
# Most games have nothing of these, so the statement that reads the seats asks for all of them.
_SEATS = _SEATS.add_columns(
    exists().where(QueuedRow.game_id == _GAME_ID).label("has_queue"),
    exists().where(MotionRow.game_id == _GAME_ID).label("has_motions"),
    exists().where(*_OF_PEOPLE).label("has_absences"),
    exists().where(*_IS_OWED).label("has_owed"),
    exists().where(_HEARS, _IS_ON).label("has_webhooks"),
    exists().where(*_IS_OF_ROUND).label("has_questions"),
)


_SEAT_CHANGES = _names(Seat, "number", "pawns", "holder")
_TIMER_CHANGES = ("due_at", "try_at", "state")
_MOTION_CHANGES = ("state", "opened_at", "closes_at")


def _new(model: type[Base], names: Iterable[str]) -> dict[Any, Any]:
    """Return the columns of these names with parameters for their new values, see `_changed`."""
    columns = [_column(model, name) for name in names]
    return {column: bindparam(f"new_{name}", type_=column.type) for name, column in zip(names, columns, strict=True)}


_UPDATE_SEATS = table_of(SeatRow).update().values(_new(SeatRow, _SEAT_CHANGES))
_UPDATE_SEATS = _UPDATE_SEATS.where(SeatRow.game_id == _GAME_ID, SeatRow.number == bindparam("of"))
_UPDATE_TIMERS = (
    table_of(Deadline).update().values(_new(Deadline, _TIMER_CHANGES)).where(Deadline.id == bindparam("of"))
)
_UPDATE_MOTIONS = (
    table_of(MotionRow).update().values(_new(MotionRow, _MOTION_CHANGES)).where(MotionRow.id == bindparam("of"))
)
_DELETE_BALLOTS = table_of(Ballot).delete()
_DELETE_BALLOTS = _DELETE_BALLOTS.where(Ballot.motion_id == bindparam("of"), Ballot.seat == bindparam("by"))
_UPDATE_BALLOTS = table_of(Ballot).update().values(_new(Ballot, ("is_for",)))
_UPDATE_BALLOTS = _UPDATE_BALLOTS.where(Ballot.motion_id == bindparam("of"), Ballot.seat == bindparam("by"))
_DELETE_QUEUED = table_of(QueuedRow).delete().where(QueuedRow.game_id == _GAME_ID, QueuedRow.pawn == bindparam("of"))


@cache
def _update_game(changed: tuple[str, ...]) -> Update:
    games = table_of(Game)
    is_as_loaded = (games.c.id == bindparam("game"), games.c.version == bindparam("loaded"))
    return games.update().values(_new(Game, changed)).where(*is_as_loaded).returning(games.c.id)


# Load --------------------------------------------------------------------------------------------


def load(game_id: str) -> Situation:
    """Return the situation of any game, which is locked for the transaction under way; `Problem` not-found."""
    game = _game(_ANY_GAME, game=game_id)
    if game is None:
        raise access.not_found("There is no such game.")
    return _situation(game)


def load_visible(game_id: str, player: Player) -> Situation:
    """Return the situation of a game that `player` may see, locked; the same `Problem` as `access.visible`."""
    game = _game(_VISIBLE_GAME, **access.parameters(game_id, player))
    if game is None:
        raise access.not_found()
    return _situation(game)


def _game(query: Select[Any], **given: Any) -> Row[Any] | None:
    flush()  # what is changed in objects; the statements below do not wait for it
    return next(iter(rows(query, **given)), None)


def _situation(game: Any) -> Situation:
    asked = {"game": game.id, "host": game.host_id, "last": game.outages, "since": _since(game), "round": game.round}
    seats = rows(_SEATS, **asked)
    more = seats[0]
    return Situation(
        **dict(zip(COLUMNS, game, strict=True)),
        seats=[_seat(row) for row in seats],
        timers=[Timer(*tuple(row)) for row in rows(_TIMERS, game=game.id, side=game.side, round=game.round)],
        queue=[QueuedMove(*tuple(row)) for row in rows(_QUEUE, game=game.id)] if more.has_queue else [],
        motions=_motions(game.id) if more.has_motions else [],
        absences=[Absence(*tuple(row)) for row in rows(_ABSENCES, **asked)] if more.has_absences else [],
        owed=[Outage(*tuple(row)) for row in rows(_OWED, last=game.outages)] if more.has_owed else [],
        webhooks=[Webhook(*tuple(row)) for row in rows(_WEBHOOKS, game=game.id, host=game.host_id)]
        if more.has_webhooks
        else [],
        state=None if game.turn is None else rebuild(game),
        questions=_questions(game) if more.has_questions else {},
    )


def _since(game: Any) -> datetime:
    """Return the time from which the absences of the game's players count."""
    return min(game.started_at or now(), now() - LOOK_BACK)


def _seat(row: Any) -> Seat:
    holder = None
    if row.player_id is not None:
        holder = Holder(row.player_id, row.zone, row.night, row.spends_vacation, row.wants_moves, row.bounces)
    return Seat(*(*row[: len(_SEAT)], holder))


def _motions(game_id: str) -> list[Motion]:
    motions = {row.id: Motion(*tuple(row)) for row in rows(_MOTIONS, game=game_id)}
    for ballot in rows(_BALLOTS, game=game_id):
        motions[ballot.motion_id].ballots[ballot.seat] = ballot.is_for
    return list(motions.values())


def _questions(game: Any) -> dict[int, Any]:
    """Return the open questions about moves of this round, by seat."""
    found = rows(_QUESTIONS, game=game.id, round=game.round)
    return {row.seat: row.question for row in found if "moves" in row.question}


def with_newcomer(situation: Situation, player: Player) -> tuple[Situation, Holder]:
    """Return the situation with what a decision needs of `player`, who takes a seat; and the player."""
    asked = {"newcomer": player.id, "since": _since(situation)}
    situation.absences += [Absence(*tuple(row)) for row in rows(_ABSENCES_OF, **asked)]
    situation.webhooks += [Webhook(*tuple(row)) for row in rows(_WEBHOOKS_OF, newcomer=player.id)]
    situation.webhooks.sort()
    wish = session.get(MailWish, (player.id, situation.id))
    wants_moves = (wish.mail if wish else player.mail) == MOVES
    return situation, Holder(player.id, player.zone, player.night, player.spends_vacation, wants_moves, player.bounces)


# Decide ------------------------------------------------------------------------------------------


def sources() -> Sources:
    """Return what decisions are handed in this application: its time and its chance."""
    here = runtime()
    return Sources(now(), here.new_id, here.rng, here.commit)


def carry_out(situation: Situation, command: Callable[[Draft], Answer]) -> Decision[Answer]:
    """Decide on a command and write what follows, in the transaction under way.

    Raises:
        Problem: the command is refused, and nothing was written.
    """
    decision = decide(situation, command, sources())
    begin_to_write()
    write(decision)
    return decision


# Write -------------------------------------------------------------------------------------------


def write(decision: Decision[Any]) -> None:
    """Write what follows from a decision, each table once.

    Raises:
        RuntimeError: the game was changed since it was loaded.
    """
    before, after = decision.before, decision.after
    flush()
    _write_game(before, after)
    game = {"game_id": after.id}
    insert(Move, *(game | made._asdict() for made in decision.moves))
    insert(Event, *(game | event._asdict() for event in decision.events))
    _write_timers(before, after)
    _write_queue(before, after)
    _write_motions(before, after)
    known = {absence.id for absence in before.absences}
    insert(AbsenceRow, *(_values(each, _ABSENCE) for each in after.absences if each.id not in known))
    insert(Outgoing, *(game | notice._asdict() for notice in decision.notices))
    insert(WebhookDelivery, *(game | delivery._asdict() for delivery in decision.deliveries))
    if decision.notices:
        wake_when_committed(runtime().wake_ups.outbox)
    if decision.deliveries:
        wake_when_committed(runtime().wake_ups.webhooks)
    if after.state is not None and decision.moves:
        cache_state(after, after.state)
    _show(after)


def _write_game(before: Situation, after: Situation) -> None:
    """Write the game and its seats if they changed, under a new version."""
    changed = [name for name in COLUMNS if getattr(before, name) != getattr(after, name)]
    seats = [seat for seat, was in zip(after.seats, before.seats, strict=True) if seat != was]
    if not changed and not seats:
        return
    after.version = runtime().new_id("version")
    new = (*changed, "version")
    if not rows(_update_game(new), **_changed(after, new), game=after.id, loaded=before.version):
        raise RuntimeError("the game was changed by another transaction since it was loaded")
    change_rows(
        _UPDATE_SEATS, *(_changed(seat, _SEAT_CHANGES) | {"game": after.id, "of": seat.number} for seat in seats)
    )


def _write_timers(before: Situation, after: Situation) -> None:
    was = {timer.id: timer for timer in before.timers}
    new = [timer for timer in after.timers if timer.id not in was]
    insert(Deadline, *({"game_id": after.id} | _values(timer, _TIMER) for timer in new))
    if any(timer.state == "armed" and timer.due_at <= now() for timer in new):  # a bot of a practice game
        wake_when_committed(runtime().wake_ups.inbox)
    changed = [timer for timer in after.timers if timer.id in was and timer != was[timer.id]]
    change_rows(_UPDATE_TIMERS, *(_changed(timer, _TIMER_CHANGES) | {"of": timer.id} for timer in changed))


def _write_queue(before: Situation, after: Situation) -> None:
    gone = [queued for queued in before.queue if queued not in after.queue]
    new = [queued for queued in after.queue if queued not in before.queue]
    change_rows(_DELETE_QUEUED, *({"game": after.id, "of": queued.pawn} for queued in gone))
    insert(QueuedRow, *({"game_id": after.id} | _values(queued, _QUEUED) for queued in new))


def _write_motions(before: Situation, after: Situation) -> None:
    was = {motion.id: motion for motion in before.motions}
    new = [motion for motion in after.motions if motion.id not in was]
    insert(MotionRow, *({"game_id": after.id} | _values(motion, _MOTION) for motion in new))
    changed = [motion for motion in after.motions if motion.id in was and motion != was[motion.id]]
    change_rows(_UPDATE_MOTIONS, *(_changed(motion, _MOTION_CHANGES) | {"of": motion.id} for motion in changed))
    for motion in (*new, *changed):
        _write_ballots(motion, was[motion.id].ballots if motion.id in was else {})


def _write_ballots(motion: Motion, before: Mapping[int, bool]) -> None:
    gone = before.keys() - motion.ballots.keys()
    change_rows(_DELETE_BALLOTS, *({"of": motion.id, "by": seat} for seat in sorted(gone)))
    cast = {seat: is_for for seat, is_for in motion.ballots.items() if before.get(seat) != is_for}
    again = [{"of": motion.id, "by": seat, "new_is_for": cast[seat]} for seat in cast if seat in before]
    change_rows(_UPDATE_BALLOTS, *again)
    new = [{"motion_id": motion.id, "seat": seat, "is_for": cast[seat]} for seat in cast if seat not in before]
    insert(Ballot, *new)


def _changed(value: Any, names: Iterable[str]) -> dict[str, Any]:
    return {f"new_{name}": getattr(value, name) for name in names}


def _values(value: Any, names: Iterable[str]) -> dict[str, Any]:
    return {name: getattr(value, name) for name in names}


_READ_AGAIN = (Deadline, MotionRow, QueuedRow)


def _show(after: Situation) -> None:
    """Give the session's objects of the game and its seats the values that were written.

    Timers, motions, ballots and queued moves are only expired: few use cases read them after a decision.
    """
    if not session.registry.has():
        return
    seats = {seat.number: seat for seat in after.seats}
    for known in list(session.identity_map.values()):
        loaded = known.__dict__
        if isinstance(known, Game) and loaded.get("id") == after.id:
            _set_loaded(known, after, COLUMNS)
        elif isinstance(known, SeatRow) and loaded.get("game_id") == after.id:
            seat = seats[loaded["number"]]
            if loaded.get("player_id") != seat.player_id:
                session.expire(known, ["bounces"])  # a column of the holder's
            _set_loaded(known, seat, _SEAT_CHANGES)
        elif isinstance(known, Ballot) or (isinstance(known, _READ_AGAIN) and loaded.get("game_id") == after.id):
            session.expire(known)


def _set_loaded(known: Base, value: Situation | Seat, names: Iterable[str]) -> None:
    """Set the columns that an object has read to the values of the situation.

    It shares dicts and lists with the situation then: they are replaced, never changed.
    """
    for name in names:
        if name in known.__dict__:
            set_committed_value(known, name, getattr(value, name))
