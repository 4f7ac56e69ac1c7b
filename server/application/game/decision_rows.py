"""Write what follows from a decision: the game and what is around it, each table once."""

from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import update

from server.application.game import invitation_rows, outbox_rows
from server.application.game import situation_statements as statements
from server.application.game.state import cache_state
from server.house_rules.draft import Decision
from server.house_rules.situation import COLUMNS, Situation
from server.house_rules.standing import Motion, Seat
from server.models import Absence as AbsenceRow
from server.models import (
    Answered,
    Ballot,
    Deadline,
    Event,
    FormerHolder,
    Game,
    Invitation,
    Move,
    Outgoing,
    ReplyToken,
    WebhookDelivery,
    execute,
    insert,
    insert_new,
    news,
    rows,
    session,
    tally,
    wake_inbox,
    wake_outbox,
    wake_webhooks,
    when_committed,
)
from server.models import HeldMove as HeldRow
from server.models import Motion as MotionRow
from server.models import QueuedMove as QueuedRow
from server.models import Seat as SeatRow
from server.runtime import now, runtime


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
    _write_held(before, after)
    _write_motions(before, after)
    known = {absence.id for absence in before.absences}
    execute(
        insert(AbsenceRow),
        [_values(each, statements.ABSENCE_COLUMNS) for each in after.absences if each.id not in known],
    )
    _write_former(decision)
    execute(insert(Outgoing), [game | notice._asdict() for notice in decision.notices])
    execute(insert(WebhookDelivery), [game | delivery._asdict() for delivery in decision.deliveries])
    invitation_rows.write_changed(decision)
    if decision.notices:
        when_committed(wake_outbox)
    if decision.deliveries:
        when_committed(wake_webhooks)
    if after.state is not None and decision.moves:
        cache_state(after, after.state)
    _expire_objects_of(after.id)


def _write_game(before: Situation, after: Situation) -> None:
    """Write the game and its seats if they changed, under a new version."""
    changed = [name for name in COLUMNS if getattr(before, name) != getattr(after, name)]
    seats = [seat for seat, was in zip(after.seats, before.seats, strict=True) if seat != was]
    if not changed and not seats:
        return
    # What a game was credited with shows in what that has moved, which may be a hold alone: and that shows nowhere.
    is_seen = bool(seats) or changed != ["outages"]
    after.version = runtime().new_id("version") if is_seen else before.version
    if is_seen:
        news.tell([after.id])
        may_see = ([(seat.player_id, seat.invited_id) for seat in game.seats] for game in (before, after))
        if len({*map(tuple, may_see)}) > 1 or {"visibility", "host_id", "code"} & {*changed}:
            news.tell([f"{after.id}."])
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
    if gone or new:  # detectives alone send moves ahead, and their team sees them
        news.tell(f"{after.id}.{seat.player_id}" for seat in after.seats if seat.role == "detective" and seat.player_id)
    execute(statements.DELETE_QUEUED, [{"game": after.id, "of": queued.pawn} for queued in gone])
    execute(insert(QueuedRow), [{"game_id": after.id} | _values(queued, statements.QUEUED_COLUMNS) for queued in new])


def _write_held(before: Situation, after: Situation) -> None:
    gone = [held for held in before.held if held not in after.held]
    new = [held for held in after.held if held not in before.held]
    news.tell(f"{after.id}.{after.seat_of_pawn(held.pawn).player_id}" for held in (*gone, *new))
    execute(statements.DELETE_HELD, [{"game": after.id, "of": held.pawn} for held in gone])
    row = {"game_id": after.id}
    execute(insert(HeldRow), [row | _values(h, statements.HELD_COLUMNS) | {"try_at": h.plays_at} for h in new])


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


def _write_former(decision: Decision[Any]) -> None:
    """Record players as former holders; drop the questions, kept answers and unsent mails of a seat that they left."""
    game = {"game_id": decision.after.id}
    execute(insert_new(FormerHolder), [game | {"player_id": player, "role": role} for player, role in decision.former])
    for player, _ in decision.former if decision.before.status == "running" else ():
        seat = decision.before.seat_of_player(player)
        of_seat = (ReplyToken.game_id == decision.after.id, ReplyToken.seat == seat.number)
        execute(update(ReplyToken).where(*of_seat).values(question=None))
        of_player = (Answered.player_id == player, Answered.game_id == decision.after.id)
        execute(update(Answered).where(*of_player).values(answer=None))
        outbox_rows.drop_unsent(decision.after.id, player)


def _changed(value: Any, names: Iterable[str]) -> dict[str, Any]:
    return {f"new_{name}": getattr(value, name) for name in names}


def _values(value: Any, names: Iterable[str]) -> dict[str, Any]:
    return {name: getattr(value, name) for name in names}


_WITH_GAME_ID = (SeatRow, Deadline, MotionRow, QueuedRow)
_WITHOUT_GAME_ID = (Ballot, Invitation)  # those of other games are read again as well


def _expire_objects_of(game_id: str) -> None:
    """Let the session read again what it has of the game, if anybody asks for it."""
    if not session.registry.has():
        return
    for known in list(session.identity_map.values()):
        loaded = known.__dict__
        is_game = isinstance(known, Game) and loaded.get("id") == game_id
        is_around_it = isinstance(known, _WITH_GAME_ID) and loaded.get("game_id") == game_id
        if is_game or is_around_it or isinstance(known, _WITHOUT_GAME_ID):
            session.expire(known)
