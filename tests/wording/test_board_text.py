"""The board in sentences."""

from typing import Any

import pytest

from server.engine import Board
from server.vocabulary.translation import ENGLISH, languages, speaking
from server.wording import board_text
from tests.mail.wrapped import commands_in

LONDON = Board.named("london")


def view(**stations: int | None) -> dict[str, Any]:
    return {"pawns": {pawn: {"station": station} for pawn, station in stations.items()}}


def test_a_station_is_told_with_its_lines_and_who_is_near():
    assert board_text.station(LONDON, view(mr_x=None, red=79, green=46, blue=200), 46) == (
        "Station 46 is linked by taxi to 33, 45, 47 and 61; by bus to 1, 34, 58 and 78; by underground to 1, 13, "
        "74 and 79, and nowhere else. On it: Green. One move away: Red at 79. Nobody else can go to 79 now."
    )


def test_the_ferry_is_a_line_too():
    assert "by ferry to 108 and 157" in board_text.station(LONDON, view(), 115)


def test_mr_x_is_near_only_for_who_sees_him():
    assert "Mr. X" not in board_text.station(LONDON, view(mr_x=None), 46)
    assert "Mr. X at 45" in board_text.station(LONDON, view(mr_x=45), 46)


def test_a_station_that_a_detective_holds_is_open_to_nobody_else():
    told = board_text.station(LONDON, view(mr_x=46, red=45, green=78), 46)
    assert "you can go" not in told
    assert "One move away: Red at 45 and Green at 78. Nobody else can go to 45 or 78 now." in told


def test_the_ways_between_two_stations_are_the_shortest():
    assert board_text.between(LONDON, 91, 46) == (
        "It takes four moves from 91 to 46: by taxi to 105, then by taxi or bus to 89, then by underground to 13, then "
        "by underground to 46, and nothing is shorter."
    )


def test_of_many_ways_some_are_told_and_the_rest_counted():
    told = board_text.between(LONDON, 188, 164)
    assert told.count("; or ") == board_text.MOST_WAYS - 1
    assert told.endswith("more of that length.")


def test_a_detective_takes_no_ferry():
    assert "ferry" not in board_text.between(LONDON, 194, 157)


def test_a_station_that_does_not_exist_is_said_so():
    assert board_text.station(LONDON, view(), 200) == "There is no station 200 on this board."
    assert board_text.between(LONDON, 1, 200) == "There is no station 200 on this board."
    assert "two different ones" in board_text.between(LONDON, 1, 1)


@pytest.mark.parametrize("language", languages())
def test_no_description_of_the_board_is_a_command(language: str):
    # The end of an English sentence about others, "go to 46 now.", is a move on a line of its own.
    seen = view() if language == ENGLISH else view(red=46, green=79)
    with speaking(language):
        for station in range(1, 200, 28):
            other = (station * 7) % 199 + 1
            told = f"{board_text.station(LONDON, seen, station)}\n\n{board_text.between(LONDON, station, other)}"
            assert commands_in(told) == set()
