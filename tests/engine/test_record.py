"""Game records: what they hold, what they keep back, and what is said of a wrong one."""

import json
from random import Random

import pytest

from server.engine import ENGINE_VERSION, Edition, Game, RecordError
from server.engine.errors import shown


def game():
    edition = Edition.named("ravensburger-2000").with_options(cut_off=True)
    starts = {"mr_x": 117, "purple": 141, "red": 155, "green": 91}
    table = Game(edition, players=4, starts=starts)
    for move in ("taxi 108", "purple taxi 158", "red taxi 156", "green taxi 105", "black 115"):
        table.play(move)
    return table


TEXT = f"""\
Black Ticket game record
Engine: {ENGINE_VERSION}
Edition: ravensburger-2000
Options: {{"cut_off": true}}
Board: london
Seats: mr_x, purple, red, green
Starts: mr_x 117, purple 141, red 155, green 91
Result: *

1. taxi 108; purple taxi 158; red taxi 156; green taxi 105
2. black 115
"""


def test_a_record_is_a_text_people_can_read():
    assert game().record() == TEXT


def test_a_record_may_carry_further_headers():
    text = game().record(Date="2026-11-22", Result="mr_x, resigned")
    assert "Date: 2026-11-22\n" in text
    assert Game.replay(text).history == game().history


@pytest.mark.parametrize(
    "headers",
    [{"Engine": "2"}, {"Date": "a\nb"}, {"moves": "x"}, {"Date": "a\u20281. taxi 3"}, {"Date": "a\r"}],
)
def test_a_header_cannot_stand_in_for_the_record_s_own(headers):
    with pytest.raises(RecordError):
        game().record(**headers)


@pytest.mark.parametrize("viewer", ["purple", "spectator"])
def test_the_record_given_to_others_hides_mr_x_s_stations(viewer):
    text = game().record(viewer)
    assert "Starts: purple 141, red 155, green 91\n" in text
    assert "1. taxi ?; purple taxi 158" in text
    assert "2. black ?\n" in text
    assert "108" not in text
    assert "117" not in text


def test_the_record_is_whole_for_mr_x_and_once_opened():
    assert game().record("mr_x") == game().record("purple", opened=True) == TEXT


def test_a_redacted_record_says_that_it_cannot_be_replayed():
    with pytest.raises(RecordError) as caught:
        Game.replay(game().record("purple"))
    assert caught.value.code == "redacted"


def test_a_record_is_also_plain_data():
    data = json.loads(json.dumps(game().record_json()))
    assert data["moves"] == [["taxi 108", "purple taxi 158", "red taxi 156", "green taxi 105"], ["black 115"]]
    assert Game.replay(data).record() == TEXT
    assert Game.replay(json.dumps(data)).record() == TEXT


def test_a_game_from_a_position_is_recorded_with_it():
    position = {
        "mr_x": {"station": 18, "tickets": {"taxi": 4}},
        "detectives": [{"pawn": "red", "station": 57, "tickets": {"taxi": 10}}],
        "log_used": 4,
        "to_move": "red",
    }
    table = Game.at(Edition.named("condensed"), position)
    table.play("taxi 43")
    table.play("taxi 8")
    again = Game.replay(table.record())
    assert again.view("mr_x") == table.view("mr_x")
    assert '"station": 18' not in table.record("red")


