"""The look of a board in every drawing: its lines side by side, its stations, its colours, and the figures on it.

The templates of `templates/board` draw it; `_colours.svg` there is the one table of colours, and `_board.svg` has the
board from its ground to the discs of its stations.
"""

import base64
import hashlib
import math
import re
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup

from server.drawing.city import City, city
from server.engine import Board
from server.vocabulary.resources import templates
from server.vocabulary.words import line_name, pawn_letter

# All lengths are units of the board.
FONT = "DejaVu Sans Condensed"
MARGIN = 40  # of the board, beyond its frame
RADIUS, SIZE = 13.6, 15.8  # of the disc of a station, and of its number, which has 11 pixels in a window 768 wide
WIDTHS = {"underground": 7.0, "bus": 5.0, "taxi": 2.0, "ferry": 3.6}  # the broadest first, so that none is hidden
GREY = "#ad9e76"
BESIDE = 1.5  # between lines that join the same stations, which run side by side


class Line(NamedTuple):
    """A line between two stations, from point to point."""

    x1: float
    y1: float
    x2: float
    y2: float


class Station(NamedTuple):
    """A station at its point; `served` is the fastest transport that stops there."""

    number: int
    x: int
    y: int
    served: str


class Piece(NamedTuple):
    """A pawn at the point where it is drawn; `letter` is ? for the place where Mr. X was last seen."""

    pawn: str
    letter: str
    x: int
    y: int


class Look(NamedTuple):
    """The parts of a board that templates draw; `face` is the style with the font of its numbers."""

    width: int
    height: int
    margin: int
    below: City | None
    lines: Mapping[str, Sequence[Line]]
    stations: Sequence[Station]
    widths: Mapping[str, float]
    r: float
    size: float
    font: str
    face: str
    ink: str

    def only(self, stations: Collection[int]) -> list[Station]:
        return [each for each in self.stations if each.number in stations]


@cache
def look(board: Board) -> Look:
    """Return what the templates draw of a board."""
    width, height = board.size
    return Look(
        width=width + 2 * MARGIN,
        height=height + 2 * MARGIN,
        margin=MARGIN,
        below=city(board),
        lines={transport: [_line(board, transport, *ends) for ends in board.lines[transport]] for transport in WIDTHS},
        stations=[Station(number, x, y, _served(board, number)) for number, (x, y) in board.stations.items()],
        widths=WIDTHS,
        r=RADIUS,
        size=SIZE,
        font=FONT,
        face=_face(),
        ink=table().ink,
    )


@cache
def template(name: str) -> Template:
    """Return a template of `templates/board`."""
    made = Environment(
        loader=FileSystemLoader(templates()),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.globals.update(symbols=symbols(), pawn_letter=pawn_letter, line_name=line_name)
    return made.get_template(f"board/{name}")


def table() -> Any:
    """Return the table of colours, each palette and group of colours as an attribute."""
    return template("_colours.svg").module


def layer(name: str, board: Board) -> str:
    """Return the ground or the discs of a board for pages, by day and by night, as SVG without needless space."""
    drawn = template(f"{name}.svg").render(board=look(board))
    return "".join(line.strip() for line in drawn.splitlines())


def shades() -> dict[str, tuple[int, int, int]]:
    """Return the sixteen colours of pictures in mails by name, each as red, green and blue: those of the day.

    Between ink and paper is grey, at the edges of letters and lines. Names are drawn as lines of taxis.
    """
    known = table()
    names = ("land", "park", "river", "taxi", "bus", "underground", "ferry", "disc", "place")
    pawns = {name: colour for name, colour in known.pawns.items() if name != "mr_x"}  # drawn as ink
    found = {name: known.day[name] for name in names} | {"ink": known.ink, "grey": GREY} | pawns
    return {name: (int(of[1:3], 16), int(of[3:5], 16), int(of[5:7], 16)) for name, of in found.items()}


def figure(pawn: str, letter: str, kind: str) -> str:
    """Return the SVG of a pawn, its figure or the ring around its station."""
    return template("figure.svg").render(pawn=pawn, letter=letter, kind=kind, font=FONT)


def fingerprint(drawn: str) -> str:
    """Return the mark of a drawing that a PNG or PDF of it bears."""
    return hashlib.sha256(drawn.encode()).hexdigest()


@cache
def symbols() -> dict[str, Markup]:
    """Return the drawing of each ticket, from the file that pages take them from."""
    text = (templates() / "web" / "art.svg").read_text(encoding="utf-8")
    drawn = re.findall(r'<symbol id="i-(\w+)" viewBox="0 0 24 16">(.*?)</symbol>', text)
    return {name: Markup(shape) for name, shape in drawn}  # noqa: S704 our own drawing


def _face() -> str:
    font = base64.b64encode((templates() / "board" / "digits.woff2").read_bytes()).decode()
    return f"@font-face{{font-family:Digits;src:url(data:font/woff2;base64,{font})}}"


def _line(board: Board, transport: str, a: int, b: int) -> Line:
    """Return a line with those beside it that join the same stations: together they lie in the middle."""
    beside = [each for each in WIDTHS if (a, b) in board.lines[each]]
    before = sum(WIDTHS[each] + BESIDE for each in beside[: beside.index(transport)])
    across = sum(WIDTHS[each] for each in beside) + BESIDE * (len(beside) - 1)
    (x1, y1), (x2, y2) = board.stations[a], board.stations[b]
    aside = (before + WIDTHS[transport] / 2 - across / 2) / math.dist((x1, y1), (x2, y2))
    dx, dy = (y1 - y2) * aside, (x2 - x1) * aside
    return Line(*(round(number, 1) for number in (x1 + dx, y1 + dy, x2 + dx, y2 + dy)))


def _served(board: Board, number: int) -> str:
    return next(transport for transport in ("underground", "bus", "taxi") if number in board.links[transport])
