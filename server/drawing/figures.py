"""The figures of pawns on the board of a page or a replay: they stand beside their stations, and none hides another.

A ring around its station says where a pawn is. Its figure touches that ring on the side where it hides least: no other
figure, no station that a pawn is on or can go to, and as few others as can be.
"""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from server import engine
from server.drawing.look import Piece

# All lengths are units of the board.
SIGN = 15  # from the middle of a station to the edge of the sign with its number
RING, THICK = 17, 3.4  # the radius of a pawn's ring around its station, and by how much that of a second pawn is wider
GAP = 14  # from the middle of a station to the edge of the figure beside it, which may touch the ring
# Where a figure can be: degrees from above its station to the right, and how far from beside it; the best ones first.
ANGLES = (0, 45, -45, 90, -90, 135, -135, 180, 67, -67, 22, -22, 112, -112, 157, -157)
PLACES = [(angle, away) for away in (0, 9, 18) for angle in ANGLES]
ALONE, IN_USE, FIGURE = 4, 60, 200  # what it costs to hide a bit of a station, of one that matters, of a figure
FURTHER = 20  # what it costs to leave a place for the next one in the list
MOST_PLACED = 512  # cached: the steps of some replays, and games whose pages are open
NEAR = (66, 80)  # units of the board across and down: no station that is further away is hidden


class Shape(NamedTuple):
    """The room that a figure takes: to each side of its middle, and upwards from its foot."""

    aside: int
    up: int


DETECTIVE, MR_X = Shape(12, 36), Shape(12, 42)


class Figure(NamedTuple):
    """A pawn at the point (x, y) of its station, the radius of its ring, and the point of its figure's foot."""

    pawn: str
    letter: str
    x: int
    y: int
    ring: float
    foot_x: int
    foot_y: int


class Box(NamedTuple):
    """A part of the drawing."""

    left: float
    top: float
    right: float
    bottom: float

    def shared(self, other: "Box") -> float:
        """Return the area that is in both."""
        across = min(self.right, other.right) - max(self.left, other.left)
        down = min(self.bottom, other.bottom) - max(self.top, other.top)
        return across * down if across > 0 and down > 0 else 0


Hideable = list[tuple[Box, int]]
"""The boxes that a figure can hide, each with the cost of hiding a bit of it."""


def placed(board: engine.Board, pieces: Iterable[Piece], within_reach: Iterable[int]) -> Sequence[Figure]:
    """Return the figures of `pieces`, those that stand further down the board last.

    within_reach: the stations to which a pawn of the reader can go
    """
    return _placed(board.name, tuple(pieces), frozenset(within_reach))


@lru_cache(MOST_PLACED)
def _placed(name: str, pieces: Sequence[Piece], within_reach: Collection[int]) -> Sequence[Figure]:
    board = engine.Board.named(name)
    in_use = {(piece.x, piece.y) for piece in pieces} | {tuple(board.stations[each]) for each in within_reach}
    signs = [_signs_near(board, piece, in_use) for piece in pieces]
    feet = [_places(piece)[0] for piece in pieces]
    for _ in range(2):  # the second time each finds the others where they stand
        before = [*feet]
        for i, piece in enumerate(pieces):
            others = [(box(other.pawn, feet[j]), FIGURE) for j, other in enumerate(pieces) if j != i]
            feet[i] = _best(piece, signs[i] + others)
        if feet == before:
            break
    rings = [RING + THICK * sum(piece[2:] == other[2:] for other in pieces[:i]) for i, piece in enumerate(pieces)]
    figures = [Figure(*piece, ring, *foot) for piece, ring, foot in zip(pieces, rings, feet, strict=True)]
    return tuple(sorted(figures, key=lambda figure: (figure.foot_y, figure.pawn)))


def box(pawn: str, foot: tuple[int, int]) -> Box:
    """Return the room that the figure of a pawn takes, with its foot there."""
    shape, (x, y) = _shape(pawn), foot
    return Box(x - shape.aside, y - shape.up, x + shape.aside, y)


def sign(x: int, y: int) -> Box:
    """Return the room that a station at that point takes."""
    return Box(x - SIGN, y - SIGN, x + SIGN, y + SIGN)


def _best(piece: Piece, hidden: Hideable) -> tuple[int, int]:
    """Return the first place that hides nothing, or the one that hides least."""
    least, best = math.inf, (piece.x, piece.y)
    for number, foot in enumerate(_places(piece)):
        room = box(piece.pawn, foot)
        cost = number * FURTHER + sum(weight * room.shared(other) for other, weight in hidden)
        if cost < least:
            least, best = cost, foot
        if least <= (number + 1) * FURTHER:
            break
    return best


def _signs_near(board: engine.Board, piece: Piece, in_use: Collection[tuple[int, ...]]) -> Hideable:
    signs = _signs(board.name)[piece.x, piece.y]
    return [(room, IN_USE if point in in_use else ALONE) for point, room in signs]


@cache
def _signs(name: str) -> Mapping[tuple[int, int], list[tuple[tuple[int, int], Box]]]:
    """Return the other stations that the figure of a pawn at each point could hide: point and room of each."""
    points = [(x, y) for x, y in engine.Board.named(name).stations.values()]
    across, down = NEAR
    return {
        (x, y): [
            (one, sign(*one)) for one in points if one != (x, y) and abs(one[0] - x) < across and abs(one[1] - y) < down
        ]
        for x, y in points
    }


def _places(piece: Piece) -> list[tuple[int, int]]:
    return [(piece.x + dx, piece.y + dy) for dx, dy in _offsets(_shape(piece.pawn))]


def _shape(pawn: str) -> Shape:
    return MR_X if pawn == "mr_x" else DETECTIVE


@cache
def _offsets(shape: Shape) -> list[tuple[int, int]]:
    """Return where the foot of a figure can be from its station, from above it round to below it."""
    found = []
    for angle, away in PLACES:
        right, up = math.sin(math.radians(angle)), math.cos(math.radians(angle))
        reaches = [
            (half + GAP) / abs(part) for half, part in ((shape.aside, right), (shape.up / 2, up)) if abs(part) > 0.01
        ]
        length = min(reaches) + away
        found.append((round(right * length), round(shape.up / 2 - up * length)))
    return found
