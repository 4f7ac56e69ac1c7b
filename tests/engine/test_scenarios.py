"""Short games from a position, worked out by hand: one for every end and for every option that changes play.

Stations and lines are those of the printed boards; unless said otherwise the board is Ravensburger's.
Some places they use: 2 is joined by taxi to 10 and 20 only; 30 to 17 and 42; 43 to 18, 31 and 57; 132 to
114 and 140; 138 to 124, 150 and 152; 162 to 136 and 175. None of these has another line.
"""

import pytest

from server.engine import (
    Edition,
    Ended,
    Game,
    Illegal,
    OutOfTurn,
    PassedOver,
    Surfaced,
    deduce,
)


def position(mr_x, detectives, *, x=None, log_used=4, **more):
    """`detectives`: {pawn: (station, taxi, bus, underground)}; `x`: Mr. X's tickets, taxi first."""
    held = dict(zip(("taxi", "bus", "underground", "black", "double"), x or (4, 3, 3, 0, 0), strict=True))
    return {
        "mr_x": {"station": mr_x, "tickets": held},
        "detectives": [
            {"pawn": pawn, "station": s, "tickets": {"taxi": t, "bus": b, "underground": u}}
            for pawn, (s, t, b, u) in detectives.items()
        ],
        "log_used": log_used,
        "to_move": "mr_x",
        **more,
    }


def game(place, edition="milton-bradley-1985", **options):
    options = {"board": "london"} | options
    return Game.at(Edition.named(edition).with_options(**options), place)


def play(table, *moves):
    """Plays the moves; the events of the last one."""
    events = ()
    for move in moves:
        assert table.outcome is None, move
        events = table.play(move)
    return events


def result(table):
    return table.outcome and (table.outcome.winner, table.outcome.reason)


def moves(table, pawn=None):
    return [str(move) for move in table.legal_moves(pawn)]


def refused(table, text):
    with pytest.raises(Illegal) as caught:
        table.read(text)
    return caught.value.code


# Every way to end


def test_a_detective_who_moves_onto_mr_x_wins_in_the_middle_of_the_round():
    table = game(position(18, {"purple": (57, 5, 5, 5), "red": (9, 5, 5, 5)}))
    events = play(table, "taxi 43", "purple taxi 43")
    assert result(table) == ("detectives", "captured")
    assert isinstance(events[-1], Ended)
    assert table.to_move == ()
    assert table.legal_moves() == []
    assert table.view("red")["pawns"]["mr_x"]["station"] == 43


def test_a_full_log_wins_for_mr_x_when_the_detectives_have_answered_the_last_window():
    table = game(position(18, {"purple": (57, 5, 5, 5), "red": (9, 5, 5, 5)}, log_used=23))
    play(table, "taxi 43", "purple taxi 58")
    assert result(table) is None
    play(table, "red taxi 1")
    assert result(table) == ("mr_x", "log_full")


def test_a_capture_in_the_reply_to_the_last_window_beats_the_full_log():
    table = game(position(18, {"purple": (57, 5, 5, 5), "red": (9, 5, 5, 5)}, log_used=23))
    play(table, "taxi 8", "purple taxi 58", "red taxi 1")
    assert result(table) == ("mr_x", "log_full")
    table = game(position(18, {"purple": (57, 5, 5, 5), "red": (19, 5, 5, 5)}, log_used=23))
    play(table, "taxi 8", "purple taxi 58", "red taxi 8")
    assert result(table) == ("detectives", "captured")


def test_a_full_log_wins_at_once_where_the_option_says_so():
    table = game(position(18, {"purple": (57, 5, 5, 5)}, log_used=23), full_log_wins="at_once")
    play(table, "taxi 43")
    assert result(table) == ("mr_x", "log_full")


def test_where_a_full_log_does_not_win_mr_x_is_trapped_by_having_no_window():
    table = game(position(18, {"purple": (57, 5, 5, 5)}, log_used=23), full_log_wins="no")
    play(table, "taxi 8", "purple taxi 43")
    assert result(table) == ("detectives", "mr_x_trapped")


