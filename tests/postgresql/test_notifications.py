"""Processes without a worker wake those of others, by a notification behind their commit."""

import threading
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest

from server.app.notifications import WakeUpReader
from server.models import db, transaction, wake_inbox, wake_outbox, wake_webhooks, when_committed
from server.models.postgresql import Listener
from server.runtime import runtime
from server.runtime.wake_ups import WakeUps
from server.worker import Worker
from tests.databases import Server, create_postgres, let_go
from tests.letters import Doorbell
from tests.patience import eventually
from tests.table import Playing, Table

LONG = 20  # seconds after which a test that waits for something has failed
LISTENERS = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN %'"


@pytest.fixture
def bell(table: Table, tmp_path: Path) -> Iterator[Doorbell]:
    """Rings at each mail that the worker of another process sends; its ticker will not come round again."""
    settings = table.app.extensions["blackticket"].settings
    other = Table(tmp_path / "other", 2, database_url=settings.database_url, sandbox="1", tick_seconds="3600")
    other.app.extensions["blackticket"].clock = table.clock
    worker, post = Worker(other.app), Doorbell()
    worker.transport = post
    worker.start()
    wait_for_listener(settings.database_url)
    yield post
    worker.stop()
    with other.app.app_context():
        let_go()


@pytest.fixture
def ear(table: Table) -> Iterator[Listener]:
    """Hears every notification."""
    with table.app.app_context(), closing(Listener(db.engine, WakeUps.names())) as listener:
        assert listener.try_to_listen()
        yield listener


def wait_for_listener(url: str, but: int = 0) -> int:
    """Return the process of PostgreSQL that serves a worker's listener, once there is another one than `but`."""
    with psycopg.connect(url.replace("+psycopg", ""), autocommit=True) as connection:
        deadline = connection.execute("SELECT clock_timestamp() + interval '20 seconds'").fetchone()[0]
        while not (pids := {pid for (pid,) in connection.execute(LISTENERS)} - {but}):
            assert connection.execute("SELECT clock_timestamp()").fetchone()[0] < deadline, "nobody listens"
        return pids.pop()


def commit(table: Table, *acts: Callable[[], object], fails: bool = False) -> None:
    """Commit a transaction that these follow, or let it fail before that."""
    with table.app.app_context(), transaction():
        for act in acts:
            when_committed(act)
        if fails:
            raise ZeroDivisionError


def heard_until(ear: Listener, last: str) -> set[str]:
    """Return what was heard until that wake-up came."""
    heard: set[str] = set()
    while last not in heard:
        names = ear.wait(LONG)
        assert names, f"{last} never came"
        heard |= names
    return heard


def test_a_commit_wakes_the_worker_of_another_process(table: Table, bell: Doorbell):
    bell.rung.clear()
    table.game(table.people(2), edition="condensed")
    assert bell.rung.wait(LONG)


