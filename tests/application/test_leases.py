"""Leases of a process are free again as soon as it is proven dead, and not before."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from server.application import leases
from server.application.mail import imap_progress
from server.heart import Heart
from server.mail import outbox
from server.models import Outgoing, Webhook, liveness, session, transaction
from server.models.liveness import _file_is_free
from server.webhooks import sender
from server.worker import Worker
from tests.databases import let_go
from tests.letters import Doorbell
from tests.table import Table

LONG = 20  # seconds after which a test that waits for something has failed


@pytest.fixture
def workers(database: str, tmp_path: Path) -> Iterator[tuple[Table, Table]]:
    """Two processes on one database, as far as they know."""
    settings = {"database_url": database, "sandbox": "1"}
    both = tuple(Table(tmp_path, seed, **settings) for seed in (1, 2))
    yield both
    for table in both:
        die(table)
        with table.app.app_context():
            let_go()


def die(table: Table) -> None:
    """End the life of the process as the operating system does."""
    table.app.extensions.pop("life", None)


def pass_time(*tables: Table, seconds: float) -> None:
    for table in tables:
        table.clock.turn(seconds=seconds)


def beat(table: Table) -> list[str]:
    """Let the heart of a worker beat once; return whether it freed anything."""
    freed: list[str] = []
    Heart(table.app, lambda: freed.append("freed")).beat()
    return freed


def do(table: Table, work: Callable[[], Any]) -> Any:
    with table.app.app_context():
        try:
            return work()
        finally:
            session.remove()


def leases_all(table: Table) -> None:
    """Take a lease of every kind, and go on for ever."""
    ada, ben = table.people(2)
    assert ada.post("/webhooks", {"url": "http://127.0.0.1:9000/"}).status_code == 201
    table.game([ada, ben], edition="condensed")

    def take() -> None:
        assert len(outbox._QUEUE.take(100)) > 1
        assert len(sender._QUEUE.take(100)) == 1
        assert imap_progress.claim("box", leases.new_name("reader"))

    do(table, take)


def free(table: Table) -> list[bool]:
    """Return those leases that another process could take now."""

    def look() -> list[bool]:
        def waits(kind: Any) -> bool:
            return session.scalar(select(kind.id).where(kind.not_before > table.clock.time).limit(1)) is not None

        box = imap_progress.claim("box", leases.new_name("reader"))
        if box:
            with transaction():
                imap_progress._locked("box").holder = None
        return [not waits(Outgoing), not waits(Webhook), bool(box)]

    return do(table, look)


def starts(table: Table) -> None:
    """Do with leases what a worker does when it starts."""
    do(table, leases.drop_of_the_dead)


def test_leases_of_a_process_that_lives_stand_and_those_of_a_dead_one_are_dropped(workers: tuple[Table, Table]):
    first, second = workers
    leases_all(first)
    starts(second)
    assert free(second) == [False] * 3
    die(first)
    pass_time(first, second, seconds=7)
    starts(second)
    assert free(second) == [True] * 3


def test_a_worker_that_is_killed_holds_up_nothing_for_longer_than_eight_seconds(workers: tuple[Table, Table]):
    """Nobody starts: one that runs finds it dead, and wakes those who send."""
    first, second = workers
    leases_all(first)
    beat(second)
    for _ in range(5):
        pass_time(first, second, seconds=2)
        assert beat(first) == beat(second) == []
    die(first)
    freed = []
    for _ in range(4):
        pass_time(first, second, seconds=2)
        freed += beat(second)
    assert freed == ["freed"]
    assert free(second) == [True] * 3


def test_a_web_process_leaves_what_a_dead_one_held_to_a_worker_which_can_send_it_at_once(
    workers: tuple[Table, Table],
):
    first, second = workers
    leases_all(first)
    die(first)
    pass_time(first, second, seconds=7)
    Heart(second.app).beat()
    assert beat(second) == ["freed"]


def test_the_heart_of_a_web_process_beats_where_a_life_has_to_be_renewed(database: str, workers: tuple[Table, Table]):
    heart = Heart(workers[0].app)
    heart.start()
    heart.stop()
    assert ("life" in workers[0].app.extensions) == database.startswith("postgresql")


def test_who_was_stopped_and_taken_for_dead_sends_nothing_when_it_goes_on(postgres: str, tmp_path: Path):
    """Another worker has sent it by then."""
    first, second = (Table(tmp_path, seed, database_url=postgres, sandbox="1") for seed in (1, 2))
    people = first.people(2)
    assert people[0].post("/webhooks", {"url": "http://127.0.0.1:9000/"}).status_code == 201
    first.game(people, edition="condensed")
    posted: list[str] = []
    for table, name in ((first, "first"), (second, "second")):
        table.hook = lambda *_, name=name: posted.append(name) or "delivered"
    with first.app.app_context():
        mails = outbox._store(outbox._compose_all(outbox._find(20)))
        (webhook,) = sender._QUEUE.take(1)
    assert mails
    pass_time(first, second, seconds=7)
    assert beat(second) == ["freed"]
    with first.app.app_context():
        assert sender._send(webhook, first.hook)[1] == sender.LOST
    second.tick()
    assert len(second.post.sent) == len(mails)
    with first.app.app_context():
        outbox._send_all(mails, first.post)
    assert first.post.sent == []
    assert set(posted) == {"second"}
    for table in (first, second):
        with table.app.app_context():
            let_go()


def test_a_mail_that_failed_keeps_its_pause(table: Table):
    table.dealt(2, edition="condensed")
    with table.app.app_context():
        (lease, *_) = outbox._QUEUE.take(1)
        outbox._retry(lease, "later", lasting=False)
        die(table)
        assert leases.drop_of_the_dead() == 0
        session.remove()


def test_what_is_no_life_is_never_taken_for_a_dead_one(table: Table):
    with table.app.app_context():
        assert [liveness.is_over(name) for name in ("tried", "unproven", "", "../../x", liveness.current())] == [
            False
        ] * 5
        assert liveness.is_over("0" * 8), "nobody has such a file"


@pytest.mark.sqlite("a life is a lock on a file beside it")
def test_a_life_that_cannot_be_proven_is_none_that_is_over(table: Table, monkeypatch: pytest.MonkeyPatch):
    def fail(*_: object) -> None:
        raise OSError

    monkeypatch.setattr(liveness.fcntl, "flock", fail)
    with table.app.app_context():
        assert liveness.current() == "unproven"
    assert list((table.app.extensions["blackticket"].settings.var / "blackticket.db.lives").iterdir()) == []


@pytest.mark.sqlite("a life is a lock on a file beside it")
def test_what_dead_ones_have_left_behind_is_removed(table: Table):
    with table.app.app_context():
        own = liveness.current()
        folder = table.app.extensions["blackticket"].settings.var / "blackticket.db.lives"
        for left in ("0badcafe", ".0badcafe"):
            (folder / left).touch()
        liveness.bury()
        assert [path.name for path in folder.iterdir()] == [own]


def test_a_worker_that_starts_drops_them(table: Table):
    table.dealt(2, edition="condensed")
    with table.app.app_context():
        assert len(outbox._QUEUE.take(100)) > 1
        session.remove()
    die(table)
    table.clock.turn(seconds=7)
    worker = Worker(table.app)
    worker.transport = post = Doorbell()
    worker.start()
    assert post.rung.wait(LONG)
    worker.stop()


# A process that has a life and a child, and is killed while the child goes on.
PARENT = """
import os, signal, sys, time
from pathlib import Path
from server.models.liveness import _Locked
life = _Locked(Path(sys.argv[1]), "0badcafe")
child = os.fork()
if child == 0:
    os.close(1)
    time.sleep(60)
    os._exit(0)
print(life.name, child, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_child_does_not_live_the_life_of_its_parent(tmp_path: Path):
    folder = tmp_path / "lives"
    folder.mkdir()
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, str(folder)], stdout=subprocess.PIPE, text=True,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
    ) as parent:  # fmt: skip
        assert parent.stdout is not None
        name, child = parent.stdout.readline().split()
    try:
        give_up_at = time.monotonic() + LONG  # until the child has been started in full
        while not _file_is_free(folder / name) and time.monotonic() < give_up_at:
            time.sleep(0.01)
        assert not (folder / name).exists()
        os.kill(int(child), 0)
    finally:
        os.kill(int(child), signal.SIGKILL)
