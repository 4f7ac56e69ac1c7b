"""A caller over the limit is told when to go on, and nobody finds a token by trying."""

import re
from pathlib import Path

import pytest
from werkzeug.test import TestResponse

from tests.table import Person, Table

LIMIT = 8


@pytest.fixture(scope="module")
def ada(tmp_path_factory: pytest.TempPathFactory) -> Person:
    return Table(tmp_path_factory.mktemp("limits"), rate_limit=f"{LIMIT}/PT1M", metrics_token="m" * 32).person("Ada")


@pytest.fixture
def table(ada: Person) -> Table:
    ada.table.retry_from_database()
    return ada.table


def ask(table: Table, token: str | None = None, path: str = "/me", address: str = "127.0.0.1") -> TestResponse:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return table.client.get(f"/api/v1{path}", headers=headers, environ_base={"REMOTE_ADDR": address})


def statuses(answers: list[TestResponse]) -> list[int]:
    return [answer.status_code for answer in answers]


def test_every_answer_says_what_the_policy_is_and_what_is_left(table: Table, ada: Person):
    table.clock.turn(seconds=20)
    for left, answer in enumerate([ada.get("/me"), ada.get("/games/none"), ada.post("/games", {})]):
        assert answer.headers["RateLimit-Policy"] == f'"player";q={LIMIT};w=60'
        assert answer.headers["RateLimit"] == f'"player";r={LIMIT - 1 - left};t=40'


def test_of_an_address_which_several_may_share_it_is_not_told_how_much_the_others_have_left(table: Table):
    table.clock.turn(seconds=20)
    answers = [ask(table) for _ in range(LIMIT + 1)]
    assert {answer.headers["RateLimit-Policy"] for answer in answers} == {f'"address";q={LIMIT};w=60'}
    told = [answer.headers.get("RateLimit") for answer in answers]
    assert told == [None] * LIMIT + ['"address";r=0;t=40']


def test_who_asks_too_often_is_refused_until_the_window_ends(table: Table, ada: Person):
    table.clock.turn(seconds=20)
    answers = [ada.get("/me") for _ in range(LIMIT + 2)]
    assert statuses(answers) == [200] * LIMIT + [429] * 2
    refused = answers[-1]
    assert refused.mimetype == "application/problem+json"
    assert (refused.json["type"], refused.json["retry_after"]) == ("too-many", 40)
    assert refused.headers["Retry-After"] == "40"
    assert refused.headers["RateLimit"] == '"player";r=0;t=40'
    table.clock.turn(seconds=40)
    assert ada.get("/me").status_code == 200


def test_a_request_that_is_refused_has_no_effect(table: Table, ada: Person):
    for _ in range(LIMIT):
        ada.get("/me")
    assert ada.post("/games", {"edition": "condensed", "players": 2}).status_code == 429
    table.clock.turn(minutes=1)
    assert ada.get("/games").json["games"] == []


def test_all_tokens_of_a_player_share_one_rate(table: Table, ada: Person):
    other = ada.post("/me/tokens", {"name": "robot", "scopes": ["read"]}).json["token"]
    answers = [ask(table, (ada.token, other)[number % 2]) for number in range(LIMIT)]
    assert statuses(answers) == [200] * (LIMIT - 1) + [429]
    assert ask(table, table.person("Ben").token).status_code == 200, "others are not affected"


def test_without_a_token_it_is_the_address_that_counts(table: Table):
    answers = [ask(table, path=path) for path in ("/editions", "/boards/london", "/me", "/games") * 3]
    assert statuses(answers[:4]) == [200, 200, 401, 401]
    assert statuses(answers)[LIMIT:] == [429] * 4
    assert ask(table, path="/editions", address="198.51.100.7").status_code == 200


@pytest.mark.parametrize(("first", "then", "same"), [
    ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", True), ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
    ("::ffff:198.51.100.7", "198.51.100.7", True), ("198.51.100.7", "198.51.100.8", False),
])  # fmt: skip
def test_of_ipv6_it_is_the_network_as_anybody_has_as_many_addresses_there_as_he_likes(
    table: Table, first: str, then: str, same: bool
):
    for _ in range(LIMIT):
        ask(table, address=first)
    assert ask(table, address=then).status_code == (429 if same else 401)


def test_what_a_client_says_of_its_address_is_not_believed(table: Table):
    for number in range(LIMIT):
        table.client.get("/api/v1/me", headers={"X-Forwarded-For": f"198.51.100.{number}"})
    headers = {"X-Forwarded-For": "198.51.100.99", "Forwarded": "for=198.51.100.99", "X-Real-IP": "198.51.100.99"}
    assert table.client.get("/api/v1/me", headers=headers).status_code == 429


def test_tokens_that_are_tried_count_for_the_address_and_after_that_not_even_a_good_one_is_looked_at(
    table: Table, ada: Person
):
    guesses = ["bt_" + letter * 32 for letter in "abcdefghijkl"]
    assert statuses([ask(table, guess) for guess in guesses]) == [401] * LIMIT + [429] * 4
    assert ask(table, ada.token).status_code == 429, "else the one that is let through would be the right one"
    assert ask(table, ada.token, address="198.51.100.7").status_code == 200


def test_who_was_let_through_before_is_not_locked_out_by_what_others_try_at_his_address(table: Table, ada: Person):
    ada.get("/me")
    for _ in range(LIMIT + 1):
        ask(table, "bt_" + "a" * 32)
    assert ada.get("/me").status_code == 200


def test_machines_that_watch_the_server_are_not_counted(table: Table):
    for _ in range(LIMIT + 1):
        ask(table)
    for path in ("/healthz", "/metrics"):
        answer = table.client.get(path, headers={"Authorization": f"Bearer {'m' * 32}"})
        assert answer.status_code == 200
        assert "RateLimit-Policy" not in answer.headers


def test_no_call_of_the_api_goes_uncounted(tmp_path: Path):
    table = Table(tmp_path, rate_limit="10000/PT1M")
    for rule in table.app.url_map.iter_rules():
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}:
            # A provider of mail signs what it sends.
            if rule.rule.startswith("/api/v1/") and "/inbound/" not in rule.rule:
                path = re.sub(r"<int:\w+>", "2", rule.rule)
                answer = table.client.open(re.sub(r"<\w+>", "aaaa", path), method=method)
                assert "RateLimit-Policy" in answer.headers, (method, rule.rule)


@pytest.mark.parametrize(
    "path", ["/readyz", "/openapi.json", "/maps/london.pdf", "/docs", "/docs/api", "/how-to-play", "/tour"]
)
def test_what_anybody_may_ask_for_counts_for_the_address_and_healthz_does_not(table: Table, path: str):
    answers = [table.client.get(path) for _ in range(LIMIT + 1)]
    assert 429 not in statuses(answers)[:LIMIT]
    assert (answers[-1].status_code, "Retry-After" in answers[-1].headers) == (429, True)
    assert table.client.get("/healthz").status_code == 200
    assert table.client.get(path, environ_base={"REMOTE_ADDR": "198.51.100.7"}).status_code != 429
