"""Editions, their options and their seats."""

import json
import secrets
from hashlib import sha256
from random import Random

import pytest

from server.engine import DETECTIVES, Board, Edition, EngineError, Game, OptionError, PositionError
from server.engine.errors import shown


def wrong(name="milton-bradley-1985", **options):
    with pytest.raises(OptionError) as caught:
        Edition.named(name).with_options(**options)
    return caught.value


@pytest.mark.parametrize("name", Edition.names())
def test_the_options_of_an_edition_are_plain_data_and_make_it_again(name):
    edition = Edition.named(name)
    printed = json.loads(json.dumps(edition.options))
    assert Edition.named(name).with_options(**printed) == edition
    assert edition.with_options(**printed).options == edition.options


@pytest.mark.parametrize("name", Edition.names())
def test_what_an_edition_hands_out_does_not_change_it(name):
    edition = Edition.named(name)
    edition.options["surfacing"].clear()
    edition.options["detective_tickets"]["taxi"] = 99
    edition.with_options(cut_off=True)
    assert edition == Edition.named(name)
    assert hash(edition) == hash(Edition.named(name))


# Every option of every edition, read off the five documents; the start cards are those of the boards.
CARDS = [13, 26, 29, 34, 50, 53, 91, 94, 103, 112, 117, 132, 138, 141, 155, 174, 197, 198]
CARDS_2013 = {
    "mr_x": [35, 45, 51, 71, 78, 104, 106, 127, 132, 146, 166, 170, 172],
    "detectives": [13, 26, 29, 34, 50, 53, 91, 94, 103, 112, 117, 123, 138, 141, 155, 174],
}
PLAIN = {"taxi": 10, "bus": 8, "underground": 4}
HIS = {"taxi": 4, "bus": 3, "underground": 3, "double": 2}
ENDLESS = {"taxi": None, "bus": None, "underground": None, "double": 2}
NAMES = ("milton-bradley-1985", "ravensburger-2000", "condensed", "ravensburger-2013")
OPTIONS = {
    "board": ("london-milton-bradley", "london", "london", "london"),
    "players": ([3, 6], [3, 6], [2, 6], [5, 6]),
    "pawns": ("five", "one_or_two_each", "one_two_or_four_each", "one_each"),
    "detective_tickets": (PLAIN, PLAIN, PLAIN, PLAIN | {"taxi": 11}),
    "mr_x_tickets": (HIS, HIS, HIS, ENDLESS),
    "black": (5, "per_pawn", "per_pawn", 5),
    "mr_x_supply": ("counted", "counted", "counted", "unlimited"),
    "surfacing": ([3, 8, 13, 18, 24], [3, 8, 13, 18], [3, 8, 13, 18], [3, 8, 13, 18, 24]),
    "log_windows": (24, 24, 24, 24),
    "max_rounds": (None, 22, 22, 22),
    "full_log_wins": ("after_reply",) * 4,
    "turn_order": ("seats", "fixed", "fixed", "any"),
    "start_cards": (CARDS, CARDS, CARDS, CARDS_2013),
    "blocked": ("retry", "retry", "out", "retry"),
    "voluntary_surfacing": (False,) * 4,
    "cut_off": (False,) * 4,
    "mr_x_onto_detective": ("forbidden",) * 4,
    "both_stuck": ("mr_x", "mr_x", "mr_x", "draw"),
    "team_talk": ("private",) * 4,
    "deduction": (True,) * 4,
}


@pytest.mark.parametrize("name", NAMES)
def test_an_edition_has_the_options_of_its_rule_book(name):
    expected = {option: values[NAMES.index(name)] for option, values in OPTIONS.items()}
    assert Edition.named(name).options == expected


def test_there_is_a_row_for_every_option_of_every_edition():
    assert set(NAMES) == set(Edition.names())
    assert all(set(Edition.named(name).options) == set(OPTIONS) for name in NAMES)


def test_mr_x_sees_the_tickets_of_the_detectives_as_all_do():
    game = Game.deal(Edition.named("ravensburger-2000"), players=4, rng=Random(1))
    seen = game.view("mr_x")["pawns"]
    assert {pawn: seen[pawn]["tickets"] for pawn in game.pawns} == dict.fromkeys(game.pawns, PLAIN)
    assert seen["red"]["tickets"] == game.view("spectator")["pawns"]["red"]["tickets"]


