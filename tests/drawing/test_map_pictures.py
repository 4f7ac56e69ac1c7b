"""The pictures of mails: small, readable on a phone, and made of nothing but what they are asked to show."""

import io
import math
import random
import statistics
from collections.abc import Callable, Sequence

import pytest
from PIL import Image

from server.drawing import look, map_pictures, picture
from server.drawing.look import MARGIN, Piece
from server.drawing.map_pictures import NEAR, STYLES
from server.engine import Board, Edition, Game, deduce
from server.vocabulary.resources import templates
from server.vocabulary.translation import speaking

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


@pytest.mark.parametrize("style", STYLES, ids=lambda style: style.name)
@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.name)
def test_a_layer_is_made_from_the_drawing_as_it_is_now(board: Board, style: map_pictures.Style):
    """If this fails: `make map`."""
    with Image.open(templates() / map_pictures.layer_path(board, style)) as layer:
        drawn_from = layer.info[map_pictures.DRAWN_FROM]
    assert drawn_from == look.fingerprint(map_pictures.drawing(board, style))


def test_the_digits_of_a_station_are_eleven_pixels_high_on_a_phone():
    with Image.open(templates() / map_pictures.layer_path(LONDON, NEAR)) as file:
        layer = file.convert("RGB")
    ink, shown = look.shades()["ink"], map_pictures.WIDTH / 362
    for number in (1, 88, 108, 199):
        x, y = LONDON.stations[number]
        left, middle = round((x + MARGIN - 9) * NEAR.scale), (y + MARGIN) * NEAR.scale
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
def test_both_pictures_of_a_mail_have_less_than_48_kilobytes(
    own: Sequence[str], possible: Sequence[int], stations: Sequence[int]
):
    pieces = placed(*stations)
    assert both(pieces, own, possible) < 48_000


def test_both_pictures_have_less_than_40_kilobytes_wherever_the_pawns_stand():
    chance = random.Random(1)
    stations = sorted(LONDON.stations)
    for owned in 4 * (1, 2, 3, 4, 5):
        at, possible = chance.sample(stations, 5), chance.sample(stations, chance.choice((0, 5, 40)))
        assert both(placed(*at), PAWNS[:owned], possible) < 40_000, (at, owned, possible)


def test_five_pawns_of_one_player_where_the_board_is_densest_have_less_than_40_kilobytes():
    assert both(placed(*DENSEST), PAWNS, []) < 40_000


def test_with_all_their_choices_the_pictures_have_less_than_50_kilobytes_and_those_of_one_pawn_less_than_40():
    chance = random.Random(2)
    for owned in 3 * (1, 2, 3, 4, 5):
        at = chance.sample(sorted(LONDON.stations), 5)
        own = PAWNS[:owned]
        assert both(placed(*at), own, [], goals_of(own, at)) < (40_000 if owned == 1 else 50_000), (at, owned)


def test_half_of_all_turn_mails_have_pictures_of_less_than_30_kilobytes():
    chance = random.Random(6)
    sizes = []
    for players in (4, 5, 6):
        game = Game.deal(Edition.named("ravensburger-2000"), players, chance)
        while game.to_move:
            game.play(chance.choice(game.legal_moves()))
            view = game.view("spectator")
            for pawn in set(game.to_move) - {"mr_x"}:
                goals = frozenset(move.legs[0].station for move in game.legal_moves(pawn))
                sizes.append(both(picture.pieces(view), [pawn], sorted(deduce(view)), [(pawn, goals)]))
    assert len(sizes) > 100
    assert statistics.median(sizes) < 30_000


def goals_of(own: Sequence[str], at: Sequence[int], board: Board = LONDON) -> list[tuple[str, frozenset[int]]]:
    """Where each of the pawns can go by any line."""
    kinds = ("taxi", "bus", "underground", "ferry")
    reached = [{goal for kind in kinds for goal in board.links[kind].get(start, ())} for start in at]
    return [(pawn, frozenset(goals)) for pawn, goals in zip(own, reached, strict=False)]


def uncut(board: Board, own: Sequence[str], at: Sequence[int]) -> tuple[int, int]:
    """How many choices and own pawns there are, and how many of them are whole in a part with their pawn."""
    pieces, goals = placed(*at, board=board), goals_of(own, at, board)
    crops = map_pictures.cropped(board, pieces, own, goals)
    n = whole = 0
    for piece, (_, stations) in zip(pieces, goals, strict=False):
        for x, y in [(piece.x, piece.y), *(board.stations[goal] for goal in stations)]:
            n += 1
            whole += any(_is_whole(crop, x, y) and _is_whole(crop, piece.x, piece.y) for crop in crops)
    return n, whole


