"""Talk over REST: who may write, who may read, and what a message looks like."""

from typing import Any

import pytest

from tests.rows import for_each
from tests.scenes import chase
from tests.table import Person, Playing, Table


@pytest.fixture
def game(table: Table) -> Playing:
    """Ada is Mr. X, Ben to Finn are detectives; it is Mr. X's turn."""
    return chase(table)


def listed(game: Playing, person: Person, **query: Any) -> dict[str, Any]:
    answer = person.get(f"{game.path}/messages", query_string=query)
    assert answer.status_code == 200, answer.json
    return answer.json


def write(game: Playing, person: Person, to: str, text: str, **kwargs: Any) -> Any:
    return person.post(f"{game.path}/messages", {"to": to, "text": text}, **kwargs)


# What it looks like -----------------------------------------------------------------------------


def test_who_writes_gets_his_message_with_its_number_time_and_seat(game: Playing):
    answer = write(game, game.people[3], "team", "Who can cover 100?")
    assert answer.status_code == 201
    assert answer.json == {
        "number": 1, "at": "2026-11-22T18:00:00Z", "from": {"seat": 4, "pawns": ["green"]}, "to": "team",
        "text": "Who can cover 100?",
    }  # fmt: skip


def test_the_list_shows_a_message_as_its_author_got_it(game: Playing):
    written = write(game, game.people[3], "team", "Who can cover 100?").json
    assert listed(game, game.people[1]) == {"messages": [written], "next": 1}


def test_a_list_is_read_on_from_its_next(game: Playing):
    _, ben, cleo, *_ = game.people
    for text in ("one", "two", "three"):
        write(game, ben, "all", text)
    first = listed(game, cleo, limit=2)
    assert [message["text"] for message in first["messages"]] == ["one", "two"]
    rest = listed(game, cleo, after=first["next"], limit=2)
    assert [(message["number"], message["text"]) for message in rest["messages"]] == [(3, "three")]
    assert listed(game, cleo, after=rest["next"]) == {"messages": [], "next": 3}


@for_each("query", [{"after": "x"}, {"limit": 0}, {"limit": 1001}, {"after": -1}, {"more": 1}])
def test_a_wrong_query_is_a_matter_of_form(game: Playing, query: dict[str, Any]):
    assert game.people[1].get(f"{game.path}/messages", query_string=query).json["type"] == "form"


@for_each(
    "text, kept",
    [
        ("first line\r\nsecond  line\n", "first line\nsecond line"),
        ("a\u2028b\u2029c\x85d\te", "a\nb\nc\nd e"),
        ("Größe, 東京, नमस्ते, שלום, 👩‍👩‍👧 \\ <b> =?utf-8?", "Größe, 東京, नमस्ते, שלום, 👩‍👩‍👧 \\ <b> =?utf-8?"),
        ('she said "taxi 46"', 'she said "taxi 46"'),
        ("x" * 1000, "x" * 1000),
    ],
)
def test_a_message_may_hold_any_letters_on_one_line(game: Playing, text: str, kept: str):
    assert write(game, game.people[1], "all", text).json["text"] == kept


@for_each(
    "text",
    ["", " \n ", "x" * 1001, "bell\x07", "nul\x00", "tur\u202en", "is\u2066o", "pop\u202c", 7, None, ["x"]],
)
def test_other_texts_are_a_matter_of_form(game: Playing, text: Any):
    assert write(game, game.people[1], "all", text).json["type"] == "form"


@for_each("to", ["mr_x", "", None, ["team"], "TEAM"])
def test_a_message_goes_to_the_team_or_to_all(game: Playing, to: Any):
    assert write(game, game.people[1], to, "hello").json["type"] == "form"


# Who may write ----------------------------------------------------------------------------------


def test_that_a_spectator_may_not_write_is_told_before_the_form_of_his_message(game: Playing):
    assert write(game, game.table.person("Gus"), "nobody", "").json["type"] == "forbidden"


def test_a_host_without_a_seat_may_not_write(table: Table):
    gus, ada = table.person("Gus"), table.person("Ada")
    path = f"/games/{gus.post('/games', {'edition': 'condensed', 'players': 2}).json['id']}"
    ada.post(f"{path}/seats", {"seat": 1})
    assert gus.post(f"{path}/messages", {"to": "all", "text": "hello"}).json["type"] == "forbidden"


# No more mails ----------------------------------------------------------------------------------


@for_each("wishes", [[True], [True, True], [True, False], [True, False, False], [False]])
def test_the_last_wish_counts(game: Playing, wishes: list[bool]):
    for wish in wishes:
        answer = game.people[1].request("PUT", f"{game.path}/messages/muted", json={"muted": wish})
        assert (answer.status_code, answer.json) == (200, {"muted": wish})
    assert game.people[1].get(f"{game.path}/messages/muted").json == {"muted": wishes[-1]}


@for_each("body", [{}, {"muted": None}, {"muted": "yes"}, {"muted": 2}, {"muted": True, "more": 1}])
def test_another_wish_is_a_matter_of_form(game: Playing, body: dict[str, Any]):
    answer = game.people[1].request("PUT", f"{game.path}/messages/muted", json=body)
    assert (answer.status_code, answer.json["type"]) == (422, "form")


def test_who_has_no_seat_has_nothing_to_mute(game: Playing):
    answer = game.table.person("Gus").request("PUT", f"{game.path}/messages/muted", json={"muted": True})
    assert answer.json["type"] == "forbidden"
