"""Load the situation of a game, decide, and write what follows: the one way in which a running game changes."""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, Concatenate, Generic, NamedTuple, ParamSpec, TypeVar

from sqlalchemy import Executable, Row, Select

from server.application.deciding import Decided
from server.application.game import access, invitation_rows
from server.application.game import situation_statements as statements
from server.application.game.look import motions_of, sight_of, with_invited
from server.application.game.state import cache_state, rebuild
from server.house_rules.draft import Decision, Draft, Sources, decide
from server.house_rules.situation import COLUMNS, Absence, Lobby, Outage, Situation, Webhook
from server.house_rules.standing import Holder, Motion, QueuedMove, Seat, Sight, Timer
from server.models import Absence as AbsenceRow
from server.models import (
    Ballot,
    Deadline,
    Event,
    FormerHolder,
    Game,
    Invitation,
    MailWish,
    Move,
    Outgoing,
    Player,
    WebhookDelivery,
    execute,
    insert,
    insert_new,
    rows,
    session,
    tally,
    transaction,
    wake_inbox,
    wake_outbox,
    wake_webhooks,
    when_committed,
)
from server.models import Motion as MotionRow
from server.models import QueuedMove as QueuedRow
from server.models import Seat as SeatRow
from server.runtime import now, runtime

Answer = TypeVar("Answer")
Given = ParamSpec("Given")
LOOK_BACK = timedelta(days=400)  # more than a year, for which vacation is counted


# Load --------------------------------------------------------------------------------------------


def load(game_id: str, *, with_board: bool = True) -> Situation:
    """Return the situation of any game, which is locked for the transaction under way; `Problem` not-found.

    Without the board, which a decision about people does not need, `Situation.state` is None: such a decision is
    possible in a game that cannot be rebuilt as well.
    """
    game = _game(statements.ANY_GAME, game=game_id)
    if game is None:
        raise access.not_found("There is no such game.")
    return _situation(game, with_board=with_board)


def load_visible(game_id: str, player: Player, *, code: str | None = None, with_board: bool = True) -> Situation:
    """Return the situation of a game that `player` may see, locked; the same `Problem` as `access.locked_visible`."""
    game = _game(statements.VISIBLE_GAME, **access.parameters(game_id, player, code))
    if game is None:
        raise access.not_found()
    return _situation(game, with_board=with_board)


def _game(query: Select[Any], **given: Any) -> Row[Any] | None:
    return next(iter(rows(query, **given)), None)


def _situation(game: Any, *, with_board: bool) -> Situation:
    asked = {"game": game.id, "host": game.host_id, "last": game.outages, "since": _since(game), "round": game.round}
    seats = rows(statements.SEATS, **asked)
    more = seats[0]
    situation = Situation(
        **dict(zip(COLUMNS, game, strict=True)),
        seats=[_seat(row) for row in seats],
        timers=[Timer(*tuple(row)) for row in rows(statements.TIMERS, game=game.id, side=game.side, round=game.round)],
        queue=[QueuedMove(*tuple(row)) for row in rows(statements.QUEUE, game=game.id)] if more.has_queue else [],
        motions=motions_of(game.id) if more.has_motions else [],
        absences=[Absence(*tuple(row)) for row in rows(statements.ABSENCES, **asked)] if more.has_absences else [],
        owed=[Outage(*tuple(row)) for row in rows(statements.OWED, last=game.outages)] if more.has_owed else [],
        webhooks=[Webhook(*tuple(row)) for row in rows(statements.WEBHOOKS, game=game.id, host=game.host_id)]
        if more.has_webhooks
        else [],
        state=None,
        questions=_questions(game) if more.has_questions else {},
    )
    if situation.status == "open":
        _add_lobby(situation)
    if situation.turn is not None and with_board:
        situation.state = rebuild(situation)
    return situation


