"""The pictures of mails: small, readable on a phone, and made of nothing but what they are asked to show."""

import io
import random
from collections.abc import Callable, Sequence

import pytest
from PIL import Image

from server.drawing import map_pictures, picture
from server.drawing.map_pictures import FAR, LINKED, NEAR
from server.drawing.picture import Piece
from server.engine import Board
from server.resources import templates

BOARDS = [Board.named(name) for name in Board.names()]
LONDON = BOARDS[0]
CROWDED = 100, 86, 67, 133, 153  # stations with many others around them
APART = 96, 89, 88, 167, 40  # the same, far from each other
DENSEST = 100, 112, 81, 113, 59  # the largest picture that a search has found
PAWNS = "purple", "red", "green", "yellow", "blue"


def placed(*stations: int, board: Board = LONDON) -> list[Piece]:
    return [
        Piece(pawn, pawn[0].upper(), *board.stations[at]) for pawn, at in zip(PAWNS, stations, strict=False)
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
    assert both(pieces, own, possible) < 60_000


def test_both_pictures_have_less_than_60_kilobytes_wherever_the_pawns_stand():
    chance = random.Random(1)
    stations = sorted(LONDON.stations)
    for owned in 4 * (1, 2, 3, 4, 5):
        at, possible = chance.sample(stations, 5), chance.sample(stations, chance.choice((0, 5, 40)))
        assert both(placed(*at), PAWNS[:owned], possible) < 60_000, (at, owned, possible)


def test_five_pawns_of_one_player_where_the_board_is_densest_have_less_than_64_kilobytes():
    assert 60_000 < both(placed(*DENSEST), PAWNS, []) < 64_000


def both(pieces: Sequence[Piece], own: Sequence[str], possible: Sequence[int]) -> int:
    """Return the bytes of both pictures of a mail."""
    near, whole = map_pictures.surroundings, map_pictures.overview
    return len(near(LONDON, pieces, own, possible)) + len(whole(LONDON, pieces, possible))


@pytest.mark.parametrize(
    "draw",
    [
        lambda: map_pictures.surroundings(LONDON, placed(*APART), PAWNS[:1], [86, 87, 104]),
        lambda: map_pictures.surroundings(LONDON, placed(*APART), PAWNS[:2], [86, 87, 104]),
        lambda: map_pictures.surroundings(LONDON, placed(*DENSEST), PAWNS, [86, 87, 104]),
        lambda: map_pictures.overview(LONDON, placed(*APART), [86, 87, 104]),
        lambda: map_pictures.preview(LONDON, placed(*APART), [86, 87, 104]),
    ],
    ids=["one pawn", "two pawns", "the largest", "the whole board", "the preview of a link"],
)
def test_a_reader_of_the_png_gets_each_pixel_that_was_drawn(draw: Callable[[], bytes], monkeypatch: pytest.MonkeyPatch):
    drawn: list[Image.Image] = []
    encode = map_pictures._png
    monkeypatch.setattr(map_pictures, "_png", lambda image, *how: drawn.append(image) or encode(image, *how))
    shown = opened(draw())
    assert len(shown.getcolors()) > 5
    drawn[0].putpalette(map_pictures._plte())
    assert shown.tobytes() == drawn[0].convert("RGB").tobytes()


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


@pytest.mark.parametrize("kind", ["overview", "preview"])
def test_a_pawn_on_the_uppermost_station_keeps_its_head(kind: str):
    draw = getattr(map_pictures, kind)
    uppermost = min(LONDON.stations, key=lambda number: LONDON.stations[number][1])

    def purple(station: int) -> int:
        shown = opened(draw(LONDON, placed(station), []))
        return list(shown.get_flattened_data()).count(picture.shades()["purple"])

    assert purple(uppermost) > 0.95 * purple(133)
    framed = opened(draw(LONDON, placed(uppermost), []))
    assert len(set(framed.crop((0, 0, framed.width, 1)).get_flattened_data())) == 1, "there is room above its head"
