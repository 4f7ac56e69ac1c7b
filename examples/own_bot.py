"""A bot of your own, for both sides, that beats the easy ones. Try it without a server:

blackticket arena examples/own_bot.py:detective easy --games 100
blackticket arena easy examples/own_bot.py:mr_x --games 100
"""

import random
from typing import Any

from server.engine import Board, Move, deduce


def distances(board: Board, pawn: dict[str, Any], origin: int) -> dict[int, int]:
    """Return the number of moves from a station to each to which the tickets of a pawn lead."""
    kinds = [kind for kind, number in pawn["tickets"].items() if number != 0 and kind != "double"]
    away, ahead = {origin: 0}, [origin]
    for station in ahead:
        for kind in kinds:
            for stop in board.reach[kind][station]:
                if stop not in away:
                    away[stop] = away[station] + 1
                    ahead.append(stop)
    return away


def detective(view: dict[str, Any], moves: list[Move], rng: random.Random) -> Move:
    """Go where the team is nearest to all stations on which Mr. X can be."""
    board, suspects, pawns = Board.named(view["options"]["board"]), deduce(view), view["pawns"]
    team = [name for name in pawns if name not in ("mr_x", moves[0].pawn)]
    others = [distances(board, pawns[name], pawns[name]["station"]) for name in team]

    def worth(move: Move) -> float:
        own = distances(board, pawns[move.pawn], move.station)
        near = sum(min(away.get(station, 20) for away in (own, *others)) for station in suspects)
        far = sum(own.get(station, 20) for station in suspects)
        return near + 0.4 * far - 8 * (move.station in suspects)

    return min(moves, key=lambda move: (worth(move), rng.random()))


def mr_x(view: dict[str, Any], moves: list[Move], rng: random.Random) -> Move:
    """Keep out of the detectives' reach, where there is room; save black tickets and double moves for need."""
    board, pawns = Board.named(view["options"]["board"]), view["pawns"]
    team = [distances(board, pawn, pawn["station"]) for name, pawn in pawns.items() if name != "mr_x"]

    def nearest(station: int) -> int:
        return min(away.get(station, 20) for away in team)

    def worth(move: Move) -> float:
        safe = sum(nearest(stop) > 2 for stop in board.reach["black"][move.station])
        cards = move.double + sum(ticket == "black" for ticket, _ in move.legs) / 3
        return 3 * min(nearest(move.station), 3) + safe / 2 - 4 * cards

    return max(moves, key=lambda move: (worth(move), rng.random()))
