"""Players by name, and detectives with a belief of their own, for benchmarks and fits."""

import random
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from server import bots
from server.bots import mixing, public_game
from server.bots.belief import Model, belief
from server.bots.detective import LEVELS, Level, choose_by
from server.bots.estimate import Estimate, normalised
from server.bots.mixing import Policy
from server.engine import Move, deduce

Choose = Callable[[Mapping[str, Any], Sequence[Move], random.Random], Move]


def bot(name: str, level: str) -> Choose:
    """Return a built-in bot."""
    return partial(bots.choose, name, level=level)


def constable_with(model: Model) -> Choose:
    """Return the constable that believes what a model says."""
    return partial(choose_by, Level(lambda view: belief(view, model)))


def constable_who_knows(policy: Policy) -> Choose:
    """Return the constable that knows Mr. X's policy: its estimate is the exact posterior."""

    def exact(view: Mapping[str, Any]) -> Estimate:
        known = mixing.posterior(public_game.read(view), policy)
        return normalised({station: known.get(station, 0.0) for station in sorted(deduce(view))})

    return partial(choose_by, LEVELS["good"]._replace(estimate=exact))
