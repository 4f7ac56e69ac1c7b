"""A board: stations, the lines that join them, and where each ticket leads.

Boards are data files in `boards/`, checked when they are first loaded, and never changed afterwards.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import NamedTuple, TypedDict

from server.engine.errors import OptionError, shown
from server.engine.ticket_kinds import LINES_OF, TICKETS, TRANSPORTS

NAMES = ("london", "london-milton-bradley")


class Point(NamedTuple):
    """The place of a station's sign: x to the right, y down, in a frame of `Board.size`."""

    x: int
    y: int


class BoardFile(TypedDict):
    """The content of a board file; the lines of each station lead to higher ones."""

    name: str
    width: int
    height: int
    stations: dict[str, list[int]]
    lines: dict[str, dict[str, list[int]]]
    passes_over: dict[str, list[tuple[int, int, list[int]]]]
    start_cards: list[int]


class PlainStation(TypedDict):
    """A station with its point, as plain data."""

    id: int
    x: int
    y: int


PlainLine = TypedDict("PlainLine", {"transport": str, "from": int, "to": int, "passes_over": list[int]})


class PlainBoard(TypedDict):
    """A board as plain data, for programs of players."""

    name: str
    width: int
    height: int
    stations: list[PlainStation]
    lines: list[PlainLine]
    start_cards: list[int]


class Board:
    """The stations and lines of one board.

    stations: station number -> Point
    lines: transport -> ((a, b), ...) with a < b; every line runs both ways
    links: transport -> station -> the next stops, ascending
    reach: ticket -> station -> where that ticket leads, by any of the lines it pays for
    passes_over: (transport, a, b), both ways -> the stations that line passes over, from a to b
    start_cards: the stations on the start cards that come with the board
    size: (width, height) of the frame the points are drawn in
    """

    def __init__(self, data: BoardFile) -> None:
        """Read the content of a board file."""
        self.name: str = data["name"]
        self.size: tuple[int, int] = (data["width"], data["height"])
        self.stations: Mapping[int, Point] = MappingProxyType(
            {int(number): Point(x, y) for number, (x, y) in data["stations"].items()}
        )
        self.lines: Mapping[str, tuple[tuple[int, int], ...]] = MappingProxyType(
            {transport: _pairs(data["lines"][transport]) for transport in TRANSPORTS}
        )
        self.start_cards: tuple[int, ...] = tuple(data["start_cards"])
        self.passes_over: Mapping[tuple[str, int, int], tuple[int, ...]] = MappingProxyType(
            _both_ways(data["passes_over"])
        )
        self.links = {transport: _neighbours(self.lines[transport]) for transport in TRANSPORTS}
        self.reach = {ticket: {s: self._reach(ticket, s) for s in self.stations} for ticket in TICKETS}

    @staticmethod
    def names() -> tuple[str, ...]:
        return NAMES

    @staticmethod
    def named(name: str) -> Board:
        """Return the board of that name; OptionError if there is none."""
        if name not in NAMES:
            raise OptionError(f"There is no board {shown(name)}; the boards are {' and '.join(NAMES)}.", "board")
        return _load(name)

    def transports(self, a: int, b: int) -> tuple[str, ...]:
        """Return the kinds of line that join two stations directly."""
        return tuple(t for t in TRANSPORTS if b in self.links[t].get(a, ()))

    def transport(self, ticket: str, a: int, b: int, pawns: Collection[int] = ()) -> str | None:
        """Return the line that a ticket takes from `a` to `b`, or None if it takes none.

        `pawns` are the stations that cut a line off when it passes over them. The first open one of the ticket's
        lines is taken.
        """
        for transport in LINES_OF[ticket]:
            if b in self.links[transport].get(a, ()):
                over = self.passes_over.get((transport, a, b))
                if not over or not any(station in pawns for station in over):
                    return transport
        return None

    def to_json(self) -> PlainBoard:
        """Return plain data: stations with their points, lines with the stations they pass over, start cards."""
        return {
            "name": self.name,
            "width": self.size[0],
            "height": self.size[1],
            "stations": [{"id": s, "x": p.x, "y": p.y} for s, p in self.stations.items()],
            "lines": [
                {
                    "transport": transport,
                    "from": a,
                    "to": b,
                    "passes_over": list(self.passes_over.get((transport, a, b), ())),
                }
                for transport in TRANSPORTS
                for a, b in self.lines[transport]
            ],
            "start_cards": list(self.start_cards),
        }

    def __reduce__(self) -> tuple[Callable[[str], Board], tuple[str]]:
        """Copy and pickle by name, as there is one board of each name."""
        return Board.named, (self.name,)

    def __repr__(self) -> str:
        return f"Board.named({self.name!r})"

    def _reach(self, ticket: str, station: int) -> tuple[int, ...]:
        return tuple(sorted({b for line in LINES_OF[ticket] for b in self.links[line].get(station, ())}))


@cache
def _load(name: str) -> Board:
    file = resources.files("server.engine") / "boards" / f"{name}.json"
    return Board(json.loads(file.read_text(encoding="utf-8")))


def _pairs(lines: Mapping[str, list[int]]) -> tuple[tuple[int, int], ...]:
    return tuple((int(a), b) for a, stops in lines.items() for b in stops)


def _neighbours(lines: Iterable[tuple[int, int]]) -> dict[int, tuple[int, ...]]:
    found: dict[int, set[int]] = {}
    for a, b in lines:
        found.setdefault(a, set()).add(b)
        found.setdefault(b, set()).add(a)
    return {station: tuple(sorted(stops)) for station, stops in found.items()}


def _both_ways(
    passes: Mapping[str, list[tuple[int, int, list[int]]]],
) -> dict[tuple[str, int, int], tuple[int, ...]]:
    over = {}
    for transport, entries in passes.items():
        for a, b, stations in entries:
            over[transport, a, b] = tuple(stations)
            over[transport, b, a] = tuple(reversed(stations))
    return over