def test_a_worker_that_lost_its_connection_listens_again_and_loses_nothing(
    table: Table, duel: Playing, bell: Doorbell, postgres: str
):
    assert bell.rung.wait(LONG)  # for the mails of the game
    lost = wait_for_listener(postgres)
    with psycopg.connect(postgres.replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute("SELECT pg_terminate_backend(%s, 10000)", [lost])
    before = len(bell.sent)
    duel.move(duel.people[0])  # while nobody listens
    wait_for_sent(bell, before)
    wait_for_listener(postgres, but=lost)
    before = len(bell.sent)
    table.game(duel.people, edition="condensed")
    wait_for_sent(bell, before)


def wait_for_sent(bell: Doorbell, before: int) -> None:
    """Wait until more mails than that were sent."""
    while len(bell.sent) <= before:
        bell.rung.clear()
        assert len(bell.sent) > before or bell.rung.wait(LONG), "no mail was sent"


def test_of_several_workers_one_is_woken_and_another_when_its_connection_has_ended(table: Table):
    with table.app.app_context(), closing(Listener(db.engine, WakeUps.names())) as second:
        with closing(Listener(db.engine, WakeUps.names())) as first:
            assert [first.try_to_listen(), second.try_to_listen()] == [True, False]
            commit(table, wake_outbox)
            assert first.wait(LONG) == {"outbox"}
            assert second.wait(0) == set(), "the other one is not woken"
        eventually(second.try_to_listen)  # PostgreSQL notices a moment later that the connection is closed
        commit(table, wake_outbox)
        assert second.wait(LONG) == {"outbox"}


def test_a_worker_that_waits_to_listen_stops_at_once_and_looks_for_nothing(table: Table):
    class Busy:
        """A listener in whose place another listens."""

        def try_to_listen(self) -> bool:
            reader.stop()
            return False

    wake_ups = table.app.extensions["blackticket"].wake_ups = WakeUps()
    reader = WakeUpReader(table.app)
    busy: Any = Busy()
    reader._read(busy)
    assert not any(getattr(wake_ups, name).is_set() for name in WakeUps.names())


def test_a_transaction_that_is_rolled_back_wakes_nobody(table: Table, ear: Listener):
    with pytest.raises(ZeroDivisionError):
        commit(table, wake_outbox, fails=True)
    commit(table, wake_webhooks)
    assert heard_until(ear, "webhooks") == {"webhooks"}


def test_a_transaction_that_leaves_nothing_to_do_and_a_process_with_a_worker_notify_nobody(table: Table, ear: Listener):
    commit(table)
    with table.app.app_context():
        runtime().has_worker = True
    commit(table, wake_outbox)
    with table.app.app_context():
        runtime().has_worker = False
    commit(table, wake_webhooks)
    assert heard_until(ear, "webhooks") == {"webhooks"}


def test_a_notification_says_which_threads_and_nothing_else(table: Table, postgres: str):
    with psycopg.connect(postgres.replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute("LISTEN blackticket_inbox; LISTEN blackticket_outbox")
        commit(table, wake_inbox, wake_outbox)
        heard = [*connection.notifies(timeout=LONG, stop_after=2)]
    assert {each.channel for each in heard} == {"blackticket_inbox", "blackticket_outbox"}
    assert {each.payload for each in heard} == {""}


def test_commits_that_come_together_wake_a_worker_once(table: Table):
    class Counting(threading.Event):
        times = 0

        def set(self) -> None:
            self.times += 1

    class Told:
        """A listener to whom many commits are told at once, then nothing."""

        def try_to_listen(self) -> bool:
            return True

        def wait(self, seconds: float) -> set[str]:
            if not seconds:
                reader.stop()
            return {"outbox"}

    wake_ups = table.app.extensions["blackticket"].wake_ups = WakeUps(outbox=Counting())
    reader = WakeUpReader(table.app)
    told: Any = Told()
    reader._read(told)
    assert wake_ups.outbox.times == 2, "at the beginning, and once for all that came"


@pytest.fixture(scope="module")
def short_queue() -> Iterator[str]:
    """The URL of a PostgreSQL server that keeps few notifications."""
    server = Server("max_notify_queue_pages = 64")
    yield server.url
    server.close()


def test_a_full_queue_of_notifications_fails_no_commit(short_queue: str, tmp_path: Path):
    url = create_postgres(short_queue)
    table = Table(tmp_path, database_url=url, sandbox="1", min_turn="PT1S")
    people = table.people(2)
    with psycopg.connect(url, autocommit=True) as idle, psycopg.connect(url, autocommit=True) as other:
        idle.execute("LISTEN anything")
        idle.execute("BEGIN")  # so what is in the queue stays there
        for _ in range(100):
            with suppress(psycopg.errors.ProgramLimitExceeded):
                other.execute("SELECT pg_notify('anything', repeat('x', 7000))")
        with pytest.raises(psycopg.errors.ProgramLimitExceeded):
            other.execute("NOTIFY blackticket_outbox")
        duel = table.game(people, edition="condensed")
        assert duel.move(duel.people[0]).status_code == 201
    assert duel.view()["turn"] == 2
