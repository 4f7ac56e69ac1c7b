"""Options of advanced play: each changes what may be done, worked out by hand."""

from server.engine import Board, Surfaced, TicketsTaken, deduce
from tests.engine.test_scenarios import game, moves, play, position, refused, result


def test_mr_x_may_surface_of_his_own_accord_and_takes_a_ticket_from_every_detective():
    table = game(
        position(18, {"purple": (100, 1, 0, 0), "red": (2, 0, 0, 0), "green": (67, 0, 1, 0)}, log_used=4),
        voluntary_surfacing=True,
    )
    assert refused(table, "taxi 8 surface purple:taxi") == "ticket-to-take-missing"
    assert refused(table, "taxi 8 surface purple:bus green:bus") == "ticket-to-take-not-held"
    assert refused(table, "taxi 8 surface purple:taxi red:taxi green:bus") == "ticket-to-take-not-held"
    play(table, "taxi 8 surface purple:taxi green:bus")
    # The last tickets are gone, so no detective can move any more.
    assert result(table) == ("mr_x", "detectives_stranded")
    assert (table.tickets("mr_x")["taxi"], table.tickets("mr_x")["bus"]) == (4, 4)
    seen = table.view("red")
    assert seen["history"] == ["taxi 8 surface purple:taxi green:bus"]
    assert seen["log"][0] == {"window": 5, "ticket": "taxi", "station": 8, "surfaced": True}


def test_after_a_double_move_he_surfaces_on_the_second_leg_only():
    table = game(position(18, {"purple": (100, 5, 0, 0)}, x=(2, 0, 0, 0, 1)), voluntary_surfacing=True)
    play(table, "double taxi 8 taxi 1 surface purple:taxi")
    seen = table.view("purple")
    assert seen["history"] == ["double taxi ? taxi 1 surface purple:taxi"]
    assert seen["pawns"]["purple"]["tickets"]["taxi"] == 4


def test_he_takes_nothing_on_a_window_that_surfaces_anyway():
    table = game(position(18, {"purple": (100, 5, 0, 0)}, log_used=7), voluntary_surfacing=True)
    assert refused(table, "taxi 8 surface purple:taxi") == "surfaces-anyway"


def test_a_mr_x_who_gives_himself_up_takes_no_ticket_and_does_not_surface():
    table = game(position(18, {"purple": (8, 5, 0, 0)}), voluntary_surfacing=True, mr_x_onto_detective="loses")
    events = play(table, "taxi 8 surface purple:taxi")
    assert result(table) == ("detectives", "captured")
    assert table.tickets("purple")["taxi"] == 5
    assert not any(isinstance(event, TicketsTaken | Surfaced) for event in events)


def test_voluntary_surfacing_is_refused_where_it_is_not_played():
    table = game(position(18, {"purple": (100, 5, 0, 0)}))
    assert refused(table, "taxi 8 surface purple:taxi") == "no-voluntary-surfacing"


def cut():
    """The rule book's own example: Mr. X on 153, a detective on 154."""
    return position(153, {"purple": (154, 5, 5, 5)}, x=(0, 0, 1, 1, 0))


def test_a_detective_cuts_off_the_line_that_passes_over_his_station():
    assert "underground 140" in moves(game(cut()))
    table = game(cut(), cut_off=True)
    assert refused(table, "underground 140") == "cut-off"
    assert refused(table, "black 140") == "cut-off"
    assert "underground 163" in moves(table)
    # On the second leg of a double move too.
    table = game(position(163, {"purple": (154, 5, 5, 5)}, x=(0, 0, 2, 0, 1)), cut_off=True)
    assert refused(table, "double underground 153 underground 140") == "cut-off"
    assert "double underground 153 underground 111" in moves(table)


def test_detectives_pass_over_other_pawns_under_the_cut_off_rule_too():
    table = game(
        position(57, {"purple": (153, 5, 5, 5), "red": (154, 5, 5, 5)}, to_move="purple"),
        cut_off=True,
    )
    assert "purple underground 140" in moves(table)


def test_both_lines_between_two_stations_can_be_cut_off_by_one_pawn():
    # 1 and 46 are joined by a bus and an underground, and both pass over 9.
    table = game(position(46, {"purple": (9, 5, 5, 5)}, x=(0, 1, 1, 1, 0)), cut_off=True)
    assert refused(table, "black 1") == "cut-off"
    assert refused(table, "bus 1") == "cut-off"


def test_of_two_lines_under_a_black_ticket_an_open_one_is_taken():
    lines = {"taxi": {"1": [3], "2": [3]}, "bus": {"1": [2]}, "underground": {"1": [2]}, "ferry": {}}
    tiny = Board(
        {
            "name": "tiny", "width": 3, "height": 3, "start_cards": [1],
            "stations": {"1": [0, 0], "2": [1, 1], "3": [2, 2]},
            "lines": lines, "passes_over": {"bus": [[1, 2, [3]]], "underground": []},
        }
    )  # fmt: skip
    assert tiny.transport("black", 1, 2) == "bus"
    assert tiny.transport("black", 1, 2, {3}) == "underground"
    assert tiny.transport("bus", 1, 2, {3}) is None


def test_the_deduction_knows_the_cut_off_rule():
    place = position(153, {"purple": (154, 5, 5, 5)}, last_seen={"window": 4, "station": 153})
    free, cut_off = game(place), game(place, cut_off=True)
    for table in (free, cut_off):
        play(table, "underground 163")
    # Underground from 153: 111, 140 over 154, 163, 185.
    assert deduce(free.view("purple")) == {111, 140, 163, 185}
    assert deduce(cut_off.view("purple")) == {111, 163, 185}
