"""Where figures stand on the board of a page: none hides another, nor a station that matters."""

import random

import pytest

from server.drawing import figures
from server.drawing.figures import Figure
from server.drawing.look import Piece
from server.engine import Board

LONDON = Board.named("london")
PAWNS = ("purple", "red", "green", "yellow", "blue")


def pieces(*stations: int, seen: int | None = None) -> list[Piece]:
    """Return detectives on these stations, and the mark where Mr. X was seen."""
    found = [Piece(pawn, pawn[0].upper(), *LONDON.stations[at]) for pawn, at in zip(PAWNS, stations, strict=False)]
    return found + ([Piece("mr_x", "?", *LONDON.stations[seen])] if seen else [])


def neighbours(station: int) -> set[int]:
    return {stop for stops in LONDON.links.values() for stop in stops.get(station, ())}


def room(figure: Figure) -> figures.Box:
    return figures.box(figure.pawn, (figure.foot_x, figure.foot_y))


def hidden(placed: list[Figure], stations: set[int]) -> list[int]:
    """Return the stations of which a figure hides more than an edge; a figure may touch its own."""
    signs = {station: figures.sign(*LONDON.stations[station]) for station in stations}
    return [
        station
        for station, sign in signs.items()
        for figure in placed
        if LONDON.stations[station] != (figure.x, figure.y) and room(figure).shared(sign) > 60
    ]


@pytest.mark.parametrize("pawn", ["purple", "mr_x"])
def test_a_pawn_alone_hides_no_station_that_it_can_go_to(pawn: str):
    for station in LONDON.stations:
        piece = Piece(pawn, "X", *LONDON.stations[station])
        assert hidden(figures.placed(LONDON, [piece], neighbours(station)), neighbours(station)) == [], station


def test_pawns_that_crowd_hide_neither_each_other_nor_where_they_stand_nor_where_one_can_go():
    chance = random.Random(4)
    for _ in range(150):
        first = chance.choice(list(LONDON.stations))
        near = sorted({far for stop in neighbours(first) for far in neighbours(stop)} | neighbours(first) | {first})
        at = chance.sample(near, min(5, len(near)))
        reach = neighbours(at[0]) - {*at}
        placed = figures.placed(LONDON, pieces(*at, seen=chance.choice(near)), reach)
        rooms = [room(figure) for figure in placed]
        assert [a for i, a in enumerate(rooms) for b in rooms[:i] if a.shared(b)] == []
        assert hidden(placed, reach | {*at}) == []


def test_two_on_one_station_stand_side_by_side_with_a_ring_each():
    one, other = figures.placed(LONDON, pieces(111, seen=111), neighbours(111))
    assert (one.x, one.y) == (other.x, other.y)
    assert room(one).shared(room(other)) == 0
    assert one.ring != other.ring


def test_a_figure_that_hides_nothing_above_its_station_stands_there():
    (figure,) = figures.placed(LONDON, pieces(7), ())
    assert (figure.foot_x, figure.foot_y < figure.y) == (figure.x, True)
