"""Players by name, and detectives with a belief of their own, for benchmarks and fits."""

import random
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from server import bots
from server.bots import mixing, public_game
from server.bots.belief import Model, belief
from server.bots.detective import Team
from server.bots.estimate import Estimate, normalised
from server.bots.mixing import Policy
from server.bots.tie_breaking import best_with_ties_broken
from server.engine import Move, deduce

Choose = Callable[[Mapping[str, Any], Sequence[Move], random.Random], Move]


def bot(name: str, level: str) -> Choose:
    """Return a built-in bot."""
    return partial(bots.choose, name, level=level)


def constable_with(model: Model) -> Choose:
    """Return the constable that believes what a model says."""
    return constable_who_thinks(lambda view: belief(view, model))


def constable_who_knows(policy: Policy) -> Choose:
    """Return the constable that knows Mr. X's policy: its estimate is the exact posterior."""

    def exact(view: Mapping[str, Any]) -> Estimate:
        known = mixing.posterior(public_game.read(view), policy)
        return normalised({station: known.get(station, 0.0) for station in sorted(deduce(view))})

    return constable_who_thinks(exact)


def constable_who_thinks(estimate: Callable[[Mapping[str, Any]], Estimate]) -> Choose:
    """Return the constable with another estimate."""

    def choose(view: Mapping[str, Any], moves: Sequence[Move], rng: random.Random) -> Move:
        return best_with_ties_broken(moves, Team(view, estimate(view)).worth, rng)

    return choose
