"""The best of some moves."""

import random
from collections.abc import Callable, Sequence

from server.engine import Move

# What is nearer than this was meant to be the same, and differs by rounding.
ROUNDING = 1e-9


def best(moves: Sequence[Move], worth: Callable[[Move], float], rng: random.Random) -> Move:
    """The move of most worth, whatever their order; ties are broken with `rng`. ValueError where there is none."""
    worths = [worth(move) for move in moves]
    most = max(worths) - ROUNDING
    return rng.choice(sorted((move for move, value in zip(moves, worths, strict=True) if value >= most), key=str))
