"""The end of a game in figures: when a detective was closest to Mr. X, and when he was hidden best.

They are of a game whose result is final, and are made from the steps of its replay.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from server.application.game.replay import Step
from server.engine import Board
from server.engine.ticket_kinds import PLAIN


class Closest(NamedTuple):
    """The moment at which a detective was closest to Mr. X and had not caught him.

    rides: to his station, for a detective with tickets enough
    lines: those that went there in one ride
    stations: on how many he could be by the public record
    """

    round: int
    pawn: str
    rides: int
    lines: Sequence[str]
    stations: int


class BestHidden(NamedTuple):
    """The moment at which Mr. X could be on the most `stations`, by the public record."""

    round: int
    stations: int


def closest(board: Board, steps: Sequence[Step]) -> Closest | None:
    """Return the moment after a move at which a detective was closest; None in a game without moves.

    Of several it is the one at which they knew most about where Mr. X was, and of these the last.
    """
    moments = [found for step in reversed(steps[1:]) if (found := _closest_in(board, step))]
    return min(moments, key=lambda found: (found.rides, found.stations), default=None)


def _closest_in(board: Board, step: Step) -> Closest | None:
    """Return which detective was closest after a step; None where they had caught Mr. X."""
    at = step.places["mr_x"]
    rides = _rides_to(board, at)
    far, pawn = min((rides[station], pawn) for pawn, station in step.places.items() if pawn != "mr_x")
    if far == 0:
        return None
    lines = [line for line in PLAIN if at in board.links[line].get(step.places[pawn], ())]
    return Closest(step.round, pawn, far, lines, len(step.possible))


@lru_cache(256)
def _rides_to(board: Board, goal: int) -> dict[int, int]:
    """Return from each station how many rides it takes to `goal`, by the lines that detectives use."""
    rides, reached = {goal: 0}, [goal]
    for number in range(1, len(board.stations)):
        stops = (stop for at in reached for line in PLAIN for stop in board.links[line].get(at, ()))
        reached = [stop for stop in dict.fromkeys(stops) if stop not in rides]
        rides |= dict.fromkeys(reached, number)
    return rides


def best_hidden(steps: Sequence[Step]) -> BestHidden | None:
    """Return the first moment after a move at which Mr. X could be on the most stations; None without moves."""
    moments = [BestHidden(step.round, len(step.possible)) for step in steps[1:]]
    return max(moments, key=lambda moment: moment.stations, default=None)