@pytest.mark.parametrize(
    ("name", "players", "pawns", "black"),
    [
        ("milton-bradley-1985", 3, 5, 5),
        ("milton-bradley-1985", 6, 5, 5),
        ("ravensburger-2000", 3, 4, 4),
        ("ravensburger-2000", 4, 3, 3),
        ("ravensburger-2000", 6, 5, 5),
        ("condensed", 2, 4, 4),
        ("condensed", 5, 4, 4),
        ("condensed", 6, 5, 5),
        ("ravensburger-2013", 5, 4, 5),
    ],
)
def test_a_deal_hands_out_the_tickets_of_the_rule_book(name, players, pawns, black):
    game = Game.deal(Edition.named(name), players, Random(players))
    column = NAMES.index(name)
    assert [game.tickets(pawn) for pawn in game.pawns] == [OPTIONS["detective_tickets"][column]] * pawns
    assert game.tickets("mr_x") == OPTIONS["mr_x_tickets"][column] | {"black": black}


@pytest.mark.parametrize(
    ("name", "players", "seats"),
    [
        ("milton-bradley-1985", 6, "purple red green yellow blue"),
        ("milton-bradley-1985", 5, "purple+yellow red green blue"),
        ("milton-bradley-1985", 4, "purple+yellow red+green blue"),
        ("milton-bradley-1985", 3, "purple+yellow+blue red+green"),
        ("ravensburger-2000", 6, "purple red green yellow blue"),
        ("ravensburger-2000", 5, "purple red green yellow"),
        ("ravensburger-2000", 4, "purple red green"),
        ("ravensburger-2000", 3, "purple+red green+yellow"),
        ("condensed", 6, "purple red green yellow blue"),
        ("condensed", 4, "purple red green"),
        ("condensed", 3, "purple+red green+yellow"),
        ("condensed", 2, "purple+red+green+yellow"),
        ("ravensburger-2013", 5, "purple red green yellow"),
    ],
)
def test_the_pawns_are_handed_out_as_the_rules_say(name, players, seats):
    expected = (("mr_x",), *(tuple(seat.split("+")) for seat in seats.split()))
    assert Edition.named(name).seats(players) == expected


@pytest.mark.parametrize(
    ("name", "wrong_numbers", "fewest"),
    [
        ("milton-bradley-1985", (2, 7), 3),
        ("ravensburger-2000", (2, 7), 3),
        ("condensed", (1, 7, True), 2),
        ("ravensburger-2013", (4, 7), 5),
    ],
)
def test_a_wrong_number_of_people_is_refused_with_the_range(name, wrong_numbers, fewest):
    for players in wrong_numbers:
        with pytest.raises(OptionError, match=rf"is for {fewest} to 6 people"):
            Edition.named(name).seats(players)


def test_fewer_than_five_people_are_refused_where_they_would_need_bobbies():
    with pytest.raises(OptionError, match="bobbies"):
        Edition.named("ravensburger-2013").seats(4)
    assert "bobbies" in str(wrong("ravensburger-2013", players=[4, 6]))


def test_an_unknown_edition_option_or_board_is_named():
    with pytest.raises(OptionError, match="no edition 'scotland-yard'"):
        Edition.named("scotland-yard")
    assert "no option 'bobbies'" in str(wrong(bobbies=True))
    assert wrong(board="paris").option == "board"
    with pytest.raises(OptionError, match="no board"):
        Board.named("paris")


