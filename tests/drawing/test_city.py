"""The city below the lines: what is drawn is where the lines and stations of the board say that it is."""

import json
import math
import re
from collections.abc import Callable, Iterator
from importlib import resources
from itertools import pairwise
from typing import Any

import pytest
from PIL import ImageFont

from server.drawing import map_pictures, picture, printing, replay_picture, rules_pictures
from server.drawing.city import city
from server.engine import Board, Game
from server.vocabulary.resources import docs, templates

BOARDS = [Board.named(name) for name in Board.names()]
LONDON = BOARDS[0]
SHAPES: Any = json.loads((templates() / "board" / "city.json").read_text())
RIVER_WIDTH = 25  # as in templates/board/_city.svg
SIGN = 14  # from the middle of a station to the edge of its sign
OF_LINES = (
    "Vauxhall",
    "Lambeth",
    "Westminster",
    "Hungerford",
    "Waterloo",
    "Blackfriars",
    "Southwark",
    "London",
    "Tower",
)
Point = tuple[float, float]


def river(board: Board = LONDON) -> list[Point]:
    """Return points of the middle of the river, near each other, from the west to the east."""
    below = city(board)
    assert below
    numbers = [float(number) for number in re.findall(r"-?[\d.]+", below.river)]
    (start, *points) = list(zip(numbers[::2], numbers[1::2], strict=True))
    course = [start]
    for bend, end in zip(points[::2], points[1::2], strict=True):
        begin = course[-1]
        course += [
            ((1 - t) ** 2 * begin[0] + 2 * t * (1 - t) * bend[0] + t * t * end[0],
             (1 - t) ** 2 * begin[1] + 2 * t * (1 - t) * bend[1] + t * t * end[1])
            for t in (step / 20 for step in range(1, 21))
        ]  # fmt: skip
    return course


def crossing(a: Point, b: Point, c: Point, d: Point) -> Point | None:
    """Return where two stretches cross, or None."""
    (x, y), (u, v) = (b[0] - a[0], b[1] - a[1]), (d[0] - c[0], d[1] - c[1])
    if not (cross := x * v - y * u):
        return None
    along = ((c[0] - a[0]) * v - (c[1] - a[1]) * u) / cross
    other = ((c[0] - a[0]) * y - (c[1] - a[1]) * x) / cross
    return (a[0] + along * x, a[1] + along * y) if 0 <= along <= 1 and 0 <= other <= 1 else None


def crossings(board: Board, transport: str) -> Iterator[Point]:
    """Yield where the lines of a transport cross the river; a line goes by the stations that it passes over."""
    course = river(board)
    for a, b in board.lines[transport]:
        stops = [board.stations[at] for at in (a, *board.passes_over.get((transport, a, b), ()), b)]
        for begin, end in pairwise(stops):
            yield from filter(None, (crossing(begin, end, c, d) for c, d in pairwise(course)))


def from_river(point: Point) -> float:
    return min(math.dist(point, at) for at in river())


@pytest.mark.parametrize("transport", ["taxi", "bus"])
@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.name)
def test_a_road_crosses_the_river_on_a_bridge(board: Board, transport: str):
    used = {
        name
        for at in crossings(board, transport)
        for name, (a, b) in SHAPES["bridges"].items()
        if math.dist(at, ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2)) < 4
    }
    assert sum(1 for _ in crossings(board, transport)) == {"taxi": 9, "bus": 7}[transport]
    assert len(used) == {"taxi": 9, "bus": 7}[transport]


def test_the_bridges_have_their_order_and_reach_from_bank_to_bank():
    course = river()

    def along(ends: tuple[Point, Point]) -> int:
        return next(i for i, (c, d) in enumerate(pairwise(course)) if crossing(*ends, c, d))

    order = sorted(SHAPES["bridges"], key=lambda name: along(SHAPES["bridges"][name]))
    assert order == [f"{name} Bridge" for name in ("Albert", "Chelsea", *OF_LINES)]
    for name, ends in SHAPES["bridges"].items():
        assert min(map(from_river, ends)) > RIVER_WIDTH / 2, name


def test_every_pier_of_the_ferry_is_by_the_river_and_no_station_in_it():
    away = {number: from_river(at) for number, at in LONDON.stations.items()}
    assert max(away[pier] for pier in LONDON.links["ferry"]) < 40
    assert min(away.values()) > RIVER_WIDTH / 2


def test_no_name_is_behind_a_sign_or_behind_another_name():
    font = ImageFont.truetype(templates() / "board" / "DejaVuSansCondensed.ttf", 110)
    boxes = {}
    for words, (x, y) in SHAPES["names"].items():
        half = font.getlength(words.upper()) / 20
        boxes[words] = (x - half, y - 8, x + half, y)
    for words, (left, top, right, bottom) in boxes.items():
        for number, (x, y) in LONDON.stations.items():
            beside, above = max(left - x, 0, x - right), max(top - y, 0, y - bottom)
            assert math.hypot(beside, above) > SIGN, (words, number)
        for other, box in boxes.items():
            assert other == words or left > box[2] or right < box[0] or top > box[3] or bottom < box[1], (words, other)


def example() -> str:
    """Return the picture of the README's game."""
    view = Game.replay((docs() / "images" / "game.txt").read_text()).view("spectator")
    return picture.svg(view, None)


DRAWINGS: dict[str, Callable[[], str]] = {
    "the board of pages": lambda: picture.layer(LONDON, margin=40, width=1, height=1, thickness=1, **picture.SIGNS),
    "near, of mails": lambda: map_pictures.drawing(LONDON, map_pictures.NEAR),
    "whole, of mails": lambda: map_pictures.drawing(LONDON, map_pictures.FAR),
    "a game": example,
    "a replay": lambda: replay_picture.svg(LONDON, {"red": 1}, [46], [], "", "a caption"),
    "on paper": lambda: printing.svg(LONDON),
    "the rules": lambda: rules_pictures.moves(LONDON).svg,
}


@pytest.mark.parametrize("title", DRAWINGS)
def test_each_drawing_has_the_city_below_its_lines(title: str):
    below, drawn = city(LONDON), DRAWINGS[title]()
    assert below
    lines = drawn.index('stroke-linecap="round"', drawn.index('stroke-width="9"'))
    for path in (below.parks, below.river, below.lakes, below.bridges):
        assert 0 < drawn.index(f'd="{path}"') < lines


def elsewhere() -> Board:
    data = json.loads((resources.files("server.engine") / "boards" / "london.json").read_text())
    return Board(data | {"name": "elsewhere"})


def test_a_board_of_another_city_has_no_thames_and_can_be_drawn():
    assert city(elsewhere()) is None
    assert "THAMES" not in printing.svg(elsewhere())


def test_the_city_makes_the_board_of_pages_larger_by_little():
    london, plain = (
        picture.layer(board, margin=40, width=1, height=1, thickness=1, **picture.SIGNS)
        for board in (LONDON, elsewhere())
    )
    assert 0 < len(london) - len(plain) < 2_500
