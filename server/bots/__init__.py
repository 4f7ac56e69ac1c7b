"""The players of the house: who they are, and what they would do.

They see the view of the seat they play and nothing more, and keep nothing between two moves. How they think is
told in docs/built-in-bots.md.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from server.bots import detective, mr_x
from server.engine import Move


class Player(NamedTuple):
    """`role` is "detective" or "mr_x"; `choose` is as below."""

    role: str
    choose: Callable[[Mapping[str, Any], Sequence[Move], random.Random], Move]


PLAYERS: Mapping[str, Player] = MappingProxyType(
    {"constable": Player("detective", detective.choose), "fugitive": Player("mr_x", mr_x.choose)}
)


def names(role: str) -> tuple[str, ...]:
    """Who can play a role."""
    return tuple(name for name, player in PLAYERS.items() if player.role == role)


def choose(name: str, view: Mapping[str, Any], moves: Sequence[Move], rng: random.Random) -> Move:
    """One of `moves`, the legal moves of one pawn; `rng` breaks ties and decides nothing else.

    KeyError where there is no such player, ValueError where there is no move.
    """
    return PLAYERS[name].choose(view, moves, rng)