def test_the_last_round_ends_with_the_detectives_reply():
    table = game(position(18, {"purple": (57, 5, 5, 5)}), "ravensburger-2000", max_rounds=2)
    play(table, "taxi 8", "purple taxi 58", "taxi 1")
    assert result(table) is None
    play(table, "purple taxi 59")
    assert result(table) == ("mr_x", "rounds_over")
    assert table.round == 2


@pytest.mark.parametrize(
    ("edition", "options", "log_used", "reason"),
    [
        ("milton-bradley-1985", {}, 23, "log_full"),
        ("ravensburger-2000", {"max_rounds": 1}, 4, "rounds_over"),
        ("ravensburger-2000", {"max_rounds": 1}, 23, "log_full"),
        ("milton-bradley-1985", {}, 22, "detectives_stranded"),
    ],
)
def test_a_full_log_and_the_last_round_come_before_stranded_detectives(edition, options, log_used, reason):
    table = game(position(18, {"purple": (57, 1, 0, 0)}, log_used=log_used), edition, **options)
    play(table, "taxi 8", "purple taxi 58")
    assert result(table) == ("mr_x", reason)


def test_detectives_without_tickets_lose():
    table = game(position(18, {"purple": (57, 1, 0, 0)}))
    play(table, "taxi 8", "purple taxi 58")
    assert result(table) == ("mr_x", "detectives_stranded")


def test_detectives_with_tickets_no_line_takes_lose_at_the_start_too():
    table = game(position(8, {"purple": (57, 0, 3, 2), "red": (9, 0, 1, 1)}))
    assert result(table) == ("mr_x", "detectives_stranded")
    assert table.view("purple")["pawns"]["purple"]["state"] == "stranded"


def test_detectives_who_are_all_hemmed_in_lose():
    # 2 leads to 10 and 20 only, where the others stand without a ticket.
    table = game(position(57, {"purple": (2, 9, 0, 0), "red": (10, 0, 9, 9), "green": (20, 0, 9, 9)}))
    assert result(table) == ("mr_x", "detectives_stranded")


def test_a_detective_who_has_moved_but_could_move_again_keeps_the_game_going():
    table = game(position(57, {"purple": (9, 2, 0, 0), "red": (2, 0, 9, 9)}))
    events = play(table, "taxi 58", "purple taxi 19")
    assert PassedOver("red", "stranded") in events
    assert table.to_move == ("mr_x",)


def test_mr_x_who_cannot_move_loses_when_his_turn_comes_and_not_before():
    table = game(position(10, {"purple": (33, 5, 5, 5), "red": (34, 5, 5, 5), "green": (57, 5, 5, 5)}))
    play(table, "taxi 2", "purple taxi 20", "red taxi 10")
    assert result(table) is None
    play(table, "green taxi 58")
    assert result(table) == ("detectives", "mr_x_trapped")


def test_mr_x_without_a_ticket_for_his_station_is_trapped():
    table = game(position(2, {"purple": (57, 5, 5, 5)}, x=(0, 3, 3, 0, 2)))
    assert result(table) == ("detectives", "mr_x_trapped")


@pytest.mark.parametrize("winner", ["mr_x", "draw", "detectives"])
def test_when_nobody_can_move_both_stuck_decides(winner):
    stuck = position(2, {"purple": (10, 0, 5, 5), "red": (20, 0, 5, 5)})
    assert result(game(stuck, both_stuck=winner)) == (winner, "both_stuck")


def test_both_may_be_stuck_by_the_last_move_of_a_round():
    table = game(position(2, {"purple": (10, 0, 5, 5), "red": (33, 1, 5, 5)}, to_move="red"), both_stuck="draw")
    play(table, "red taxi 20")
    assert result(table) == ("draw", "both_stuck")


