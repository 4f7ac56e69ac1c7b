"""Figures on how well the bots play, and how long they think.

Each figure of the first kind is the share of games with six people that the side named wins; the baseline is what is
required. Thinking is measured in CPU time, and its baseline is the maximum allowed.
"""

import random
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

from bench.engine import Figure, figure
from server import bots
from server.engine import Edition, Game, Move

EDITIONS = ("ravensburger-2000", "milton-bradley-1985")
MILLISECONDS = {"constable": 20.0, "fugitive": 50.0}

Choose = Callable[[Any, Any, random.Random], Move]


class Match(NamedTuple):
    """A pairing of two bots. `asked` is the percentage of games that the side `counted` should win."""

    name: str
    detectives: str
    mr_x: str
    counted: str
    asked: float


MATCHES = (
    Match("constables beat a Mr. X who moves by chance", "constable", "chance", "detectives", 99.0),
    Match("the fugitive beats detectives who move by chance", "chance", "fugitive", "mr_x", 99.0),
    Match("constables beat the fugitive", "constable", "fugitive", "detectives", 50.0),
)


def figures(games: int = 200) -> Iterator[Figure]:
    """Yield the figures, each {"name", "value", "unit", "baseline", "ratio", "n"}."""
    thought: dict[str, list[float]] = defaultdict(list)
    for edition in map(Edition.named, EDITIONS):
        for match in MATCHES:
            won = sum(_winner(edition, match, seed, thought) == match.counted for seed in range(games))
            yield figure(f"bots: {match.name}, {edition.name}", 100 * won / games, "%", match.asked, games)
    for name, most in MILLISECONDS.items():
        took = sorted(thought[name])
        yield figure(f"bots: a move of the {name}, mean", sum(took) / len(took), "ms", most, len(took))
        yield figure(f"bots: a move of the {name}, 999 of 1000", took[-1 - len(took) // 1000], "ms", most, len(took))


def _winner(edition: Edition, match: Match, seed: int, thought: dict[str, list[float]]) -> str:
    rng = random.Random(seed)
    game = Game.deal(edition, 6, rng)
    while game.outcome is None:
        pawn = game.to_move[0]
        name = match.mr_x if pawn == "mr_x" else match.detectives
        view, moves = game.view(pawn), game.legal_moves(pawn)
        began = time.process_time()
        move = _player(name)(view, moves, rng)
        thought[name].append(1000 * (time.process_time() - began))
        game.play(move)
    return game.outcome.winner


def _player(name: str) -> Choose:
    return _by_chance if name == "chance" else partial(bots.choose, name)


def _by_chance(_view: Any, moves: Any, rng: random.Random) -> Move:
    return rng.choice(moves)
