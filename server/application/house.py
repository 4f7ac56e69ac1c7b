"""The move the house makes for a late detective: sensible, and from what everybody may know alone."""

import random
from collections.abc import Mapping, Sequence
from typing import Any

from server import engine


def choose(
    view: Mapping[str, Any], board: engine.Board, moves: Sequence[engine.Move], rng: random.Random
) -> engine.Move:
    """The move that brings the pawn nearest to where Mr. X can be; ties are broken with `rng`.

    `view` is a public one. Nearest means the smallest sum of journeys to every station he can be on, so
    that the pawn closes in on the middle of them; the commoner ticket is preferred, as it will be missed least.
    """
    suspects = engine.deduce(view)

    def cost(move: engine.Move) -> tuple[int, int]:
        journeys = _journeys(board, move.station)
        held = view["pawns"][move.pawn]["tickets"][move.legs[0].ticket]
        return sum(journeys[station] for station in suspects), -held

    best = min(map(cost, moves))
    return rng.choice([move for move in moves if cost(move) == best])


def _journeys(board: engine.Board, origin: int) -> dict[int, int]:
    """How many moves every station is away from `origin` for a detective with tickets enough."""
    away = {origin: 0}
    frontier = [origin]
    while frontier:
        reached = []
        for station in frontier:
            for transport in ("taxi", "bus", "underground"):
                for stop in board.links[transport].get(station, ()):
                    if stop not in away:
                        away[stop] = away[station] + 1
                        reached.append(stop)
        frontier = reached
    return away
