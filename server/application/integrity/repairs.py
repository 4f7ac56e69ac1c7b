"""Get a game that fails its invariant going again, or end it; both in public.

A move that has its row and its public event is committed, and stays. A public event stays in any case: it was told to
players and to the world, and the head of the chain binds it. So

* a row of a move without an event is dropped: nobody was told of it, and its player was told of a failure;
* an event of a detective's move without a row gets the row back: the event says the whole move. For a move of Mr. X's
  that is not so, and the game cannot be repaired.
"""

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import delete, update

from server import clock
from server.application.errors import Problem
from server.application.game import invitation_rows, timer_rows
from server.application.game.access import locked
from server.application.game.look import standing_of
from server.application.game.reasons import check_reason
from server.application.game.situations import carry_out, load
from server.application.game.state import cache_state
from server.application.integrity import invariant
from server.application.integrity.findings import Report
from server.application.integrity.invariant import may_be_covered
from server.house_rules import endings, remedies, sealed_log
from server.house_rules.endings import Ending
from server.models import (
    ARMED,
    OPEN,
    Deadline,
    Event,
    Game,
    HeldMove,
    Motion,
    Move,
    Outgoing,
    QueuedMove,
    execute,
    insert,
    session,
    transaction,
)
from server.runtime import now


def repair(game_id: str, reason: str) -> Game:
    """Rebuild the rows of a game around its moves and events; the player to move gets their whole time again.

    Raises:
        Problem: `form` when nothing is wrong with the game, or when moves and events themselves are not sound.
    """
    with transaction():
        game = locked(game_id)
        found = invariant.check(game)
        details = {"reason": check_reason(standing_of(game), reason)}
        if not found.findings:
            raise Problem("form", "Every row of this game is as it should be; there is nothing to repair.")
        if not found.is_mendable:
            why = " ".join(found.unsound)
            raise Problem("form", f"This game cannot be repaired. {why} It can be ended void: {found.remedy}")
        mend(found)
        _go_on(found, details)
    return game


def end_as_damaged(found: Report, reason: str) -> None:
    """End a game that nobody can go on with, for good, within the transaction that is open.

    Nothing secret is looked at for the result: it is void, unless a final one is public already. The travel log is
    opened only where everything that was sealed is still there.
    """
    game, story = found.game, found.story
    details = {"reason": check_reason(standing_of(game), reason), "damaged": True}
    state = found.state if found.is_mendable else None
    opened = sealed_log.opening(game.log_secrets, state) if state else {}
    # What is on its way may be of a game that cannot be shown.
    waiting = (Outgoing.game_id == game.id, Outgoing.state.in_(("pending", "held")))
    gone = update(Outgoing).where(*waiting).values(state="superseded", message=None, details=None)
    execute(gone)
    _stop(game)
    _note_events(found)
    game.turn = state.turn if state else None  # without one nothing of the game is shown any more
    result = Ending(story.winner or "draw", story.reason or "voided") if story.is_final else endings.VOIDED_FOR_GOOD
    published = None if story.is_final else opened
    situation = load(game.id, with_board=False)
    carry_out(situation, lambda draft: endings.end_as_damaged(draft, result, details, published))


def _note_events(found: Report) -> None:
    """Set the game's counters by the newest public event, so that processes drop the game from their caches."""
    game = found.game
    game.events, game.head, game.repaired = found.newest, found.head, found.newest + 1
    game.happened_at = found.events[-1].at if found.events else game.happened_at


def _stop(game: Game) -> None:
    """End all timers, queued moves, votes and offers of the game."""
    scheduled = (Deadline.game_id == game.id, Deadline.state == ARMED)
    for statement in (
        update(Deadline).where(*scheduled).values(state="cancelled"),
        update(Motion).where(Motion.game_id == game.id, Motion.state == OPEN).values(state="expired"),
        delete(QueuedMove).where(QueuedMove.game_id == game.id),
        delete(HeldMove).where(HeldMove.game_id == game.id),
    ):
        execute(statement)
    game.due_at = None
    for seat in game.seats:
        seat.wants_draw = False
    _end_invitations(game)


def _end_invitations(game: Game) -> None:
    invitation_rows.end([seat.invitation_id for seat in game.seats if seat.invitation_id])
    for seat in game.seats:
        seat.invitation = seat.invited_id = None


# Mending ------------------------------------------------------------------------------------------


def mend(found: Report) -> None:
    """Write the rows as moves and events say, in the transaction under way. Of timers only votes are scheduled."""
    assert found.is_mendable
    game, story = found.game, found.story
    _note_events(found)
    _mend_moves(found)
    game.status, game.winner, game.reason, game.final = story.status, story.winner, story.reason, story.is_final
    game.turn = found.sound + 1 if found.state else None
    game.side, game.round = found.phase
    game.started_at = (game.started_at or _at(found, "started")) if story.first else None
    game.ended_at = (game.ended_at or _at(found, "ended", "expired")) if story.status == "over" else None
    if story.status == "over" and not story.is_final and game.final_at is None:
        game.final_at = now() + clock.provisional_period(game.clock)
    for seat, pawns in zip(game.seats, found.state.seats if found.state else (), strict=False):
        if seat.pawns != list(pawns):
            seat.pawns = list(pawns)
    for seat in game.seats:
        seat.wants_draw = seat.wants_draw and story.status == "running"
        seat.bank = seat.bank if game.clock["kind"] == "bank" else None
    if story.status != "open":
        _end_invitations(game)
    session.flush()
    standing = standing_of(game)
    game.free_seats, game.late_seats = standing.number_free, standing.number_late
    for seat, place in zip(game.seats, standing.seats, strict=True):
        seat.cover = seat.cover if may_be_covered(place, standing.seats) else None
    stale = (QueuedMove.game_id == game.id, QueuedMove.pawn.in_(found.stale_ahead))
    execute(delete(QueuedMove).where(*stale))
    execute(delete(HeldMove).where(HeldMove.game_id == game.id, HeldMove.pawn.in_(found.stale_held)))
    scheduled = (Deadline.game_id == game.id, Deadline.state == ARMED, Deadline.kind != "vote")
    execute(update(Deadline).where(*scheduled).values(state="cancelled"))
    game.due_at = None
    if found.unclosed is not None:
        timer_rows.schedule(game, "vote", found.unclosed, serial=game.events + 1)
    session.flush()
    if found.state:
        cache_state(standing_of(game), found.state)


def _mend_moves(found: Report) -> None:
    game = found.game
    surplus = delete(Move).where(Move.game_id == game.id, Move.turn.in_(found.surplus))
    execute(surplus)
    execute(insert(Move), [*found.lost])
    moved = 0
    for event in found.events:
        moved += event.kind == "moved"
        if event.moves != moved:
            row = (Event.game_id == game.id, Event.number == event.number)
            execute(update(Event).where(*row).values(moves=moved))


def _at(found: Report, *kinds: str) -> datetime:
    """Return the time of the newest event of these kinds."""
    return [event.at for event in found.events if event.kind in kinds][-1]


def _go_on(found: Report, details: Mapping[str, object]) -> None:
    """Schedule the timers of a game that was mended, and write to everybody."""
    game = found.game
    by = next((event.data["by"] for event in reversed(found.events) if event.kind == "moved"), "player")
    carry_out(load(game.id), lambda draft: remedies.go_on_after_repair(draft, details, by))
