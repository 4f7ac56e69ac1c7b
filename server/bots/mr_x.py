"""The bot "fugitive", which plays Mr. X: it draws its moves from a policy that anybody may compute.

The levels differ in the policy; see `server.bots.mixing`.
"""

import random
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from server.bots import public_game
from server.bots.journeys import station_of
from server.bots.mixing import Mixing, Option, Policy, Shunning, chances
from server.engine import BoardView, Move

POLICIES: Mapping[str, Policy] = MappingProxyType(
    {"easy": Shunning(0.25), "fair": Mixing(8, 0.3, 0.5, doubles=False), "good": Mixing(8, 0.2, 0.5, playouts=300)}
)


def choose(view: BoardView, moves: Sequence[Move], rng: random.Random, level: str) -> Move:
    """Return one of `moves` for Mr. X, who sees `view`, drawn by `rng`. See `server.bots.choose`."""
    game = public_game.read(public_game.public_view(view))
    drawn = chances(game, POLICIES[level], station_of(view["pawns"]["mr_x"]))
    possible: dict[Option, Move] = {move.legs: move for move in sorted(moves, key=str) if move.surface is None}
    open_to_him = {move: drawn[legs] for legs, move in possible.items() if drawn.get(legs)}
    if not open_to_him:  # every move gives him up, or the policy has none of these
        return rng.choice(sorted(moves, key=str))
    return rng.choices(list(open_to_him), list(open_to_him.values()))[0]
