"""The bots that a host can give a seat to, by name and level.

A bot sees the view of the seat it plays and nothing more, and keeps no state between two moves; what follows from
public facts alone is kept for the next call. docs/built-in-bots.md explains how bots weigh their moves.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from server.bots import detective, mr_x
from server.bots.detective import choose_for_late
from server.engine import BoardView, Move

LEVELS = ("easy", "fair", "good")
USUAL = "fair"  # the level of a bot for which none is named
FIRST = "easy"  # and of the bots in a practice game


class Bot(NamedTuple):
    """A bot. `role` is "detective" or "mr_x"; `choose` takes what `choose` below takes after the name."""

    role: str
    choose: Callable[[BoardView, Sequence[Move], random.Random, str], Move]


BOTS: Mapping[str, Bot] = MappingProxyType(
    {"constable": Bot("detective", detective.choose), "fugitive": Bot("mr_x", mr_x.choose)}
)


def names(role: str) -> tuple[str, ...]:
    """Return the names of the bots that can play a role."""
    return tuple(name for name, bot in BOTS.items() if bot.role == role)


def choose(name: str, view: BoardView, moves: Sequence[Move], rng: random.Random, level: str = USUAL) -> Move:
    """Return the move that a bot chooses from `moves`, the legal moves of one pawn.

    For detectives `rng` only breaks ties. A Mr. X is drawn with it, so nobody else may know its state.

    Raises:
        KeyError: if there is no such bot, or no such level.
        ValueError: if `moves` is empty.
    """
    if not moves:
        raise ValueError(f"There is no move for the {name} to choose from.")
    return BOTS[name].choose(view, moves, rng, level)
