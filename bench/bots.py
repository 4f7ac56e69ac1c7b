"""Figures on how well the bots play, what they give away, and how long they think.

Each figure of the first kind is the percentage of games that the detectives win, with six people unless it says
otherwise, or the better level, counted on both sides; the baseline is what is required. What Mr. X gives away is what
somebody knows who runs the published bot: how many of the possible stations are left to them, and how often the
likeliest is the true one, before those of his moves at which eight or more are possible. Thinking is measured in
processor time.
"""

import math
import random
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any, NamedTuple

from bench.engine import Figure, figure
from bench.opponents import fugitive, mr_x, scripted
from bench.players import Choose, bot, constable_who_knows
from server import bots
from server.bots import arena, mixing, public_game
from server.bots.mr_x import POLICIES
from server.engine import Edition, Move, deduce

USUAL, OLD = "ravensburger-2000", "milton-bradley-1985"
FIRST_SEED = 70_000  # of the games; the fit has names for its seeds
PROCESSES = 2
EIGHT = 8
MILLISECONDS = {"detective": (6.0, 20.0), "mr_x": (40.0, 150.0)}

DETECTIVES: Mapping[str, Callable[[], Choose]] = {
    **{level: lambda level=level: bot("constable", level) for level in bots.LEVELS},  # type: ignore[misc]
    "chance": lambda: arena.by_chance,  # type: ignore[return-value, dict-item]
    "nearer": lambda: scripted.nearer,
    "exact Bayes": lambda: constable_who_knows(POLICIES["good"]),
}
MR_X: Mapping[str, Choose] = {
    "chance": arena.by_chance,  # type: ignore[dict-item]
    "0.1.0": fugitive.choose,
    "searches": mr_x.searches,
    "minimax": mr_x.minimax,
    "hider": mr_x.hider,
    "keeps away": scripted.keeps_away,
}


class Match(NamedTuple):
    """A pairing, and the percentage of games that the detectives should win: at least, and at most."""

    detectives: str
    mr_x: str
    least: float = 0.0
    most: float = 100.0
    edition: str = USUAL
    people: int = 6


MATCHES = (
    Match("good", "0.1.0", 80),
    Match("good", "0.1.0", 80, edition=OLD),
    Match("good", "0.1.0", 40, people=4),
    Match("good", "searches", 50),
    Match("good", "minimax", 66),
    Match("good", "hider", 87),
    Match("good", "good", 40, 70),
    Match("exact Bayes", "good", 0, 85),
    Match("good", "fair"),
    Match("fair", "good"),
    Match("fair", "easy"),
    Match("easy", "fair"),
    Match("fair", "fair"),
    Match("easy", "easy"),
    Match("nearer", "easy", 40, 60),
    Match("easy", "keeps away", 40, 60),
    Match("easy", "chance", 95),
    Match("chance", "easy", 0, 5),
)


class Seeds(NamedTuple):
    """Some games of a match."""

    match: Match
    seeds: range


class Told(NamedTuple):
    """What some games of a match told: the score, and before moves of Mr. X what an attacker knew."""

    score: arena.Score
    left: list[float]
    is_likeliest: list[bool]