def test_a_pawn_that_cannot_move_is_passed_over_before_the_ends_are_looked_at():
    table = game(position(2, {"purple": (33, 1, 5, 5), "red": (10, 0, 5, 5)}, to_move="purple"), both_stuck="draw")
    events = play(table, "purple taxi 20")
    assert PassedOver("red", "stranded") in events
    assert result(table) == ("draw", "both_stuck")


def test_mr_x_who_steps_onto_a_detective_loses_where_he_may():
    place = position(18, {"purple": (43, 5, 5, 5)})
    table = game(place)
    assert "taxi 43" not in moves(table)
    assert refused(table, "taxi 43") == "onto-detective"
    table = game(place, mr_x_onto_detective="loses")
    assert "taxi 43" in moves(table)
    play(table, "taxi 43")
    assert result(table) == ("detectives", "captured")


def test_a_double_move_ends_on_its_first_leg_when_that_steps_onto_a_detective():
    table = game(position(18, {"purple": (43, 5, 5, 5)}, x=(4, 0, 0, 0, 1)), mr_x_onto_detective="loses")
    play(table, "double taxi 43 taxi 57")
    assert result(table) == ("detectives", "captured")
    assert [window.station for window in table.log] == [43]
    assert table.tickets("mr_x") == {
        "taxi": 3, "bus": 0, "underground": 0, "black": 0, "double": 0,
    }  # fmt: skip


EDITIONS = [
    ("milton-bradley-1985", [3, 8, 13, 18, 24], 24),
    ("ravensburger-2000", [3, 8, 13, 18], 22),
    ("condensed", [3, 8, 13, 18], 22),
    ("ravensburger-2013", [3, 8, 13, 18, 24], 22),
]


@pytest.mark.parametrize("doubles", [0, 2])
@pytest.mark.parametrize(("edition", "surfacing", "most_rounds"), EDITIONS)
def test_a_whole_game_surfaces_and_ends_as_its_rule_book_says(edition, surfacing, most_rounds, doubles):
    """Mr. X goes to and fro between 18 and 8, a detective with tickets enough between 100 and 101."""
    place = position(18, {"purple": (100, 30, 0, 0)}, x=(30, 0, 0, 0, doubles), log_used=0)
    table = Game.at(Edition.named(edition), place)
    shown = []
    while table.outcome is None:
        here, there = (18, 8) if table.station("mr_x") == 18 else (8, 18)
        again = table.tickets("mr_x")["double"]
        events = play(table, f"double taxi {there} taxi {here}" if again else f"taxi {there}")
        shown += [event.window for event in events if isinstance(event, Surfaced)]
        in_sight = table.view("purple")["pawns"]["mr_x"]["station"] is not None
        assert in_sight == (table.log_used in surfacing)
        play(table, f"taxi {101 if table.station('purple') == 100 else 100}")
    windows = 24 if doubles else most_rounds
    assert (table.log_used, table.round) == (windows, windows - doubles)
    assert result(table) == ("mr_x", "log_full" if windows == 24 else "rounds_over")
    expected = [window for window in surfacing if window <= windows]
    assert shown == expected
    assert [entry["window"] for entry in table.view("spectator")["log"] if entry["station"]] == expected


# The order of play


def three(to_move="mr_x"):
    return position(57, {"green": (9, 5, 5, 5), "purple": (2, 5, 5, 5), "red": (10, 5, 5, 5)}, to_move=to_move)


def test_in_fixed_order_one_pawn_is_to_move_after_the_other():
    table = game(three(), "ravensburger-2000")
    play(table, "taxi 58")
    assert table.to_move == ("green",)
    play(table, "green taxi 1")
    assert table.to_move == ("purple",)
    with pytest.raises(OutOfTurn):
        table.play("red taxi 11")


