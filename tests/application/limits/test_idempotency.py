"""An Idempotency-Key to the letter, on both databases: kept, forgotten; with processes that die.

What it looks like to a client is in `tests/api/test_idempotency.py`.
"""

import os
from collections.abc import Iterator
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any

import pytest
from werkzeug.test import TestResponse

from server.application.limits import idempotency
from server.models import Answered, Move, session, transaction
from server.settings import Settings
from server.worker import Worker, tidy_up
from tests.crowd import at_once
from tests.databases import let_go
from tests.injected import Clock, application
from tests.positions import position
from tests.table import Playing, Table

SECRET = "the same in all processes of one server"
BODY = {"turn": 1, "notation": "taxi 86"}
KILLED = 9


@pytest.fixture
def duel(tmp_path: Path, database: str) -> Iterator[Playing]:
    """Mr. X at 104 against red at 117, on each kind of database in turn."""
    table = Table(tmp_path, sandbox="1", min_turn="PT1S", database_url=database, secret_key=SECRET)
    yield table.game(table.people(2), position=position(104, red=117))
    with table.app.app_context():
        let_go()


def play(game: Playing, body: Any = BODY, key: str = "key") -> TestResponse:
    return game.people[0].post(f"{game.path}/moves", body, headers={"Idempotency-Key": key})


def rows(game: Playing, table: Any) -> list[Any]:
    with game.table.app.app_context():
        return session.query(table).all()


# Processes that die -----------------------------------------------------------------------------


def dies(start: Barrier, where: str, url: str, var: Path, token: str, path: str) -> None:
    """A process that is killed while it serves the request: before its work, before the commit, or after it."""
    values = {"DATABASE_URL": url, "SECRET_KEY": SECRET, "SANDBOX": "1", "MIN_TURN": "PT1S"}
    settings = Settings.from_environ({f"BLACKTICKET_{name}": value for name, value in values.items()}, var)
    app = application(settings, clock=Clock())

    def die(*_: Any) -> Any:
        os._exit(KILLED)

    taken = idempotency.take
    if where == "before its work":
        idempotency.take = lambda place, mark: (taken(place, mark), die())
    elif where == "before the commit":
        kept = idempotency.store_answer
        idempotency.store_answer = lambda *given: (kept(*given), die())
    start.wait()
    headers = {"Authorization": f"Bearer {token}", "Idempotency-Key": "key"}
    app.test_client().post(f"/api/v1{path}", json=BODY, headers=headers)
    die()


@pytest.mark.parametrize("where", ["before its work", "before the commit", "after it"])
def test_a_process_that_is_killed_leaves_one_effect_or_none_and_the_key_free(duel: Playing, where: str):
    table = duel.table
    settings = table.app.extensions["blackticket"].settings
    arguments = (where, settings.database_url, settings.var, duel.people[0].token, f"{duel.path}/moves")
    assert at_once((dies, arguments)) == [KILLED]
    assert len(rows(duel, Move)) == (1 if where == "after it" else 0)
    assert play(duel).status_code == play(duel).status_code == 201
    assert len(rows(duel, Move)) == 1


# Refusals ---------------------------------------------------------------------------------------


def test_a_key_whose_request_was_refused_may_be_used_for_another(duel: Playing):
    assert play(duel, BODY | {"notation": "taxi 999"}).json["type"] == "illegal"
    assert rows(duel, Answered) == []
    assert play(duel).status_code == 201


# Forgetting -------------------------------------------------------------------------------------


def test_a_key_lives_as_long_as_its_game_and_30_days(duel: Playing):
    ada, table = duel.people[0], duel.table
    ada.post("/games", {"edition": "condensed"}, headers={"Idempotency-Key": "open"})
    assert play(duel).status_code == 201
    worker = Worker(table.app)

    def kept_after(**length: float) -> set[str]:
        table.clock.turn(**length)
        worker._tick()
        return {row.route.rpartition("/")[2] for row in rows(duel, Answered)}

    assert kept_after(days=400) == {"games", "moves"}, "one game runs, and in the other nobody has begun yet"
    assert ada.post(f"{duel.path}/resign", headers={"Idempotency-Key": "x"}).status_code == 200
    assert kept_after(days=30) == {"games", "moves", "resign"}, "the result was provisional for a day"
    table.tick()
    assert kept_after(days=1, hours=1) == {"games"}


def test_an_answer_is_kept_for_a_day_and_then_a_repeat_does_nothing_and_says_where_to_look(duel: Playing):
    first = play(duel)
    tidied(duel, hours=23)
    assert play(duel).data == first.data
    tidied(duel, hours=1)
    assert [row.answer for row in rows(duel, Answered)] == [None]
    again = play(duel)
    where = f"http://localhost/api/v1{duel.path}"
    assert (again.status_code, again.json["type"]) == (409, "already-done")
    assert (again.json["location"], again.headers["Location"]) == (where, where)
    assert len(rows(duel, Move)) == 1
    assert play(duel, BODY | {"turn": 2}).json["type"] == "key-reused"


def test_a_game_that_was_opened_a_day_ago_is_not_opened_again(duel: Playing):
    ada, body, key = duel.people[0], {"edition": "condensed"}, {"Idempotency-Key": "open"}
    game_id = ada.post("/games", body, headers=key).json["id"]
    tidied(duel, days=1)
    again = ada.post("/games", body, headers=key)
    assert (again.status_code, again.headers["Location"]) == (409, f"http://localhost/api/v1/games/{game_id}")


def test_a_repeat_that_is_about_no_game_is_led_to_its_list(duel: Playing):
    ben, key = duel.people[1], {"Idempotency-Key": "away"}
    body = {"from": "2027-03-01", "to": "2027-03-08"}
    assert ben.post("/me/absences", body, headers=key).status_code == 201
    tidied(duel, days=1)
    again = ben.post("/me/absences", body, headers=key)
    assert (again.status_code, again.headers["Location"]) == (409, "http://localhost/api/v1/me/absences")
    assert len(ben.get("/me/absences").json["absences"]) == 1


def tidied(game: Playing, **length: float) -> None:
    game.table.clock.turn(**length)
    with game.table.app.app_context():
        tidy_up()
        session.remove()


def test_a_key_that_is_about_no_game_is_forgotten_after_30_days(duel: Playing):
    place = (duel.people[0].id, "POST /api/v1/me/absences", "key")
    with duel.table.app.app_context(), transaction():
        assert idempotency.take(place, "x" * 64)
        idempotency.store_answer(place, {"status": 201, "body": {}, "location": None})
    for days, left in ((1, 1), (28, 1), (1, 0)):
        tidied(duel, days=days)
        assert len(rows(duel, Answered)) == left
