"""The board as a page to print: A4, black on white, told apart by width and pattern where there is no colour.

`svg` draws it with the template `templates/board/map.svg`. The PDFs are made from that by `make map`, one in each
language, and lie in `docs/maps`, so the server needs no library for them. Each names the drawing that it was made from.
"""

from server.drawing.look import look, template
from server.engine import Board
from server.vocabulary.resources import docs
from server.vocabulary.translation import ENGLISH, current, gettext, pgettext
from server.vocabulary.words import join, line_name

# Units of the board's frame; a page of A4 on its side is as many.
WIDTH, HEIGHT = 1195, 845
COLUMNS = 2  # of the travel log to fill in
WINDOWS = 24


def svg(board: Board) -> str:
    """Return the page as SVG."""
    first, last = min(board.stations), max(board.stations)
    missing = [str(number) for number in range(1, last) if number not in board.stations]
    return template("map.svg").render(
        width=WIDTH,
        height=HEIGHT,
        board=look(board),
        stations=gettext("Stations {first} to {last}", first=first, last=last),
        without=gettext("without {stations}", stations=join(missing)) if missing else "",
        ferry=gettext("Black tickets alone pay for the\nferry. Only Mr. X has them.").splitlines(),
        # The transports by which the signs of stations differ, each with what stops there in words.
        served=[
            ("taxi", [line_name("taxi")]),
            ("bus", [gettext("taxi, bus")]),
            ("underground", gettext("taxi, bus and\nunderground").splitlines()),
        ],
        travel_log=gettext("Travel log"),
        windows=range(1, WINDOWS + 1),
        columns=COLUMNS,
    )


def title(board: Board) -> str:
    return gettext("Black Ticket: the board {name}", name=board.name)


def pdf(board: Board) -> bytes:
    """Return the page as a PDF, the English one where a language has none."""
    path = docs() / "maps" / pdf_name(board)
    return (path if path.exists() else path.with_name(f"{board.name}.pdf")).read_bytes()


def pdf_name(board: Board) -> str:
    """Return the name of the PDF in its folder."""
    return f"{board.name}.pdf" if current() == ENGLISH else f"{board.name}-{current()}.pdf"


def file_name(board: Board) -> str:
    """Return the name of the PDF as an attachment."""
    return pgettext("file", "board-{name}.pdf", name=board.name)