def test_a_person_moves_his_own_pawns_in_any_order_before_the_next_does():
    edition = Edition.named("milton-bradley-1985")
    starts = {"mr_x": 13, "purple": 26, "red": 29, "green": 34, "yellow": 50, "blue": 53}
    table = Game(edition, players=4, starts=starts)
    assert table.seats == (("mr_x",), ("purple", "yellow"), ("red", "green"), ("blue",))
    play(table, "taxi 4")
    assert table.to_move == ("purple", "yellow")
    play(table, "yellow taxi 37")
    assert table.to_move == ("purple",)
    play(table, "purple taxi 15")
    assert table.to_move == ("red", "green")
    play(table, "green taxi 10", "red taxi 6")
    assert table.to_move == ("blue",)
    play(table, "blue taxi 40")
    assert (table.to_move, table.round, table.turn) == (("mr_x",), 2, 7)


def test_in_any_order_every_pawn_that_can_move_is_to_move():
    table = game(three("red"), "ravensburger-2000", turn_order="any")
    assert table.to_move == ("green", "purple", "red")
    # 2 is hemmed in once green stands on 20.
    play(table, "green taxi 20")
    assert table.to_move == ("red",)


def test_where_the_order_is_free_a_hemmed_in_pawn_moves_once_another_has_made_way():
    table = game(three("red"), "ravensburger-2000", turn_order="any")
    play(table, "green taxi 20", "red taxi 11")
    assert table.to_move == ("purple",)
    play(table, "purple taxi 10")
    assert table.to_move == ("mr_x",)


def test_moved_pawns_of_a_position_do_not_move_again_in_its_round():
    table = game(three("purple") | {"moved": ["red"]}, "ravensburger-2000")
    assert table.to_move == ("purple",)
    play(table, "purple taxi 20")
    assert table.to_move == ("mr_x",)
    play(table, "taxi 58", "green taxi 19", "purple taxi 33")
    assert table.to_move == ("red",)


# Blocked pawns


def hemmed_in():
    """Purple on 2 is hemmed in by red and green, who move after it and can make way."""
    return position(57, {"purple": (2, 5, 0, 0), "red": (10, 5, 0, 0), "green": (20, 5, 0, 0)})


def test_a_pawn_hemmed_in_is_passed_over_and_tried_again_next_round():
    table = game(hemmed_in(), blocked="retry", turn_order="fixed")
    events = play(table, "taxi 58")
    assert PassedOver("purple", "blocked") in events
    assert table.view("red")["pawns"]["purple"]["state"] == "blocked"
    play(table, "red taxi 11", "green taxi 9", "taxi 59")
    assert table.to_move == ("purple",)


def test_a_pawn_hemmed_in_is_out_of_the_game_where_the_option_says_so():
    table = game(hemmed_in(), "condensed")
    events = play(table, "taxi 58")
    assert PassedOver("purple", "out") in events
    play(table, "red taxi 11", "green taxi 9", "taxi 59")
    assert table.to_move == ("red",)
    assert table.view("red")["pawns"]["purple"]["state"] == "stranded"


def test_a_stranded_pawn_stays_as_an_obstacle():
    table = game(position(57, {"purple": (10, 0, 5, 5), "red": (2, 5, 5, 5)}))
    play(table, "taxi 58")
    assert moves(table) == ["red taxi 20"]
    assert refused(table, "red taxi 10") == "occupied"


# Tickets


def test_a_ticket_spent_by_a_detective_is_mr_x_s_at_once():
    table = game(position(18, {"purple": (46, 5, 5, 5)}))
    play(table, "taxi 8", "purple underground 1")
    assert table.tickets("mr_x")["underground"] == 4
    assert table.tickets("purple") == {"taxi": 5, "bus": 5, "underground": 4}


def test_with_an_unlimited_supply_nothing_is_handed_over_and_nothing_runs_out():
    table = game(position(18, {"purple": (46, 5, 5, 5)}, x=(None, None, None, 1, 0)), "ravensburger-2013")
    play(table, "taxi 8", "purple underground 1")
    assert table.tickets("mr_x") == {
        "taxi": None, "bus": None, "underground": None, "black": 1, "double": 0,
    }  # fmt: skip


