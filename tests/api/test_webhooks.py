"""Webhooks over REST: whoever has one looks after it himself, and nobody else hears of it."""

from typing import Any

import pytest

from server.models import under_way
from tests.databases import stored
from tests.rows import for_each
from tests.table import Person, Table
from tests.web.game.test_page import Browser

URL = "https://hooks.example.org/ada"


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> list[Person]:
    return Table(tmp_path_factory.mktemp("webhooks"), mail_domain="play.example.org").people(2)


@pytest.fixture
def table(people: list[Person]) -> Table:
    table = people[0].table
    table.retry_from_database()
    table.app.extensions["blackticket"].resolve = lambda _host: ["93.184.216.34"]
    return table


@pytest.fixture
def ada(table: Table, people: list[Person]) -> Person:
    return people[0]


@pytest.fixture
def ben(table: Table, people: list[Person]) -> Person:
    return people[1]


def add(person: Person, url: str = URL) -> Any:
    return person.post("/webhooks", {"url": url})


def test_a_webhook_is_made_with_a_secret_that_is_shown_this_once(ada: Person):
    made = add(ada, "HTTPS://Hooks.Example.org:443/ada")
    assert made.status_code == 201
    told = made.json
    secret = told.pop("secret")
    assert secret.startswith("whsec_")
    assert len(secret) > 40
    assert told == {
        "id": told["id"], "url": URL, "format": "json", "games": None, "enabled": True, "disabled_because": None,
        "retry_at": None, "failing_since": None, "created_at": "2026-11-22T18:00:00Z",
    }  # fmt: skip
    one = ada.get(f"/webhooks/{told['id']}")
    assert (one.status_code, one.json) == (200, told)
    assert ada.get("/webhooks").json == {"webhooks": [told]}


def test_it_can_be_changed_switched_off_and_on_and_removed(ada: Person):
    path = f"/webhooks/{add(ada).json['id']}"
    assert ada.request("PATCH", path, json={"url": "https://other.example.org"}).json["url"] == (
        "https://other.example.org/"
    )
    off = ada.request("PATCH", path, json={"enabled": False}).json
    assert (off["enabled"], off["disabled_because"], off["url"]) == (False, "owner", "https://other.example.org/")
    assert ada.request("PATCH", path, json={"enabled": True}).json["enabled"]
    assert ada.request("DELETE", path).status_code == 204
    assert ada.get(path).status_code == 404
    assert ada.get("/webhooks").json == {"webhooks": []}


def test_a_player_has_five_at_most(ada: Person, ben: Person):
    made = [add(ada) for _ in range(6)]
    assert [answer.status_code for answer in made] == [201] * 5 + [409]
    assert made[-1].json["type"] == "enough"
    assert add(ben).status_code == 201
    ada.request("DELETE", f"/webhooks/{made[0].json['id']}")
    assert add(ada).status_code == 201


def test_a_url_that_nothing_is_sent_to_is_refused_with_a_sentence_that_says_what_would_do(ada: Person):
    path = f"/webhooks/{add(ada).json['id']}"
    for url in ("http://hooks.example.org/", "https://127.0.0.1/", "https://localhost/", "http://127.0.0.1:9000/",
                "https://me@hooks.example.org/", "hooks"):  # fmt: skip
        for answer in (add(ada, url), ada.request("PATCH", path, json={"url": url})):
            assert (answer.status_code, answer.json["type"]) == (422, "form"), url
            assert answer.json["detail"].startswith("url: "), url
    assert len(ada.get("/webhooks").json["webhooks"]) == 1
    assert ada.get(path).json["url"] == URL


@for_each("found", [[], ["10.0.0.1"], ["93.184.216.34", "::1"]])
def test_a_host_without_a_public_address_is_refused_in_the_same_words_whatever_it_has(
    table: Table, ada: Person, found: list[str]
):
    table.app.extensions["blackticket"].resolve = lambda _host: found
    assert add(ada).json["detail"] == "url: its host has no public address."


@for_each("body", [{}, {"url": 1}, {"url": ""}, {"url": URL, "secret": "mine"}, {"enabled": True}])
def test_a_body_of_another_form_makes_no_webhook(ada: Person, body: dict[str, Any]):
    assert ada.post("/webhooks", body).status_code == 422
    assert ada.get("/webhooks").json == {"webhooks": []}


CALLS = [("GET", ""), ("PATCH", ""), ("DELETE", ""), ("POST", "/secret"), ("POST", "/test"), ("GET", "/deliveries")]


