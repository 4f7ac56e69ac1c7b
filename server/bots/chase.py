"""A chase in small: a hunted pawn that everybody sees, detectives who go nearer, and no tickets.

Played out many times it says how long a station is safe.
"""

import random
from collections.abc import Sequence

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
