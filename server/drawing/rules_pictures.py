"""Small pictures for the rules: cuttings of the board that show one thing each."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from server.drawing import figures
from server.drawing.look import Line, Piece, look, template
from server.engine import Board
from server.vocabulary.translation import gettext
from server.vocabulary.words import join, line, pawn_letter, pawn_name

MARGIN = 48  # of the board, beyond the outermost stations of a cutting
EXAMPLE, SEEN = 67, 46  # where the detective of the example stands, and where Mr. X was seen
CAUGHT = 84  # beside the detective


class Picture(NamedTuple):
    """A picture as SVG, with the words below it."""

    svg: str
    words: str


def moves(board: Board) -> Picture:
    """Return a detective, and the stations that they can go to."""
    ways = {ticket: board.reach[ticket][EXAMPLE] for ticket in ("taxi", "bus", "underground")}
    by = [
        gettext("by {line} to {stations}", line=line(ticket), stations=join([str(stop) for stop in stops], "or"))
        for ticket, stops in ways.items()
    ]
    words = gettext(
        "{pawn} stands on {station} and can go {ways}.", ways=join(by, "or"), pawn=pawn_name("red"), station=EXAMPLE
    )
    near = {*ways["taxi"], *ways["bus"]}
    ringed = {*near, *ways["underground"]}
    return Picture(_cut(board, near, words, pawns=[("red", pawn_letter("red"), EXAMPLE)], ringed=ringed), words)


def deduction(board: Board) -> Picture:
    """Return the stations where Mr. X can be after he was seen and has taken a bus."""
    possible = board.reach["bus"][SEEN]
    words = gettext(
        "Mr. X was seen on {station} and then took a bus, so he is on {stations}: the stations with a halo.",
        station=SEEN, stations=join([str(station) for station in possible], "or"),
    )  # fmt: skip
    return Picture(_cut(board, possible, words, pawns=[("mr_x", "?", SEEN)], possible=possible), words)


def capture(board: Board) -> Picture:
    """Return a detective and Mr. X beside them, whom they can catch."""
    words = gettext(
        "{pawn} goes from {station} to {stop} by taxi, and has caught Mr. X.",
        pawn=pawn_name("red"), station=EXAMPLE, stop=CAUGHT,
    )  # fmt: skip
    near = {*board.reach["taxi"][EXAMPLE], EXAMPLE}
    pawns = [(pawn, pawn_letter(pawn), at) for pawn, at in (("red", EXAMPLE), ("mr_x", CAUGHT))]
    return Picture(_cut(board, near, words, pawns=pawns, ringed={CAUGHT}), words)


def ferry(board: Board) -> Picture:
    piers = sorted(board.links["ferry"])
    words = gettext("The dotted line is the ferry. It calls at {piers}.", piers=join([str(pier) for pier in piers]))
    return Picture(_cut(board, piers, words, bold="ferry", ringed=piers), words)


def _cut(
    board: Board,
    around: Collection[int],
    told: str,
    *,
    pawns: Sequence[tuple[str, str, int]] = (),
    possible: Collection[int] = (),
    ringed: Collection[int] = (),
    bold: str = "",
) -> str:
    """Return the part of the board with the stations `around`.

    told: the picture in words
    pawns: each with its letter and station
    possible, ringed: stations that are drawn with a halo, or with a ring of dashes
    bold: the transport whose lines are drawn broad
    """
    points = [board.stations[station] for station in around]
    left, top = min(x for x, _ in points) - MARGIN, min(y for _, y in points) - MARGIN
    right, bottom = max(x for x, _ in points) + MARGIN, max(y for _, y in points) + MARGIN
    shown = look(board)._replace(
        lines={
            transport: [each for each in lines if _crosses(each, left, top, right, bottom)]
            for transport, lines in look(board).lines.items()
        }
    )
    pieces = [Piece(pawn, letter, *board.stations[station]) for pawn, letter, station in pawns]
    return template("crop.svg").render(
        box=(left, top, right - left, bottom - top),
        board=shown,
        stations=[each for each in shown.stations if left <= each.x <= right and top <= each.y <= bottom],
        figures=figures.placed(board, pieces, ringed),
        possible=shown.only(possible),
        ringed=shown.only(ringed),
        bold=bold,
        told=told,
    )


def _crosses(drawn: Line, left: float, top: float, right: float, bottom: float) -> bool:
    """Return False for a line that lies on one side of the box."""
    xs, ys = (drawn.x1, drawn.x2), (drawn.y1, drawn.y2)
    return not (max(xs) < left or min(xs) > right or max(ys) < top or min(ys) > bottom)
