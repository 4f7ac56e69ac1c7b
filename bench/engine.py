"""Figures on the speed of the rules: whole random games, lists of legal moves, the deduction.

The baseline of the rates is a bare walk over the board measured in the same run (a step and a ticket, no
rules), so that the ratio means something on any machine; the others stand beside what is asked of them.
"""

import random
import time
from collections.abc import Callable, Iterator
from typing import Any

from server.engine import Board, Edition, Game, deduce

EDITION = "milton-bradley-1985"
Figure = dict[str, Any]


def figures(games: int = 2000) -> Iterator[Figure]:
    """Yield the figures, each {"name", "value", "unit", "baseline", "ratio", "n"}."""
    play(random.Random(0), games // 10)  # warm: the tables of the board are made at first use
    played, took = timed(lambda: play(random.Random(1), games))
    bare_steps, bare_took = timed(lambda: bare_walk(random.Random(1), games * 10))
    bare = bare_steps / bare_took
    plies = sum(len(game.history) for game in played)
    yield figure("engine: random whole games", games / took, "games/s", bare / (plies / games), games)
    yield figure("engine: lists of legal moves, each with a move played", plies / took, "lists/s", bare, plies)
    views = [game.view("spectator") for game in played[:200]]
    _, took = timed(lambda: [deduce(view) for view in views])
    yield figure("engine: deduction of a whole game", 1000 * took / len(views), "ms", 2.0, len(views))
    won = sum(game.outcome is not None and game.outcome.winner == "mr_x" for game in played)
    yield figure("engine: random games Mr. X wins", 100 * won / games, "%", 68.6, games)


def play(rng: random.Random, games: int) -> list[Game]:
    """Random games of five pawns, every move of the full list equally likely."""
    edition = Edition.named(EDITION)
    played = []
    for _ in range(games):
        game = Game.deal(edition, 6, rng)
        while game.outcome is None:
            moves = game.legal_moves()
            game.play(moves[int(rng.random() * len(moves))])
        played.append(game)
    return played


def bare_walk(rng: random.Random, steps: int) -> int:
    """Play the cheapest possible moves: a step to a random neighbour, and a ticket less."""
    reach = Board.named("london").reach["taxi"]
    here, tickets = 1, {"taxi": steps}
    for _ in range(steps):
        stops = [stop for stop in reach[here] if stop != 199]
        here = stops[int(rng.random() * len(stops))] if stops else 1
        tickets["taxi"] -= 1
    return steps


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """Return the result of the work, and the seconds it took."""
    start = time.perf_counter()
    result = work()
    return result, time.perf_counter() - start


def figure(name: str, value: float, unit: str, baseline: float | None, n: int) -> Figure:
    """Return a figure, with its ratio to a baseline if there is one."""
    facts = {"name": name, "value": round(value, 3), "unit": unit, "n": n}
    if baseline is None:
        return facts | {"baseline": None, "ratio": None}
    return facts | {"baseline": round(baseline, 3), "ratio": round(value / baseline, 3)}
