"""The board as a page to print: A4, black on white, told apart by width and pattern where there is no colour.

`svg` draws it with the template `templates/board/map.svg`. The PDFs are made from that by `make map` and lie in
`docs/maps`, so the server needs no library for them. Each names the drawing that it was made from.
"""

import hashlib

from server.drawing.look import look, template
from server.engine import Board
from server.vocabulary.resources import docs

# Units of the board's frame; a page of A4 on its side is as many.
WIDTH, HEIGHT = 1195, 845
COLUMNS = 2  # of the travel log to fill in
WINDOWS = 24


def svg(board: Board) -> str:
    """Return the page as SVG."""
    return template("map.svg").render(
        width=WIDTH,
        height=HEIGHT,
        board=look(board),
        first=min(board.stations),
        last=max(board.stations),
        missing=[number for number in range(1, max(board.stations)) if number not in board.stations],
        windows=range(1, WINDOWS + 1),
        columns=COLUMNS,
    )


def pdf(board: Board) -> bytes:
    """Return the page as a PDF."""
    return (docs() / "maps" / f"{board.name}.pdf").read_bytes()


def fingerprint(drawn: str) -> str:
    """Return the mark of a drawing that its PDF bears among its keywords."""
    return hashlib.sha256(drawn.encode()).hexdigest()


def file_name(board: Board) -> str:
    """Return the name of the PDF as an attachment."""
    return f"board-{board.name}.pdf"
