"""Counts of legal sequences of moves, which prove a move generator."""

from __future__ import annotations

from server.engine.game import Game


def perft(game: Game, depth: int) -> int:
    """Return the number of legal sequences of `depth` moves; the game stays as it is.

    A double is one move, a pawn passed over none; a finished game has no sequences but the empty
    one. Voluntary surfacing is not counted.
    """
    if depth == 0:
        return 1
    moves = game.legal_moves()
    if depth == 1:
        return len(moves)
    total = 0
    for move in moves:
        after = game.copy()
        after.play(move)
        total += perft(after, depth - 1)
    return total
