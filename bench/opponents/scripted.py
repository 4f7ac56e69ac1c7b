"""Players who follow one plain rule, as a beginner does."""

import random
from collections.abc import Mapping, Sequence
from typing import Any

from server.bots.journeys import journeys, kinds_of
from server.engine import Board, Move


def nearer(view: Mapping[str, Any], moves: Sequence[Move], rng: random.Random) -> Move:
    """Move a detective nearer to where Mr. X was last seen, and anywhere before that."""
    seen = view["pawns"]["mr_x"]["last_seen"]
    if seen is None:
        return rng.choice(sorted(moves, key=str))
    board = Board.named(view["options"]["board"])
    kinds = kinds_of(view["pawns"][moves[0].pawn])
    return min(
        sorted(moves, key=str),
        key=lambda move: (journeys(board, kinds, move.station)[seen["station"]], rng.random()),
    )


def keeps_away(view: Mapping[str, Any], moves: Sequence[Move], rng: random.Random) -> Move:
    """Move Mr. X as far from the nearest detective as one move leads, without cards while there is another way."""
    board = Board.named(view["options"]["board"])
    detectives = [facts for pawn, facts in view["pawns"].items() if pawn != "mr_x"]
    away = [journeys(board, kinds_of(facts), facts["station"]) for facts in detectives]

    def worth(move: Move) -> tuple[bool, int, float]:
        is_plain = not move.double and move.legs[0].ticket != "black"
        return is_plain, min(moves[move.station] for moves in away), rng.random()

    return max(sorted(moves, key=str), key=worth)
