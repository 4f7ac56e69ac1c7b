"""Players who follow a few plain rules, as people do: `halo` looks at the marks, `casual` runs away."""

import math
import random
from collections.abc import Mapping, Sequence
from typing import Any

from server.bots.journeys import journeys, kinds_of
from server.bots.public_game import moved_since
from server.engine import Board, Move, deduce, windows_used

ROOM = 0.5  # e times as many ways on are worth as much to `casual` as half a move of the nearest detective


def nearer(view: Mapping[str, Any], moves: Sequence[Move], rng: random.Random) -> Move:
    """Move a detective nearer to where Mr. X was last seen, and anywhere before that."""
    seen = view["pawns"]["mr_x"]["last_seen"]
    if seen is None:
        return rng.choice(sorted(moves, key=str))
    board = Board.named(view["options"]["board"])
    kinds = kinds_of(view["pawns"][moves[0].pawn])
    return min(
        sorted(moves, key=str),
        key=lambda move: (journeys(board, kinds, move.station)[seen["station"]], rng.random()),
    )


def keeps_away(view: Mapping[str, Any], moves: Sequence[Move], rng: random.Random) -> Move:
    """Move Mr. X as far from the nearest detective as one move leads, without cards while there is another way."""
    board = Board.named(view["options"]["board"])
    detectives = [facts for pawn, facts in view["pawns"].items() if pawn != "mr_x"]
    away = [journeys(board, kinds_of(facts), facts["station"]) for facts in detectives]

    def worth(move: Move) -> tuple[bool, int, float]:
        is_plain = not move.double and move.legs[0].ticket != "black"
        return is_plain, min(moves[move.station] for moves in away), rng.random()

    return max(sorted(moves, key=str), key=worth)


def halo(view: Mapping[str, Any], moves: Sequence[Move], rng: random.Random) -> Move:
    """Move a detective to a marked station near it, where Mr. X can be, and each to another one."""
    board, marks = Board.named(view["options"]["board"]), deduce(view)
    moved = moved_since(view)
    away = {
        pawn: journeys(board, kinds_of(facts), facts["station"])
        for pawn, facts in view["pawns"].items()
        if pawn != "mr_x" and pawn not in moved
    }
    nearest = sorted((moves[mark], rng.random(), pawn, mark) for pawn, moves in away.items() for mark in marks)
    goals: dict[str, int] = {}
    for _, _, pawn, mark in nearest:
        if pawn not in goals and mark not in goals.values():
            goals[pawn] = mark
    for _, _, pawn, mark in nearest:  # there are more pawns than marks
        goals.setdefault(pawn, mark)

    def moves_left(move: Move) -> tuple[int, float]:
        kinds = kinds_of(view["pawns"][move.pawn])
        return journeys(board, kinds, move.station)[goals[move.pawn]], rng.random()

    return min(sorted(moves, key=str), key=moves_left)


def casual(view: Mapping[str, Any], moves: Sequence[Move], rng: random.Random) -> Move:
    """Move Mr. X far from the nearest detective, where many ways go on; black after a sighting, double if cornered."""
    board = Board.named(view["options"]["board"])
    detectives = [facts for pawn, facts in view["pawns"].items() if pawn != "mr_x"]
    away = [journeys(board, kinds_of(facts), facts["station"]) for facts in detectives]
    seen = view["pawns"]["mr_x"]["last_seen"]
    was_seen = seen is not None and seen["window"] == windows_used(view)

    def near(move: Move) -> int:
        return min(moves[move.station] for moves in away)

    is_cornered = all(near(move) <= 1 for move in moves if not move.double)

    def worth(move: Move) -> tuple[bool, bool, float, float]:
        black = sum(ticket == "black" for ticket, _ in move.legs)
        ways_on = ROOM * math.log(len(board.reach["black"][move.station]))
        is_black = black == 1 and move.legs[0].ticket == "black"
        return (
            move.double == is_cornered, is_black == was_seen, min(near(move), 4) + ways_on, rng.random(),
        )  # fmt: skip

    return max(sorted(moves, key=str), key=worth)
