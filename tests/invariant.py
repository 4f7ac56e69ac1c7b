"""The invariant of stored games: all that the rows of one game have to agree on, after every test.

The server verifies that moves, public events and the row of a game agree. Here everything around them is checked as
well: seats, timers, queued and held moves, votes, and what this process keeps in memory.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sqlalchemy import select

from server import engine
from server.application.game.look import standing_of
from server.application.game.state import cache_key
from server.application.game.verification import Unsound, history_of, is_damaged, verify
from server.house_rules.standing import Standing
from server.house_rules.timers import seats_on_clock
from server.house_rules.turns import choices, phase_of
from server.models import ARMED, OPEN, Ballot, Deadline, Game, HeldMove, Motion, QueuedMove, session
from server.runtime import runtime

OF_A_TURN = ("timeout", "reminder", "move")


class BrokenGame(NamedTuple):
    """A game that does not hold, and what is wrong with it."""

    id: str
    findings: list[str]


def broken_games() -> Iterator[BrokenGame]:
    """Check every game; yield each that does not hold."""
    session.expire_all()
    for game in session.scalars(select(Game).order_by(Game.created_at, Game.id)):
        if findings := list(violations(game)):
            yield BrokenGame(game.id, findings)


def violations(game: Game) -> Iterator[str]:
    """Check one game; yield a sentence on each thing that does not hold."""
    if (wrong := verify(game)) is not None:
        yield wrong
    if game.broken is not None:
        yield "It is closed to moves."
    try:
        history = history_of(game)
    except Unsound:
        return
    scheduled = session.scalars(select(Deadline).where(Deadline.game_id == game.id, Deadline.state == ARMED)).all()
    queued = session.scalars(select(QueuedMove).where(QueuedMove.game_id == game.id)).all()
    if is_damaged(history.events):
        if scheduled or game.due_at is not None or queued:
            yield "It was ended as damaged, and something waits in it."
        return
    standing, state = standing_of(game), history.state
    motions = session.scalars(select(Motion).where(Motion.game_id == game.id, Motion.state == OPEN)).all()
    yield from _of_row(game, standing)
    yield from _of_seats(game, standing)
    yield from _of_timers(game, standing, scheduled, motions, state)
    yield from _of_votes(game, scheduled, motions)
    for ahead in queued:
        if state is None or not _may_wait(game, ahead, state):
            yield f"A queued move of {ahead.pawn} waits for a turn that does not come."
    holders = {pawn: seat.number for seat in game.seats if seat.player_id is not None for pawn in seat.pawns}
    for held in session.scalars(select(HeldMove).where(HeldMove.game_id == game.id)):
        is_holder = game.status == "running" and holders.get(held.pawn) == held.seat
        if not is_holder or state is None or not choices(state, held.pawn):
            yield f"A held move of {held.pawn} waits for a turn that does not come."
    cache = runtime().game_cache
    cached = [*cache._kept.items(), *cache._over.items()] if state else []
    for kept in [found for (game_id, _), found in cached if game_id == cache_key(standing)]:
        if kept.history != state.history[: len(kept.history)] or kept.starts != state.starts:
            yield f"This process keeps another game in memory after {len(kept.history)} moves."


def _of_votes(game: Game, scheduled: Sequence[Deadline], motions: Sequence[Motion]) -> Iterator[str]:
    closing = [row.due_at for row in scheduled if row.kind == "vote"]
    if any(not any(at >= motion.closes_at for at in closing) for motion in motions):
        yield "A vote is open, and nothing closes it."
    voters = session.scalars(select(Ballot.seat).join(Motion, Motion.id == Ballot.motion_id).where(
        Motion.game_id == game.id))  # fmt: skip
    if motions and not {*voters} <= {seat.number for seat in game.seats}:
        yield "Somebody has voted who has no seat."


def _of_row(game: Game, standing: Standing) -> Iterator[str]:
    if (game.started_at is None) != (game.header is None):
        yield "The time of its start is missing, or too much."
    if (game.ended_at is None) != (game.status != "over"):
        yield "The time of its end is missing, or too much."
    free, late = standing.number_free, standing.number_late
    if (game.free_seats, game.late_seats) != (free, late):
        yield f"It counts {game.free_seats} free and {game.late_seats} late seats, and has {free} and {late}."


def _of_seats(game: Game, standing: Standing) -> Iterator[str]:
    seats = standing.seats
    detectives = {seat.number for seat in seats if seat.role == "detective"}
    if [seat.number for seat in seats] != list(range(1, len(seats) + 1)) or not seats:
        yield "Its seats have a gap."
    for seat in seats:
        where = f"Seat {seat.number}"
        if seat.player_id is not None and seat.bot is not None:
            yield f"{where} is held by two."
        elif game.status == "running" and not seat.is_taken:
            yield f"{where} is held by nobody."
        if game.status == "over" and seat.wants_draw:
            yield f"{where} offers a draw, and the game is over."
        if seat.is_reserved and game.status != "open":
            yield f"{where} is reserved for somebody after the start."
        if seat.bank is not None and game.clock["kind"] != "bank":
            yield f"{where} has a time bank by a clock without."
        if (seat.cover is not None and not {seat.number, seat.cover} <= detectives) or seat.cover == seat.number:
            yield f"{where} is covered by somebody who cannot."


def _of_timers(
    game: Game,
    standing: Standing,
    scheduled: Sequence[Deadline],
    motions: Sequence[Motion],
    state: engine.Game | None,
) -> Iterator[str]:
    """Check that scheduled timers are those of the phase, and that the game knows the first deadline."""
    of_a_turn = [row for row in scheduled if row.kind in OF_A_TURN]
    if game.status == "running" and state is not None and state.outcome is None:
        yield from _of_phase(game, standing, of_a_turn, motions, state)
    elif of_a_turn or game.due_at is not None:
        yield f"A timer of a turn is scheduled, or it has a deadline, and it is {game.status}."
    finals = [row.due_at for row in scheduled if row.kind == "final"]
    if finals != ([game.final_at] if game.status == "over" and not game.final else []):
        yield "The timer of its final result is not scheduled as it should be."
    reserved = [seat.number for seat in standing.seats if seat.is_reserved] if game.status == "open" else []
    if sorted(row.seat for row in scheduled if row.kind == "invitation") != reserved:
        yield "The timers of its invitations are not those of the reserved seats."


def _of_phase(
    game: Game, standing: Standing, of_a_turn: list[Deadline], motions: Sequence[Motion], state: engine.Game
) -> Iterator[str]:
    phase = phase_of(state)
    timeouts = [row for row in of_a_turn if row.kind == "timeout"]
    timed, wanted = sorted(row.seat for row in timeouts), sorted(seats_on_clock(standing, state.to_move))
    # While the detectives vote on a late Mr. X no time runs.
    asked = [each for each in motions if each.kind == "claim" and phase == ("mr_x", each.wish.get("round"))]
    if timed != wanted and (timed or not asked):
        yield f"Timers run for seats {timed}, and should for {wanted} (0 is a side)."
    if stale := sorted({row.kind for row in of_a_turn if (row.side, row.round) != phase}):
        yield f"A timer ({', '.join(stale)}) of another phase is scheduled."
    if any(row.kind == "reminder" and row.seat not in timed for row in of_a_turn):
        yield "A reminder is scheduled of a time that does not run."
    is_bots_turn = any(seat.bot and set(seat.pawns) & set(state.to_move) for seat in game.seats)
    if is_bots_turn and not any(row.kind == "move" for row in of_a_turn):
        yield "A bot is to move, and nothing wakes it."
    if game.due_at != min((row.due_at for row in timeouts), default=None) and (timed or not asked):
        yield "Its deadline is not the first that its timers have."


def _may_wait(game: Game, ahead: QueuedMove, state: engine.Game) -> bool:
    """Return whether the turn of a queued move is still to come in this phase of a running game."""
    seat = next((seat for seat in game.seats if seat.number == ahead.seat), None)
    return (
        game.status == "running" and seat is not None and ahead.pawn in seat.pawns
        and phase_of(state) == ("detectives", ahead.round) and ahead.pawn not in state.to_move
        and bool(choices(state, ahead.pawn)) and bool(ahead.notation)
    )  # fmt: skip
