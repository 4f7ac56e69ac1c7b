"""How the demo's players choose a move: simple rules of thumb over the board that lies on the table."""

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
    """Towards the places where Mr. X can be; while nothing is known of him, to where most lines meet."""
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
    """Out of everybody's reach, and far from them; a double move when a single one does not get him there."""
    threats = [journeys(board, station) for station in detectives]

    def worth(move: Mapping[str, Any]) -> tuple[bool, bool, float]:
        safety = min(away[_end(move)] for away in threats)
        room = len(_stops(board, _end(move))) / 4
        return safety >= SAFE, "double" not in move, min(safety, 4) + room + rng.uniform(0, 1.5)

    return max(moves, key=worth)


def out_of_reach(board: Board, station: int, of: int) -> bool:
    """Whether a detective who stands at `of` cannot get to `station` in one move."""
    return journeys(board, of)[station] >= SAFE


@cache
def journeys(board: Board, origin: int) -> Mapping[int, int]:
    """How many moves every station is away from `origin`, for who has tickets enough."""
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
