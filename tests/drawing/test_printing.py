"""The board to print."""

import re
from itertools import pairwise

import pytest

from server.drawing import printing
from server.engine import Board

BOARDS = [Board.named(name) for name in Board.names()]


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.name)
def test_the_pdf_is_made_from_the_drawing_as_it_is_now(board: Board):
    """If this fails: `make map`."""
    assert printing.fingerprint(printing.svg(board)).encode() in printing.pdf(board)


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.name)
def test_the_pdf_is_one_page_of_a4_and_small(board: Board):
    made = printing.pdf(board)
    assert made.startswith(b"%PDF-")
    assert re.findall(rb"/MediaBox \[ 0 0 (\d+)\.\d+ (\d+)\.\d+ \]", made) == [(b"841", b"595")]
    assert len(made) < 100_000


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.name)
def test_every_station_and_line_is_drawn(board: Board):
    drawn = printing.svg(board)
    assert set(map(str, board.stations)) <= set(re.findall(r'text-anchor="middle">(\d+)<', drawn))
    lines = sum(map(len, board.lines.values())) + len(board.lines["underground"])  # these have a white core
    legend = 5
    assert drawn.count("<path") == lines + legend


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.name)
def test_lines_differ_by_width_or_pattern_too(board: Board):
    strokes = re.findall(
        r'stroke="(#\w+)" stroke-width="([\d.]+)" stroke-linecap="round"( stroke-dasharray)?', printing.svg(board)
    )
    looks = {colour: (float(width), bool(dashed)) for colour, width, dashed in strokes}
    assert len(looks) == len(set(looks.values())) == 4
    solid = sorted(width for width, dashed in looks.values() if not dashed)
    assert all(broad >= 2 * thin for thin, broad in pairwise(solid))


def test_the_board_of_1985_names_the_station_that_it_lacks():
    assert "without 108" in printing.svg(Board.named("london-milton-bradley"))
    assert "without" not in printing.svg(Board.named("london"))
