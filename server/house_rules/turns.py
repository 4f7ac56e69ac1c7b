"""Turns: the phase of a round, the seats to move, and the seats whose move is missing."""

from collections.abc import Iterable, Sequence
from itertools import takewhile

from server import clock as clocks
from server import engine
from server.house_rules.reasons import sentence_of
from server.house_rules.standing import QueuedMove, Seat, Standing
from server.vocabulary.errors import Problem


def phase_of(state: engine.Game) -> tuple[str, int]:
    """Return the phase and its round: (`mr_x` or `detectives`, round)."""
    return ("mr_x" if state.to_move == ("mr_x",) else "detectives"), state.round


def seats_to_move(seats: Sequence[Seat], state: engine.Game) -> set[int]:
    """Return the numbers of the seats that have a pawn to move now."""
    return {seat.number for seat in seats if set(seat.pawns) & set(state.to_move)}


def awaited_seats(game: Standing, state: engine.Game, queue: Iterable[QueuedMove]) -> list[Seat]:
    """Return the seats whose move is missing in this phase; a seat that has queued its moves is not awaited.

    Where each seat has a timer of its own, only the seats whose turn it is are awaited. `state` is the game in the
    engine, and `queue` has its queued moves.
    """
    if game.status != "running":
        return []
    if state.to_move == ("mr_x",) or not clocks.is_shared(game.clock):
        return [seat for seat in game.seats if set(seat.pawns) & set(state.to_move)]
    able = {pawn for seat in game.seats for pawn in seat.pawns if choices(state, pawn)}
    queued = {each.pawn for each in queue}
    return [seat for seat in game.seats if able & set(seat.pawns) - queued]


def bots_lead_to(game: Standing, state: engine.Game, seat: Seat, queue: Iterable[QueuedMove]) -> bool:
    """Return True if bots alone, and queued moves, are to be made before the next turn of the seat begins.

    `queue` has the queued moves of its team. A seat that has still to move in this phase is in its turn.
    """
    if state.to_move == ("mr_x",):
        return seat.role == "mr_x" or _of_mr_x(game).bot is not None
    queued = {each.pawn for each in queue}
    left = [each for each in game.seats if any(choices(state, pawn) for pawn in set(each.pawns) - queued)]
    before_it = left if seat.role == "mr_x" else [*left, _of_mr_x(game)]
    return all(each.bot for each in before_it)


def _of_mr_x(game: Standing) -> Seat:
    return next(seat for seat in game.seats if seat.role == "mr_x")


def choices(state: engine.Game, pawn: str) -> list[engine.Move]:
    """Return the moves `pawn` may send now: played at once when it is to move, queued otherwise."""
    return state.legal_moves(pawn) if pawn in state.to_move else state.moves_ahead(pawn)


def moved_this_round(state: engine.Game) -> set[str]:
    """Return the detectives that have moved in this round, which Mr. X begins."""
    if state.to_move == ("mr_x",):
        return set()
    movers = (move.pawn for move in reversed(state.history))
    return set(takewhile(lambda pawn: pawn != "mr_x", movers))


def check_legal(state: engine.Game, move: engine.Move, pawn: str) -> engine.Move:
    """Return `move` completed for `pawn`; for a queued move it is legal as far as can be told now.

    Raises:
        Problem: `illegal`, with the legal moves of the pawn.
    """
    move = move._replace(pawn=pawn)
    try:
        return state.check(move) if pawn in state.to_move else state.check_ahead(move)
    except engine.Illegal as error:
        legal = [move.to_json() for move in error.legal]
        raise Problem("illegal", sentence_of(error), reason=error.code, legal=legal) from None
