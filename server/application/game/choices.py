"""The moves a pawn may send: played at once when it is to move, queued otherwise."""

from server import engine
from server.application.errors import Problem


def choices(state: engine.Game, pawn: str) -> list[engine.Move]:
    """Return the moves `pawn` may send now."""
    return state.legal_moves(pawn) if pawn in state.to_move else state.moves_ahead(pawn)


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
        raise Problem("illegal", str(error), reason=error.code, legal=legal) from None