def test_mr_x_does_not_travel_without_a_ticket():
    table = game(position(46, {"purple": (57, 5, 5, 5)}, x=(1, 0, 0, 0, 0)))
    assert moves(table) == ["taxi 33", "taxi 45", "taxi 47", "taxi 61"]
    assert refused(table, "bus 1") == "no-ticket"
    play(table, "taxi 33")
    assert table.tickets("mr_x")["taxi"] == 0


def test_the_ferry_takes_a_black_ticket_and_nobody_but_mr_x():
    table = game(position(108, {"purple": (157, 5, 5, 5)}, x=(4, 3, 3, 1, 0)))
    assert "black 115" in moves(table)
    assert refused(table, "taxi 115") == "ferry-needs-black"
    play(table, "black 115")
    assert [window.transport for window in table.log] == ["ferry"]
    assert refused(table, "purple taxi 194") == "ferry-mr-x-only"
    assert refused(table, "purple black 194") == "mr-x-only"


def test_the_same_pier_has_another_number_on_the_other_board():
    table = game(position(115, {"purple": (1, 5, 5, 5)}, x=(0, 0, 0, 1, 0)), board="london-milton-bradley")
    assert moves(table) == [
        "black 102", "black 114", "black 118", "black 126", "black 127", "black 157",
    ]  # fmt: skip


def test_a_black_ticket_hides_the_line_from_all_but_mr_x_until_the_end():
    table = game(position(1, {"purple": (100, 5, 5, 5)}, x=(4, 3, 3, 1, 0)))
    play(table, "black 46")
    assert table.view("purple")["log"] == [{"window": 5, "ticket": "black", "station": None}]
    assert table.view("purple")["history"] == ["black ?"]
    assert table.view("mr_x")["log"][0] == {
        "window": 5, "ticket": "black", "station": 46, "transport": "bus",
    }  # fmt: skip
    assert table.view("purple", opened=True)["log"][0]["transport"] == "bus"
    # From 74 it stands for a taxi, a bus to 94 and the underground to 46.
    table = game(position(74, {"purple": (100, 5, 5, 5)}, x=(0, 0, 0, 1, 0)))
    assert moves(table) == ["black 46", "black 58", "black 73", "black 75", "black 92", "black 94"]


# Double moves and surfacing


def test_a_double_move_fills_two_windows_and_costs_its_card_and_both_tickets():
    table = game(position(18, {"purple": (100, 5, 5, 5)}, x=(1, 1, 0, 0, 1)))
    assert refused(table, "double taxi 8 taxi 1") == "no-ticket"
    table = game(position(18, {"purple": (100, 5, 5, 5)}, x=(2, 1, 0, 0, 1)))
    play(table, "double taxi 8 taxi 1")
    assert table.tickets("mr_x") == {
        "taxi": 0, "bus": 1, "underground": 0, "black": 0, "double": 0,
    }  # fmt: skip
    assert [window.number for window in table.log] == [5, 6]
    assert table.turn == 2


def test_a_double_move_may_come_back_to_where_it_began():
    table = game(position(18, {"purple": (100, 5, 5, 5)}, x=(2, 0, 0, 0, 1)))
    assert "double taxi 8 taxi 18" in moves(table)


def test_a_double_move_needs_a_card_and_two_free_windows():
    table = game(position(18, {"purple": (100, 5, 5, 5)}, x=(2, 0, 0, 0, 0)))
    assert refused(table, "double taxi 8 taxi 1") == "no-double-card"
    table = game(position(18, {"purple": (100, 5, 5, 5)}, x=(2, 0, 0, 0, 1), log_used=23))
    assert refused(table, "double taxi 8 taxi 1") == "no-window-left"
    assert moves(table) == ["taxi 8", "taxi 31", "taxi 43"]


