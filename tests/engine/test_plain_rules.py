"""Moves ahead, and the plain rules: what is refused, and in which words."""

import copy
import pickle

import pytest

from server.engine import (
    Edition,
    Game,
    Illegal,
)
from tests.engine.test_scenarios import game, moves, play, position, refused


def test_a_pawn_may_plan_ahead_over_pawns_that_move_before_it():
    table = game(
        position(46, {"purple": (10, 5, 0, 0), "red": (2, 5, 0, 0), "green": (20, 5, 0, 0)}),
        "ravensburger-2000",
    )
    assert table.moves_ahead("red") == []
    play(table, "taxi 47")
    assert [str(move) for move in table.moves_ahead("red")] == ["red taxi 10"]
    assert [str(move) for move in table.moves_ahead("green")] == ["green taxi 2", "green taxi 9", "green taxi 33"]
    play(table, "purple taxi 11")
    assert table.moves_ahead("purple") == []
    assert moves(table) == ["red taxi 10"]


def test_a_stranded_pawn_is_in_the_way_of_moves_ahead():
    table = game(position(46, {"purple": (10, 0, 5, 5), "red": (2, 5, 0, 0)}), "ravensburger-2000")
    play(table, "taxi 47")
    assert [str(move) for move in table.moves_ahead("red")] == ["red taxi 20"]


def test_a_trip_goes_to_the_next_stop_of_its_line_and_no_other():
    table = game(position(74, {"purple": (1, 5, 5, 5)}))
    assert moves(table) == [
        "taxi 58", "taxi 73", "taxi 75", "taxi 92", "bus 58", "bus 94", "underground 46",
    ]  # fmt: skip
    assert refused(table, "underground 13") == "not-connected"
    assert refused(table, "underground 58") == "wrong-ticket"


def test_nobody_may_stay_where_he_is():
    table = game(position(74, {"purple": (1, 5, 5, 5)}))
    assert refused(table, "taxi 74") == "stay"
    play(table, "taxi 73")
    assert refused(table, "purple bus 1") == "stay"


def test_pawns_pass_over_each_other_on_bus_and_underground_lines():
    table = game(position(153, {"purple": (154, 5, 5, 5), "red": (163, 5, 5, 5), "green": (124, 5, 5, 5)}))
    assert "underground 140" in moves(table)
    play(table, "underground 140", "purple taxi 139")
    # The line from 163 to 111 passes over 124, where green stands.
    assert "red underground 111" in moves(table)


def test_a_player_may_go_back_and_forth_for_the_tickets():
    table = game(position(18, {"purple": (57, 5, 5, 5)}))
    play(table, "taxi 8", "purple taxi 43", "taxi 18", "purple taxi 57", "taxi 8")
    assert table.station("purple") == 57
    assert table.tickets("purple")["taxi"] == 3


def test_each_pawn_of_a_person_pays_with_its_own_tickets():
    starts = {"mr_x": 13, "purple": 26, "red": 29, "green": 34, "yellow": 50}
    table = Game(Edition.named("ravensburger-2000"), players=3, starts=starts)
    play(table, "taxi 4", "purple taxi 15")
    assert table.tickets("purple")["taxi"] == 9
    assert table.tickets("red")["taxi"] == 10


def test_the_order_is_pawn_by_pawn_even_where_one_person_holds_two_of_them():
    starts = {"mr_x": 13, "purple": 26, "red": 29, "green": 34, "yellow": 50}
    table = Game(Edition.named("ravensburger-2000"), players=3, starts=starts)
    play(table, "taxi 4")
    for pawn in ("purple", "red", "green", "yellow"):
        assert table.to_move == (pawn,)
        play(table, str(table.legal_moves()[0]))


def test_two_double_moves_may_follow_each_other():
    table = game(position(18, {"purple": (100, 5, 5, 5)}, x=(4, 0, 0, 0, 2), log_used=3))
    play(table, "double taxi 8 taxi 1", "purple taxi 101", "double taxi 9 taxi 20")
    # Of four taxi tickets four are spent, and one came from purple.
    assert (table.tickets("mr_x")["double"], table.tickets("mr_x")["taxi"]) == (0, 1)
    assert table.log_used == 7


