"""Players by name, and detectives with a belief of their own, for benchmarks and fits."""

import random
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from server import bots
from server.bots import mixing, public_game
from server.bots.belief import Model, belief
from server.bots.detective import LEVELS, Level, choose_by
from server.bots.estimate import Estimate, normalised
from server.bots.mixing import Mixing
from server.engine import Game, Move, deduce

SURE = 0.9
Choose = Callable[[Mapping[str, Any], Sequence[Move], random.Random], Move]


def bot(name: str, level: str) -> Choose:
    """Return a built-in bot."""
    return partial(bots.choose, name, level=level)


def constable_with(model: Model) -> Choose:
    """Return the constable that believes what a model says."""
    return partial(choose_by, Level(lambda view: belief(view, model)))


def with_first_pawn(hand: Choose, rest: Choose) -> Choose:
    """Return detectives of whom one player moves the first pawn, as a person does in a first practice game."""

    def choose(view: Mapping[str, Any], moves: Sequence[Move], rng: random.Random) -> Move:
        is_first = moves[0].pawn == next(pawn for pawn in view["pawns"] if pawn != "mr_x")
        return (hand if is_first else rest)(view, moves, rng)

    return choose


class Leak(NamedTuple):
    """What somebody knows who runs the published bot, counted after each of Mr. X's moves that did not end in sight."""

    moves: int = 0
    first: int = 0  # his station was the likeliest, or one of these
    sure: int = 0  # and more than 90 % likely

    def __add__(self, other: tuple[int, ...]) -> "Leak":  # type: ignore[override]
        return Leak(*map(sum, zip(self, other, strict=True)))


def leak(game: Game, policy: Mixing) -> Leak:
    """Return what a game gave away of a Mr. X who played it by a policy."""
    public = public_game.read(public_game.public_view(game.view("mr_x")))
    moves = [move for move in game.history if move.pawn == "mr_x"]
    counted = Leak()
    for number, (turn, move) in enumerate(zip(public.turns, moves, strict=True)):
        if turn.trips[-1][1] is None:
            known = mixing.posterior(public._replace(turns=(*public.turns[:number], turn._replace(visited=()))), policy)
            here, most = known.get(move.station, 0.0), max(known.values())
            counted += Leak(1, here >= most - 1e-12, here > SURE)
    return counted


def constable_who_knows(policy: Mixing) -> Choose:
    """Return the constable that knows Mr. X's policy: its estimate is the exact posterior."""

    def exact(view: Mapping[str, Any]) -> Estimate:
        known = mixing.posterior(public_game.read(view), policy)
        return normalised({station: known.get(station, 0.0) for station in sorted(deduce(view))})

    return partial(choose_by, LEVELS["good"]._replace(estimate=exact))