def test_a_double_move_is_legal_only_if_both_halves_are():
    # From 18 a taxi leads to 8, 31 and 43, and from 43 to 18, 31 and 57.
    table = game(position(18, {"purple": (8, 5, 5, 5), "red": (57, 5, 5, 5)}, x=(2, 0, 0, 0, 1)))
    assert refused(table, "double taxi 8 taxi 1") == "onto-detective"
    assert refused(table, "double taxi 43 taxi 57") == "onto-detective"
    assert refused(table, "double taxi 43 taxi 8") == "not-connected"
    assert [move for move in moves(table) if move.startswith("double taxi 43")] == [
        "double taxi 43 taxi 18", "double taxi 43 taxi 31",
    ]  # fmt: skip
    assert not any("double taxi 8" in move for move in moves(table))


def test_a_double_move_that_surfaces_on_its_first_leg_shows_that_station_and_hides_the_next():
    table = game(position(18, {"purple": (100, 5, 5, 5)}, x=(2, 0, 0, 0, 1), log_used=7))
    events = play(table, "double taxi 8 taxi 1")
    assert events[1] == Surfaced(8, 8)
    seen = table.view("purple")
    assert seen["history"] == ["double taxi 8 taxi ?"]
    assert seen["log"] == [
        {"window": 8, "ticket": "taxi", "station": 8, "surfaced": True},
        {"window": 9, "ticket": "taxi", "station": None},
    ]
    assert seen["pawns"]["mr_x"]["station"] is None
    assert seen["pawns"]["mr_x"]["last_seen"] == {"window": 8, "station": 8}
    # From 8 a taxi leads to 1, 18 and 19.
    assert deduce(seen) == {1, 18, 19}


def test_a_double_move_that_surfaces_on_its_second_leg_shows_where_it_ends():
    table = game(position(18, {"purple": (100, 5, 5, 5)}, x=(2, 0, 0, 0, 1), log_used=6))
    play(table, "double taxi 8 taxi 1")
    seen = table.view("purple")
    assert seen["history"] == ["double taxi ? taxi 1"]
    assert seen["pawns"]["mr_x"]["station"] == 1
    assert deduce(seen) == {1}


def test_the_station_shown_is_hidden_again_by_the_next_move():
    table = game(position(18, {"purple": (100, 5, 5, 5)}, log_used=7))
    play(table, "taxi 8", "purple taxi 101")
    assert table.view("purple")["pawns"]["mr_x"]["station"] == 8
    play(table, "taxi 19")
    seen = table.view("purple")
    assert seen["pawns"]["mr_x"]["station"] is None
    assert [entry["station"] for entry in seen["log"]] == [8, None]


def test_a_double_move_may_fill_the_last_two_windows_and_no_more():
    table = game(position(18, {"purple": (100, 5, 5, 5)}, x=(2, 0, 0, 0, 1), log_used=4), log_windows=6)
    play(table, "double taxi 8 taxi 18")
    assert result(table) is None
    play(table, "purple taxi 101")
    assert result(table) == ("mr_x", "log_full")


def test_two_tickets_of_the_same_kind_are_needed_for_a_double_move_under_black_too():
    table = game(position(18, {"purple": (100, 5, 5, 5)}, x=(1, 0, 0, 1, 1)))
    assert "double taxi 8 black 1" in moves(table)
    assert "double black 8 taxi 1" in moves(table)
    assert refused(table, "double black 8 black 1") == "no-ticket"


def test_two_lines_to_one_station_are_one_move_under_a_black_ticket():
    # From 46 a bus and the underground lead to 1.
    table = game(position(46, {"purple": (100, 5, 5, 5)}, x=(0, 1, 1, 1, 0)))
    assert moves(table).count("black 1") == 1
    assert {"bus 1", "underground 1"} <= set(moves(table))


def test_without_surfacing_windows_he_is_never_shown():
    table = game(position(18, {"purple": (100, 5, 5, 5)}, log_used=2), surfacing=[])
    play(table, "taxi 8")
    assert table.view("purple")["history"] == ["taxi ?"]
