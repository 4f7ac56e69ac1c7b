"""The board as a picture: lines, stations, pawns, the places where Mr. X can be, and the travel log below.

The picture is drawn from a view and nothing else, so it shows only what its viewer may see. The drawing is the template
`templates/board/board.svg`; this module computes what is drawn where. Nothing is told by colour alone: pawns and
tickets carry letters, and a ring glows around the places where Mr. X can be.
"""

import math
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

import resvg_py
from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from server.drawing.city import city
from server.engine import Board, BoardView, LogEntry, ShownPawn, windows_used
from server.engine.ticket_kinds import TRANSPORTS
from server.vocabulary.resources import templates
from server.vocabulary.words import join, pawn_name

PNG_WIDTH = 1200  # pixels, as many as a phone shows
FONT = "DejaVu Sans Condensed"
ROW = 24  # windows of the travel log beside each other
# Stations on pages, in units of the drawing, with numbers of 11 px in a window 1280 px wide; three digits are squeezed.
SIGNS = {"radius": 12.5, "size": 13.6, "three_digits": 21}
APART = 13  # from its station to a pawn that shares it, on a board of the usual size
MOST_ROWS = 2
LETTERS = {"taxi": "T", "bus": "B", "underground": "U", "black": "X"}
# Lines that join the same stations run side by side.
SHIFT = {"underground": 0.0, "bus": 2.6, "taxi": -1.6, "ferry": 0.0}
MOST_TICKETS_NAMED = 6
MOST_NAMED = 6  # stations where Mr. X can be; more are counted, and would not fit on a line of the picture
DOT = " \u00b7 "


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


class Cell(NamedTuple):
    """A window of the travel log; `ticket` is empty if nothing is written yet."""

    number: int
    ticket: str
    letter: str
    station: int | None
    surfaces: bool


class Hand(NamedTuple):
    """A pawn in words: its place, its tickets, and its state."""

    pawn: str
    letter: str
    place: str
    tickets: str
    more: str
    awaited: bool


def svg(view: BoardView, possible: Collection[int] | None) -> str:
    """Return the SVG of a game from its `view`, with the stations of `possible` marked, if it is not None."""
    board = Board.named(view["options"]["board"])
    return template("board.svg").render(
        board=board,
        below=city(board),
        lines=board_lines(board),
        stations=board_stations(board),
        possible=frozenset(possible or ()),
        pieces=sorted(_pieces(board, view["pawns"]), key=lambda piece: piece.y),
        rows=_rows(view),
        hands=[_hand(pawn, facts, view["to_move"]) for pawn, facts in view["pawns"].items()],
        told=summary(view, possible),
        letters=LETTERS,
        font=FONT,
    )


def png(drawn: str, width: int = PNG_WIDTH) -> bytes:
    """Return an SVG of `svg` as a PNG of that width. It takes a fifth of a second, in which nothing else runs."""
    fonts = [str(path) for path in sorted((templates() / "board").glob("*.ttf"))]
    made: bytes = resvg_py.svg_to_bytes(
        svg_string=drawn, width=width, skip_system_fonts=True, font_files=fonts, font_family=FONT
    )
    return made


def has_font() -> bool:
    """Return True if the font of pictures is there; without it they have no letters."""
    square = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><text y="30" font-size="30">{}</text></svg>'
    )
    return png(square.format("X"), 40) != png(square.format(""), 40)


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
    return made.get_template(f"board/{name}")


# Parts of it, for small pictures -----------------------------------------------------------------


def layer(board: Board, **known: object) -> str:
    """Return the SVG of a board without pawns, see `server.drawing.map_pictures`."""
    colours = {name: f"#{bytes(shade).hex()}" for name, shade in _lines().items()}
    return template("layer.svg").render(
        below=city(board),
        lines=board_lines(board),
        stations=board_stations(board),
        colours=colours,
        font=FONT,
        **known,
    )


