"""Notation, moves as JSON, and what is answered to a move that is not one."""

import pytest

from server.engine import Edition, Game, Illegal, Leg, Move, MoveError, OutOfTurn, Unreadable
from server.engine.errors import shown


def game(to_move="mr_x", **tickets):
    held = {"taxi": 4, "bus": 3, "underground": 3, "black": 2, "double": 1} | tickets
    return Game.at(
        Edition.named("milton-bradley-1985").with_options(board="london"),
        {
            "mr_x": {"station": 46, "tickets": held},
            "detectives": [
                {"pawn": "red", "station": 79, "tickets": {"taxi": 2, "bus": 0, "underground": 1}},
                {"pawn": "green", "station": 78, "tickets": {"taxi": 2, "bus": 2, "underground": 0}},
            ],
            "log_used": 4,
            "to_move": to_move,
        },
    )


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("taxi 46", Move("", (Leg("taxi", 46),))),
        ("red bus 58", Move("red", (Leg("bus", 58),))),
        ("mr_x black 108", Move("mr_x", (Leg("black", 108),))),
        ("  TAXI   46 ", Move("", (Leg("taxi", 46),))),
        ("Double taxi 46\tbus 58", Move("", (Leg("taxi", 46), Leg("bus", 58)))),
        ("taxi 46 surface", Move("", (Leg("taxi", 46),), ())),
        (
            "taxi 46 surface green:bus red:taxi",
            Move("", (Leg("taxi", 46),), (("red", "taxi"), ("green", "bus"))),
        ),
        ("taxi 007", Move("", (Leg("taxi", 7),))),
    ],
)
def test_the_notation_is_read_in_any_case_and_spacing(text, move):
    assert Move.parse(text) == move


def test_a_move_is_written_with_its_pawn_unless_it_is_mr_x_s():
    assert str(Move("red", (Leg("taxi", 46),))) == "red taxi 46"
    assert str(Move("mr_x", (Leg("taxi", 46), Leg("black", 58)))) == "double taxi 46 black 58"
    assert Move("mr_x", (Leg("taxi", 46), Leg("bus", 58))).redacted((False, True)) == "double taxi ? bus 58"


@pytest.mark.parametrize(
    "text",
    [
        "", "   ", "taxi", "46", "taxi46", "taxi forty", "taxi 46 58", "taxi -46", "taxi 4.6", "taxi ٤٦",
        "tram 46", "to 46", "double", "double taxi 46", "double taxi 46 bus", "red", "red red taxi 46",
        "white taxi 46", "taxi 46 surface red", "taxi 46 surface red:black", "taxi 46 surface mr_x:taxi",
        "taxi 46 surface red:taxi red:bus", "taxi 46 surfaces", "taxi 46;bus 58", "taxi 999999999999999999999",
        "taxi 46 " * 100, "taxi " + "9" * 5000, "ferry 115", "walk 46", "taxi ?", "double taxi ? bus ?",
    ],
)  # fmt: skip
def test_what_is_no_move_is_unreadable(text):
    with pytest.raises(Unreadable) as caught:
        game().read(text)
    assert str(caught.value).endswith(".")
    assert caught.value.code == "unreadable"


@pytest.mark.parametrize(
    ("text", "wrong"), [("taxi NN", "NN"), ("Tram 46", "Tram"), ("taxi 46 Please", "Please"), ("taxi TAXI", "TAXI")]
)
def test_a_word_that_is_wrong_is_repeated_as_it_was_written(text: str, wrong: str):
    with pytest.raises(Unreadable) as caught:
        game().read(text)
    assert f'"{wrong}"' in str(caught.value)


def test_a_text_that_names_one_pawn_and_is_given_for_another_is_refused():
    with pytest.raises(Unreadable) as caught:
        game("red").read("green taxi 61", pawn="red")
    assert caught.value.code == "two-pawns"


def test_the_pawn_may_be_left_out_where_one_is_to_move():
    assert game().read("taxi 47").pawn == "mr_x"
    assert game("red").read("taxi 62").pawn == "red"
    assert game("red").read("taxi 62", pawn="red").pawn == "red"


