"""Where Mr. X can be, worked out by hand step by step."""

import json

import pytest

from server.engine import (
    Edition,
    Game,
    PositionError,
    check_members,
    deduce,
)
from tests.engine.test_scenarios import game, play, position


def test_the_deduction_follows_tickets_surfacing_and_the_detectives_steps():
    table = game(
        position(18, {"purple": (57, 5, 5, 5), "red": (19, 5, 5, 5)}, log_used=8,
                 last_seen={"window": 8, "station": 18}, x=(4, 3, 3, 2, 0))
    )  # fmt: skip
    assert deduce(table.view("purple")) == {18}
    play(table, "taxi 43")
    # From 18 a taxi leads to 8, 31 and 43.
    assert deduce(table.view("purple")) == {8, 31, 43}
    play(table, "purple taxi 58")
    assert deduce(table.view("purple")) == {8, 31, 43}
    play(table, "red taxi 8")
    assert deduce(table.view("purple")) == {31, 43}
    play(table, "black 57")
    # 31 leads to 18, 43, 44; 43 leads to 18, 31, 57.
    assert deduce(table.view("purple")) == {18, 31, 43, 44, 57}


def test_the_deduction_knows_the_ferry():
    table = game(
        position(194, {"purple": (1, 5, 5, 5)}, x=(0, 0, 0, 2, 0), log_used=8,
                 last_seen={"window": 8, "station": 194})
    )  # fmt: skip
    play(table, "black 157")
    assert deduce(table.view("purple")) == {157, 192, 193, 195}


def test_the_deduction_leaves_out_stations_he_could_not_have_left():
    # Taxi from 10: 2, 11, 21, 34. With detectives on 10 and 20 he could not move from 2.
    place = position(
        10, {"purple": (33, 5, 5, 5), "red": (9, 5, 5, 5)}, log_used=8,
        last_seen={"window": 8, "station": 10},
    )  # fmt: skip
    table = game(place)
    play(table, "taxi 11", "purple taxi 21")
    assert deduce(table.view("purple")) == {2, 11, 34}
    play(table, "red taxi 20")
    assert deduce(table.view("purple")) == {2, 11, 34}
    table = game(place)
    play(table, "taxi 11", "purple taxi 20")
    assert deduce(table.view("purple")) == {2, 11, 21, 34}


def test_the_deduction_leaves_out_a_station_hemmed_in_on_his_turn():
    # Taxi from 20: 2, 9, 33. Purple steps back to 20, red to 10: from 2 he could not move.
    place = position(
        20, {"purple": (33, 5, 5, 5), "red": (11, 5, 5, 5)}, log_used=8,
        last_seen={"window": 8, "station": 20},
    )  # fmt: skip
    table = game(place)
    play(table, "taxi 9")
    assert deduce(table.view("purple")) == {2, 9}
    play(table, "purple taxi 20", "red taxi 10")
    assert deduce(table.view("purple")) == {9}


def test_the_deduction_begins_with_the_cards_nobody_else_drew():
    starts = {"mr_x": 13, "purple": 26, "red": 29, "green": 34}
    table = Game(Edition.named("ravensburger-2000"), players=4, starts=starts)
    left = {13, 50, 53, 91, 94, 103, 112, 117, 132, 138, 141, 155, 174, 197, 198}
    assert deduce(table.view("spectator")) == left
    table = Game.at(
        Edition.named("ravensburger-2013"),
        position(35, {"purple": (45, 5, 5, 5)}, log_used=0, dealt=True),
    )
    assert deduce(table.view("spectator")) == {35, 51, 71, 78, 104, 106, 127, 132, 146, 166, 170, 172}


def test_in_a_position_that_was_not_dealt_he_may_begin_on_any_free_station():
    table = game(position(18, {"purple": (57, 5, 5, 5)}, log_used=0))
    assert deduce(table.view("purple")) == set(range(1, 200)) - {57}


@pytest.mark.parametrize(
    ("his", "more", "why"),
    [
        (18, {"log_used": 0, "dealt": True}, "he stands on none"),
        (35, {"log_used": 3, "dealt": True}, "no window is used"),
        (35, {"log_used": 0, "dealt": "yes"}, "true or false"),
    ],
)
def test_a_position_is_dealt_only_as_a_deal_can_leave_it(his, more, why):
    with pytest.raises(PositionError, match=why):
        game(position(his, {"purple": (57, 5, 5, 5)}, **more))


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ((), "'log' is no member here; there are mr_x, detectives, log_used, last_seen, to_move, moved, dealt"),
        (("mr_x",), "mr_x: 'log' is no member here; there are station, tickets"),
        (("detectives", 0), r"detectives\[0\]: 'log' is no member here; there are pawn, station, tickets"),
        (("last_seen",), "last_seen: 'log' is no member here; there are window, station"),
    ],
)
def test_a_member_of_a_position_that_means_nothing_is_refused_but_in_a_stored_one(path, why):
    misspelt = position(18, {"purple": (57, 5, 5, 5)}, last_seen={"window": 1, "station": 3})
    check_members(misspelt)
    place = misspelt
    for key in path:
        place = place[key]
    place["log"] = 3
    with pytest.raises(PositionError, match=why):
        check_members(misspelt)
    assert game(misspelt).to_move


def test_without_a_sighting_he_may_be_on_any_free_station():
    table = game(position(18, {"purple": (57, 5, 5, 5)}, log_used=4))
    assert deduce(table.view("purple")) == set(range(1, 200)) - {57}


@pytest.mark.parametrize("to_move", ["mr_x", "purple"])
def test_the_deduction_holds_when_something_else_than_play_ends_the_game(to_move):
    # As above, with a resignation on Mr. X's turn; on a detective's, nothing is known of his next turn.
    place = position(
        20, {"purple": (33, 5, 5, 5), "red": (11, 5, 5, 5)}, log_used=8,
        last_seen={"window": 8, "station": 20},
    )  # fmt: skip
    table = game(place)
    play(table, "taxi 9", *(["purple taxi 20", "red taxi 10"] if to_move == "mr_x" else []))
    seen = json.loads(json.dumps(table.view("spectator")))
    resigned = {"winner": "mr_x", "reason": "resigned", "final": False, "final_at": None}
    after = {**seen, "to_move": [], "outcome": resigned}
    assert deduce(after) == deduce(seen) == ({9} if to_move == "mr_x" else {2, 9})


def test_after_a_capture_the_deduction_is_that_station():
    table = game(position(18, {"purple": (57, 5, 5, 5), "red": (9, 5, 5, 5)}, log_used=8))
    play(table, "taxi 43", "purple taxi 43")
    assert deduce(json.loads(json.dumps(table.view("red")))) == {43}


def test_a_sighting_before_the_last_window_says_nothing_of_a_position():
    place = position(18, {"purple": (57, 5, 5, 5)}, log_used=9, last_seen={"window": 8, "station": 8})
    assert deduce(game(place).view("purple")) == set(range(1, 200)) - {57}