def test_a_ticket_handed_over_can_be_used_on_the_next_turn():
    table = game(position(33, {"purple": (100, 5, 5, 5)}, x=(1, 0, 0, 0, 0)))
    play(table, "taxi 46", "purple bus 82", "bus 1")
    assert table.tickets("mr_x")["bus"] == 0


def test_the_tickets_of_1985_last_for_22_rounds_and_the_log_for_24_windows():
    held = Edition.named("milton-bradley-1985").detective_tickets()
    doubles = Edition.named("milton-bradley-1985").mr_x_tickets(5)["double"]
    assert sum(held.values()) == 22
    assert sum(held.values()) + doubles == Edition.named("milton-bradley-1985").options["log_windows"]


def test_a_stranded_detective_is_left_out_while_the_others_play_on():
    table = game(position(18, {"purple": (57, 0, 0, 0), "red": (2, 5, 5, 5)}))
    play(table, "taxi 8")
    assert table.to_move == ("red",)
    assert table.view("red")["pawns"]["purple"]["state"] == "stranded"


def test_supplies_and_log_are_public_and_the_start_card_is_not():
    table = game(position(18, {"purple": (57, 5, 5, 5)}))
    play(table, "taxi 8")
    for viewer in ("mr_x", "purple", "spectator"):
        pawns = table.view(viewer)["pawns"]
        assert pawns["mr_x"]["tickets"]["taxi"] == 3
        assert pawns["purple"]["tickets"] == {"taxi": 5, "bus": 5, "underground": 5}
        assert (pawns["purple"]["station"], pawns["mr_x"]["station"]) == (57, 8 if viewer == "mr_x" else None)
    for viewer in ("purple", "spectator"):
        seen = table.view(viewer)
        assert seen["log"] == [{"window": 5, "ticket": "taxi", "station": None}]
        assert seen["history"] == ["taxi ?"]
        assert seen["starts"] == {"purple": 57}
    assert table.view("mr_x")["starts"] == {"mr_x": 18, "purple": 57}


def test_after_a_capture_only_that_station_is_shown_until_all_is_opened():
    table = game(position(18, {"purple": (57, 5, 5, 5)}))
    play(table, "taxi 31", "purple taxi 58", "taxi 43", "purple taxi 57", "taxi 18", "purple taxi 43")
    play(table, "taxi 31", "purple taxi 31")
    seen = table.view("spectator")
    assert [entry["station"] for entry in seen["log"]] == [None, None, None, 31]
    assert seen["history"][::2] == ["taxi ?", "taxi ?", "taxi ?", "taxi 31"]
    assert seen["starts"] == {"purple": 57}
    opened = table.view("spectator", opened=True)
    assert [entry["station"] for entry in opened["log"]] == [31, 43, 18, 31]
    assert opened["starts"] == {"mr_x": 18, "purple": 57}


@pytest.mark.parametrize("twin_of", [copy.copy, copy.deepcopy, lambda table: pickle.loads(pickle.dumps(table))])
def test_a_copied_game_is_played_on_by_itself(twin_of):
    table = game(position(18, {"purple": (57, 5, 5, 5)}))
    play(table, "taxi 8")
    before = table.view("mr_x")
    twin = twin_of(table)
    assert twin.view("mr_x") == before
    play(twin, "purple taxi 43")
    assert table.view("mr_x") == before
    assert table.to_move == ("purple",)


def sentence(table, move):
    with pytest.raises(Illegal) as error:
        table.play(move)
    return str(error.value)


def test_an_illegal_move_is_never_told_to_go_to_an_occupied_station():
    # 46 is joined by bus to 1, 34, 58 and 78, and by taxi to 33, 45, 47 and 61.
    place = position(190, {"purple": (46, 5, 5, 5), "red": (58, 5, 5, 5), "green": (45, 5, 5, 5)}, to_move="purple")
    table = game(place)
    assert "bus leads from there to 1, 34 and 78." in sentence(table, "purple bus 100")
    assert "taxi leads from there to 33, 47 and 61." in sentence(table, "purple taxi 100")
    assert sentence(table, "purple taxi 58") == "No taxi runs from 46 to 58, and a detective stands there."


def test_one_free_window_is_one():
    table = game(position(18, {"purple": (100, 5, 5, 5)}, x=(2, 0, 0, 0, 1), log_used=23))
    assert sentence(table, "double taxi 8 taxi 18") == "The log has 1 free window; a double move needs two."