@pytest.mark.parametrize(
    ("old", "new", "line", "code"),
    [
        ("Black Ticket game record", "A game", 1, "unreadable"),
        (f"Engine: {ENGINE_VERSION}", "Engine: 0.3", 2, "other-engine"),
        ("ravensburger-2000", "ravensburger-1999", 3, "bad-record"),
        ('"cut_off": true', '"cut_off": 1', 4, "bad-record"),
        ('"cut_off": true', '"cut_off": ', 4, "unreadable"),
        ('{"cut_off": true}', "[]", 4, "unreadable"),
        ("Board: london", "Board: london-milton-bradley", 5, "bad-record"),
        ("Seats: mr_x, purple, red, green", "Seats: mr_x, red, purple, green", 6, "bad-record"),
        ("Seats: mr_x, purple, red, green", "Seats: mr_x", 7, "bad-record"),
        ("mr_x 117", "mr_x 1", 7, "bad-record"),
        ("mr_x 117", "mr_x one", 7, "unreadable"),
        ("Result: *\n", "", 0, "missing"),
        ("Starts: mr_x 117, purple 141, red 155, green 91\n", "", 0, "missing"),
        ("1. taxi 108", "1. taxi 109", 10, "wrong-move"),
        ("red taxi 156", "red taxi", 10, "wrong-move"),
        ("red taxi 156; ", "", 10, "wrong-move"),
        ("2. black 115", "3. black 115", 11, "wrong-round"),
        ("; green taxi 105\n2. ", "\n2. green taxi 105; ", 11, "wrong-round"),
        ("2. black 115", "2. black 115\nand so on", 12, "unreadable"),
        ("Board: london", "Board: london\nBoard: london", 6, "unreadable"),
        ("purple 141", "mr_x 141", 7, "unreadable"),
        ("purple 141", "purple 155", 7, "bad-record"),
        ("mr_x 117", "mr_x " + "9" * 5000, 7, "unreadable"),
        ('{"cut_off": true}', "[" * 100_000, 4, "unreadable"),
        ('{"cut_off": true}', '{"cut_off": NaN}', 4, "bad-record"),
        ('{"cut_off": true}', '{"cut_on": true}', 4, "bad-record"),
        ('{"cut_off": true}', '{"self": true}', 4, "bad-record"),
        ("Result: *", "Result: detectives, captured", 8, "wrong-result"),
        ("Result: *", "Result: resigned", 8, "wrong-result"),
        ("2. black 115", "2. black 115\n3. ", 12, "wrong-round"),
        ("2. black 115", "2. black ?", 11, "redacted"),
        ("2. black 115", "2. black 115; purple taxi 200", 11, "wrong-move"),
    ],
)
def test_an_edited_record_is_refused_with_the_line(old, new, line, code):
    assert old in TEXT
    with pytest.raises(RecordError) as caught:
        Game.replay(TEXT.replace(old, new))
    assert (caught.value.line, caught.value.code) == (line, code)
    assert str(caught.value).startswith(f"Line {line}: " if line else "The record")


def test_a_wrong_result_of_a_finished_game_is_noticed():
    rng = Random(3)
    table = Game.deal(Edition.named("condensed"), 3, rng)
    while table.outcome is None:
        table.play(rng.choice(table.legal_moves()))
    text = table.record()
    result = f"Result: {table.outcome.winner}, {table.outcome.reason}"
    assert result in text
    with pytest.raises(RecordError) as caught:
        Game.replay(text.replace(result, "Result: *"))
    assert caught.value.code == "wrong-result"
    with pytest.raises(RecordError):
        Game.replay(text + "99. taxi 1\n")


@pytest.mark.parametrize(
    "source",
    ["", "{", "{}", "[]", {}, {"engine": 1}, "\n\n", None, 5, b"x", [], "{" + '"a":[' * 100_000, '{"a": ' + "9" * 5000],
)
def test_what_is_no_record_is_refused(source):
    with pytest.raises(RecordError):
        Game.replay(source)


@pytest.mark.parametrize("name", ["engine", "edition", "options", "board", "seats", "starts", "result", "moves"])
@pytest.mark.parametrize("value", [None, 5, float("nan"), "x", [], [[]], {}, [5], {"mr_x": None}, 10**5000], ids=shown)
def test_a_json_record_with_a_wrong_value_is_refused(name, value):
    if (name, value) in [("options", {}), ("moves", [])]:
        value = None
    with pytest.raises(RecordError):
        Game.replay({**game().record_json(), name: value})
    with pytest.raises(RecordError):
        Game.replay({**game().record_json(), "position": value})


@pytest.mark.parametrize("indent", [None, 1, 2])
def test_the_line_of_a_fault_in_json_is_named_too(indent):
    text = json.dumps(game().record_json(), indent=indent)
    for old, new, line_of in (
        ("black 115", "black 120", '"black 115"' if not indent else "["),
        ('"cut_off": true', '"cut_off": 7', '"options"'),
        ('"purple": 141', '"purple": 300', '"starts"'),
    ):
        with pytest.raises(RecordError) as caught:
            Game.replay(text.replace(old, new))
        assert line_of in text.split("\n")[caught.value.line - 1]
