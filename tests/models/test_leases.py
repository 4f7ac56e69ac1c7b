"""A row that is leased is free again 20 seconds after its lease was last renewed, whoever lives or dies."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, update

from server.app.heart import Heart
from server.application.game import outbox_rows
from server.application.health import health
from server.application.mail import imap_progress
from server.mail import outbox
from server.mail.transport.smtp_client import SendingFailure
from server.mail.writing.calls import call_of
from server.migrations import upgrade
from server.models import Mailbox, Outgoing, Unavailable, Webhook, execute, leases, session, table_of, transaction
from server.settings import Settings
from server.webhooks import sender
from server.worker import Worker
from tests import databases
from tests.databases import let_go
from tests.injected import application
from tests.letters import Doorbell, Postbox
from tests.statements import failing
from tests.table import Table

LONG = 20  # seconds after which a test that waits for something has failed
MAILS = 12


@pytest.fixture
def workers(database: str, tmp_path: Path) -> Iterator[tuple[Table, Table]]:
    """Two processes on one database, as far as they know."""
    with two_on(database, tmp_path) as both:
        yield both


@contextmanager
def two_on(url: str, folder: Path) -> Iterator[tuple[Table, Table]]:
    both = tuple(Table(folder, seed, database_url=url, sandbox="1") for seed in (1, 2))
    yield both
    for table in both:
        with table.app.app_context():
            let_go()


def pass_time(*tables: Table, seconds: float) -> None:
    for table in tables:
        table.clock.turn(seconds=seconds)


def beat(table: Table) -> None:
    """Do what the thread of a worker does that renews its leases."""
    Heart(table.app, outbox.settle, leases.renew).beat()


def do(table: Table, work: Callable[[], Any]) -> Any:
    with table.app.app_context():
        try:
            return work()
        finally:
            session.remove()


@contextmanager
def work_under_way(table: Table) -> Iterator[None]:
    """Within, the process works on a row of every kind that is leased."""
    ada, ben = table.people(2)
    assert ada.post("/webhooks", {"url": "http://127.0.0.1:9000/"}).status_code == 201
    table.game([ada, ben], edition="condensed")
    with table.app.app_context(), leases.working():
        assert do(table, lambda: len(outbox._QUEUE.take(100))) > 1
        assert do(table, lambda: len(sender._QUEUE.take(100))) == 1
        yield


def free(table: Table) -> list[bool]:
    """Return which of these rows another process could take now."""

    def look() -> list[bool]:
        return [
            session.scalar(select(kind.id).where(kind.not_before > table.clock.time).limit(1)) is None
            for kind in (Outgoing, Webhook)
        ]

    return do(table, look)


def posts_mails(table: Table, number: int = MAILS) -> None:
    with table.app.app_context(), transaction():
        for n in range(number):
            details = {"to": f"p{n}@example.org", "title": "News", "paragraphs": [str(n)]}
            outbox_rows.post(None, "alert", details=details)


def test_what_is_worked_on_stays_leased_and_is_free_twenty_seconds_after_that_was_last_renewed(
    workers: tuple[Table, Table],
):
    first, second = workers
    with work_under_way(first):
        for _ in range(20):
            pass_time(first, second, seconds=2)
            beat(first)
            assert free(second) == [False] * 2
        pass_time(first, second, seconds=14)
        assert free(second) == [False] * 2
        pass_time(first, second, seconds=6)
        assert free(second) == [True] * 2


def test_what_a_worker_gives_up_in_the_middle_is_not_renewed_though_it_lives(workers: tuple[Table, Table]):
    first, second = workers
    with suppress(Unavailable), work_under_way(first):
        raise Unavailable(None, None, Exception())
    for _ in range(10):
        assert free(second) == [False] * 2
        pass_time(first, second, seconds=2)
        beat(first)
    assert free(second) == [True] * 2


def test_a_lease_that_is_nearly_over_is_renewed_before_something_is_handed_over(workers: tuple[Table, Table]):
    """The thread that renews them may have no turn for a while."""
    first, second = workers
    posts_mails(first, 2)
    for seconds, is_held in ((9, True), (12, True), (30, True)):
        with first.app.app_context():
            (lease, other) = outbox._QUEUE.take(2)
            pass_time(first, second, seconds=seconds)
            assert leases.holds(lease) is is_held
            assert lease.until - first.clock.time >= leases.LEAST
            outbox._put_back(lease)
            outbox._put_back(other)
            session.remove()


def test_who_was_stopped_and_wakes_sends_nothing_that_another_has_sent_meanwhile(workers: tuple[Table, Table]):
    first, second = workers
    posts_mails(first)
    with first.app.app_context():
        mails = outbox._store(outbox._compose_all(outbox._find(20)))
        session.remove()
    assert len(mails) == MAILS
    pass_time(first, second, seconds=20)
    assert is_sent(second, second.post) == MAILS
    do(first, lambda: outbox._send_all(mails, first.post))
    check_each_went_once(first.post, second.post)


def test_who_was_stopped_and_wakes_posts_no_message_that_another_has_in_hand(workers: tuple[Table, Table]):
    first, second = workers
    (ada,) = first.people(1)
    assert ada.post("/webhooks", {"url": "http://127.0.0.1:9000/"}).status_code == 201
    ada.post("/games", {"edition": "condensed", "players": 2})
    ((webhook,), posted) = do(first, lambda: sender._QUEUE.take(1)), []
    pass_time(first, second, seconds=20)
    assert len(do(second, lambda: sender._QUEUE.take(1))) == 1
    assert do(first, lambda: sender._send(webhook, posted.append, call_of))[1] == sender.LOST
    assert posted == []


class _Relay(Postbox):
    """A relay that takes a second for a mail, and at the third of them calls `meanwhile`."""

    def __init__(self, table: Table, meanwhile: Callable[[], object]) -> None:
        super().__init__()
        self.table, self.meanwhile = table, meanwhile
        table.app.extensions["blackticket"].monotonic = lambda: len(self.sent)

    def send(self, message: bytes, sender: str, recipient: str) -> None:
        super().send(message, sender, recipient)
        pass_time(self.table, seconds=1)
        if len(self.sent) == 3:
            self.meanwhile()


def is_sent(table: Table, relay: Postbox) -> int:
    return do(table, lambda: outbox.send_waiting(relay))


@pytest.fixture(scope="module")
def own_server() -> Iterator[databases.Server]:
    """A PostgreSQL that a test may stop."""
    server = databases.Server()
    yield server
    server.close()


def test_a_restart_of_postgresql_between_two_mails_of_a_batch_holds_up_none_beyond_its_lease(
    own_server: databases.Server, tmp_path: Path
):
    """And none goes twice: the one whose record was lost is recorded as soon as the database is back."""
    url = databases.create_postgres(own_server.url)
    app = application(Settings.from_environ({"BLACKTICKET_DATABASE_URL": url}, tmp_path))
    with app.app_context():
        upgrade()
        let_go()
    with two_on(url, tmp_path) as (first, second):
        posts_mails(first)
        relay = _Relay(first, own_server.stop)
        with pytest.raises(Unavailable):
            is_sent(first, relay)
        beat(first)  # the database is still away
        own_server.start()
        beat(first)
        pass_time(second, seconds=3)
        assert is_sent(second, second.post) == 0
        pass_time(second, seconds=20)
        assert is_sent(second, second.post) == MAILS - 3
        check_each_went_once(relay, second.post)


def check_each_went_once(*relays: Postbox) -> None:
    gone = Counter(letter.recipient for relay in relays for letter in relay.sent)
    assert (len(gone), set(gone.values())) == (MAILS, {1})


def test_a_database_that_is_lost_between_two_mails_of_a_batch_holds_up_none_beyond_its_lease(
    workers: tuple[Table, Table],
):
    first, second = workers
    posts_mails(first)
    relay = Postbox()
    monotonic = iter(range(1_000))
    first.app.extensions["blackticket"].monotonic = lambda: next(monotonic)
    lost = Unavailable(None, None, Exception())
    with failing(first, "UPDATE outbox", "'sent'", lost), pytest.raises(Unavailable):
        is_sent(first, relay)
    assert len(relay.sent) == 1
    beat(first)
    pass_time(first, second, seconds=19)
    assert is_sent(second, second.post) == 0
    pass_time(first, second, seconds=1)
    assert is_sent(second, second.post) == MAILS - 1
    check_each_went_once(relay, second.post)


def test_a_mail_that_failed_keeps_its_pause(table: Table):
    table.dealt(2, edition="condensed")
    with table.app.app_context(), leases.working():
        (lease, *_) = outbox._QUEUE.take(1)
        outbox._retry(lease, SendingFailure("later", lasting=False))
        before = session.get_one(Outgoing, lease.id).not_before
        table.clock.turn(seconds=6)
        leases.renew()
        session.remove()
        assert session.get_one(Outgoing, lease.id).not_before == before
        session.remove()


def test_a_worker_that_starts_finds_what_a_dead_one_held(table: Table):
    table.dealt(2, edition="condensed")
    with table.app.app_context():
        assert len(outbox._QUEUE.take(100)) > 1
        session.remove()
    table.clock.turn(seconds=20)
    worker = Worker(table.app)
    worker.transport = post = Doorbell()
    worker.start()
    assert post.rung.wait(LONG)
    worker.stop()


# What an operator hears of it ---------------------------------------------------------------------


def troubles(table: Table) -> list[str]:
    return do(table, lambda: [sentence for sentence in health.troubles() if "not tried" in sentence])


def test_doctor_names_mail_that_is_due_for_two_minutes_and_was_not_tried(table: Table):
    posts_mails(table, 2)
    for seconds, is_named in ((119, False), (2, True)):
        table.clock.turn(seconds=seconds)
        assert bool(troubles(table)) is is_named
    table.tick()
    assert troubles(table) == []


def test_doctor_names_it_too_if_it_is_leased_again_and_again(table: Table):
    posts_mails(table, 1)
    for _ in range(7):
        with table.app.app_context():
            assert len(outbox._QUEUE.take(1)) == 1
            session.remove()
        table.clock.turn(seconds=20)
    assert troubles(table)


def test_doctor_names_no_mail_that_waits_for_its_time_or_for_another_attempt(table: Table):
    posts_mails(table, 2)
    with table.app.app_context(), transaction():
        ids = [row.id for row in session.scalars(select(Outgoing))]
        later = {"not_before": table.clock.time.replace(year=2027)}
        execute(update(table_of(Outgoing)).where(Outgoing.id == ids[0]).values(**later))
        execute(update(table_of(Outgoing)).where(Outgoing.id == ids[1]).values(attempts=1, **later))
    table.clock.turn(minutes=5)
    assert troubles(table) == []


def test_a_mailbox_is_free_again_twenty_seconds_after_its_lease_was_renewed(workers: tuple[Table, Table]):
    first, second = workers
    assert do(first, lambda: imap_progress.claim("box", "first"))
    held = leases.Lease(Mailbox, "box", "first", imap_progress.NEVER)
    first.app.extensions["blackticket"].leases.add(held)
    for _ in range(20):
        pass_time(first, second, seconds=2)
        beat(first)
        assert do(second, lambda: imap_progress.claim("box", "second")) is None
    pass_time(first, second, seconds=21)
    assert do(second, lambda: imap_progress.claim("box", "second"))
