"""From an idea to a running game: open, invite, join, leave, start."""

from typing import Any

import pytest

from server.application.lobby import game_names
from server.models import Event, Outgoing, session
from tests.positions import position
from tests.table import Person, Table

EDITION = "ravensburger-2000"


def opened(host: Person, **wanted: Any) -> str:
    """The path of a game that `host` opened."""
    made = host.post("/games", {"edition": EDITION, "players": 3, **wanted})
    assert made.status_code == 201, made.json
    return f"/games/{made.json['id']}"


def seats(person: Person, path: str) -> list[tuple[str, str | None]]:
    return [(seat["state"], seat["player"]) for seat in person.get(path).json["seats"]]


def mailed(table: Table, kind: str) -> list[str]:
    """The ids of those to whom a mail of that kind was written."""
    with table.app.app_context():
        return [row.player_id for row in session.query(Outgoing).filter_by(kind=kind)]


def test_who_names_himself_sits_and_who_is_named_is_invited(table: Table):
    ada, ben = table.people(2)
    named = [{"role": "detective", "player": ben.id}, {"role": "mr_x", "player": ada.id}, {"role": "detective"}]
    path = opened(ada, seats=named)
    assert seats(ada, path) == [("taken", ada.id), ("invited", None), ("open", None)]
    assert mailed(table, "invitation") == [ben.id]


def test_an_empty_seat_cannot_be_given_back(table: Table):
    ada = table.person("Ada")
    path = opened(ada)
    for number in (2, 9, 99999999999999999999999):
        refused = ada.request("DELETE", f"{path}/seats/{number}")
        assert (refused.status_code, refused.json["type"]) == (403, "forbidden"), number
    with table.app.app_context():
        assert [event.kind for event in session.query(Event)] == ["opened"]


def test_a_private_game_is_hidden_from_all_but_those_in_it(table: Table):
    ada, ben, cleo = table.people(3)
    path = opened(ada, visibility="private", seats=[
        {"role": "mr_x"}, {"role": "detective", "player": ben.id}, {"role": "detective"},
    ])  # fmt: skip
    assert [person.get(path).status_code for person in (ada, ben, cleo)] == [200, 200, 404]
    assert [len(person.get("/games").json["games"]) for person in (ada, ben, cleo)] == [1, 1, 0]


def test_a_private_game_is_joined_by_its_code(table: Table):
    ada, ben, cleo = table.people(3)
    path = opened(ada, visibility="private")
    code = ada.get(path).json["code"]
    assert ben.post(f"{path}/seats", {"seat": 2, "code": "guessed"}).status_code == 404
    assert ben.post(f"{path}/seats", {"seat": 2, "code": code}).status_code == 201
    assert ben.get(path).json["code"] == code, "who is in may bring a friend"
    assert cleo.post(f"{path}/seats", {"seat": 3}).status_code == 404


def test_games_are_found_by_status_label_and_seat_in_pages(table: Table):
    ada, ben = table.people(2)
    ids = sorted(opened(ada, label="league").removeprefix("/games/") for _ in range(3))
    opened(ada)
    listed = ben.get("/games?label=league&limit=2")
    assert [game["id"] for game in listed.json["games"]] == ids[:2]
    following = listed.headers["Link"].partition(">")[0].removeprefix("</api/v1")
    rest = ben.get(following)
    assert [game["id"] for game in rest.json["games"]] == ids[2:]
    assert "Link" not in rest.headers
    assert ben.get("/games?mine=true").json["games"] == []
    assert ben.get("/games?status=running").json["games"] == []
    assert len(ben.get("/games?status=open").json["games"]) == 4


def test_a_game_gets_no_name_that_another_has_or_had_a_short_time_ago(table: Table, monkeypatch: pytest.MonkeyPatch):
    """The names are made of so few words here that there are only two."""
    monkeypatch.setattr(game_names, "FIRST", ("Foggy", "Rainy"))
    monkeypatch.setattr(game_names, "SECOND", ("Thames",))
    ada, ben, _ = people = table.people(3)
    game = table.game(people)
    short = {"Foggy Thames", "Rainy Thames"}
    name = game.view(ada)["name"]
    (other,) = short - {name}
    assert ben.get(opened(ben)).json["name"] == other
    longer = ada.get(opened(ada)).json["name"]
    assert longer.startswith(tuple(f"{each} " for each in short)), "longer where all others are taken"
    assert ada.post(f"{game.path}/resign").status_code == 200
    assert ada.get(opened(ada)).json["name"] not in short, "it is over, but for a short time only"
    table.clock.turn(days=31)
    assert ada.get(opened(ada)).json["name"] == name


def test_a_listed_game_tells_nothing_of_the_table(table: Table):
    game = table.dealt(2, position=position(104, red=117))
    (listed,) = game.people[0].get("/games").json["games"]
    assert not {"pawns", "log", "history", "code", "starts", "position"} & listed.keys()