def _add_lobby(situation: Situation) -> None:
    """Add what there is before the start alone: whom seats are reserved for, what it is dealt from, and who talked."""
    for seat, row in zip(situation.seats, rows(statements.INVITED, game=situation.id), strict=True):
        with_invited(seat, situation, row)
    situation.lobby = Lobby(*tuple(rows(statements.LOBBY, game=situation.id)[0]))
    _add_webhooks(situation, statements.WEBHOOKS_OF_INVITED, game=situation.id)


def _since(game: Any) -> datetime:
    """Return the time from which the absences of the game's players count."""
    return min(game.started_at or now(), now() - LOOK_BACK)


def _seat(row: Any) -> Seat:
    holder = None
    if row.player_id is not None:
        is_guest = row.network is not None
        holder = Holder(row.player_id, row.zone, row.night, row.spends_vacation, row.wants_moves, row.bounces, is_guest)
    seat = Seat(*tuple(row)[: len(statements.SEAT_COLUMNS)])
    seat.holder, seat.bounces, seat.is_guest = holder, bool(row.bounces), holder is not None and holder.is_guest
    return seat


def _questions(game: Any) -> dict[int, Any]:
    """Return the open questions about moves of this round, by seat."""
    found = rows(statements.QUESTIONS, game=game.id, round=game.round)
    return {row.seat: row.question for row in found if "moves" in row.question}


def with_newcomer(situation: Situation, player: Player) -> tuple[Situation, Holder]:
    """Return the situation with what a decision needs of `player`, who takes a seat; and the player."""
    asked = {"newcomer": player.id, "since": _since(situation)}
    situation.absences += [Absence(*tuple(row)) for row in rows(statements.ABSENCES_OF, **asked)]
    hear(situation, player.id)
    wish = session.get(MailWish, (player.id, situation.id))
    wants_moves = (wish.mail if wish else player.mail) == statements.MOVES
    return situation, Holder(
        player.id, player.zone, player.night, player.spends_vacation, wants_moves, player.bounces, player.is_guest
    )


def hear(situation: Situation, player_id: str | None) -> None:
    """Add the webhooks of a player who comes into the game; where nobody knows who they are yet, look all the same.

    How long the server takes must not tell a host whether an address is a player's.
    """
    _add_webhooks(situation, statements.WEBHOOKS_OF, newcomer=player_id or "")


def _add_webhooks(situation: Situation, query: Executable, **given: Any) -> None:
    situation.webhooks = sorted({*situation.webhooks, *(Webhook(*tuple(row)) for row in rows(query, **given))})


# Decide ------------------------------------------------------------------------------------------


def sources(at: datetime | None = None) -> Sources:
    """Return what decisions are handed in this application: its time, or `at`, and its chance."""
    here = runtime()
    return Sources(at or now(), here.new_id, here.draw, here.commit, here.rng)


def carry_out(situation: Situation, command: Callable[[Draft], Answer], at: datetime | None = None) -> Decision[Answer]:
    """Decide on a command and write what follows, in the transaction under way; `at` is its time, by default now.

    Raises:
        Problem: the command is refused, and nothing was written.
    """
    decision = decide(situation, command, sources(at))
    write(decision)
    return decision


def decided(situation: Situation, command: Callable[[Draft], Answer]) -> Decided[Decision[Answer]]:
    """Decide on a command now; what it comes to is written later, in the same transaction."""
    decision = decide(situation, command, sources())

    def writing() -> Decision[Answer]:
        write(decision)
        return decision

    return Decided(writing)


def decided_for(situation: Situation, player: Player | None, command: Callable[[Draft], object]) -> Decided[Sight]:
    """Do what `decided` does; the answer is the game as the player finds it then."""
    outcome = decided(situation, command)
    reader = None if player is None else player.id
    return outcome.then(lambda decision: sight_of(decision.after, reader))


class Acted(NamedTuple, Generic[Answer]):
    """The outcome of a command: the game as the player finds it then, and the answer of the command."""

    game: Sight
    answer: Answer


def act(
    game_id: str,
    player: Player,
    command: Callable[Concatenate[Draft, str, Given], Answer],
    /,
    *args: Given.args,
    **kwargs: Given.kwargs,
) -> Acted[Answer]:
    """Carry out a command of a player in a game that they may see: load, decide, write.

    Raises:
        Problem: not-found if the game is hidden from them; or the command is refused, and nothing was written.
    """
    with transaction():
        return acting(game_id, player, command, *args, **kwargs).write()


