"""The city below the lines: what is drawn is where the lines and stations of the board say that it is."""

import gzip
import json
import math
import re
from collections.abc import Callable, Iterator
from importlib import resources
from itertools import combinations, pairwise
from typing import Any

import pytest

from server.drawing import look, map_pictures, picture, printing, replay_picture, rules_pictures
from server.drawing.city import city
from server.engine import Board, Game
from server.vocabulary.resources import docs, templates

BOARDS = [Board.named(name) for name in Board.names()]
LONDON = BOARDS[0]
SHAPES: Any = json.loads((templates() / "board" / "city.json").read_text())
RIVER_WIDTH = 33  # as in templates/board/_board.svg
SIGN = 15  # from the middle of a station to the edge of its disc
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


def boxes() -> dict[str, tuple[float, float, float, float]]:
    """Return the room of each name: left, top, right, bottom."""
    below = city(LONDON)
    assert below
    found = {}
    for name in below.names:
        half = max(map(name.width, name.lines)) / 2
        bottom = name.y + (len(name.lines) - 1) * name.size * 1.1
        found[" ".join(name.lines)] = (name.x - half, name.y - name.size * 0.76, name.x + half, bottom)
    return found


def away(box: tuple[float, float, float, float], point: Point) -> float:
    """Return how far a point is from a room."""
    (left, top, right, bottom), (x, y) = box, point
    return math.hypot(max(left - x, 0, x - right), max(top - y, 0, y - bottom))


def on(a: Point, b: Point) -> Iterator[Point]:
    """Yield points of a stretch, a unit from each other."""
    steps = max(1, round(math.dist(a, b)))
    return ((a[0] + (b[0] - a[0]) * i / steps, a[1] + (b[1] - a[1]) * i / steps) for i in range(steps + 1))


def test_no_name_is_behind_a_disc_or_a_line_or_in_the_water_or_behind_another():
    for words, box in boxes().items():
        for board in BOARDS:
            assert min(away(box, at) for at in board.stations.values()) > SIGN, words
            for transport, lines in look.look(board).lines.items():
                half = look.WIDTHS[transport] / 2 + 1
                for x1, y1, x2, y2 in lines:
                    assert all(away(box, at) > half for at in on((x1, y1), (x2, y2))), (words, transport, x1, y1)
        if words != "Thames":
            assert min(away(box, at) for at in river()) > RIVER_WIDTH / 2, words
    for (one, a), (other, b) in combinations(boxes().items(), 2):
        assert a[0] > b[2] or a[2] < b[0] or a[1] > b[3] or a[3] < b[1], (one, other)


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.name)
def test_no_two_stations_touch(board: Board):
    """A disc has an outline, and that of the underground is in a square."""

    def least(*stations: int) -> float:
        return 30 + 2 * sum(station in board.links["underground"] for station in stations)

    near = [
        (one, other)
        for one, other in combinations(board.stations, 2)
        if math.dist(board.stations[one], board.stations[other]) < min(32, least(one, other))
    ]
    assert near == []


def example() -> str:
    """Return the picture of the README's game."""
    view = Game.replay((docs() / "images" / "game.txt").read_text()).view("spectator")
    return picture.svg(view, None)


DRAWINGS: dict[str, Callable[[], str]] = {
    "the board of pages": lambda: look.layer("ground", LONDON),
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
    lines = drawn.index('class="underground"')
    for path in (below.parks, below.river, below.lakes, below.bridges):
        assert 0 < drawn.index(f'd="{path}"') < lines


def elsewhere() -> Board:
    data = json.loads((resources.files("server.engine") / "boards" / "london.json").read_text())
    return Board(data | {"name": "elsewhere"})


def test_a_board_of_another_city_has_no_thames_and_can_be_drawn():
    assert city(elsewhere()) is None
    assert "THAMES" not in printing.svg(elsewhere())


def test_the_board_of_pages_is_small():
    sizes = [len(gzip.compress(look.layer(layer, LONDON).encode())) for layer in ("ground", "discs")]
    assert sum(sizes) < 16_000