def _is_whole(crop: map_pictures.Crop, x: float, y: float) -> bool:
    """Return True if the sign of a station at (x, y) lies within what a part shows."""
    wide, high = (side / crop.scale for side in crop.size)
    radius = NEAR.radius + 2  # with its outline
    return (
        crop.left <= x - radius
        and x + radius <= crop.left + wide
        and crop.top <= y - radius
        and y + radius <= crop.top + high
    )


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.name)
def test_every_station_that_can_be_chosen_is_whole_in_the_near_picture(board: Board):
    all_of_one = [uncut(board, PAWNS[:1], [station]) for station in board.stations]
    assert sum(n for n, _ in all_of_one) > 900
    assert [n for n, _ in all_of_one] == [whole for _, whole in all_of_one]
    chance = random.Random(3)
    for owned in 100 * (2, 3, 4, 5):
        at = chance.sample(sorted(board.stations), owned)
        n, whole = uncut(board, PAWNS[:owned], at)
        assert n == whole, at


def test_of_several_parts_none_is_shown_whose_numbers_cannot_be_read_on_a_phone():
    chance = random.Random(3)
    left_out = 0
    for owned in 60 * (3, 4, 5):
        at = chance.sample(sorted(LONDON.stations), owned)
        own, goals = PAWNS[:owned], goals_of(PAWNS[:owned], at)
        shown = map_pictures.readable(LONDON, placed(*at), own, goals)
        left_out += shown != own
        crops = map_pictures.cropped(LONDON, placed(*at), shown, goals) if shown else ()
        assert len(shown) <= 2 or all(crop.scale > 0.72 for crop in crops), at
        dropped = [pawn for pawn in own if pawn not in shown]
        before = {crop.pawn: crop.scale for crop in map_pictures.cropped(LONDON, placed(*at), own, goals)}
        assert dropped == [] or min(before.values()) < 0.72
    assert left_out > 30


@pytest.mark.parametrize("own", [["purple"], ["purple", "red"]], ids=len)
def test_one_or_two_pawns_are_always_shown(own: list[str]):
    assert map_pictures.readable(LONDON, placed(1, 199), own, [(own[0], frozenset(LONDON.stations))]) == own


def test_no_picture_is_half_empty():
    chance = random.Random(4)
    for owned in 60 * (1, 2, 3, 4, 5):
        at = chance.sample(sorted(LONDON.stations), owned)
        crops = map_pictures.cropped(LONDON, placed(*at), PAWNS[:owned], goals_of(PAWNS[:owned], at))
        bottom = max(crop.place[1] + crop.size[1] for crop in crops)
        drawn = sum(crop.size[0] * crop.size[1] for crop in crops)
        assert drawn > 0.95 * map_pictures.WIDTH * bottom, at
        for crop in crops:
            assert share_of_the_board(crop) > 0.5, at


def share_of_the_board(crop: map_pictures.Crop) -> float:
    """The share of a part that lies between the outermost stations."""
    shown = 1.0
    for begin, side, places in zip(
        (crop.left, crop.top), crop.size, zip(*LONDON.stations.values(), strict=True), strict=True
    ):
        length = side / crop.scale
        shown *= max(0.0, min(begin + length, max(places)) - max(begin, min(places))) / length
    return shown


def numbered(possible: Sequence[int], *at: int) -> int:
    """How many signs of amber the whole board has that are broader than a square."""
    image = opened(map_pictures.overview(LONDON, placed(*at), possible))
    amber = look.shades()["place"]
    return sum(pixel == amber for pixel in image.get_flattened_data())


def test_the_whole_board_numbers_where_mr_x_can_be_if_that_is_no_more_than_twenty_stations():
    few, many = sorted(LONDON.stations)[:20], sorted(LONDON.stations)[:21]
    assert numbered(few, 153) > 3 * numbered(many, 153)


def test_numbers_on_the_whole_board_lie_on_no_other_number():
    chance = random.Random(5)
    for many in (1, 5, 20, 20, 20):
        at, possible = chance.sample(sorted(LONDON.stations), 5), chance.sample(sorted(LONDON.stations), many)
        boxes = [box for _, box in map_pictures.numbers_of(LONDON, placed(*at), possible)]
        assert len(boxes) == many
        for i, (left, top, right, bottom) in enumerate(boxes):
            for other in boxes[:i]:
                assert not (left < other[2] and other[0] < right and top < other[3] and other[1] < bottom), possible


