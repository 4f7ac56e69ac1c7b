"""The pictures of mails: small, readable on a phone, and made of nothing but what they are asked to show."""

import io
from collections.abc import Sequence

import pytest
from PIL import Image

from server import map_pictures, picture
from server.engine import Board
from server.map_pictures import FAR, LINKED, NEAR
from server.picture import Piece
from server.resources import templates

pytestmark = pytest.mark.usefixtures("drawn_pictures")
BOARDS = [Board.named(name) for name in Board.names()]
LONDON = BOARDS[0]
CROWDED = 100, 86, 67, 133, 153  # stations with many others around them
APART = 96, 89, 88, 167, 40  # the same, far from each other


def placed(*stations: int, board: Board = LONDON) -> list[Piece]:
    pawns = ("purple", "red", "green", "yellow", "blue")
    return [
        Piece(pawn, pawn[0].upper(), *board.stations[at]) for pawn, at in zip(pawns, stations, strict=False)
    ]  # fmt: skip


def opened(png: bytes) -> Image.Image:
    return Image.open(io.BytesIO(png)).convert("RGB")


@pytest.mark.parametrize("style", [NEAR, FAR, LINKED], ids=lambda style: style.name)
@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.name)
def test_a_layer_is_made_from_the_drawing_as_it_is_now(board: Board, style: map_pictures.Style):
    """If this fails: `make map`."""
    with Image.open(templates() / map_pictures.layer_path(board, style)) as layer:
        drawn_from = layer.info[map_pictures.DRAWN_FROM]
    assert drawn_from == map_pictures.fingerprint(map_pictures.drawing(board, style))


def test_the_digits_of_a_station_are_eleven_pixels_high_on_a_phone():
    with Image.open(templates() / map_pictures.layer_path(LONDON, NEAR)) as file:
        layer = file.convert("RGB")
    ink, shown = picture.shades()["ink"], map_pictures.WIDTH / 362
    for number in (1, 88, 108, 199):
        x, y = LONDON.stations[number]
        left, middle = round((x + 60 - 9) * NEAR.scale), (y + 60) * NEAR.scale
        within = layer.crop(
            (left, round(middle - 8 * NEAR.scale), left + round(18 * NEAR.scale), round(middle + 8 * NEAR.scale))
        )
        rows = [
            row
            for row in range(within.height)
            if ink in within.crop((0, row, within.width, row + 1)).get_flattened_data()
        ]
        assert (rows[-1] - rows[0] + 1) / shown >= 11, number


@pytest.mark.parametrize("own", [["red"], ["red", "blue"], ["purple", "red", "green", "yellow", "blue"]], ids=len)
@pytest.mark.parametrize("possible", [[], [86, 87, 104, 105], LONDON.stations], ids=len)
@pytest.mark.parametrize("stations", [CROWDED, APART], ids=["crowded", "apart"])
def test_both_pictures_of_a_mail_have_less_than_60_kilobytes(
    own: Sequence[str], possible: Sequence[int], stations: Sequence[int]
):
    pieces = placed(*stations)
    together = len(map_pictures.surroundings(LONDON, pieces, own, possible)) + len(
        map_pictures.overview(LONDON, pieces, possible)
    )
    assert together < 60_000


def test_the_surroundings_of_pawns_that_are_near_each_other_are_one_picture():
    far, near = (opened(map_pictures.surroundings(LONDON, placed(86, at), ["purple", "red"], [])) for at in (153, 104))
    assert near.size == (724, 651)
    assert far.size == (724, 2 * 339 + 6)


def test_of_more_pawns_each_gets_a_part_of_its_own():
    assert opened(map_pictures.surroundings(LONDON, placed(*CROWDED), ["purple", "red", "green", "blue"], [])).size == (
        724,
        548,
    )


def test_the_pawn_stands_in_the_middle_of_its_surroundings():
    shown = opened(map_pictures.surroundings(LONDON, placed(86, 133), ["purple"], []))
    x, y = shown.width // 2, shown.height // 2 - round(30 * NEAR.scale) + 8  # its head, above the letter
    assert picture.shades()["purple"] in shown.crop((x - 30, y - 10, x + 30, y + 10)).get_flattened_data()


def test_a_station_where_mr_x_can_be_is_a_square_with_its_number():
    plain, marked = (
        opened(map_pictures.surroundings(LONDON, placed(86), ["purple"], possible)) for possible in ([], [104])
    )
    (x, y), (here_x, here_y) = LONDON.stations[104], LONDON.stations[86]
    left = round(362 + (x - here_x - 12.5) * NEAR.scale)
    top = round(325 + (y - here_y - 12.5) * NEAR.scale)
    sign = (left, top, left + 60, top + 60)
    amber, ink = picture.shades()["amber"], picture.shades()["ink"]
    assert list(plain.crop(sign).get_flattened_data()).count(amber) == 0
    assert list(marked.crop(sign).get_flattened_data()).count(amber) > 1_500
    assert list(marked.crop(sign).get_flattened_data()).count(ink) > 300, "the number, and the edge"
