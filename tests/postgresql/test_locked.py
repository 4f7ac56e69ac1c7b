"""A table that somebody keeps locked: everybody is told soon, and the time is an outage."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import select

from server.application.health import health
from server.application.time.outages import Watch
from server.models import Outage, Unavailable, session
from server.runtime import DatabaseHabits
from tests.databases import let_go
from tests.injected import START
from tests.table import Playing, Table

SOON = 50  # milliseconds


@pytest.fixture
def table(postgres: str, tmp_path: Path) -> Iterator[Table]:
    """An application that waits for no lock for long."""
    parts = {"database": DatabaseHabits(lock=SOON, probe=SOON)}
    made = Table(tmp_path, database_url=postgres, sandbox="1", min_turn="PT1S", parts=parts)
    yield made
    with made.app.app_context():
        let_go()


@contextmanager
def locked(url: str, name: str) -> Iterator[None]:
    with psycopg.connect(url) as connection:
        connection.execute(f"LOCK TABLE {name} IN ACCESS EXCLUSIVE MODE")
        yield


@pytest.mark.parametrize("name", ["games", "moves", "outbox"])
def test_who_asks_or_moves_meanwhile_is_told_to_come_again(duel: Playing, postgres: str, name: str):
    person = duel.mover()
    move = {"turn": duel.view()["turn"], "notation": duel.legal(person)[0]}
    with locked(postgres, name):
        answers = [person.post(f"{duel.path}/moves", move)]
        answers += [person.get("/games")] if name == "games" else []
        for answer in answers:
            assert (answer.status_code, answer.json["type"].rpartition("/")[2]) == (503, "unavailable")
            assert int(answer.headers["Retry-After"]) > 0
    assert person.post(f"{duel.path}/moves", move).status_code == 201


def test_a_process_says_that_it_is_not_ready_whichever_table_it_is(table: Table, postgres: str):
    seconds = iter(range(0, 1_000, 10))
    table.app.extensions["blackticket"].monotonic = lambda: next(seconds)
    for name in ("moves", "players", "outbox"):
        with locked(postgres, name):
            answer = table.client.get("/readyz")
        assert (answer.status_code, answer.json) == (503, {"status": "The database cannot be used: it is locked."})
    assert table.client.get("/readyz").status_code == 200


def test_it_is_an_outage_whose_time_is_given_back(duel: Playing, postgres: str):
    table, watch = duel.table, Watch()

    def ticked() -> float:
        return (table.clock.time - START).total_seconds()

    def look() -> None:
        with table.app.app_context():
            watch.look()
            session.remove()

    table.app.extensions["blackticket"].monotonic = ticked
    look()
    with locked(postgres, "moves"):
        for _ in range(24):
            table.clock.turn(seconds=5)
            with pytest.raises(Unavailable):
                look()
        with table.app.app_context():
            assert health.troubles() == ["The database cannot be used: it is locked."]
    look()
    with table.app.app_context():
        (outage,) = session.scalars(select(Outage)).all()
        assert outage.end is not None
        assert (outage.end - outage.begin).total_seconds() == 120
