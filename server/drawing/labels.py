"""The labels beside stations of Mr. X's way: when he was there.

A label hides no station, no figure and no other label, and is nearer to its own station than to any other. Where there
is little room, it has several lines, or smaller letters, or names only the first and the last of many.
"""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain, islice
from typing import NamedTuple

from server.drawing.figures import SIGN, Box
from server.engine import Board

# All lengths are units of the board.
SIZES = (13, 11, 9.5)  # of letters, the first where there is room
MOST_LINES, MOST_WIDE = 4, 110
HIGH, LEADING = 0.76, 0.96  # a digit, and from line to line, as parts of the size
WIDE = {" ": 0.32, "s": 0.54, "t": 0.43, "a": 0.61, "r": 0.45, "…": 0.9}  # as parts of the size
DIGIT = 0.64
AWAY = (SIGN + 1.5, SIGN + 4.5, SIGN + 8)  # from the middle of a station to its label, the best first
CLEAR = 1  # by how much its own station is nearer than any other
TURNS = (0, 25, -25, 50, -50, 90, -90, 130, -130, 155, -155, 180)  # degrees from the right of a station downwards
SLIDES = (0, 0.5, -0.5, 1, -1)  # to where on its side that is next to the station, from the middle of it
NEAR = MOST_WIDE + 2 * AWAY[-1]
EDGE = 40  # of the board, beyond its outermost stations
ENOUGH = 20  # places that make a label one that finds room


class Label(NamedTuple):
    """A label: its station, its lines, the size of their letters, and the room that they take."""

    station: int
    lines: Sequence[str]
    size: float
    room: Box

    @property
    def rows(self) -> list[tuple[str, float, float, float]]:
        """Return each line with the point below its middle, and its width."""
        x, top = (self.room.left + self.room.right) / 2, self.room.top + self.size * HIGH
        return [
            (line, round(x, 1), round(top + number * self.size * LEADING, 1), round(_width(line) * self.size, 1))
            for number, line in enumerate(self.lines)
        ]


def placed(board: Board, words: Mapping[int, Sequence[str]], figures: Collection[Box] = ()) -> list[Label]:
    """Return a label for each station of `words`, in their order; `figures` are the rooms of pawns."""
    ways = {station: _labels(board, station, some, figures) for station, some in words.items()}
    best = {station: list(islice(labels, ENOUGH)) for station, labels in ways.items()}
    found: dict[int, Label] = {}
    for station in sorted(words, key=lambda each: len(best[each])):  # first what has least room
        taken = [label.room for label in found.values()]
        free = (each for each in chain(best[station], ways[station]) if not _hidden(each, taken))
        last_resort = _labels(board, station, words[station], ())
        found[station] = next(free, None) or _least_hiding(last_resort, [*figures, *taken])
    return [found[station] for station in words]


def _least_hiding(labels: Iterator[Label], hidden: Sequence[Box]) -> Label:
    return min(islice(labels, ENOUGH), key=lambda label: _hidden(label, hidden))


def _hidden(label: Label, rooms: Sequence[Box]) -> float:
    return sum(label.room.shared(other) for other in rooms)


def _labels(board: Board, station: int, words: Sequence[str], figures: Collection[Box]) -> Iterator[Label]:
    """Yield the labels that hide no station and no figure and are nearest to their own station, the best first."""
    x, y = board.stations[station]
    near = _near(board.name, station)
    for size, lines in _written(words):
        wide, high = max(map(_width, lines)) * size, (HIGH + LEADING * (len(lines) - 1)) * size
        for away, left, top in _places(wide, high) if wide < MOST_WIDE else ():
            room = Box(x + left, y + top, x + left + wide, y + top + high)
            if _is_clear(board, room, away, near) and not any(room.shared(each) for each in figures):
                yield Label(station, lines, size, room)


def _is_clear(board: Board, room: Box, away: float, near: Collection[tuple[int, int]]) -> bool:
    """Return True if a room is on the picture, and no other station is as near to it as its own, or hidden by it."""
    width, height = board.size
    is_in = min(room.left, room.top) > -EDGE and room.right < width + EDGE and room.bottom < height + EDGE
    return is_in and all(distance(room, point) > max(away, SIGN) + CLEAR for point in near)


def distance(room: Box, point: Sequence[float]) -> float:
    """Return how far a point is from the nearest part of a room."""
    x, y = point
    return math.hypot(max(room.left - x, x - room.right, 0), max(room.top - y, y - room.bottom, 0))


def _written(words: Sequence[str]) -> Iterator[tuple[float, list[str]]]:
    """Yield the sizes and lines in which words can be written, and at last without those in the middle."""
    few = [words[0], "…", words[-1]]
    for some in (words, few) if len(words) > len(few) else (words,):
        for size in SIZES:
            for count in range(1, min(len(some), MOST_LINES) + 1):
                a_line = math.ceil(len(some) / count)
                yield size, [" ".join(some[at : at + a_line]) for at in range(0, len(some), a_line)]


def _width(line: str) -> float:
    return sum(WIDE.get(letter, DIGIT) for letter in line)


def _places(wide: float, high: float) -> Iterator[tuple[float, float, float]]:
    """Yield how far a label is from the middle of its station, and its corner as seen from there."""
    for away in AWAY:
        for turn in TURNS:
            right, down = math.cos(math.radians(turn)), math.sin(math.radians(turn))
            # The nearest part of a label beside or straight above or below is a side, which can slide; else a corner.
            slides = SLIDES if turn % 90 == 0 else (0,)
            for slide in slides:
                if turn % 180 == 0:
                    yield away, away if right > 0 else -away - wide, (slide - 1) * high / 2
                elif turn % 90 == 0:
                    yield away, (slide - 1) * wide / 2, away if down > 0 else -away - high
                else:
                    across, along = right * away, down * away
                    yield away, across if right > 0 else across - wide, along if down > 0 else along - high


@cache
def _near(name: str, station: int) -> list[tuple[int, int]]:
    """Return the points of other stations that a label could come near to."""
    board = Board.named(name)
    x, y = board.stations[station]
    return [(a, b) for each, (a, b) in board.stations.items() if each != station and max(abs(a - x), abs(b - y)) < NEAR]
