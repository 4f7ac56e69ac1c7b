"""The calendar of a player's deadlines, at a secret address."""

import logging
from typing import Any

import pytest

from server.models import Token, session
from tests.databases import stored
from tests.table import Person, Table


def address(person: Person) -> str:
    made = person.post("/me/tokens", {"name": "phone", "scopes": ["calendar"]})
    assert made.status_code == 201
    return f"/api/v1/calendars/{made.json['token']}"


def read(table: Table, path: str) -> Any:
    return table.client.get(path)


def summaries(answer: Any) -> list[str]:
    assert answer.status_code == 200
    return [line.partition(":")[2] for line in answer.text.split("\r\n") if line.startswith(("SUMMARY", "DTSTART"))]


def test_it_has_the_deadline_of_each_game_that_waits_and_of_no_other(table: Table):
    game = table.dealt(3)
    mine, theirs = address(game.people[0]), address(game.people[1])
    name = game.view()["name"]
    assert summaries(read(table, mine)) == ["20261124T180000Z", f"Your move in {name}"]
    assert summaries(read(table, theirs)) == []
    game.move(game.people[0], game.legal(game.people[0])[0])
    assert summaries(read(table, mine)) == []
    assert summaries(read(table, theirs)) == ["20261124T180000Z", f"Your move in {name}"]


def test_the_entry_of_a_turn_keeps_its_id_and_programs_may_ask_again_cheaply(table: Table):
    game = table.dealt(3)
    path = address(game.people[0])
    first = read(table, path)
    table.clock.turn(hours=1)
    assert read(table, path).text == first.text
    assert first.mimetype == "text/calendar"
    assert first.headers["Cache-Control"] == "private, no-cache"
    assert table.client.get(path, headers={"If-None-Match": first.headers["ETag"]}).status_code == 304


def test_it_names_no_station_and_no_pawn(table: Table):
    game = table.dealt(3)
    said = read(table, address(game.people[0])).text
    view = game.view(game.people[0])
    assert str(view["pawns"]["mr_x"]["station"]) not in [word.strip(",;") for word in said.split()]
    assert not any(pawn.capitalize() in said for pawn in view["pawns"])


def test_revoked_it_is_not_there_any_more(table: Table):
    person = table.person("Ada")
    path = address(person)
    (listed,) = [token for token in person.get("/me/tokens").json["tokens"] if token["scopes"] == ["calendar"]]
    assert read(table, path).status_code == 200
    mine = {"Authorization": f"Bearer {person.token}"}
    assert table.client.delete(f"/api/v1/me/tokens/{listed['id']}", headers=mine).status_code == 204
    gone = read(table, path)
    assert (gone.status_code, gone.json["type"]) == (404, read(table, "/api/v1/calendars/nothing").json["type"])


def test_its_secret_works_nowhere_else_and_no_other_token_works_there(table: Table):
    person = table.person("Ada")
    secret = address(person).rpartition("/")[2]
    asked = table.client.get("/api/v1/me", headers={"Authorization": f"Bearer {secret}"})
    assert asked.status_code == 403
    assert read(table, f"/api/v1/calendars/{person.token}").status_code == 404


@pytest.mark.parametrize("scopes", [["calendar", "read"], ["read", "calendar"], ["calendar", "calendar"]])
def test_the_scope_stands_alone(table: Table, scopes: list[str]):
    assert table.person("Ada").post("/me/tokens", {"name": "x", "scopes": scopes}).status_code == 422


def test_the_address_is_stored_as_a_hash_and_logged_nowhere(table: Table, caplog: pytest.LogCaptureFixture):
    person = table.person("Ada")
    with caplog.at_level(logging.DEBUG):
        secret = address(person).rpartition("/")[2]
        read(table, f"/api/v1/calendars/{secret}")
        read(table, f"/api/v1/calendars/{secret[:-1]}x")
    assert secret[3:20] not in caplog.text
    assert secret.encode() not in stored(table.app)
    with table.app.app_context():
        assert session.query(Token).filter_by(name="phone").one().scopes == "calendar"
