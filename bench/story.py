"""Figures on the story of a hunt: what it says of the likeliest station, how often that is so, and its time.

The games are of the bots against each other; counted is each move of Mr. X that did not show where he ended. Before the
first sightings all stations are alike, so what is said of 10 % and less is left out.
"""

import random
import time
from collections.abc import Iterator
from itertools import product
from typing import Any

from bench.engine import Figure, figure
from bench.players import bot
from server import bots
from server.bots import hunt
from server.engine import Edition, Game

BINS = (0.1, 0.3, 0.5, 0.7, 0.9, 1.0)
EDITIONS = ("ravensburger-2000", "milton-bradley-1985")


def figures(games: int = 54) -> Iterator[Figure]:
    """Yield for each bin how often the likeliest station was the true one, beside what was said; and the time."""
    said: dict[float, list[tuple[float, bool]]] = {least: [] for least in BINS[:-1]}
    took: list[float] = []
    kinds = list(product(bots.LEVELS, bots.LEVELS, EDITIONS))
    for seed in range(games):
        states = list(play(*kinds[seed % len(kinds)], seed))
        views: Any = [state.view("mr_x") for state in states]
        began = time.process_time()
        points = hunt.story(views, states[-1].rounds, states[-1].outcome and states[-1].outcome.reason).points
        took.append(1000 * (time.process_time() - began))
        for point in points:
            least = max((each for each in BINS[:-1] if each <= point.chance), default=None)
            if point.pawn == "mr_x" and point.stations > 1 and least is not None:
                said[least].append((point.chance, point.likeliest == point.station))
    for (least, of_bin), most in zip(said.items(), BINS[1:], strict=True):
        n = max(1, len(of_bin))
        came_true = 100 * sum(is_true for _, is_true in of_bin) / n
        mean = 100 * sum(chance for chance, _ in of_bin) / n
        yield figure(
            f"story: said {100 * least:.0f} to {100 * most:.0f} %, came true", came_true, "%", mean, len(of_bin)
        )
    yield figure("story: a game, mean", sum(took) / len(took), "ms", 300.0, len(took))
    yield figure("story: a game, most", max(took), "ms", 500.0, len(took))


def play(detectives: str, mr_x: str, edition: str, seed: int) -> Iterator[Game]:
    """Yield a game of two levels before its first move, and after each."""
    rng = random.Random(seed)
    game = Game.deal(Edition.named(edition), 6, rng)
    players = {True: bot("fugitive", mr_x), False: bot("constable", detectives)}
    yield game.copy()
    while game.outcome is None:
        pawn = game.to_move[0]
        view: Any = game.view(pawn)
        game.play(players[pawn == "mr_x"](view, game.legal_moves(pawn), rng))
        yield game.copy()
