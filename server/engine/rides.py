"""Every trip of a board as ready-made moves, so that a list of legal moves is a choice among them.

A set of kinds of ticket is a number here, the sum of the BIT of each; with it the moves of a pawn
from a station are looked up.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

from server.engine.board import Board
from server.engine.move import DETECTIVES, Leg, Move
from server.engine.ticket_kinds import PLAIN, TICKETS

BIT = {ticket: 1 << place for place, ticket in enumerate(TICKETS)}

# The station where it ends, and the move.
Ride = tuple[int, Move]
# The stations where its first and its second trip end, and the move.
DoubleRide = tuple[int, int, Move]


def kinds(held: Mapping[str, float]) -> int:
    """Return the kinds of ticket in a supply, as a sum of BITs."""
    return sum(bit for ticket, bit in BIT.items() if held.get(ticket, 0) > 0)


class Rides:
    """The rides of one board, in the order in which moves are listed.

    That is taxi, bus, underground, black, and the station ascending.

    detective: pawn -> station -> kinds of ticket -> rides
    mr_x: the same for his single moves: station -> kinds of ticket -> rides
    doubles: his double moves by their two tickets: station -> (first, second) -> rides
    """

    def __init__(self, board: Board) -> None:
        self._board = board
        self._legs = {(t, s): Leg(t, s) for t in TICKETS for s in board.stations}
        self.detective = {pawn: {s: self._by_kinds(pawn, s, PLAIN) for s in board.stations} for pawn in DETECTIVES}
        self.mr_x = {s: self._by_kinds("mr_x", s, TICKETS) for s in board.stations}
        # All at once, which takes some 20 ms and a few megabytes. Made when first needed, they would let the memory of
        # a server grow for weeks, like a leak.
        self.doubles: dict[int, Mapping[tuple[str, str], tuple[DoubleRide, ...]]] = {
            station: {(first, second): self._doubled(station, first, second) for first in TICKETS for second in TICKETS}
            for station in board.stations
        }

    @staticmethod
    @cache
    def of(board: Board) -> Rides:
        """Return the rides of a board, which are made once."""
        return Rides(board)

    def __reduce__(self) -> tuple[Callable[[Board], Rides], tuple[Board]]:
        """Copy and pickle by the board, as there is one of each."""
        return Rides.of, (self._board,)

    def _by_kinds(self, pawn: str, station: int, tickets: tuple[str, ...]) -> tuple[tuple[Ride, ...], ...]:
        rides = [
            (ticket, (stop, Move(pawn, (self._legs[ticket, stop],))))
            for ticket in tickets
            for stop in self._board.reach[ticket][station]
        ]
        return tuple(tuple(ride for ticket, ride in rides if BIT[ticket] & held) for held in range(1 << len(tickets)))

    def _doubled(self, station: int, first: str, second: str) -> tuple[DoubleRide, ...]:
        reach, legs = self._board.reach, self._legs
        return tuple(
            (middle, end, Move("mr_x", (legs[first, middle], legs[second, end])))
            for middle in reach[first][station]
            for end in reach[second][middle]
        )