def nested(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value


NESTED = nested(100_000)
BAD_VALUES = {
    "board": [None, 3, "London", []],
    "players": [4, [3], [6, 3], [1, 6], [3, 7], ["3", 6], None],
    "pawns": [5, "two", None],
    "detective_tickets": [5, {"taxi": -1}, {"taxi": None}, {"ferry": 1}, {"taxi": True}, []],
    "mr_x_tickets": [{"double": None}, {"taxi": 1.5}, {"black": 3}, "many"],
    "black": [-1, None, "five", True, 1e9, float("nan"), float("inf"), 10**5000, -(10**5000)],
    "mr_x_supply": [None, "endless"],
    "surfacing": [3, [0], ["3"], [3.0], None, "3 8", [[3]], [True], [float("nan")], [10**5000], {3}, NESTED],
    "log_windows": [0, -1, None, "24", True, 10**9],
    "max_rounds": [0, "22", 2.5, False],
    "full_log_wins": ["yes", True, None],
    "turn_order": ["clockwise", None],
    "start_cards": [{}, {"mr_x": [1]}, [1, 1], ["1"], None, 5, {"mr_x": 3, "detectives": [4]}],
    "blocked": ["skip", None],
    "voluntary_surfacing": ["true", 1, None],
    "cut_off": ["no", 0, None],
    "mr_x_onto_detective": ["wins", None],
    "both_stuck": ["nobody", None],
    "team_talk": ["secret", None],
    "deduction": ["yes", 1, None],
}


def test_there_are_bad_values_for_every_option():
    assert set(BAD_VALUES) == set(Edition.named("condensed").options)


@pytest.mark.parametrize(
    ("option", "value"), [(name, value) for name, values in BAD_VALUES.items() for value in values], ids=shown
)
def test_a_bad_value_is_refused_with_a_sentence_that_names_the_option(option, value):
    error = wrong(**{option: value})
    assert error.option == option
    assert option in str(error)
    assert str(error).endswith(".")


@pytest.mark.parametrize(
    ("options", "option"),
    [
        ({"surfacing": [3, 25]}, "surfacing"),
        ({"surfacing": [13], "log_windows": 12}, "surfacing"),
        ({"mr_x_supply": "unlimited", "mr_x_tickets": {"taxi": 4}}, "mr_x_tickets"),
        ({"mr_x_tickets": {"taxi": None, "bus": None, "underground": None}}, "mr_x_supply"),
        ({"mr_x_tickets": {"taxi": 0, "bus": 0, "underground": 0}, "black": 0}, "mr_x_tickets"),
        ({"players": [2, 6]}, "players"),
        ({"pawns": "one_each"}, "players"),
        ({"start_cards": [13, 26, 29]}, "start_cards"),
        ({"start_cards": [13, 26, 29, 34, 50, 108]}, "start_cards"),
        ({"start_cards": {"mr_x": [13], "detectives": [13, 26, 29, 34, 50]}}, "start_cards"),
        ({"start_cards": {"mr_x": [], "detectives": [13, 26, 29, 34, 50]}}, "start_cards"),
    ],
)
def test_options_at_odds_with_each_other_are_refused(options, option):
    error = wrong(**options)
    assert (error.option, error.code) == (option, "options-at-odds")


def test_a_shorter_log_leaves_out_the_surfacing_windows_beyond_it():
    edition = Edition.named("milton-bradley-1985").with_options(log_windows=12)
    assert edition.options["surfacing"] == [3, 8]


def test_an_unlimited_supply_needs_no_numbers():
    edition = Edition.named("milton-bradley-1985").with_options(mr_x_supply="unlimited")
    assert edition.mr_x_tickets(5)["taxi"] is None
    assert edition.mr_x_tickets(5)["black"] == 5


def test_the_number_of_one_kind_of_ticket_can_be_set_by_itself():
    edition = Edition.named("condensed").with_options(detective_tickets={"taxi": 3})
    assert edition.detective_tickets() == {"taxi": 3, "bus": 8, "underground": 4}


# Deals and starts


@pytest.mark.parametrize("name", Edition.names())
def test_everybody_draws_a_card_of_his_own(name):
    edition = Edition.named(name)
    his, theirs = edition.cards()
    for seed in range(50):
        game = Game.deal(edition, players=5, rng=Random(seed))
        assert len(set(game.starts.values())) == len(game.starts)
        assert game.starts["mr_x"] in his
        assert {game.starts[pawn] for pawn in game.pawns} <= set(theirs)
        assert game.to_move == ("mr_x",)
    assert Game.deal(edition, players=6, rng=secrets.SystemRandom()).pawns == DETECTIVES


@pytest.mark.parametrize("name", NAMES)
def test_nobody_sees_mr_x_s_card_nor_those_put_aside(name):
    edition = Edition.named(name)
    dealt = Game.deal(edition, 5, Random(3))
    free = next(card for card in edition.cards()[0] if card not in dealt.starts.values())
    other = Game(edition, 5, {**dealt.starts, "mr_x": free})
    for viewer in (*dealt.pawns, "spectator"):
        assert dealt.view(viewer) == other.view(viewer)
    assert dealt.view("mr_x") == Game(edition, 5, dealt.starts).view("mr_x")


def test_every_start_card_is_drawn_by_mr_x_about_as_often():
    edition = Edition.named("ravensburger-2000")
    rng = Random(7)
    drawn = [Game.deal(edition, 3, rng).starts["mr_x"] for _ in range(3600)]
    assert all(140 < drawn.count(card) < 260 for card in edition.cards()[0])


@pytest.mark.parametrize(
    ("starts", "where"),
    [
        ({"mr_x": 13, "purple": 26, "red": 29}, "starts"),
        ({"mr_x": 13, "purple": 26, "red": 29, "blue": 34}, "starts"),
        ({"mr_x": 13, "purple": 26, "red": 26, "green": 34}, "starts.red"),
        ({"mr_x": 13, "purple": 26, "red": 13, "green": 34}, "starts.red"),
        ({"mr_x": 1, "purple": 26, "red": 29, "green": 34}, "starts.mr_x"),
        ({"mr_x": 13, "purple": 200, "red": 29, "green": 34}, "starts.purple"),
        ({"mr_x": "13", "purple": 26, "red": 29, "green": 34}, "starts.mr_x"),
        (None, "starts"),
    ],
)
def test_starts_no_deal_can_give_are_refused(starts, where):
    with pytest.raises(PositionError) as caught:
        Game(Edition.named("ravensburger-2000"), players=4, starts=starts)
    assert caught.value.where == where


# Positions


def position(**changes):
    place = {
        "mr_x": {"station": 104, "tickets": {"taxi": 4, "bus": 3, "underground": 3, "black": 5}},
        "detectives": [
            {"pawn": "red", "station": 117, "tickets": {"taxi": 10, "bus": 8, "underground": 4}},
            {"pawn": "blue", "station": 46, "tickets": {"taxi": 1}},
        ],
        "log_used": 12,
        "to_move": "red",
    }
    return {**place, **changes}


def detective(**changes):
    return {"pawn": "red", "station": 117, "tickets": {"taxi": 10}, **changes}


def test_a_position_is_given_back_as_plain_data_with_all_its_fields():
    game = Game.at(Edition.named("ravensburger-2000"), position())
    assert game.position == {
        "mr_x": {
            "station": 104,
            "tickets": {"taxi": 4, "bus": 3, "underground": 3, "black": 5, "double": 0},
        },
        "detectives": [
            {"pawn": "red", "station": 117, "tickets": {"taxi": 10, "bus": 8, "underground": 4}},
            {"pawn": "blue", "station": 46, "tickets": {"taxi": 1, "bus": 0, "underground": 0}},
        ],
        "log_used": 12,
        "to_move": "red",
        "moved": [],
        "last_seen": None,
    }
    assert Game.at(game.edition, json.loads(json.dumps(game.position))).to_move == ("red",)
    public = {**game.position, "mr_x": {"tickets": game.position["mr_x"]["tickets"]}}
    assert game.view("red")["position"] == public


@pytest.mark.parametrize(
    ("changes", "where"),
    [
        ({"mr_x": None}, "mr_x"),
        ({"mr_x": {"station": 104}}, "mr_x"),
        ({"mr_x": {"station": 0, "tickets": {}}}, "mr_x.station"),
        ({"mr_x": {"station": 117, "tickets": {}}}, "detectives[0].station"),
        ({"mr_x": {"station": 104, "tickets": {"taxi": -1}}}, "mr_x.tickets.taxi"),
        ({"mr_x": {"station": 104, "tickets": {"tram": 1}}}, "mr_x.tickets"),
        ({"mr_x": {"station": 104, "tickets": 5}}, "mr_x.tickets"),
        ({"detectives": []}, "detectives"),
        ({"detectives": [detective(pawn="white")]}, "detectives[0].pawn"),
        ({"detectives": [detective(pawn="mr_x")]}, "detectives[0].pawn"),
        ({"detectives": [detective(), detective(station=1)]}, "detectives[1].pawn"),
        ({"detectives": [detective(), detective(pawn="blue")]}, "detectives[1].station"),
        ({"detectives": [detective(station=200)]}, "detectives[0].station"),
        ({"detectives": [detective(station=True)]}, "detectives[0].station"),
        ({"detectives": [detective(tickets={"black": 1})]}, "detectives[0].tickets.black"),
        ({"detectives": [detective(tickets={"taxi": 1.5})]}, "detectives[0].tickets.taxi"),
        ({"log_used": 25}, "log_used"),
        ({"log_used": -1}, "log_used"),
        ({"to_move": "green"}, "to_move"),
        ({"to_move": None}, "to_move"),
        ({"to_move": ["red"]}, "to_move"),
        ({"moved": [["blue"]]}, "moved"),
        *(({"moved": nothing}, "moved") for nothing in (0, "", {}, False)),
        ({"moved": ["green"]}, "moved"),
        ({"log_used": float("nan")}, "log_used"),
        ({"log_used": 10**5000}, "log_used"),
        ({"mr_x": {"station": 10**5000, "tickets": {}}}, "mr_x.station"),
        ({"mr_x": {"station": 104, "tickets": {"taxi": 10**5000}}}, "mr_x.tickets.taxi"),
        ({"mr_x": {"station": 104, "tickets": NESTED}}, "mr_x.tickets"),
        ({"moved": ["red"]}, "moved"),
        ({"moved": ["mr_x"]}, "moved"),
        ({"moved": "blue"}, "moved"),
        ({"last_seen": {"window": 13, "station": 46}}, "last_seen.window"),
        ({"last_seen": {"window": 0, "station": 46}}, "last_seen.window"),
        ({"last_seen": {"window": 8, "station": 500}}, "last_seen.station"),
        ({"last_seen": {"window": 12, "station": 3}}, "last_seen.station"),
        ({"last_seen": 46}, "last_seen"),
    ],
    ids=shown,
)
def test_a_position_that_cannot_be_is_refused_with_the_place(changes, where):
    with pytest.raises(PositionError) as caught:
        Game.at(Edition.named("ravensburger-2000"), position(**changes))
    assert caught.value.where == where
    assert str(caught.value).startswith(where)


def test_there_is_no_view_for_somebody_who_is_not_there():
    game = Game.at(Edition.named("ravensburger-2000"), position())
    with pytest.raises(EngineError, match="no viewer 'host'"):
        game.view("host")


# Boards


@pytest.mark.parametrize(
    ("name", "taxi", "bus", "missing", "digest"),
    [("london", 346, 99, 200, "1ad9af987610"), ("london-milton-bradley", 345, 101, 108, "15b3e61b85da")],
)
def test_the_boards_have_their_stations_and_lines(name, taxi, bus, missing, digest):
    board = Board.named(name)
    assert set(board.stations) == set(range(1, 201)) - {missing}
    count = {transport: len(lines) for transport, lines in board.lines.items()}
    assert count == {"taxi": taxi, "bus": bus, "underground": 20, "ferry": 3}
    assert len(board.start_cards) == 18
    served = {transport: len(stops) for transport, stops in board.links.items()}
    assert served == {"taxi": 199, "bus": 62, "underground": 14, "ferry": 4}
    for reach in board.reach.values():
        assert all(a in reach[b] for a, stops in reach.items() for b in stops)
    # The lines were held against the printed boards once; a change of one is a change of the board.
    assert sha256(repr(sorted(board.lines.items())).encode()).hexdigest()[:12] == digest


def test_the_examples_of_the_rule_books_are_on_the_board():
    for name in Board.names():
        reach = Board.named(name).reach
        assert reach["underground"][74] == (46,)
        assert reach["taxi"][74] == (58, 73, 75, 92)
        assert reach["bus"][74] == (58, 94)
        assert reach["taxi"][153] == (139, 152, 154, 166, 167)
        assert reach["bus"][153] == (124, 154, 180, 184)
        assert reach["underground"][153] == (111, 140, 163, 185)


def test_the_ferry_calls_at_its_four_piers():
    assert Board.named("london").lines["ferry"] == ((108, 115), (115, 157), (157, 194))
    assert Board.named("london-milton-bradley").lines["ferry"] == (
        (115, 118), (115, 157), (157, 194),
    )  # fmt: skip


def test_a_board_gives_itself_as_plain_data():
    data = json.loads(json.dumps(Board.named("london").to_json()))
    assert data["stations"][0] == {"id": 1, "x": 112, "y": 41}
    assert {"transport": "underground", "from": 140, "to": 153, "passes_over": [154]} in data["lines"]


def tiny():
    return {
        "name": "tiny", "width": 1, "height": 1, "start_cards": [1],
        "stations": {"1": [0, 0], "2": [1, 1], "3": [1, 0]},
        "lines": {"taxi": {"1": [2], "2": [3]}, "bus": {}, "underground": {"1": [3]}, "ferry": {}},
        "passes_over": {"bus": [], "underground": [[1, 3, [2]]]},
    }  # fmt: skip


def test_a_line_passes_over_stations_both_ways():
    assert Board(tiny()).passes_over["underground", 3, 1] == (2,)


@pytest.mark.parametrize("name", Board.names())
def test_games_can_be_played_on_a_board(name):
    board = Board.named(name)
    seen = {1}
    for _ in board.stations:
        seen |= {stop for station in seen for stop in board.links["taxi"][station]}
    assert seen == {*board.stations}, "taxis join all stations"
    assert {*board.links["ferry"], *board.start_cards} <= {*board.stations}
    assert len({*board.start_cards}) == len(board.start_cards)
    for transport, lines in board.lines.items():
        assert len({*lines}) == len(lines), "no line is there twice"
        assert all(a < b for a, b in lines), f"{transport} lines are written from the lower station up"
    for (transport, a, b), over in board.passes_over.items():
        assert b in board.links[transport][a]
        assert {*over} <= {*board.stations} - {*board.links[transport]}
