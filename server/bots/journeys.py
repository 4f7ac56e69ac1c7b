"""How far a pawn gets with the kinds of ticket it holds. Every table is made once for a board, when first asked for."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from server.engine import Board
from server.engine.tickets import TICKETS

Kinds = tuple[str, ...]

# More moves than any journey takes: these tickets do not lead there.
NO_WAY = 40


def kinds_held(tickets: Mapping[str, int | None]) -> Kinds:
    """The kinds of ticket in a supply, as a view shows it."""
    return tuple(kind for kind in TICKETS if tickets.get(kind, 0) != 0)


def kinds_of(detective: Mapping[str, Any]) -> Kinds:
    """The kinds of ticket with which a detective, as a view shows it, may still move."""
    return () if detective["state"] == "stranded" else kinds_held(detective["tickets"])


@lru_cache(16384)
def stops(board: Board, kinds: Kinds, station: int) -> frozenset[int]:
    """The stations one move away."""
    return frozenset(stop for kind in kinds for stop in board.reach[kind][station])


@lru_cache(16384)
def journeys(board: Board, kinds: Kinds, origin: int) -> bytes:
    """The moves from `origin` to every station, by its number; NO_WAY where there is no way."""
    away = bytearray([NO_WAY]) * (max(board.stations) + 1)
    away[origin] = 0
    ahead = [origin]
    for station in ahead:
        for stop in stops(board, kinds, station):
            if away[stop] == NO_WAY:
                away[stop] = away[station] + 1
                ahead.append(stop)
    return bytes(away)