def shades() -> dict[str, tuple[int, int, int]]:
    """Return the sixteen colours of a layer and of pawns by name, each as red, green and blue.

    Halfway between ground and lines are the edges of lines; those of the underground and the names of districts are
    near that of a taxi's, and ink is drawn as night.
    """
    known: Any = template("_colours.svg").module
    plain = {name: _parts(getattr(known, name)) for name in ("night", "fog", "paper", "amber")}
    places = {name: _parts(known.places[name]) for name in ("river", "park")}
    pawns = {name: _parts(colour) for name, colour in known.pawns.items() if name != "mr_x"}  # drawn as paper
    lines = {name: colour for name, colour in _lines().items() if name in TRANSPORTS[:3]}
    edges = {
        f"{name} edge": _between(plain["night"], colour, 0.5) for name, colour in lines.items() if name != "underground"
    }
    return plain | places | pawns | lines | edges


def _lines() -> dict[str, tuple[int, int, int]]:
    """Return the colours of lines, through which the ground shines; a ferry has that of a pawn."""
    known: Any = template("_colours.svg").module
    ground, ferry = _parts(known.night), _parts(known.pawns["blue"])
    return {name: _between(ground, _parts(known.colours[name]), 0.8) for name in TRANSPORTS[:3]} | {"ferry": ferry}


def _parts(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _between(one: tuple[int, int, int], other: tuple[int, int, int], share: float) -> tuple[int, int, int]:
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(one, other, strict=True))
    return red, green, blue


def figure(pawn: str, letter: str) -> str:
    """Return the SVG of a pawn with the ring around its station."""
    return template("figure.svg").render(pawn=pawn, letter=letter, font=FONT)


def pieces(view: BoardView) -> list[Piece]:
    """Return the pawns that the viewer may see, and where Mr. X was last seen."""
    return list(_pieces(Board.named(view["options"]["board"]), view["pawns"]))


def told(view: BoardView, possible: Collection[int] | None) -> str:
    """Return the content of a picture in words."""
    places = ", ".join(_hand(pawn, facts, ()).place for pawn, facts in view["pawns"].items() if pawn != "mr_x")
    return f"{summary(view, possible)} {places}."


# The board --------------------------------------------------------------------------------------


@cache
def board_lines(board: Board, apart: float = 1) -> dict[str, list[Line]]:
    """Return the lines by transport, the broadest first, so that none is hidden.

    Those that join the same stations run side by side, `apart` times as far from each other as on a screen.
    """
    order = sorted(TRANSPORTS, key=("underground", "bus", "taxi", "ferry").index)
    return {
        transport: [_line(board, SHIFT[transport] * apart, *ends) for ends in board.lines[transport]]
        for transport in order
    }


def _line(board: Board, shift: float, a: int, b: int) -> Line:
    (x1, y1), (x2, y2) = board.stations[a], board.stations[b]
    aside = shift / math.dist((x1, y1), (x2, y2))
    dx, dy = (y1 - y2) * aside, (x2 - x1) * aside
    return Line(*(round(number, 1) for number in (x1 + dx, y1 + dy, x2 + dx, y2 + dy)))


@cache
def board_stations(board: Board) -> list[Station]:
    """Return the stations of a board, each with the fastest transport that stops there."""

    def served(number: int) -> str:
        return next(transport for transport in ("underground", "bus", "taxi") if number in board.links[transport])

    return [Station(number, x, y, served(number)) for number, (x, y) in board.stations.items()]


def pawn_pieces(board: Board, places: Mapping[str, int]) -> Iterator[Piece]:
    """Yield the pawns on their stations; Mr. X and the pawn that has caught him stand side by side on theirs."""
    at = places.get("mr_x")
    is_caught = any(station == at for pawn, station in places.items() if pawn != "mr_x")
    for pawn, station in places.items():
        x, y = board.stations[station]
        aside = APART if is_caught and station == at else 0
        yield Piece(pawn, letter(pawn), x - aside if pawn == "mr_x" else x + aside, y)


