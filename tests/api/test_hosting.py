"""What a host does by REST with a game that has not begun: change it, remind, close; and links, and reports."""

from pathlib import Path

import pytest

from server.application.lobby.opening import MOST_OPEN
from server.runtime.networks import address_in_network
from tests.rows import for_each
from tests.scenes import hunt
from tests.table import Person, Table
from tests.web.game.test_invitation import sits_down
from tests.web.game.test_page import Browser

GAME = {"edition": "condensed", "players": 2}


@pytest.fixture
def ada(table: Table) -> Person:
    return table.people(2)[0]


def opened(host: Person, **wanted: object) -> str:
    made = host.post("/games", {**GAME, "visibility": "private", **wanted})
    assert made.status_code == 201, made.json
    return f"/games/{made.json['id']}"


def test_a_host_with_as_many_open_games_as_there_may_be_closes_one_and_opens_another(table: Table, ada: Person):
    games = [opened(ada) for _ in range(MOST_OPEN)]
    assert ada.post("/games", GAME).json["type"] == "enough"
    closed = ada.request("DELETE", games[0])
    assert (closed.status_code, closed.json["status"]) == (200, "over")
    assert ada.post("/games", GAME).status_code == 201
    assert ada.request("DELETE", games[0]).status_code == 409, "it is closed"


def test_a_program_changes_and_closes_a_game_by_the_client(table: Table, ada: Person):
    client, game_id = ada.client, opened(ada).removeprefix("/games/")
    assert client.change_game(game_id, name="Friday night")["name"] == "Friday night"
    assert client.close_game(game_id)["status"] == "over"


def test_name_guests_and_visibility_are_changed_together_or_not_at_all(table: Table, ada: Person):
    path = opened(ada)
    wrong = ada.request("PATCH", path, json={"name": "Friday night", "guests": {"seats": "any", "stay": "P2D"}})
    assert (wrong.status_code, ada.get(path).json["name"] == "Friday night") == (422, False)
    wanted = {"name": "Friday night", "guests": {"seats": "any", "talk": False}, "visibility": "public"}
    changed = ada.request("PATCH", path, json=wanted).json
    assert (changed["name"], changed["visibility"]) == ("Friday night", "public")
    assert (changed["guests"]["seats"], changed["guests"]["talk"]) == ("any", False)
    assert ada.request("PATCH", path, json={"visibility": "private"}).status_code == 422
    assert ada.request("PATCH", path, json={"name": "see http://evil.example"}).status_code == 422
    assert ada.get(path).json["name"] == "Friday night"


def test_nobody_but_the_host_changes_closes_or_reminds(table: Table, ada: Person):
    ben = table.person("Kim")
    path = opened(ada, visibility="public")
    for method, at, body in (("PATCH", "", {}), ("PATCH", "", {"name": "Mine"}), ("DELETE", "", None),
                             ("POST", "/seats/2/remind", None), ("POST", "/seats/2/link", None)):  # fmt: skip
        assert ben.request(method, f"{path}{at}", json=body).status_code == 403, (method, at)


def test_an_invitation_is_mailed_once_more_after_a_day(table: Table, ada: Person):
    path = opened(ada)
    ada.request("PUT", f"{path}/seats/2", json={"invite": "kim@example.org"})
    assert ada.post(f"{path}/seats/2/remind").status_code == 429
    table.clock.turn(days=1, seconds=1)
    assert ada.post(f"{path}/seats/2/remind").status_code == 200
    table.tick()
    assert len(table.post.of("kim@example.org")) == 2


def test_a_guest_goes_on_by_the_link_that_the_host_has_made(table: Table, ada: Person):
    xenia = table.person("Xenia")
    game = ada.post("/games", {**GAME, "visibility": "private"}).json
    path = f"/games/{game['id']}"
    assert xenia.post(f"{path}/seats", {"code": game["code"], "role": "mr_x"}).status_code == 201
    guest = sits_down(table, game | {"join": f"/join/{game['code']}"}, "Dora")
    assert ada.post(f"{path}/seats/2/link").status_code == 409, "the game has not begun"
    assert ada.post(f"{path}/start").status_code == 200
    made = ada.post(f"{path}/seats/2/link")
    assert (made.status_code, made.json["name"]) == (201, "Dora")
    link = made.json["link"].removeprefix("http://localhost")
    assert Browser(table).post(link).status_code == 303
    assert guest.get("/me").status_code == 303, "the old session is over"
    assert ada.post(f"{path}/seats/1/link").status_code == 422, "no guest sits there"


def test_a_link_made_on_this_machine_leads_through_the_network_at_home_as_it_does_on_pages(tmp_path: Path):
    table = Table(tmp_path, http_listen="http://0.0.0.0:8000", min_turn="PT1S")
    at_home = address_in_network(table.app.extensions["blackticket"].settings.http_listen)
    site = "http://localhost" if at_home.is_loopback else str(at_home)
    ada, ben = table.people(2)
    game = ada.post("/games", {**GAME, "visibility": "private"}).json
    path = f"/games/{game['id']}"
    assert f"{site}/join/{game['code']}" in Browser(table, ada).get(path).text
    assert ben.post(f"{path}/seats", {"code": game["code"], "role": "mr_x"}).status_code == 201
    sits_down(table, game | {"join": f"/join/{game['code']}"}, "Dora")
    assert ada.post(f"{path}/start").status_code == 200
    assert ada.post(f"{path}/seats/2/link").json["link"].startswith(f"{site}/continue/")


@for_each(
    "body, status",
    [
        ({"kind": "message", "number": 1}, 204),
        ({"kind": "name", "number": 1}, 204),
        ({"kind": "name", "number": 0}, 204),
        ({"kind": "invitation"}, 422),
        ({"kind": "message", "number": 99}, 422),
        ({"kind": "name"}, 422),
        ({"kind": "game"}, 422),
        ({}, 422),
    ],
)
def test_messages_and_names_are_reported(table: Table, body: dict[str, object], status: int):
    hunted = hunt(table)
    _, ben, cleo = hunted.people[:3]
    ben.post(f"{hunted.path}/messages", {"to": "all", "text": "you fool"})
    assert cleo.post(f"{hunted.path}/reports", body).status_code == status
