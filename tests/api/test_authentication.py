"""Tokens of requests: a change of a token is seen by the next request, and a bad one waits for no other writer."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from werkzeug.test import TestResponse

from server.application.people import tokens
from server.models import Game, Seat, Token, execute, session, table_of, transaction
from server.runtime import now
from tests.positions import position
from tests.rows import for_each
from tests.statements import statements
from tests.table import Playing, Table
from tests.tokens import authenticate

LEGAL = {"turn": 1, "notation": "taxi 86"}
STALE = {"turn": 99, "notation": "taxi 86"}
REVOKED = "bt_" + "a" * 32 + tokens.checksum("a" * 32)


def play(table: Table, secret: str, path: str, body: Any = None, **kwargs: Any) -> TestResponse:
    headers = {"Authorization": f"Bearer {secret}", **kwargs.pop("headers", {})}
    method = kwargs.pop("method", "POST")
    return table.client.open(f"/api/v1{path}", method=method, headers=headers, json=body, **kwargs)


def makes_known(table: Table, secret: str) -> None:
    """The first request of a day stores the day, and the second one finds that."""
    for _ in range(2):
        assert play(table, secret, "/me", method="GET").status_code == 200


REQUESTS: dict[str, dict[str, Any]] = {
    "stale": {"body": STALE},
    "checked": {"body": LEGAL, "query_string": "dry_run=true"},
    "with a key": {"body": STALE, "headers": {"Idempotency-Key": "one"}},
    "with a wrong key": {"body": STALE, "headers": {"Idempotency-Key": "one\t"}},
    "malformed": {"body": {"turn": "one"}},
    "with a wrong query": {"body": LEGAL, "query_string": "what=1"},
    "view": {"method": "GET"},
}


@dataclass(frozen=True)
class Column:
    """A change of one column of a token, and the status of the dry run of a move that follows it; before it was 200."""

    value: Callable[[Playing], Any]
    status: int


COLUMNS = {
    "digest": Column(lambda _game: "0" * 64, 401),
    "player_id": Column(lambda game: game.people[1].id, 409),  # whose turn it is not
    "scopes": Column(lambda _game: "read", 403),
    "expires_at": Column(lambda _game: now(), 401),
    "id": Column(lambda _game: "another", 200),
    "name": Column(lambda _game: "another", 200),
    "created_at": Column(lambda _game: now(), 200),
    "used_on": Column(lambda _game: None, 200),
}


@pytest.fixture
def duel(table: Table) -> Playing:
    """Mr. X at 104 against red at 117."""
    return table.dealt(2, position=position(104, red=117))


def test_the_table_names_each_column_of_a_token():
    assert {*COLUMNS} == {*table_of(Token).columns.keys()}


@for_each("name", [*COLUMNS])
def test_a_column_of_a_token_that_somebody_changes_is_seen_by_the_next_move(duel: Playing, name: str):
    with duel.table.app.app_context(), transaction():
        token, secret = tokens.add(duel.people[0].id)
    makes_known(duel.table, secret)
    with duel.table.app.app_context(), transaction():
        changed = table_of(Token).update().where(Token.digest == token.digest)
        execute(changed.values({name: COLUMNS[name].value(duel)}))
    answer = play(duel.table, secret, f"{duel.path}/moves", LEGAL, query_string="dry_run=true")
    assert answer.status_code == COLUMNS[name].status, answer.text


@pytest.mark.breaks_games("its seats are deleted from outside")
def test_a_revoked_token_is_refused_in_a_game_that_has_lost_its_seats(duel: Playing):
    ada = duel.people[0]
    makes_known(duel.table, ada.token)
    with duel.table.app.app_context(), transaction():
        execute(table_of(Seat).delete().where(Seat.game_id == duel.id))
        execute(table_of(Token).delete().where(Token.player_id == ada.id))
    assert ada.post(f"{duel.path}/moves", LEGAL).status_code == 401


def test_no_secret_of_a_token_is_kept(duel: Playing):
    ada = duel.people[0]
    makes_known(duel.table, ada.token)
    assert len(kept := duel.table.runtime.seen_tokens.items()) == 1
    assert ada.token.removeprefix(tokens.TOKEN_PREFIX)[:32] not in repr(kept)


# The lock of writers ----------------------------------------------------------------------------


def begun(table: Table, ask: Callable[[], TestResponse]) -> tuple[int, bool]:
    """The status of the answer, and whether a transaction was begun for it."""
    with statements(table) as sent:
        answer = ask()
    return answer.status_code, any(each.startswith("BEGIN") for each in sent)


@for_each("secret", ["", "nonsense", REVOKED])
def test_a_false_token_begins_no_transaction(duel: Playing, secret: str):
    for _ in range(2):
        assert begun(duel.table, lambda: play(duel.table, secret, f"{duel.path}/moves", LEGAL)) == (401, False)


def test_a_revoked_token_begins_no_transaction(duel: Playing):
    ada, ask = duel.people[0], lambda: duel.people[0].post(f"{duel.path}/moves", LEGAL)
    makes_known(duel.table, ada.token)
    with duel.table.app.app_context():
        found = authenticate(ada.token)
        assert found is not None
        tokens.revoke(session.get_one(Token, found.digest).id)
        session.remove()
    assert begun(duel.table, ask) == (401, False)


def test_a_token_that_lacks_the_scope_begins_no_transaction(duel: Playing):
    secret = duel.people[0].post("/me/tokens", {"name": "second", "scopes": ["read"]}).json["token"]
    makes_known(duel.table, secret)
    assert begun(duel.table, lambda: play(duel.table, secret, f"{duel.path}/moves", LEGAL)) == (403, False)


# Keys -------------------------------------------------------------------------------------------


@pytest.mark.breaks_games("a seat is taken away from outside")
def test_an_answer_is_not_repeated_to_who_may_not_see_the_game_any_more(duel: Playing):
    ada, key = duel.people[0], {"Idempotency-Key": "one"}
    makes_known(duel.table, ada.token)
    assert ada.post(f"{duel.path}/moves", LEGAL, headers=key).status_code == 201
    assert ada.post(f"{duel.path}/moves", LEGAL, headers=key).status_code == 201
    with duel.table.app.app_context(), transaction():
        game = session.get_one(Game, duel.id)
        game.visibility, game.host_id, game.seats[0].player_id = "private", duel.people[1].id, None
    assert ada.post(f"{duel.path}/moves", LEGAL, headers=key).status_code == 404
    assert ada.post(f"{duel.path}/moves", STALE, headers=key).status_code == 404


# What is counted --------------------------------------------------------------------------------


def test_each_move_counts_once_for_its_player(tmp_path: Path):
    table = Table(tmp_path, rate_limit="100/PT1M", sandbox="1")
    game = table.game(table.people(2), position=position(104, red=117))
    ada = game.people[0]
    makes_known(table, ada.token)
    left = []
    for wish in REQUESTS.values():
        path = game.path if wish.get("method") else f"{game.path}/moves"
        left.append(play(table, ada.token, path, **wish).headers["RateLimit"])
    numbers = [int(each.partition("r=")[2].partition(";")[0]) for each in left]
    assert numbers == [97 - number for number in range(len(numbers))]


def test_a_revoked_token_counts_for_the_address(tmp_path: Path):
    table = Table(tmp_path, rate_limit="100/PT1M", sandbox="1")
    game = table.game(table.people(2), position=position(104, red=117))
    ada = game.people[0]
    makes_known(table, ada.token)
    with table.app.app_context(), transaction():
        execute(table_of(Token).delete().where(Token.player_id == ada.id))
    answer = ada.post(f"{game.path}/moves", LEGAL)
    assert answer.status_code == 401
    assert answer.headers["RateLimit-Policy"].startswith('"address"')