def both(
    pieces: Sequence[Piece], own: Sequence[str], possible: Sequence[int], choices: map_pictures.Choices = ()
) -> int:
    """Return the bytes of both pictures of a mail."""
    near, whole = map_pictures.surroundings, map_pictures.overview
    return len(near(LONDON, pieces, own, possible, choices)) + len(whole(LONDON, pieces, possible))


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
    assert near.size == (500, 333)
    assert far.size == (500, 2 * 234 + 6)


def test_of_more_pawns_each_gets_a_part_of_its_own():
    assert opened(map_pictures.surroundings(LONDON, placed(*CROWDED), ["purple", "red", "green", "blue"], [])).size == (
        500,
        380,
    )


def test_the_station_of_the_pawn_is_in_the_middle_of_its_surroundings():
    shown = opened(map_pictures.surroundings(LONDON, placed(86, 133), ["purple"], []))
    x, y, ring = shown.width // 2, shown.height // 2, round(17 * NEAR.scale)
    assert [shown.getpixel((x + side, y)) for side in (-ring, ring)] == 2 * [look.shades()["purple"]]


@pytest.mark.parametrize("possible", [[104], [86, 87, 104, 105], sorted(LONDON.stations)], ids=len)
def test_halos_where_mr_x_can_be_hide_no_line_no_station_and_no_number(possible: Sequence[int]):
    names = {colour: name for name, colour in look.shades().items()}
    pieces = placed(86)
    plain, marked = (opened(map_pictures.surroundings(LONDON, pieces, PAWNS[:1], at)) for at in ([], possible))
    changed = {}
    for i, (before, now) in enumerate(zip(plain.get_flattened_data(), marked.get_flattened_data(), strict=True)):
        if before != now:
            changed[i % plain.width, i // plain.width] = names[before], names[now]
    assert len(changed) > 900
    assert set(changed.values()) <= {(ground, "place") for ground in map_pictures.GROUND}
    [crop] = map_pictures.cropped(LONDON, pieces, PAWNS[:1], ())
    for number, (x, y) in LONDON.stations.items():
        middle = (x - crop.left) * crop.scale, (y - crop.top) * crop.scale
        assert all(math.dist(middle, at) > NEAR.radius * NEAR.scale for at in changed), number


def test_the_whole_board_has_a_halo_around_each_station_where_mr_x_can_be():
    amber, scale = look.shades()["place"], map_pictures.FAR.scale
    shown = opened(map_pictures.overview(LONDON, [], [*range(1, 22), 104]))
    points = [((x + MARGIN) * scale, (y + MARGIN) * scale) for x, y in (LONDON.stations[at] for at in (1, 104))]
    around = {
        (i % shown.width, i // shown.width) for i, pixel in enumerate(shown.get_flattened_data()) if pixel == amber
    }
    for point in points:
        assert sum(math.dist(point, (x, y - shown.height + round(841 * scale))) < 8 for x, y in around) > 20


def test_the_preview_of_a_link_has_the_shape_that_programs_show():
    shown = opened(map_pictures.preview(LONDON, placed(86, 133), [104]))
    assert shown.size == (1200, 630)
    assert look.SIZE * map_pictures.LINKED.scale > 11


def test_the_preview_of_a_link_is_in_the_language_of_its_reader():
    english = map_pictures.preview(LONDON, placed(86, 133), [])
    with speaking("de"):
        assert map_pictures.preview(LONDON, placed(86, 133), []) != english
    assert map_pictures.preview(LONDON, placed(86, 133), []) == english


def test_a_pawn_on_the_uppermost_station_keeps_its_head():
    draw = map_pictures.overview
    uppermost = min(LONDON.stations, key=lambda number: LONDON.stations[number][1])

    def purple(station: int) -> int:
        shown = opened(draw(LONDON, placed(station), []))
        return list(shown.get_flattened_data()).count(look.shades()["purple"])

    assert purple(uppermost) > 0.95 * purple(133)
    framed = opened(draw(LONDON, placed(uppermost), []))
    assert len(set(framed.crop((0, 0, framed.width, 1)).get_flattened_data())) == 1, "there is room above its head"
