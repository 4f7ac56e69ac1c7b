"""Figures on how well the bots play, what they give away, and how long they think.

Each figure of the first kind is the percentage of games that the detectives win, with six people unless it says
otherwise, or the better level, counted on both sides; the baseline is what is required. What Mr. X gives away is what
somebody knows who runs the published bot, counted after each of his moves that did not end in sight: how often his
station is the likeliest, and how often it is that and more than 90 % likely. Thinking is measured in processor time.

`python -m bench.bots 200` plays 200 games of each match of the table in docs/built-in-bots.md, and prints its rows.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any, NamedTuple

from bench.engine import Figure, figure
from bench.opponents import fugitive, mr_x, scripted
from bench.players import Choose, Leak, bot, constable_who_knows, leak, with_first_pawn
from server import bots
from server.bots import arena
from server.bots.mr_x import POLICIES
from server.engine import Edition

USUAL, OLD = "ravensburger-2000", "milton-bradley-1985"
FIRST_SEED = 70_000  # of the games; the fit has names for its seeds
PROCESSES = 2
MILLISECONDS = {"detective": (6.0, 20.0), "mr_x": (40.0, 150.0)}

DETECTIVES: Mapping[str, Callable[[], Choose]] = {
    **{level: lambda level=level: bot("constable", level) for level in bots.LEVELS},  # type: ignore[misc]
    "chance": lambda: arena.by_chance,  # type: ignore[return-value, dict-item]
    "nearer": lambda: scripted.nearer,
    "halo": lambda: scripted.halo,
    "first pawn by chance": lambda: with_first_pawn(arena.by_chance, bot("constable", bots.FIRST)),  # type: ignore[arg-type]
    "first pawn halo": lambda: with_first_pawn(scripted.halo, bot("constable", bots.FIRST)),
    "exact Bayes": lambda: constable_who_knows(POLICIES["good"]),
}
MR_X: Mapping[str, Choose] = {
    "chance": arena.by_chance,  # type: ignore[dict-item]
    "0.1.0": fugitive.choose,
    "searches": mr_x.searches,
    "minimax": mr_x.minimax,
    "hider": mr_x.hider,
    "keeps away": scripted.keeps_away,
    "casual": scripted.casual,
}


class Match(NamedTuple):
    """A pairing, and the percentage of games that the detectives should win: at least, and at most."""

    detectives: str
    mr_x: str
    least: float = 0.0
    most: float = 100.0
    edition: str = USUAL
    people: int = 6


# The table of docs/built-in-bots.md.
TABLE = (
    Match("halo", "easy", 65, 80),
    Match("halo", "fair", 45, 60),
    Match("halo", "good", 25, 45),
    Match("easy", "casual", 20, 40),
    Match("fair", "casual", 65, 80),
    Match("good", "casual", 90, 100),
    Match("good", "good", 60, 75),
    Match("first pawn by chance", "easy"),
    Match("first pawn halo", "easy"),
)
MATCHES = (
    *TABLE,
    Match("good", "0.1.0", 80),
    Match("good", "0.1.0", 80, edition=OLD),
    Match("good", "0.1.0", 40, people=4),
    Match("good", "searches", 50),
    Match("good", "minimax", 66),
    Match("good", "hider", 87),
    Match("exact Bayes", "good", 0, 85),
    Match("good", "fair"),
    Match("fair", "good"),
    Match("fair", "easy"),
    Match("easy", "fair"),
    Match("fair", "fair"),
    Match("easy", "easy"),
    Match("nearer", "easy", 40, 60),
    Match("easy", "chance", 95),
    Match("chance", "easy", 0, 5),
)


class Seeds(NamedTuple):
    """Some games of a match."""

    match: Match
    seeds: range


class Told(NamedTuple):
    """What some games of a match told: the score, and what a Mr. X of a level gave away."""

    score: arena.Score
    leak: Leak


def figures(games: int = 60) -> Iterator[Figure]:
    """Yield the figures: {"name", "value", "unit", "baseline", "ratio", "n"}, and for shares of games "interval"."""
    won: dict[tuple[str, str], float] = {}
    thought: dict[tuple[str, str], list[float]] = {}
    attacks: dict[str, Leak] = {}
    for match, told in results(MATCHES, games):
        low, high = arena.wilson(told.score.detectives, told.score.games)
        share = 100 * told.score.detectives / told.score.games
        won.setdefault((match.detectives, match.mr_x), share)
        asked = match.most if match.least == 0 else match.least
        yield figure(_name(match), share, "%", asked, games) | {"interval": [round(100 * low), round(100 * high)]}
        thought.setdefault(("detective", match.detectives), []).extend(told.score.thought["detective"])
        thought.setdefault(("mr_x", match.mr_x), []).extend(told.score.thought["mr_x"])
        if match.mr_x in bots.LEVELS:
            attacks[match.mr_x] = attacks.get(match.mr_x, Leak()) + told.leak
    for better, worse in (("good", "fair"), ("fair", "easy")):
        share = (won[better, worse] + 100 - won[worse, better]) / 2
        yield figure(f"bots: {better} beats {worse}, both sides", share, "%", 60.0, 2 * games)
    for level, known in sorted(attacks.items()):
        first, sure = 100 * known.first / known.moves, 100 * known.sure / known.moves
        yield figure(f"bots: the {level} Mr. X is where he is likeliest", first, "%", 45.0, known.moves)
        yield figure(f"bots: the {level} Mr. X is where he is surely", sure, "%", 12.0, known.moves)
    for (side, name), took in sorted(thought.items()):
        if name in bots.LEVELS:
            mean, most = arena.times(took)
            yield figure(f"bots: a move of {side}, {name}, mean", mean, "ms", MILLISECONDS[side][0], len(took))
            yield figure(f"bots: a move of {side}, {name}, 999 of 1000", most, "ms", MILLISECONDS[side][1], len(took))


def results(matches: Iterable[Match], games: int) -> Iterator[tuple[Match, Told]]:
    """Play so many games of each match."""
    with ProcessPoolExecutor(PROCESSES, get_context("spawn")) as pool:
        for match in matches:
            yield match, _together(pool.map(play, _batches(match, games)))


def row(match: Match, told: Told) -> str:
    """Return a row of the table in docs/built-in-bots.md."""
    score, known = told.score, told.leak
    low, high = arena.wilson(score.detectives, score.games)
    share = f"{100 * score.detectives / score.games:.0f} % ({100 * low:.0f} to {100 * high:.0f})"
    away = f"{100 * known.first / known.moves:.0f} %; {100 * known.sure / known.moves:.0f} %" if known.moves else ""
    return f"| {match.detectives} | {match.mr_x} | {score.games} | {share} | {away} |"


def play(some: Seeds) -> Told:
    """Play some games of a match."""
    match, score, known = some.match, arena.Score(), Leak()
    hidden: Any = bot("fugitive", match.mr_x) if match.mr_x in bots.LEVELS else MR_X[match.mr_x]
    sides = {"detective": DETECTIVES[match.detectives](), "mr_x": hidden}
    for seed in some.seeds:
        game = arena.play(Edition.named(match.edition), match.people, seed, sides, score.thought)  # type: ignore[arg-type]
        assert game.outcome is not None
        score.games += 1
        score.detectives += game.outcome.winner == "detectives"
        score.mr_x += game.outcome.winner == "mr_x"
        if match.mr_x in bots.LEVELS:
            known += leak(game, POLICIES[match.mr_x])
    return Told(score, known)


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
    return Told(score, a.leak + b.leak)


def _name(match: Match) -> str:
    rest = f", {match.people} people" if match.people != 6 else ""
    return f"bots: {match.detectives} detectives beat Mr. X {match.mr_x}, {match.edition}{rest}"


if __name__ == "__main__":
    for of, result in results(TABLE, int(sys.argv[1])):
        print(row(of, result), flush=True)
