"""The bots that a host can give a seat to, by name.

A bot sees the view of the seat it plays and nothing more, and keeps no state between two moves. docs/built-in-bots.md
explains how bots weigh their moves.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from server.bots import detective, mr_x
from server.engine import Move


class Bot(NamedTuple):
    """A bot. `role` is "detective" or "mr_x"; `choose` takes what `choose` below takes after the name."""

    role: str
    choose: Callable[[Mapping[str, Any], Sequence[Move], random.Random], Move]


BOTS: Mapping[str, Bot] = MappingProxyType(
    {"constable": Bot("detective", detective.choose), "fugitive": Bot("mr_x", mr_x.choose)}
)


def names(role: str) -> tuple[str, ...]:
    """Return the names of the bots that can play a role."""
    return tuple(name for name, bot in BOTS.items() if bot.role == role)


def choose(name: str, view: Mapping[str, Any], moves: Sequence[Move], rng: random.Random) -> Move:
    """Return the move that a bot chooses from `moves`, the legal moves of one pawn; `rng` only breaks ties.

    Raises:
        KeyError: if there is no such bot.
        ValueError: if `moves` is empty.
    """
    return BOTS[name].choose(view, moves, rng)
