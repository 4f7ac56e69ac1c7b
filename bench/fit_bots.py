"""Fit what the bots have learnt again, and write the weights: `python -m bench fit-bots`.

How long Mr. X stays free from a station is fitted to chases in each round's games, and bots play him by it in the next.
In each round the detectives believe what was fitted before it, and one kind of Mr. X hides from that. What was thought
of him before each move, which the features need, is worked out anew with the newest weights too.
"""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

from bench import fitting
from bench.engine import Figure, figure
from bench.fitting import Choose, Played, Vector
from bench.opponents import fugitive, mr_x
from bench.players import bot, constable_with
from server import bots
from server.bots.belief import Model
from server.bots.mr_x import choose_by, policies

WEIGHTS = Path(__file__).parent.parent / "server" / "bots" / "weights.json"
EDITIONS = ("ravensburger-2000", "milton-bradley-1985")
# `searches` is not among them: it is kept aside to measure with.
KINDS = ("fugitive", "greedy", "minimax", "hider", "fair", "good", "hides")
LATER = ("fair", "good", "hides")  # they play by what was fitted in the first round
ROUNDS = (4, 6)  # games of each kind and edition
HELD_OUT = 5
PROCESSES = 2


class Task(NamedTuple):
    """A game to be played, which the seed names.

    `model` is what its detectives believe; None for the simple estimate. `free` is how a bot weighs places for Mr. X.
    """

    kind: str
    edition: str
    seed: str
    model: Model | None
    free: Vector


def figures() -> Iterator[Figure]:
    """Fit, write the weights, and yield the surprise at the true station in games that were not fitted on."""
    with ProcessPoolExecutor(PROCESSES, get_context("spawn")) as pool:
        model, free, seeds = fitted(lambda tasks: list(pool.map(play, tasks, chunksize=4)), ROUNDS)
        WEIGHTS.write_text(fitting.document(model, free, seeds), encoding="utf-8")
        for kind in (*KINDS, "searches"):
            held_out = [
                Task(kind, edition, f"held out {n}", model, free) for edition in EDITIONS for n in range(HELD_OUT)
            ]
            games = list(pool.map(play, held_out, chunksize=4))
            even = fitting.surprise(games, fitting.evenly)
            yield figure(
                f"bots: surprise at {kind}", fitting.surprise(games, fitting.learnt(model)), "nats", even, len(games)
            )


def fitted(
    play_all: Any, rounds: Sequence[int], kinds: Sequence[str] = KINDS
) -> tuple[Model, Vector, Mapping[str, Any]]:
    """Return the weights after some rounds of so many games for each kind and edition, and what names their seeds."""
    games: list[Played] = []
    model: Model | None = None
    free: Vector = ()
    for number, each in enumerate(rounds, 1):
        played = play_all(
            [
                Task(kind, edition, f"round {number} game {n}", model, free)
                for kind in kinds
                if model is not None or kind not in LATER
                for edition in EDITIONS
                for n in range(each)
            ]
        )
        games += played
        free = fitting.fit_free(played)
        for _ in range(2):
            model = fitting.fit(fitting.collected(games, model or fitting.NOTHING))
    assert model is not None
    return model, free, {"kinds": list(kinds), "editions": list(EDITIONS), "rounds": list(rounds)}


def play(task: Task) -> Played:
    """Play a game of six people."""
    detectives = constable_with(task.model) if task.model else bot("constable", "fair")
    seed = f"{task.kind} {task.edition} {task.seed}"
    return fitting.play(task.edition, 6, seed, detectives, _mr_x(task))


def _mr_x(task: Task) -> Choose:
    if task.kind in bots.LEVELS:
        return partial(choose_by, policies(task.free)[task.kind])
    if task.kind == "hides":
        return fugitive.hiding_from(task.model or fitting.NOTHING)
    return fugitive.choose if task.kind == "fugitive" else getattr(mr_x, task.kind)