def _pieces(board: Board, pawns: Mapping[str, ShownPawn]) -> Iterator[Piece]:
    for pawn, facts in pawns.items():
        seen = facts.get("last_seen")
        if seen and seen["station"] != facts["station"]:
            yield Piece(pawn, "?", *board.stations[seen["station"]])
    stations = {pawn: facts["station"] for pawn, facts in pawns.items()}
    yield from pawn_pieces(board, {pawn: station for pawn, station in stations.items() if station is not None})


# Below it ---------------------------------------------------------------------------------------


def _rows(view: BoardView) -> list[list[Cell]]:
    """Return the travel log in rows of `ROW` windows: as far as it is filled, at most the newest `MOST_ROWS`."""
    windows = {entry["window"]: entry for entry in view["log"]}
    most = view["options"]["log_windows"]
    newest = min(windows_used(view), most - 1) // ROW
    firsts = [row * ROW + 1 for row in range(newest + 1)][-MOST_ROWS:]
    return [[_cell(n, windows.get(n), view) for n in range(first, min(first + ROW, most + 1))] for first in firsts]


def _cell(number: int, entry: LogEntry | None, view: BoardView) -> Cell:
    ticket = entry["ticket"] if entry else ""
    station = entry["station"] if entry else None
    surfaces = number in view["options"]["surfacing"] or bool(entry and entry.get("surfaced"))
    return Cell(number, ticket, LETTERS.get(ticket, ""), station, surfaces)


def _hand(pawn: str, facts: ShownPawn, to_move: Collection[str]) -> Hand:
    seen = facts.get("last_seen")
    if facts["station"] is not None:
        place = f"at {facts['station']}"
    elif seen:
        place = f"seen at {seen['station']}"
    else:
        place = "not seen yet"
    awaited, state = pawn in to_move, facts.get("state", "active")
    said = "to move" if awaited else "" if state == "active" else state
    held = [f"{LETTERS.get(kind, kind)} {'any' if n is None else n}" for kind, n in facts["tickets"].items()]
    more = [part for part in (*held[3:], said) if part]
    return Hand(pawn, letter(pawn), f"{pawn_name(pawn)} {place}", DOT.join(held[:3]), DOT.join(more), awaited)


def summary(view: BoardView, possible: Collection[int] | None) -> str:
    """Return in a sentence or two where Mr. X was seen, and where he can be."""
    if not view["pawns"]:
        return "The game has not begun; the board is empty."
    sentence = _whereabouts(view)
    if possible is None or view["pawns"]["mr_x"]["station"] is not None:
        return sentence
    return f"{sentence} He is on {stations_in_words(possible)}." if possible else sentence


def stations_in_words(stations: Collection[int]) -> str:
    """Return the stations where Mr. X can be: named if they are few, else their number."""
    if len(stations) > MOST_NAMED:
        return f"one of {len(stations)} stations"
    return join([str(station) for station in sorted(stations)], "or") if stations else "no station"


def _whereabouts(view: BoardView) -> str:
    mr_x = view["pawns"]["mr_x"]
    if mr_x["station"] is not None:
        return f"Mr. X is at {mr_x['station']}."
    if (seen := mr_x["last_seen"]) is None:
        return "Mr. X has not shown himself yet."
    since = [entry["ticket"] for entry in view["log"] if entry["window"] > seen["window"]]
    taken = ", ".join(since) if len(since) <= MOST_TICKETS_NAMED else f"{len(since)} more tickets"
    then = f", then took {taken}" if since else ""
    return f"Mr. X was seen at {seen['station']} on move {seen['window']}{then}."


def letter(pawn: str) -> str:
    """Return the letter that a pawn carries."""
    return "X" if pawn == "mr_x" else pawn[0].upper()
