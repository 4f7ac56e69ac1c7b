"""Connections to PostgreSQL: few for each process, and who finds all of them in use waits."""

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import event

from server.app.heart import Heart
from server.application.health import health, metrics, processes
from server.application.time.outages import Watch
from server.models import Unavailable, db, liveness, session
from server.runtime import DatabaseHabits
from server.settings import Settings
from server.worker import Worker
from tests.databases import Server, let_go
from tests.letters import Doorbell
from tests.table import Table

LONG = 20  # seconds after which a test that waits for something has failed
ALLOWED = 42
RESERVED = 3 + 2  # for superusers, and for roles that may use them


@pytest.fixture(scope="module")
def small() -> Iterator[str]:
    """The URL of a server with room for 42 connections."""
    server = Server(f"max_connections = {ALLOWED}\nreserved_connections = 2")
    yield server.url
    server.close()


@pytest.fixture
def start(small: str, tmp_path: Path) -> Iterator[Callable[..., Table]]:
    """Start a process on that server, with its settings."""
    with psycopg.connect(small, autocommit=True) as connection:
        connection.execute("DROP SCHEMA public CASCADE")
        connection.execute("CREATE SCHEMA public")
    made: list[Table] = []

    def begin(**settings: Any) -> Table:
        made.append(Table(tmp_path, len(made) + 1, database_url=small, sandbox="1", min_turn="PT1S", **settings))
        return made[-1]

    yield begin
    for table in made:
        with table.app.app_context():
            let_go()


def run(*work: Callable[[], object]) -> list[BaseException]:
    """Do all of it at once, each in a thread of its own; return what went wrong."""
    failed: list[BaseException] = []

    def guarded(one: Callable[[], object]) -> None:
        try:
            one()
        except BaseException as error:  # noqa: BLE001 told to who asked
            failed.append(error)

    threads = [threading.Thread(target=guarded, args=(one,)) for one in work]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LONG)
    return failed


def test_two_web_processes_and_two_workers_share_forty_two_connections(start: Callable[..., Table]):
    """With more readers than connections everybody is answered, and mail goes out."""
    web, other, *rest = (start() for _ in range(4))
    people = web.people(2)
    workers = [Worker(table.app) for table in rest]
    for worker in workers:
        worker.transport = Doorbell()
        worker.start()
    game = web.game(people, edition="condensed")

    def read(table: Table) -> None:
        for _ in range(5):
            headers = {"Authorization": f"Bearer {people[0].token}"}
            assert table.client.get(f"/api/v1{game.path}", headers=headers).status_code == 200
            assert table.client.get("/readyz").status_code in (200, 503)

    try:
        failed = run(*(lambda table=table: read(table) for table in (web, other) * 16))
        for table in (web, other):
            Heart(table.app).beat()
        with web.app.app_context():
            assert processes.too_many_connections() == []
            # A worker has one more, on which it listens.
            assert sum(process.connections for process in liveness.alive()) == 4 * (8 + 1) < ALLOWED - RESERVED
    finally:
        for worker in workers:
            worker.stop()
    assert failed == []


def test_who_finds_all_connections_in_use_waits_for_one(start: Callable[..., Table]):
    table = start(database_connections="2")
    person = table.person("Ada")
    reached, answered = threading.Event(), []
    with table.app.app_context(), db.engine.connect() as first, db.engine.connect():

        def ask() -> None:
            reached.set()
            answered.append(person.get("/me").status_code)

        asking = threading.Thread(target=ask)
        asking.start()
        assert reached.wait(LONG)
        assert answered == []
        first.close()
        asking.join(LONG)
    assert answered == [200]


def test_who_waits_for_too_long_is_told_that_they_are_all_in_use(start: Callable[..., Table]):
    table = start(database_connections="2", parts={"database": DatabaseHabits(in_use=0.01)})
    person = table.person("Ada")
    with table.app.app_context(), ExitStack() as held:
        session.remove()
        for _ in range(2):
            held.enter_context(db.engine.connect())
        assert person.get("/me").status_code == 503
        with pytest.raises(Unavailable) as caught, db.engine.connect():
            pass
    assert caught.value.why == "all connections of this process to it are in use"


def test_a_server_that_has_no_connection_left_is_named_as_that(start: Callable[..., Table], small: str):
    table = start()
    with table.app.app_context():
        let_go()
    with ExitStack() as held:
        while True:
            try:
                held.enter_context(psycopg.connect(small))
            except psycopg.OperationalError:
                break
        with table.app.app_context(), pytest.raises(Unavailable) as caught, db.engine.connect():
            pass
    assert caught.value.why == "it takes no more connections"


def test_the_doctor_compares_what_processes_may_open_with_what_the_server_takes(start: Callable[..., Table]):
    for connections in ("8", "8", "30"):
        Heart((table := start(database_connections=connections)).app).beat()
    with table.app.app_context():
        (told,) = [sentence for sentence in health.overview()["warnings"] if "connections" in sentence]
    assert told == (
        "connections: 3 processes may open 49 connections, and PostgreSQL takes 37: raise its max_connections, or "
        "lower DATABASE_CONNECTIONS."
    )


def test_no_thread_holds_a_connection_while_it_waits_for_another(start: Callable[..., Table]):
    """In a small pool some would wait for each other."""
    table = start(metrics_token="m" * 32)
    in_use = []
    with table.app.app_context():
        pool = db.engine.pool

    @event.listens_for(pool, "checkout")
    def count(*_: Any) -> None:
        in_use.append(pool.checkedout())  # type: ignore[attr-defined]

    people = table.people(2)
    people[0].post("/webhooks", {"url": "http://127.0.0.1:9000/"})
    game = table.game(people, edition="condensed")
    table.hook = lambda *_: "delivered"
    watch = Watch()
    for _ in range(4):
        game.move(game.mover(), headers={"Idempotency-Key": f"key-{len(in_use)}"})
        table.tick()
        people[1].reply("STATUS")
        table.clock.turn(hours=20)
        table.tick()
        Heart(table.app).beat()
        with table.app.app_context():
            watch.look()
    for path in ("/readyz", "/metrics", "/"):
        table.client.get(path, headers={"Authorization": f"Bearer {'m' * 32}"})
    with table.app.app_context():
        health.report()
        metrics.measures()
    assert max(in_use) == 1


@pytest.mark.parametrize("text", ["0", "1", "many", "8.5", "-8", "1001"])
def test_a_number_of_connections_that_is_none_is_refused(tmp_path: Path, text: str):
    with pytest.raises(Exception, match="is no number of connections between 2 and 1000"):
        Settings.from_environ({"BLACKTICKET_DATABASE_CONNECTIONS": text}, tmp_path)
