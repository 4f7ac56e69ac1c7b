"""The best of several moves, and chance among those that are equally good."""

import random
from collections.abc import Callable, Sequence

from server.engine import Move

# Values closer than this are equal, and differ by rounding only.
ROUNDING = 1e-9


def best_with_ties_broken(moves: Sequence[Move], worth: Callable[[Move], float], rng: random.Random) -> Move:
    """Return the move of most worth, whatever their order; `rng` breaks ties.

    Raises:
        ValueError: if `moves` is empty.
    """
    worths = [worth(move) for move in moves]
    most = max(worths) - ROUNDING
    return rng.choice(sorted((move for move, value in zip(moves, worths, strict=True) if value >= most), key=str))