def figures(games: int = 60) -> Iterator[Figure]:
    """Yield the figures: {"name", "value", "unit", "baseline", "ratio", "n"}, and for shares of games "interval"."""
    won: dict[tuple[str, str], float] = {}
    thought: dict[tuple[str, str], list[float]] = {}
    attacks: dict[str, Told] = {}
    with ProcessPoolExecutor(PROCESSES, get_context("spawn")) as pool:
        for match in MATCHES:
            told = _together(pool.map(play, _batches(match, games)))
            low, high = arena.wilson(told.score.detectives, told.score.games)
            share = 100 * told.score.detectives / told.score.games
            won.setdefault((match.detectives, match.mr_x), share)
            asked = match.most if match.least == 0 else match.least
            yield figure(_name(match), share, "%", asked, games) | {"interval": [round(100 * low), round(100 * high)]}
            thought.setdefault(("detective", match.detectives), []).extend(told.score.thought["detective"])
            thought.setdefault(("mr_x", match.mr_x), []).extend(told.score.thought["mr_x"])
            if match.mr_x in bots.LEVELS:
                attacks[match.mr_x] = _joined(attacks.get(match.mr_x), told)
    for better, worse in (("good", "fair"), ("fair", "easy")):
        share = (won[better, worse] + 100 - won[worse, better]) / 2
        yield figure(f"bots: {better} beats {worse}, both sides", share, "%", 60.0, 2 * games)
    for level, told in sorted(attacks.items()):
        if told.left:
            left = math.exp(sum(map(math.log, told.left)) / len(told.left))
            yield figure(f"bots: left to who runs the {level} Mr. X", left, "of 1", 0.4, len(told.left))
            likeliest = 100 * sum(told.is_likeliest) / len(told.left)
            yield figure(f"bots: the {level} Mr. X is where he is likeliest", likeliest, "%", 50.0, len(told.left))
    for (side, name), took in sorted(thought.items()):
        if name in bots.LEVELS:
            mean, most = arena.times(took)
            yield figure(f"bots: a move of {side}, {name}, mean", mean, "ms", MILLISECONDS[side][0], len(took))
            yield figure(f"bots: a move of {side}, {name}, 999 of 1000", most, "ms", MILLISECONDS[side][1], len(took))


def play(some: Seeds) -> Told:
    """Play some games of a match."""
    match = some.match
    told = Told(arena.Score(), [], [])
    hidden: Any = bot("fugitive", match.mr_x) if match.mr_x in bots.LEVELS else MR_X[match.mr_x]
    detectives: Any = DETECTIVES[match.detectives]()
    arena.match(match.edition, match.people, some.seeds, detectives, hidden, told.score)
    if match.mr_x in bots.LEVELS:
        for seed in some.seeds[:: max(1, len(some.seeds) // 2)]:
            arena.play(
                Edition.named(match.edition), match.people, seed,
                {"detective": detectives, "mr_x": _watched(match.mr_x, told)}, {"detective": [], "mr_x": []},
            )  # fmt: skip
    return told


def _watched(level: str, told: Told) -> arena.Choose:
    """Return the fugitive of a level; before each of its moves, note what an attacker knows."""

    def choose(view: Mapping[str, Any], moves: Sequence[Move], rng: random.Random) -> Move:
        public = public_game.public_view(view)
        possible = deduce(public)
        known = mixing.posterior(public_game.read(public), POLICIES[level])
        total = sum(known.get(station, 0.0) for station in possible)
        if len(possible) >= EIGHT and total:
            weights = [known[station] / total for station in possible if known.get(station)]
            told.left.append(math.exp(-sum(w * math.log(w) for w in weights)) / len(possible))
            here = view["pawns"]["mr_x"]["station"]
            told.is_likeliest.append(known.get(here, 0.0) / total >= max(weights) - 1e-12)
        return bots.choose("fugitive", view, moves, rng, level)

    return choose


def _batches(match: Match, games: int) -> list[Seeds]:
    step = -(-games // (2 * PROCESSES))
    return [Seeds(match, range(FIRST_SEED + n, FIRST_SEED + min(n + step, games))) for n in range(0, games, step)]


def _together(parts: Any) -> Told:
    together: Told | None = None
    for part in parts:
        together = _joined(together, part)
    assert together is not None
    return together


def _joined(a: Told | None, b: Told) -> Told:
    if a is None:
        return b
    thought = {side: a.score.thought[side] + b.score.thought[side] for side in a.score.thought}
    score = arena.Score(
        a.score.games + b.score.games, a.score.detectives + b.score.detectives, a.score.mr_x + b.score.mr_x, thought
    )
    return Told(score, a.left + b.left, a.is_likeliest + b.is_likeliest)


def _name(match: Match) -> str:
    rest = f", {match.people} people" if match.people != 6 else ""
    return f"bots: {match.detectives} detectives beat Mr. X {match.mr_x}, {match.edition}{rest}"


if __name__ == "__main__":  # python -m bench.bots 200: more games than in all benchmarks
    for one in figures(int(sys.argv[1])):
        print(one, flush=True)
