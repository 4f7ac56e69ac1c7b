"""Games between any two players, without a server: how often each side wins, and how long it thinks."""

import importlib
import importlib.util
import math
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from server import bots
from server.engine import BoardView, Edition, Game, Move

Choose = Callable[[BoardView, Sequence[Move], random.Random], Move | str]

CHANCE = "chance"
BOT_OF = {"detective": "constable", "mr_x": "fugitive"}
WHAT = f"{', '.join(bots.LEVELS)}, {CHANCE}, or a function, as my_bot.py:choose or package.module:choose"


class UnknownPlayer(ValueError):
    """There is no such player; the text says what there is."""


@dataclass
class Score:
    """The results of some games. `thought` has the milliseconds of processor time of each move, by side."""

    games: int = 0
    detectives: int = 0
    mr_x: int = 0
    thought: dict[str, list[float]] = field(default_factory=lambda: {"detective": [], "mr_x": []})


def player(named: str, role: str) -> Choose:
    """Return a player of a role ("detective" or "mr_x"): a level, `chance`, or a function of view, moves and chance.

    The function returns one of the moves, or the notation of one.

    Raises:
        UnknownPlayer: if there is none.
    """
    if named in bots.LEVELS:
        return partial(bots.choose, BOT_OF[role], level=named)
    if named == CHANCE:
        return by_chance
    place, _, name = named.rpartition(":")
    if not place or not name:
        raise UnknownPlayer(f"There is no player {named!r}; there are {WHAT}.")
    try:
        found = getattr(_module(place), name)
    except (ImportError, OSError, AttributeError, SyntaxError) as error:
        raise UnknownPlayer(f"The player {named} cannot be loaded: {error}.") from error
    if not callable(found):
        raise UnknownPlayer(f"{named} is no function.")
    return found  # type: ignore[no-any-return]


def by_chance(_view: BoardView, moves: Sequence[Move], rng: random.Random) -> Move:
    """Return any move."""
    return rng.choice(moves)


def match(
    edition: str, people: int, seeds: Sequence[int], detectives: Choose, mr_x: Choose, score: Score | None = None
) -> Score:
    """Play a game for each seed; the same seed deals the same stations to any two players."""
    score = score or Score()
    rules = Edition.named(edition)
    for seed in seeds:
        game = play(rules, people, seed, {"detective": detectives, "mr_x": mr_x}, score.thought)
        assert game.outcome is not None
        score.games += 1
        score.detectives += game.outcome.winner == "detectives"
        score.mr_x += game.outcome.winner == "mr_x"
    return score


def play(
    edition: Edition, people: int, seed: int, sides: Mapping[str, Choose], thought: Mapping[str, list[float]]
) -> Game:
    """Play one game to its end; each side has chance of its own."""
    game = Game.deal(edition, people, random.Random(seed))  # noqa: S311 no secret
    chance = {side: random.Random(f"{seed} {side}") for side in sides}  # noqa: S311 the same
    while game.outcome is None:
        pawn = game.to_move[0]
        side = "mr_x" if pawn == "mr_x" else "detective"
        view, moves = game.view(pawn), game.legal_moves(pawn)
        began = time.process_time()
        move = sides[side](view, moves, chance[side])
        thought[side].append(1000 * (time.process_time() - began))
        game.play(move)
    return game


def wilson(won: int, games: int) -> tuple[float, float]:
    """Return the interval in which the share of games won lies with 95 % certainty (Wilson), from 0 to 1."""
    if not games:
        return 0.0, 1.0
    z = 1.96
    share, spread = won / games, z * z / games
    middle = (share + spread / 2) / (1 + spread)
    half = z / (1 + spread) * math.sqrt(share * (1 - share) / games + spread / 4 / games)
    return max(0.0, middle - half), min(1.0, middle + half)


def times(thought: Sequence[float]) -> tuple[float, float]:
    """Return the mean, and what 999 of 1000 moves stay below, in milliseconds."""
    if not thought:
        return 0.0, 0.0
    took = sorted(thought)
    return sum(took) / len(took), took[-1 - len(took) // 1000]


def _module(place: str) -> Any:
    """Return a module, by its name or the path of its file."""
    if not place.endswith(".py"):
        return importlib.import_module(place)
    spec = importlib.util.spec_from_file_location(Path(place).stem, place)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
