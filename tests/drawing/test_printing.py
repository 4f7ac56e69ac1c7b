"""The board to print."""

import re

import pytest

from server.drawing import look, printing
from server.engine import Board
from server.vocabulary.translation import languages, speaking

BOARDS = [Board.named(name) for name in Board.names()]


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.name)
def test_the_pdf_is_made_from_the_drawing_as_it_is_now(board: Board, language: str):
    """If this fails: `make map`."""
    with speaking(language):
        assert look.fingerprint(printing.svg(board)).encode() in printing.pdf(board)


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.name)
def test_the_pdf_is_one_page_of_a4_and_small(board: Board):
    made = printing.pdf(board)
    assert made.startswith(b"%PDF-")
    assert re.findall(rb"/MediaBox \[ 0 0 (\d+)\.\d+ (\d+)\.\d+ \]", made) == [(b"841", b"595")]
    assert len(made) < 100_000


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.name)
def test_every_station_and_line_is_drawn(board: Board):
    drawn = printing.svg(board)
    assert set(map(str, board.stations)) <= set(re.findall(r">(\d+)</text>", drawn))
    for transport, lines in board.lines.items():
        (path,) = re.findall(rf'<g class="{transport}" stroke[^>]*><path d="([^"]*)"', drawn)
        assert path.count("M") == len(lines)


def test_the_board_of_1985_names_the_station_that_it_lacks():
    assert "without 108" in printing.svg(Board.named("london-milton-bradley"))
    assert "without" not in printing.svg(Board.named("london"))
