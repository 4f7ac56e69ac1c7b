"""The board as a picture: lines, stations, pawns, the places where Mr. X can be, and the travel log below.

The picture is drawn from a view and nothing else, so it shows only what its viewer may see. The drawing is the template
`templates/board/board.svg`; this module computes what is drawn where. Nothing is told by colour alone: pawns have hats
and letters, tickets drawings, and a ring lies around the places where Mr. X can be.
"""

from collections.abc import Collection, Mapping
from typing import NamedTuple

import resvg_py

from server.drawing import figures
from server.drawing.look import FONT, Piece, look, template
from server.engine import Board, BoardView, LogEntry, ShownPawn, windows_used
from server.vocabulary.resources import templates
from server.vocabulary.translation import gettext, gettext_noop, pgettext, pgettext_noop
from server.vocabulary.words import join, pawn_letter, pawn_name, ticket_name

PNG_WIDTH = 1080  # pixels, one for a unit of the board
LINKED_WIDTH, LINKED_HEIGHT = 1200, 630  # pixels, of the preview of a link
ROW = 24  # windows of the travel log beside each other
MOST_ROWS = 2
LETTERS = {"taxi": "T", "bus": "B", "underground": "U", "black": "X"}
MOST_TICKETS_NAMED = 6
MOST_NAMED = 6  # stations where Mr. X can be; more are counted, and would not fit on a line of the picture


class Cell(NamedTuple):
    """A window of the travel log; `ticket` is empty if nothing is written yet."""

    number: int
    ticket: str
    station: int | None
    surfaces: bool


class Hand(NamedTuple):
    """A pawn, its place and its state in words, and how many tickets it has of each kind."""

    pawn: str
    letter: str
    place: str
    tickets: Mapping[str, str]
    awaited: bool


def svg(view: BoardView, possible: Collection[int] | None) -> str:
    """Return the SVG of a game from its `view`, with the stations of `possible` marked, if it is not None."""
    board = Board.named(view["options"]["board"])
    return template("board.svg").render(
        board=look(board),
        possible=look(board).only(possible or ()),
        figures=figures.placed(board, pieces(view), ()),
        rows=_rows(view),
        hands=[_hand(pawn, facts, view["to_move"]) for pawn, facts in view["pawns"].items()],
        told=summary(view, possible),
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


def pieces(view: BoardView, *, shows_last_seen: bool = True) -> list[Piece]:
    """Return the pawns that the viewer may see, and the place where Mr. X was last seen."""
    at = Board.named(view["options"]["board"]).stations
    shown: list[Piece] = []
    for pawn, facts in view["pawns"].items():
        seen = facts.get("last_seen")
        if shows_last_seen and seen and seen["station"] != facts["station"]:
            shown.append(Piece(pawn, "?", *at[seen["station"]]))
        if facts["station"] is not None:
            shown.append(Piece(pawn, pawn_letter(pawn), *at[facts["station"]]))
    return shown


def told(view: BoardView, possible: Collection[int] | None) -> str:
    """Return the content of a picture in words."""
    places = [_place(pawn, facts) for pawn, facts in view["pawns"].items() if pawn != "mr_x"]
    return f"{summary(view, possible)} {', '.join(places)}."


def _place(pawn: str, facts: ShownPawn) -> str:
    return gettext(_PLACES[facts.get("state", "active")], pawn=pawn_name(pawn), station=facts["station"])


_PLACES = gettext_noop({
    "active": "{pawn} at {station}", "blocked": "{pawn} at {station}, blocked",
    "stranded": "{pawn} at {station}, stranded",
})  # fmt: skip


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
    return Cell(number, ticket, station, surfaces)


def _hand(pawn: str, facts: ShownPawn, to_move: Collection[str]) -> Hand:
    seen = facts.get("last_seen")
    state, at = facts.get("state", "active"), facts["station"]
    if at is None:
        state, at = ("seen", seen["station"]) if seen else ("unseen", None)
    place = pgettext("picture", _PLACES_IN_SHORT[state], pawn=pawn_name(pawn), station=at)
    held = {kind: pgettext("tickets", "any") if n is None else str(n) for kind, n in facts["tickets"].items()}
    return Hand(pawn, pawn_letter(pawn), place, held, pawn in to_move)


_PLACES_IN_SHORT = pgettext_noop("picture", {
    "active": "{pawn} at {station}", "blocked": "{pawn} at {station}, blocked",
    "stranded": "{pawn} at {station}, stranded", "seen": "{pawn} seen at {station}", "unseen": "{pawn} not seen yet",
})  # fmt: skip


def summary(view: BoardView, possible: Collection[int] | None) -> str:
    """Return in a sentence or two where Mr. X was seen, and where he can be."""
    if not view["pawns"]:
        return gettext("The game has not begun; the board is empty.")
    sentence = _whereabouts(view)
    if possible is None or view["pawns"]["mr_x"]["station"] is not None:
        return sentence
    he_is = gettext("He is on {stations}.", stations=stations_in_words(possible))
    return f"{sentence} {he_is}" if possible else sentence


def stations_in_words(stations: Collection[int]) -> str:
    """Return the stations where Mr. X can be, behind "on": named if they are few, else their number."""
    if len(stations) > MOST_NAMED:
        return pgettext("on", "one of {n} stations", n=len(stations))
    return join([str(station) for station in sorted(stations)], "or") if stations else pgettext("on", "no station")


def _whereabouts(view: BoardView) -> str:
    mr_x = view["pawns"]["mr_x"]
    if mr_x["station"] is not None:
        return gettext("Mr. X is at {station}.", station=mr_x["station"])
    if (seen := mr_x["last_seen"]) is None:
        return gettext("Mr. X has not shown himself yet.")
    since = [ticket_name(entry["ticket"]) for entry in view["log"] if entry["window"] > seen["window"]]
    at = {"station": seen["station"], "window": seen["window"], "n": len(since), "tickets": ", ".join(since)}
    if not since:
        return gettext("Mr. X was seen at {station} on move {window}.", **at)
    if len(since) > MOST_TICKETS_NAMED:
        return gettext("Mr. X was seen at {station} on move {window}, then took {n} more tickets.", **at)
    return gettext("Mr. X was seen at {station} on move {window}, then took {tickets}.", **at)