def test_anothers_webhook_is_to_the_byte_like_one_that_is_not_there(ada: Person, ben: Person):
    hook = add(ada).json["id"]
    for method, path in CALLS:
        body = {"json": {"enabled": False}} if method == "PATCH" else {}
        answers = [ben.request(method, f"/webhooks/{name}{path}", **body) for name in (hook, "aaaaaaaaaaaaaaaa")]
        assert [answer.status_code for answer in answers] == [404, 404], (method, path)
        assert answers[0].data == answers[1].data, (method, path)
    assert ada.get(f"/webhooks/{hook}").json["enabled"]


def test_only_a_token_for_the_account_changes_anything(ada: Person):
    hook = add(ada).json["id"]
    robot = ada.post("/me/tokens", {"name": "robot", "scopes": ["read", "play", "host"]}).json["token"]
    headers = {"Authorization": f"Bearer {robot}"}
    changes = [(method, f"/webhooks/{hook}{path}") for method, path in CALLS if method != "GET"]
    for method, path in [*changes, ("POST", "/webhooks")]:
        refused = ada.table.client.open(f"/api/v1{path}", method=method, headers=headers, json={"url": URL})
        assert (refused.status_code, refused.json["scope"]) == (403, ["admin"]), (method, path)
    assert len(ada.get("/webhooks").json["webhooks"]) == 1


def test_what_became_of_each_message_is_listed_the_newest_first(table: Table, ada: Person):
    words = iter(["delivered", "unreachable"])
    table.hook = lambda *_: next(words)
    path = f"/webhooks/{add(ada).json['id']}"
    games = []
    for _ in range(3):
        games.append(ada.post("/games", {"edition": "condensed", "players": 2}).json["id"])
        table.clock.turn(minutes=1)
    table.tick()
    listed = ada.get(f"{path}/deliveries").json["deliveries"]
    told = [(entry["game"], entry["number"], entry["state"], entry["outcome"], entry["attempts"]) for entry in listed]
    assert told == [
        (games[2], 1, "pending", None, 0), (games[1], 1, "pending", "unreachable", 1),
        (games[0], 1, "delivered", "delivered", 1),
    ]  # fmt: skip
    assert listed[1]["tried_at"] == "2026-11-22T18:03:00Z"
    assert ada.get(path).json["retry_at"] > "2026-11-22T18:03:00Z"


def test_a_webhook_can_be_tested_once_a_minute(table: Table, ada: Person):
    path = f"/webhooks/{add(ada).json['id']}/test"
    first = ada.post(path)
    assert (first.status_code, first.json["type"], first.json["state"]) == (202, "webhook.test", "pending")
    table.clock.turn(seconds=20)
    again = ada.post(path)
    assert (again.status_code, again.json["type"], again.json["retry_after"]) == (429, "too-many", 40)
    assert again.headers["Retry-After"] == "40"
    table.clock.turn(seconds=40)
    assert ada.post(path).status_code == 202


def test_the_url_and_the_secrets_lie_sealed(table: Table, ada: Person):
    made = add(ada).json
    ada.post(f"/webhooks/{made['id']}/secret")
    dump = stored(table.app)
    assert b"hooks.example.org" not in dump
    assert made["secret"].encode() not in dump
    assert made["id"].encode() in dump


def test_webhooks_are_in_the_export_and_go_with_the_account(table: Table):
    gus = table.person("Gus")
    made = add(gus).json
    del made["secret"]
    gus.post("/games", {"edition": "condensed", "players": 2})
    assert gus.get("/me/export").json["webhooks"] == [made]
    assert gus.request("DELETE", "/me", json={"name": "Gus"}).status_code == 204
    table.hook = lambda *_: pytest.fail("something was sent for somebody who is gone")
    table.tick()


def test_nobody_else_has_to_wait_while_a_host_is_looked_up(table: Table, ada: Person):
    writers: list[object] = []

    def resolve(_host: str) -> list[str]:
        writers.append(under_way())
        return ["93.184.216.34"]

    table.app.extensions["blackticket"].resolve = resolve
    made = ada.post("/webhooks", {"url": URL})
    changed = ada.request("PATCH", f"/webhooks/{made.json['id']}", json={"url": "https://other.example.org/"})
    on_the_page = Browser(table, ada).post("/me/webhooks", {"url": URL})
    assert (made.status_code, changed.status_code, on_the_page.status_code) == (201, 200, 200)
    assert writers == [None, None, None]
