"""Several kinds of Mr. X, none of which is a bot of the server.

`greedy` goes where it is furthest from all. `minimax` looks one reply and one move ahead, against detectives who see
him. `searches` tries his best moves by today's weighing in many games in small. `hider` is a Monte Carlo tree search at
the root after Nijssen and Winands, "Monte Carlo Tree Search for the Hide-and-Seek Game Scotland Yard" (2012): upper
confidence bounds, playouts in which he flees and they chase, and black tickets only right after a sighting.
"""

import math
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bench.opponents import fugitive
from bench.opponents.chase import chase_on
from server.engine import Move, windows_used

Choose = Callable[[Mapping[str, Any], Sequence[Move], random.Random], Move]
BRIBE = 0.6  # a black ticket, in rounds of freedom
CARD = 1.5  # a double move


class Table:
    """What every kind of Mr. X here looks at."""

    def __init__(self, view: Mapping[str, Any]) -> None:
        self.chase = chase_on(view["options"]["board"])
        self.detectives = [facts["station"] for pawn, facts in view["pawns"].items() if pawn != "mr_x"]
        self.held = view["pawns"]["mr_x"]["tickets"]
        used = windows_used(view)
        self.windows_left = view["options"]["log_windows"] - used
        log = view["log"]
        self.was_seen = bool(log) and bool(log[-1].get("surfaced"))

    def near(self, station: int, detectives: Sequence[int]) -> int:
        return min(self.chase.away[pawn][station] for pawn in detectives)

    def price(self, move: Move) -> float:
        black = sum(ticket == "black" for ticket, _ in move.legs)
        is_cheap = self.held["black"] is None or self.held["black"] >= self.windows_left
        return CARD * (len(move.legs) - 1) + (0 if is_cheap else BRIBE * black)

    def kept(self, moves: Sequence[Move]) -> list[Move]:
        """Return the moves without those onto a detective; all of them if there is no other."""
        safe = [move for move in moves if not {leg.station for leg in move.legs} & set(self.detectives)]
        return sorted(safe or moves, key=str)


def greedy(view: Mapping[str, Any], moves: Sequence[Move], rng: random.Random) -> Move:
    """Keep away: the station furthest from the nearest detective and then from all; a card only if one is beside."""
    table = Table(view)

    def worth(move: Move) -> tuple[float, float]:
        near = min(table.near(move.station, table.detectives), 4)
        far = sum(table.chase.away[pawn][move.station] for pawn in table.detectives)
        return near - table.price(move), far + rng.random()

    return max(table.kept(moves), key=worth)


def minimax(view: Mapping[str, Any], moves: Sequence[Move], rng: random.Random) -> Move:
    """Paranoid: every detective sees him, and answers one after the other with what hurts most."""
    table = Table(view)
    exits = table.chase.exits

    def value(station: int, detectives: Sequence[int]) -> float:
        if station in detectives:
            return -20.0
        safe = [table.near(stop, detectives) for stop in exits[station] if stop not in detectives]
        far = sum(0.5 ** table.chase.away[pawn][station] for pawn in detectives)
        return math.log1p(sum(moves > 1 for moves in safe)) + 0.3 * max(safe, default=-9) - far

    def worth(move: Move) -> float:
        if table.near(move.station, table.detectives) <= 1:
            return -20.0 - table.price(move) + rng.random()
        pawns = list(table.detectives)
        for number, pawn in sorted(enumerate(pawns), key=lambda at: table.chase.away[at[1]][move.station]):
            ways = [stop for stop in table.chase.ways[pawn] if stop not in pawns]
            near = sorted(ways, key=lambda stop: table.chase.away[move.station][stop])[:3]
            pawns[number] = min(
                near or [pawn], key=lambda stop: value(move.station, [*pawns[:number], stop, *pawns[number + 1 :]])
            )
        return value(move.station, pawns) - 0.5 * table.price(move) + 0.01 * rng.random()

    return max(table.kept(moves), key=worth)


def hider(
    view: Mapping[str, Any], moves: Sequence[Move], rng: random.Random, playouts: int = 300, rounds: int = 6
) -> Move:
    """After Nijssen and Winands: upper confidence bounds over his moves, each tried in playouts."""
    table = Table(view)
    allowed = table.kept(moves)
    is_pressed = table.near(_here(view), table.detectives) <= 2
    cards = table.was_seen or is_pressed
    few = [move for move in allowed if cards or not (move.double or move.legs[0].ticket == "black")]
    few = [move for move in few if table.near(move.station, table.detectives) > 1] or few or allowed
    few = _by_stop(few, table)
    total, tried = [0.0] * len(few), [0] * len(few)
    for playout in range(playouts):
        choice = playout if playout < len(few) else _most_promising(total, tried, playout)
        free = table.chase.rounds_free(few[choice].station, table.detectives, rounds, rng, 0.6)
        total[choice] += free / rounds - table.price(few[choice]) / rounds / 3
        tried[choice] += 1
        if playout + 1 >= len(few) == 1:
            break
    return few[max(range(len(few)), key=lambda number: (tried[number], total[number]))]


def searches(view: Mapping[str, Any], moves: Sequence[Move], rng: random.Random, playouts: int = 240) -> Move:
    """Try the best moves by the weighing of `fugitive` in playouts, where detectives guess by their estimate."""
    table = Table(view)
    outlook = fugitive.Outlook(view)
    best = sorted(table.kept(moves), key=lambda move: (-outlook.worth(move), str(move)))[:10]
    each = max(1, playouts // len(best))

    def worth(move: Move) -> float:
        free = sum(table.chase.rounds_free(move.station, table.detectives, 5, rng, 0.4) for _ in range(each)) / each
        return outlook.worth(move) + 1.0 * free + 0.01 * rng.random()

    return max(best, key=worth)


def _here(view: Mapping[str, Any]) -> int:
    return int(view["pawns"]["mr_x"]["station"])


def _by_stop(moves: Sequence[Move], table: Table) -> list[Move]:
    """Return the cheapest move to each station."""
    cheapest: dict[int, Move] = {}
    for move in sorted(moves, key=lambda move: (table.price(move), str(move))):
        cheapest.setdefault(move.station, move)
    return list(cheapest.values())[:24]


def _most_promising(total: Sequence[float], tried: Sequence[int], playout: int) -> int:
    return max(
        range(len(total)),
        key=lambda number: total[number] / tried[number] + math.sqrt(0.5 * math.log(playout + 1) / tried[number]),
    )
