"""Following Mr. X move by move: from what was thought of his station before a move to what is thought after it."""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from server.bots.public_game import Scene, Trip, Turn

# Station -> probability. The sum is 1, or there is no station.
Weights = Mapping[int, float]

# Returns the weights of the stations after a move that did not end in sight, in proportion, given those before it.
Step = Callable[[Weights, Scene, tuple[Trip, ...]], Weights]


def after(first: frozenset[int], turns: Sequence[Turn], step: Step) -> Weights:
    """Return the weights after some turns of Mr. X and the detectives' moves that followed them.

    `first` has the stations before the first turn, all equally likely. The detectives' moves take their stations out.
    """
    if not turns:
        return normalised(dict.fromkeys(sorted(first), 0.0))
    *earlier, last = turns
    if last.trips[-1][1] is None:
        weights = dict(_moved(first, tuple(earlier), last.scene, last.trips, step))
    else:
        weights = {last.trips[-1][1]: 1.0}
    for station in last.visited:
        weights.pop(station, None)
    return normalised(weights)


@lru_cache(256)
def _moved(
    first: frozenset[int], earlier: tuple[Turn, ...], scene: Scene, trips: tuple[Trip, ...], step: Step
) -> Weights:
    """Return the weights right after a move of his; it is kept, as all detectives' moves of a round begin with it."""
    return step(after(first, earlier, step), scene, trips)


def normalised(weights: Weights) -> dict[int, float]:
    """Return `weights` scaled to a sum of 1; if all are 0, all stations become equally likely."""
    total = sum(weights.values())
    if not total:
        return {station: 1 / len(weights) for station in weights}
    return {station: weight / total for station, weight in weights.items()}
