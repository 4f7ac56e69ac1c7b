"""The city below the lines of a board: the Thames with its bridges, parks with their lakes, streets and names.

The shapes are data, `templates/board/city.json`, in units of the board; docs/rules.md says where each comes from. They
are for the eye alone: no rule knows of them. Both boards of London have the same places, so they have the same city.
"""

import json
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

from server.engine import Board
from server.vocabulary.resources import templates

Point = tuple[float, float]
WIDE = 0.66  # of a letter of a name, as a part of its size: whatever the font, a name is no wider


class Name(NamedTuple):
    """The name of a district, a park or the river, the middle of its first line, and the size of its letters."""

    lines: Sequence[str]
    x: int
    y: int
    size: float

    def width(self, line: str) -> float:
        """Return how wide a line of the name is."""
        return round(len(line) * self.size * WIDE, 1)


class City(NamedTuple):
    """The shapes of a city, each kind as the data of one path in SVG; all but parks are strokes."""

    parks: str
    river: str
    lakes: str
    bridges: str
    streets: str
    names: Sequence[Name]


@cache
def city(board: Board) -> City | None:
    """Return what lies below the lines of a board, or None if its city is not drawn."""
    drawn: Any = json.loads((templates() / "board" / "city.json").read_text(encoding="utf-8"))
    if board.name not in drawn["boards"]:
        return None
    return City(
        parks="".join(f"{_straight(corners)}Z" for corners in drawn["parks"].values()),
        river=_bent(drawn["river"]),
        lakes="".join(_bent(points) for points in drawn["lakes"].values()),
        bridges="".join(_straight(ends) for ends in drawn["bridges"].values()),
        streets=drawn["streets"],
        names=[Name(lines, x, y, size) for x, y, size, lines in drawn["names"].values()],
    )


def _straight(points: Sequence[Point]) -> str:
    return "M" + "L".join(f"{x} {y}" for x, y in points)


def _bent(points: Sequence[Point]) -> str:
    """Return a curve from the first point to the last that bends at those between, without a corner."""
    (x, y), *bends, last = points
    ends = [((a + c) / 2, (b + d) / 2) for (a, b), (c, d) in pairwise(bends)]
    curves = (f"Q{a} {b} {c:g} {d:g}" for (a, b), (c, d) in zip(bends, [*ends, last], strict=True))
    return f"M{x} {y}{''.join(curves)}"
