"""The moves that the demo's players choose, by simple rules of thumb."""

import random
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from server.engine import Board

SAFE = 2  # moves between Mr. X and the nearest detective: nobody can catch him in one


class Choice(NamedTuple):
    """A ticket and the station it leads to."""

    ticket: str
    station: int


def detective(board: Board, choices: Sequence[Choice], suspects: Iterable[int], rng: random.Random) -> Choice:
    """Return a move towards the stations where Mr. X can be; while he is unknown, to one where many lines meet."""
    places = list(suspects)

    def cost(choice: Choice) -> float:
        if not places:
            return -len(_stops(board, choice.station))
        away = journeys(board, choice.station)
        # A little chance spreads the team out: five who reason alike would all run to one place.
        return sum(away[place] for place in places) / len(places) + rng.uniform(0, 0.8)

    return min(choices, key=cost)


def mr_x(
    board: Board, moves: Sequence[Mapping[str, Any]], detectives: Iterable[int], rng: random.Random
) -> Mapping[str, Any]:
    """Return a move out of all detectives' reach and far from them; a double move only if needed."""
    threats = [journeys(board, station) for station in detectives]

    def worth(move: Mapping[str, Any]) -> tuple[bool, bool, float]:
        safety = min(away[_end(move)] for away in threats)
        room = len(_stops(board, _end(move))) / 4
        return safety >= SAFE, "double" not in move, min(safety, 4) + room + rng.uniform(0, 1.5)

    return max(moves, key=worth)


def out_of_reach(board: Board, station: int, of: int) -> bool:
    """Return whether a detective at `of` cannot get to `station` in one move."""
    return journeys(board, of)[station] >= SAFE


@cache
def journeys(board: Board, origin: int) -> Mapping[int, int]:
    """Return how many moves every station is away from `origin`, with any tickets."""
    away = {origin: 0}
    frontier = [origin]
    for station in frontier:
        for stop in sorted(_stops(board, station) - away.keys()):
            away[stop] = away[station] + 1
            frontier.append(stop)
    return away


def _stops(board: Board, station: int) -> set[int]:
    return {stop for ticket in ("taxi", "bus", "underground") for stop in board.reach[ticket].get(station, ())}


def _end(move: Mapping[str, Any]) -> int:
    station: int = move["double"][-1]["to"] if "double" in move else move["to"]
    return station