def acting(
    game_id: str,
    player: Player,
    command: Callable[Concatenate[Draft, str, Given], Answer],
    /,
    *args: Given.args,
    **kwargs: Given.kwargs,
) -> Decided[Acted[Answer]]:
    """Do what `act` does, up to the point where it would write."""
    outcome = decided(load_visible(game_id, player), lambda draft: command(draft, player.id, *args, **kwargs))
    return outcome.then(lambda decision: Acted(sight_of(decision.after, player.id), decision.answer))


def publish(game_id: str, kind: str, **data: Any) -> None:
    """Append an event to the public log of a running game, which changes nothing else in it."""
    carry_out(load(game_id, with_board=False), lambda draft: draft.publish(kind, **data))


# Write -------------------------------------------------------------------------------------------


def write(decision: Decision[Any]) -> None:
    """Write what follows from a decision, each table once.

    Raises:
        RuntimeError: the game was changed since it was loaded.
    """
    before, after = decision.before, decision.after
    invitation_rows.write_new(decision)
    if before.version:
        _write_game(before, after)
    else:
        _write_new_game(before, after)
    game = {"game_id": after.id}
    execute(insert(Move), [game | made._asdict() for made in decision.moves])
    execute(insert(Event), [game | event._asdict() for event in decision.events])
    _write_timers(before, after)
    _write_queue(before, after)
    _write_motions(before, after)
    known = {absence.id for absence in before.absences}
    execute(
        insert(AbsenceRow),
        [_values(each, statements.ABSENCE_COLUMNS) for each in after.absences if each.id not in known],
    )
    execute(insert(Outgoing), [game | notice._asdict() for notice in decision.notices])
    execute(insert(WebhookDelivery), [game | delivery._asdict() for delivery in decision.deliveries])
    invitation_rows.write_changed(decision)
    if decision.former:
        execute(
            insert_new(FormerHolder), [game | {"player_id": player, "role": role} for player, role in decision.former]
        )
    if decision.notices:
        when_committed(wake_outbox)
    if decision.deliveries:
        when_committed(wake_webhooks)
    if after.state is not None and decision.moves:
        cache_state(after, after.state)
    _forget(after.id)


def _write_game(before: Situation, after: Situation) -> None:
    """Write the game and its seats if they changed, under a new version."""
    changed = [name for name in COLUMNS if getattr(before, name) != getattr(after, name)]
    seats = [seat for seat, was in zip(after.seats, before.seats, strict=True) if seat != was]
    if not changed and not seats:
        return
    after.version = runtime().new_id("version")
    values = _values(after, (*changed, "version")) | _counted(after) | _dealt(after)
    given = {f"new_{name}": value for name, value in values.items()}
    if not rows(statements.update_game(tuple(values)), **given, game=after.id, loaded=before.version):
        raise RuntimeError("the game was changed by another transaction since it was loaded")
    if after.status != before.status:
        tally(f"games {before.status}", -1)
        tally(f"games {after.status}")
    # Nobody has two seats, not for a moment either.
    if any((was := before.seat_held_by(seat.player_id)) is not None and was.number != seat.number for seat in seats):
        execute(statements.CLEAR_SEATS, [{"game": after.id, "of": seat.number} for seat in seats])
    execute(
        statements.UPDATE_SEATS,
        [
            _changed(seat, statements.SEAT_CHANGES)
            | {f"new_{name}": value for name, value in _reserved(seat).items()}
            | {"game": after.id, "of": seat.number}
            for seat in seats
        ],
    )


def _write_new_game(before: Situation, game: Situation) -> None:
    """Write a game that was just opened, with its seats."""
    game.version = runtime().new_id("version")
    position = before.lobby.position if before.lobby is not None else None
    values = _values(game, COLUMNS) | _counted(game) | _dealt(game) | {"position": position}
    execute(insert(Game), statements.by_column(Game, values))
    tally(f"games {game.status}")
    execute(
        insert(SeatRow),
        [{"game_id": game.id} | _values(seat, statements.SEAT_COLUMNS) | _reserved(seat) for seat in game.seats],
    )


