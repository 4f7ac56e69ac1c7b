"""The moves that the demo's players choose, by simple rules of thumb."""

import random
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from server.bots.journeys import journeys, stops
from server.engine import Board
from server.engine.ticket_kinds import PLAIN

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
            return -len(stops(board, PLAIN, choice.station))
        away = journeys(board, PLAIN, choice.station)
        # A little chance spreads the team out: five who reason alike would all run to one place.
        return sum(away[place] for place in places) / len(places) + rng.uniform(0, 0.8)

    return min(choices, key=cost)


def mr_x(
    board: Board, moves: Sequence[Mapping[str, Any]], detectives: Iterable[int], rng: random.Random
) -> Mapping[str, Any]:
    """Return a move out of all detectives' reach and far from them; a double move only if needed."""
    threats = [journeys(board, PLAIN, station) for station in detectives]

    def worth(move: Mapping[str, Any]) -> tuple[bool, bool, float]:
        safety = min(away[_end(move)] for away in threats)
        room = len(stops(board, PLAIN, _end(move))) / 4
        return safety >= SAFE, "double" not in move, min(safety, 4) + room + rng.uniform(0, 1.5)

    return max(moves, key=worth)


def out_of_reach(board: Board, station: int, of: int) -> bool:
    """Return whether a detective at `of` cannot get to `station` in one move."""
    return journeys(board, PLAIN, of)[station] >= SAFE


def _end(move: Mapping[str, Any]) -> int:
    station: int = move["double"][-1]["to"] if "double" in move else move["to"]
    return station