def several():
    starts = {"mr_x": 13, "purple": 26, "red": 29, "green": 34, "yellow": 50, "blue": 53}
    table = Game(Edition.named("milton-bradley-1985"), players=3, starts=starts)
    table.play("taxi 4")
    assert table.to_move == ("purple", "yellow", "blue")
    return table


def test_of_several_pawns_to_move_the_one_that_can_is_meant():
    assert several().read("taxi 37").pawn == "yellow"


def test_it_is_asked_which_pawn_is_meant_where_none_or_several_can():
    with pytest.raises(Unreadable) as caught:
        several().read("taxi 100")
    assert caught.value.code == "which-pawn"
    assert "purple or yellow or blue" in str(caught.value)


@pytest.mark.parametrize(
    ("to_move", "text", "code"),
    [
        ("mr_x", "taxi 200", "no-such-station"),
        ("mr_x", "taxi 0", "no-such-station"),
        ("mr_x", "taxi 99999999999", "no-such-station"),
        ("mr_x", "taxi 46", "stay"),
        ("mr_x", "taxi 100", "not-connected"),
        ("mr_x", "taxi 58", "wrong-ticket"),
        ("mr_x", "bus 78", "onto-detective"),
        ("mr_x", "double taxi 47 taxi 47", "stay"),
        ("mr_x", "double taxi 47 bus 34", "wrong-ticket"),
        ("red", "bus 63", "no-ticket"),
        ("red", "underground 46", None),
        ("red", "bus 78", "no-ticket"),
        ("red", "taxi 78", "occupied"),
        ("red", "taxi 79", "stay"),
        ("red", "black 62", "mr-x-only"),
        ("red", "double taxi 62 taxi 61", "mr-x-only"),
        ("red", "taxi 62 surface", "mr-x-only"),
        ("red", "taxi 62 surface green:taxi", "mr-x-only"),
    ],
)
def test_an_illegal_move_is_refused_with_its_reason_and_what_would_be_legal(to_move, text, code):
    table = game(to_move)
    if code is None:
        assert table.read(text)
        return
    with pytest.raises(Illegal) as caught:
        table.play(text)
    assert caught.value.code == code
    assert caught.value.legal == table.legal_moves(to_move)
    assert table.history == ()


@pytest.mark.parametrize("text", ["red taxi 62", "green taxi 61", "purple taxi 1"])
def test_a_pawn_that_is_not_to_move_is_told_who_is(text):
    with pytest.raises(OutOfTurn, match="mr_x is to move"):
        game().read(text)


def test_no_move_is_taken_after_the_end():
    table = game("red")
    table.play("red underground 46")
    assert table.outcome is not None
    for text in ("taxi 47", "red taxi 47", "mr_x taxi 47"):
        with pytest.raises(OutOfTurn, match="over"):
            table.play(text)


def test_a_sentence_to_a_detective_does_not_depend_on_where_mr_x_is():
    """Mr. X on 46 or on 3: the same move is refused in the same words, or taken."""
    answers = set()
    for station in (46, 3):
        place = game("red").position
        place["mr_x"]["station"] = station
        table = Game.at(game().edition, place)
        said = []
        for to in range(1, 200):
            for ticket in ("taxi", "bus", "underground", "black"):
                try:
                    said.append(str(table.read(f"red {ticket} {to}")))
                except MoveError as error:
                    said.append(f"{error.code} {error}")
        answers.add(tuple(said))
    assert len(answers) == 1


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ({"pawn": "red", "ticket": "taxi", "to": 62}, "red taxi 62"),
        ({"ticket": "taxi", "to": 62, "turn": 3}, "taxi 62"),
        ({"notation": "red taxi 62"}, "red taxi 62"),
        (
            {"double": [{"ticket": "taxi", "to": 1}, {"ticket": "black", "to": 2}]},
            "double taxi 1 black 2",
        ),
        (
            {"ticket": "bus", "to": 1, "surface": {"green": "bus", "red": "taxi"}},
            "bus 1 surface red:taxi green:bus",
        ),
        ({"ticket": "bus", "to": 1, "surface": {}}, "bus 1 surface"),
    ],
)
def test_a_move_is_read_from_json(body, text):
    assert str(Move.from_json(body)) == text


