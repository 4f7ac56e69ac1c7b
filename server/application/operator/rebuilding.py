"""Rebuild the rows of a game that is broken, or end it where they cannot be rebuilt.

A move that has its row and its public event is committed, and stays; so does a public event, as it was told to players
and the head of the chain binds it. So the row of a move without an event is deleted, and a detective's move without a
row gets its row back from the event. Nothing is published: the game is what it was.
"""

from sqlalchemy import delete, update

from server import clock, models
from server.application.game.access import locked
from server.application.game.decision_rows import end_invitations
from server.application.game.look import standing_of
from server.application.game.reasons import check_reason
from server.application.game.situations import carry_out, load
from server.application.game.transcripts import events_of, result_of
from server.application.game.verification import (
    History,
    Unsound,
    history_of,
    verify,
)
from server.house_rules import endings, moves, timers
from server.house_rules.draft import Draft
from server.house_rules.endings import Ending
from server.models import ARMED, OPEN, execute, insert, session, transaction
from server.runtime import now, runtime
from server.vocabulary.errors import Problem

REBUILT = 1_000_000  # timers have the number of an event as their serial; none has so high a one


def rebuild(game_id: str) -> models.Game:
    """Rebuild the rows of a game from its moves and public events, and open it to moves again.

    Timers of the phase stay. Where there is none, everybody to move gets their whole time.

    Raises:
        Problem: `form` when nothing is wrong with the game, or when moves and events do not agree.
    """
    with transaction():
        game = locked(game_id)
        if not _is_broken(game):
            raise Problem("form", "Every row of this game is as it should be; there is nothing to rebuild.")
        try:
            _rebuild_rows(game, history_of(game))
        except Unsound as error:
            end = f"blackticket game end {game_id} --reason TEXT"
            raise Problem("form", f"This game cannot be rebuilt. {error} It can be ended void: {end}") from None
        carry_out(load(game_id), _schedule)
    return game


def is_ended(game: models.Game, reason: str) -> bool:
    """Rebuild the rows of a game if they are wrong, or else end it for good; return whether it was ended.

    It is done in the transaction that is open, and schedules nothing.
    """
    if not _is_broken(game):
        return False
    try:
        _rebuild_rows(game, history_of(game))
    except Unsound:
        _end_as_damaged(game, reason)
        return True
    return False


def _is_broken(game: models.Game) -> bool:
    return game.broken is not None or verify(game) is not None


def _rebuild_rows(game: models.Game, history: History) -> None:
    """Write the rows of a game as its moves and events say; timers are not among them."""
    execute(delete(models.Move).where(models.Move.game_id == game.id, models.Move.turn.in_(history.surplus)))
    execute(insert(models.Move), history.lost)
    is_elsewhere = any(getattr(game, name) != history.row[name] for name in ("status", "side", "round"))
    for name, value in history.row.items():
        setattr(game, name, value)
    game.broken = None
    game.repaired += 1
    game.version = runtime().new_id("version")
    starts = [event.at for event in history.events if event.kind == "started"]
    game.started_at = (game.started_at or starts[0]) if starts else None
    game.ended_at = (game.ended_at or game.happened_at) if game.status == "over" else None
    if game.status != "over":
        game.final_at = None
    elif not game.final:
        game.final_at = game.final_at or now() + clock.provisional_period(game.clock)
    if is_elsewhere:
        execute(delete(models.QueuedMove).where(models.QueuedMove.game_id == game.id))
        execute(delete(models.HeldMove).where(models.HeldMove.game_id == game.id))
    session.flush()


def _schedule(draft: Draft) -> None:
    """Schedule the timers that a game needs and has not."""
    game, serial = draft.game, REBUILT + draft.game.repaired
    for timer in game.armed("timeout", "reminder", "move"):
        if game.status != "running" or (timer.side, timer.round) != (game.side, game.round):
            timer.state = "cancelled"
    if game.status == "running" and not game.armed("timeout", "vote"):
        moves.restart_timers(draft, serial)
    elif game.status == "over" and not game.final and not game.armed("final"):
        assert game.final_at is not None
        draft.start_timer("final", game.final_at, serial)
    timers.note_due_at(game)


def _end_as_damaged(game: models.Game, reason: str) -> None:
    """End a game whose moves and events do not agree, for good.

    Nothing secret is looked at for the result: it is void, unless a final one is public already.
    """
    details = {"reason": check_reason(standing_of(game), reason), "damaged": True}
    events = events_of(game.id)
    if events and game.events < events[-1].number:
        game.events, game.head, game.happened_at = events[-1].number, events[-1].head, events[-1].at
    game.repaired += 1  # so that processes drop it from their caches
    game.broken = None
    _stop(game)
    game.turn = None  # nothing of the game is shown any more
    row = result_of(events, game.clock)
    result = Ending(str(row["winner"]), str(row["reason"])) if row["final"] else endings.VOIDED_FOR_GOOD
    published: dict[str, object] | None = None if row["final"] else {}
    carry_out(load(game.id, with_board=False), lambda draft: endings.end_as_damaged(draft, result, details, published))


def _stop(game: models.Game) -> None:
    """End all timers, queued moves, votes, offers and unsent mails of the game, which may not be one to be shown."""
    waiting = (models.Outgoing.game_id == game.id, models.Outgoing.state.in_(("pending", "held")))
    scheduled = (models.Deadline.game_id == game.id, models.Deadline.state == ARMED)
    for statement in (
        update(models.Outgoing).where(*waiting).values(state="superseded", message=None, details=None),
        update(models.Deadline).where(*scheduled).values(state="cancelled"),
        update(models.Motion)
        .where(models.Motion.game_id == game.id, models.Motion.state == OPEN)
        .values(state="expired"),
        delete(models.QueuedMove).where(models.QueuedMove.game_id == game.id),
        delete(models.HeldMove).where(models.HeldMove.game_id == game.id),
    ):
        execute(statement)
    game.due_at = None
    end_invitations([seat.invitation_id for seat in game.seats if seat.invitation_id])
    for seat in game.seats:
        seat.wants_draw, seat.invitation, seat.invited_id = False, None, None
