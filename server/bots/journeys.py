"""Distances by the kinds of ticket that a pawn holds, worked out once for each board and kept."""

import random
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from server.engine import Board, Move, ShownPawn
from server.engine.ticket_kinds import TICKETS

Kinds = tuple[str, ...]

# More moves than any journey takes: the tickets do not lead there.
NO_WAY = 40


def kinds_held(tickets: Mapping[str, int | None]) -> Kinds:
    """Return the kinds of ticket in a supply, as a view shows it."""
    return tuple(kind for kind in TICKETS if tickets.get(kind, 0) != 0)


def station_of(pawn: ShownPawn) -> int:
    """Return the station of a pawn whose station the view shows."""
    assert pawn["station"] is not None
    return pawn["station"]


def kinds_of(detective: ShownPawn) -> Kinds:
    """Return the kinds of ticket with which a detective can still move."""
    return () if detective["state"] == "stranded" else kinds_held(detective["tickets"])


@lru_cache(4096)
def stops(board: Board, kinds: Kinds, station: int) -> frozenset[int]:
    """Return the stations one move away."""
    return frozenset(stop for kind in kinds for stop in board.reach[kind][station])


@lru_cache(4096)
def bits_of_stops(board: Board, kinds: Kinds, station: int) -> int:
    """Return the stations one move away, as bits of an integer."""
    bits = 0
    for stop in stops(board, kinds, station):
        bits |= 1 << stop
    return bits


@lru_cache(4096)
def journeys(board: Board, kinds: Kinds, origin: int) -> bytes:
    """Return the number of moves from `origin` to every station, by station number; NO_WAY if there is no way."""
    away = bytearray([NO_WAY]) * (max(board.stations) + 1)
    away[origin] = 0
    ahead = [origin]
    for station in ahead:
        for stop in stops(board, kinds, station):
            if away[stop] == NO_WAY:
                away[stop] = away[station] + 1
                ahead.append(stop)
    return bytes(away)


# Values closer than this are equal, and differ by rounding only.
ROUNDING = 1e-9


def best_with_ties_broken(moves: Sequence[Move], worth: Callable[[Move], float], rng: random.Random) -> Move:
    """Return the move of most worth, whatever their order; `rng` breaks ties.

    Raises:
        ValueError: if `moves` is empty.
    """
    worths = [worth(move) for move in moves]
    most = max(worths) - ROUNDING
    return rng.choice(sorted((move for move, value in zip(moves, worths, strict=True) if value >= most), key=str))