@pytest.mark.parametrize(
    "body",
    [
        {}, [], None, {"ticket": "taxi"}, {"to": 3}, {"ticket": "ferry", "to": 3}, {"ticket": 3, "to": 3},
        {"ticket": "taxi", "to": "3"}, {"ticket": "taxi", "to": True}, {"ticket": "taxi", "to": 3.0},
        {"double": []}, {"double": [{"ticket": "taxi", "to": 3}]}, {"double": "taxi"}, {"double": [1, 2]},
        {"pawn": "white", "ticket": "taxi", "to": 3}, {"pawn": [], "ticket": "taxi", "to": 3},
        {"ticket": "taxi", "to": 3, "double": []}, {"ticket": "taxi", "to": 3, "surface": "red"},
        {"ticket": "taxi", "to": 3, "surface": {"red": "black"}}, {"notation": 5},
        {"ticket": "taxi", "to": 3, "surface": {"red": ["taxi"]}}, {"ticket": ["taxi"], "to": 3},
    ],
)  # fmt: skip
def test_json_that_is_no_move_is_unreadable(body):
    with pytest.raises(Unreadable):
        Move.from_json(body)


@pytest.mark.parametrize("to", [10**5000, -(10**5000), float("nan"), float("inf"), None, [3]], ids=shown)
def test_a_station_that_is_no_number_is_unreadable(to):
    with pytest.raises(Unreadable):
        Move.from_json({"ticket": "taxi", "to": to})


@pytest.mark.parametrize("to", [-5, 0, 200, 99999999999])
def test_a_station_that_is_not_there_is_illegal_and_not_unreadable(to):
    with pytest.raises(Illegal) as caught:
        game().play(Move.from_json({"ticket": "taxi", "to": to}))
    assert caught.value.code == "no-such-station"


@pytest.mark.parametrize(
    "move",
    [
        Move("mr_x", ()),
        Move("mr_x", (Leg("taxi", 47),) * 3),
        Move("mr_x", [Leg("taxi", 100)]),
        Move("mr_x", (Leg("tram", 47),)),
        Move("mr_x", (Leg("taxi", "47"),)),
        Move("mr_x", (Leg("taxi", 10**5000),)),
        Move("mr_x", ((100, "taxi"),)),
        Move(["mr_x"], (Leg("taxi", 47),)),
        Move("white", (Leg("taxi", 47),)),
        Move("mr_x", (Leg("taxi", 47),), (("red", "taxi"), ("red", "taxi"))),
        Move("mr_x", (Leg("taxi", 47),), (("green", "taxi"), ("red", "taxi"))),
        Move("mr_x", (Leg("taxi", 47),), (("red", "black"),)),
        Move("mr_x", (Leg("taxi", 47),), "red:taxi"),
    ],
    ids=shown,
)
def test_a_move_made_by_hand_of_parts_no_move_has_is_unreadable(move):
    table = game()
    with pytest.raises(Unreadable):
        table.play(move)
    with pytest.raises(Unreadable):
        table.check_ahead(move)
    assert table.history == ()


def test_moves_are_values():
    move = Move.parse("red taxi 46")
    assert {move: 1}[Move.parse("RED TAXI 46")] == 1
    with pytest.raises(AttributeError):
        move.pawn = "blue"


def test_legal_moves_are_listed_by_ticket_and_station_with_doubles_last():
    moves = [str(move) for move in game(taxi=1, bus=1, underground=0, black=0, double=1).legal_moves()]
    assert moves[:7] == ["taxi 33", "taxi 45", "taxi 47", "taxi 61", "bus 1", "bus 34", "bus 58"]
    assert all(move.startswith("double") for move in moves[7:])
    assert "double taxi 45 bus 59" not in moves
    assert "double bus 1 taxi 8" in moves


def test_a_list_of_moves_may_be_changed_without_harm():
    table = game()
    table.legal_moves().clear()
    assert table.legal_moves()