def _counted(game: Situation) -> dict[str, int]:
    return {"free_seats": game.number_free, "late_seats": game.number_late}


def _dealt(game: Situation) -> dict[str, Any]:
    return game.deal._asdict() if game.deal is not None else {}


def _reserved(seat: Seat) -> dict[str, str | None]:
    return {"invited_id": seat.invited_id, "invitation_id": seat.invitation and seat.invitation.id}


def _write_timers(before: Situation, after: Situation) -> None:
    was = {timer.id: timer for timer in before.timers}
    new = [timer for timer in after.timers if timer.id not in was]
    execute(insert(Deadline), [{"game_id": after.id} | _values(timer, statements.TIMER_COLUMNS) for timer in new])
    if any(timer.state == "armed" and timer.due_at <= now() for timer in new):  # a bot of a practice game
        when_committed(wake_inbox)
    changed = [timer for timer in after.timers if timer.id in was and timer != was[timer.id]]
    execute(
        statements.UPDATE_TIMERS, [_changed(timer, statements.TIMER_CHANGES) | {"of": timer.id} for timer in changed]
    )


def _write_queue(before: Situation, after: Situation) -> None:
    gone = [queued for queued in before.queue if queued not in after.queue]
    new = [queued for queued in after.queue if queued not in before.queue]
    execute(statements.DELETE_QUEUED, [{"game": after.id, "of": queued.pawn} for queued in gone])
    execute(insert(QueuedRow), [{"game_id": after.id} | _values(queued, statements.QUEUED_COLUMNS) for queued in new])


def _write_motions(before: Situation, after: Situation) -> None:
    was = {motion.id: motion for motion in before.motions}
    new = [motion for motion in after.motions if motion.id not in was]
    execute(insert(MotionRow), [{"game_id": after.id} | _values(motion, statements.MOTION_COLUMNS) for motion in new])
    changed = [motion for motion in after.motions if motion.id in was and motion != was[motion.id]]
    execute(
        statements.UPDATE_MOTIONS,
        [_changed(motion, statements.MOTION_CHANGES) | {"of": motion.id} for motion in changed],
    )
    for motion in (*new, *changed):
        _write_ballots(motion, was[motion.id].ballots if motion.id in was else {})


def _write_ballots(motion: Motion, before: Mapping[int, bool]) -> None:
    gone = before.keys() - motion.ballots.keys()
    execute(statements.DELETE_BALLOTS, [{"of": motion.id, "by": seat} for seat in sorted(gone)])
    cast = {seat: is_for for seat, is_for in motion.ballots.items() if before.get(seat) != is_for}
    again = [{"of": motion.id, "by": seat, "new_is_for": cast[seat]} for seat in cast if seat in before]
    execute(statements.UPDATE_BALLOTS, again)
    new = [{"motion_id": motion.id, "seat": seat, "is_for": cast[seat]} for seat in cast if seat not in before]
    execute(insert(Ballot), new)


def _changed(value: Any, names: Iterable[str]) -> dict[str, Any]:
    return {f"new_{name}": getattr(value, name) for name in names}


def _values(value: Any, names: Iterable[str]) -> dict[str, Any]:
    return {name: getattr(value, name) for name in names}


_OF_ANY = (Ballot, Invitation)
_OF_A_GAME = (SeatRow, Deadline, MotionRow, QueuedRow)


def _forget(game_id: str) -> None:
    """Let the session read again what it has of the game, if anybody asks for it."""
    if not session.registry.has():
        return
    for known in list(session.identity_map.values()):
        loaded = known.__dict__
        is_game = isinstance(known, Game) and loaded.get("id") == game_id
        if (
            is_game
            or isinstance(known, _OF_ANY)
            or (isinstance(known, _OF_A_GAME) and loaded.get("game_id") == game_id)
        ):
            session.expire(known)
