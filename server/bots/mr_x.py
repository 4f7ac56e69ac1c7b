"""The bot "fugitive", which plays Mr. X: it draws its moves from a policy that anybody may compute.

The levels differ in the policy; see `server.bots.mixing`.
"""

import random
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from server.bots import public_game
from server.bots.freedom import fitted
from server.bots.journeys import station_of
from server.bots.mixing import Mixing, Option, chances
from server.engine import BoardView, Move


def policies(free: tuple[float, ...]) -> Mapping[str, Mixing]:
    """Return the policy of each level, with places compared by some weights."""
    return MappingProxyType(
        {"easy": Mixing(0, 1.6, 0.0, free), "fair": Mixing(8, 0.5, 0.5, free), "good": Mixing(8, 0.2, 0.8, free)}
    )


POLICIES = policies(fitted())


def choose(view: BoardView, moves: Sequence[Move], rng: random.Random, level: str) -> Move:
    """Return one of `moves` for Mr. X, who sees `view`, drawn by `rng`. See `server.bots.choose`."""
    return choose_by(POLICIES[level], view, moves, rng)


def choose_by(policy: Mixing, view: BoardView, moves: Sequence[Move], rng: random.Random) -> Move:
    """Return one of `moves` for Mr. X by any policy."""
    game = public_game.read(public_game.public_view(view))
    drawn = chances(game, policy, station_of(view["pawns"]["mr_x"]))
    possible: dict[Option, Move] = {move.legs: move for move in sorted(moves, key=str) if move.surface is None}
    open_to_him = {move: drawn[legs] for legs, move in possible.items() if drawn.get(legs)}
    if not open_to_him:  # every move gives him up, or the policy has none of these
        return rng.choice(sorted(moves, key=str))
    return rng.choices(list(open_to_him), list(open_to_him.values()))[0]
