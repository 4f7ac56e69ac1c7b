"""A chase in small: a hunted pawn that everybody sees, detectives who go nearer, and no tickets.

Played out many times it says how long a station is safe.
"""

import random
from collections.abc import Sequence
from functools import lru_cache

from server.bots.journeys import journeys, stops
from server.engine import Board
from server.engine.ticket_kinds import PLAIN, TICKETS


class Chase:
    """The chase on one board."""

    def __init__(self, board: Board) -> None:
        self.exits = {station: tuple(sorted(stops(board, TICKETS, station))) for station in board.stations}
        self.ways = {station: tuple(sorted(stops(board, PLAIN, station))) for station in board.stations}
        self.away = {station: journeys(board, PLAIN, station) for station in board.stations}

    def flee(self, station: int, detectives: Sequence[int], rng: random.Random, daring: float = 0.1) -> int:
        """Return where the hunted pawn goes: as far from the nearest detective as it can, sometimes anywhere."""
        exits = [stop for stop in self.exits[station] if stop not in detectives]
        if not exits:
            return station
        if rng.random() < daring:
            return rng.choice(exits)
        near = [min(self.away[pawn][stop] for pawn in detectives) for stop in exits]
        most = max(near)
        return rng.choice([stop for stop, moves in zip(exits, near, strict=True) if moves == most])

    def hunt(self, target: int, detectives: list[int], rng: random.Random, daring: float = 0.1) -> None:
        """Move every detective nearer to a station, in place."""
        for number, pawn in enumerate(detectives):
            ways = [stop for stop in self.ways[pawn] if stop not in detectives]
            if not ways:
                continue
            if rng.random() < daring:
                detectives[number] = rng.choice(ways)
                continue
            detectives[number] = min(ways, key=lambda stop: (self.away[target][stop], rng.random()))

    def rounds_free(
        self, station: int, detectives: Sequence[int], rounds: int, rng: random.Random, seen: float = 1.0
    ) -> int:
        """Return how many rounds a pawn stays free, at most `rounds`; the detectives move first.

        In each round they know where it is with the chance `seen`, and go where it was last known otherwise.
        """
        pawns, known = list(detectives), station
        for number in range(rounds):
            if rng.random() < seen:
                known = station
            self.hunt(known, pawns, rng)
            if station in pawns:
                return number
            station = self.flee(station, pawns, rng)
        return rounds


class Closing(Chase):
    """A chase in which the detectives close the ways out as well: the nearest first, and each another one."""

    def hunt(self, target: int, detectives: list[int], rng: random.Random, daring: float = 0.1) -> None:
        """Move every detective onto the target, or nearer to a way out of it that no other one closes, in place."""
        goals = [target, *self.exits[target]]
        away = self.away
        for number in sorted(range(len(detectives)), key=lambda one: (away[target][detectives[one]], rng.random())):
            ways = [stop for stop in self.ways[detectives[number]] if stop not in detectives]
            if not ways:
                continue
            if rng.random() < daring:
                detectives[number] = rng.choice(ways)
                continue
            goal = target
            if target not in ways:
                near = {goal: min(away[goal][stop] for stop in ways) + 0.5 * away[goal][target] for goal in goals}
                goal = min(goals, key=lambda stop: (near[stop], rng.random()))
            detectives[number] = min(ways, key=lambda stop: (away[goal][stop], away[target][stop], rng.random()))
            if len(goals) > 1 and goal != target:
                goals.remove(goal)


@lru_cache(4)
def chase_on(board: str, kind: type[Chase] = Chase) -> Chase:
    """Return the chase on a board, by its name."""
    return kind(Board.named(board))
