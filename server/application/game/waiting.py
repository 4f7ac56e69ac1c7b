"""Turns: the phase of a round, the seats to move, and the seats whose move is missing."""

from collections.abc import Sequence

from server import clock, engine
from server.application.game import queued_moves
from server.application.game.choices import choices
from server.application.game.state import rebuild
from server.models import Game, Seat


def phase_of(state: engine.Game) -> tuple[str, int]:
    """Return the phase and its round: (`mr_x` or `detectives`, round)."""
    return ("mr_x" if state.to_move == ("mr_x",) else "detectives"), state.round


def seats_to_move(game: Game, state: engine.Game) -> set[int]:
    """Return the numbers of the seats that have a pawn to move now."""
    return {seat.number for seat in game.seats if set(seat.pawns) & set(state.to_move)}


def awaited_seats(
    game: Game, state: engine.Game | None = None, queue: Sequence[queued_moves.QueuedRow] | None = None
) -> list[Seat]:
    """Return the seats whose move is missing in this phase; a seat that has queued its moves is not awaited.

    Where each seat has a timer of its own, only the seats whose turn it is are awaited. `state` and `queue`, the queued
    moves, save reading them.
    """
    if game.status != "running":
        return []
    state = state or rebuild(game)
    if state.to_move == ("mr_x",) or not clock.is_shared(game.clock):
        return [seat for seat in game.seats if set(seat.pawns) & set(state.to_move)]
    queued = {row.pawn for row in (queued_moves.of_game(game.id) if queue is None else queue)}
    able = {pawn for seat in game.seats for pawn in seat.pawns if choices(state, pawn)}
    return [seat for seat in game.seats if able & set(seat.pawns) - queued]
