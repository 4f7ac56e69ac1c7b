"""The worker: woken by events, ticked by a clock, stopped in good order, and hard to discourage."""

import logging
import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import select, text

from server import worker as workers
from server.mail.transport.smtp_client import SendingFailure
from server.models import Incoming, session, transaction
from server.runtime.outbound_urls import OutboundUrl
from server.worker import Worker
from tests import databases
from tests.injected import START
from tests.letters import Doorbell, Postbox
from tests.statements import failing
from tests.table import Playing, Table

LONG = 20  # seconds after which a test that waits for something has failed


class Ear(logging.Handler):
    """Hears what the worker complains about."""

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[str] = []
        self.rung = threading.Event()

    def emit(self, record: logging.LogRecord) -> None:
        self.heard.append(record.getMessage())
        self.rung.set()


@pytest.fixture
def table(tmp_path_factory: pytest.TempPathFactory) -> Table:
    """An application whose ticker will not come round again while a test runs."""
    return Table(tmp_path_factory.mktemp("var"), sandbox="1", min_turn="PT1S", tick_seconds="3600")


@pytest.fixture
def start(table: Table) -> Iterator[Callable[..., Worker]]:
    """Starts a worker with the table's post, and stops it in the end."""
    running = []

    def begin(post: Postbox | None = None, **given: Any) -> Worker:
        made = Worker(table.app, **given)
        made.transport = table.post = post or Doorbell()
        made.start()
        running.append(made)
        return made

    yield begin
    for worker in running:
        if worker._ticker.running:
            worker.stop()


@pytest.fixture
def ear() -> Iterator[Ear]:
    listening = Ear()
    workers.log.addHandler(listening)
    yield listening
    workers.log.removeHandler(listening)


def woken(wake_up: threading.Event) -> bool:
    """Return whether the event was set; it is cleared, so it may be set again."""
    heard = wake_up.wait(LONG)
    wake_up.clear()
    return heard


class TestWakeUps:
    """Nobody waits for the next tick."""

    def test_the_first_round_comes_at_once(self, table: Table, start: Callable[..., Worker]):
        post = Doorbell()
        table.dealt(2, edition="condensed")
        start(post)
        assert woken(post.rung)

    def test_what_fell_due_while_nobody_ran_is_done_at_once(self, table: Table, start: Callable[..., Worker]):
        post = Doorbell()
        game = table.dealt(2, edition="condensed")
        table.tick()
        table.clock.turn(days=2)
        start(post)
        assert woken(post.rung)
        assert game.view()["due_at"] == f"{START + timedelta(days=4):%Y-%m-%dT%H:%M:%SZ}"

    def test_a_move_by_rest_wakes_the_sender(self, table: Table, start: Callable[..., Worker]):
        game = table.dealt(2, edition="condensed")
        table.tick()
        post = Doorbell()
        start(post)
        game.move(game.people[0])
        assert woken(post.rung)

    def test_a_webhook_that_hangs_holds_up_neither_mail_nor_other_webhooks(
        self, table: Table, start: Callable[..., Worker]
    ):
        ada, ben = table.people(2)
        for person, host in ((ada, "slow"), (ben, "quick")):
            assert person.post("/webhooks", {"url": f"http://127.0.0.{len(host)}:9000/"}).status_code == 201
        hangs, quick, goes_on = threading.Event(), threading.Event(), threading.Event()

        def hook(target: OutboundUrl, *_: object) -> str:
            (hangs if target.host == "127.0.0.4" else quick).set()
            if target.host == "127.0.0.4":
                goes_on.wait(LONG)
            return "delivered"

        post = Doorbell()
        start(post).hook = hook
        try:
            table.game([ada, ben], edition="condensed")
            assert hangs.wait(LONG)
            assert quick.wait(LONG)
            assert woken(post.rung)
        finally:
            goes_on.set()

    def test_a_mail_that_arrives_wakes_the_reader(self, table: Table, start: Callable[..., Worker]):
        game = table.dealt(2, edition="condensed")
        table.tick()
        turn_mail = game.people[0].mails[-1]
        post = Doorbell()
        start(post)
        game.people[0].reply(game.legal(game.people[0])[0], to=turn_mail)
        assert woken(post.rung)
        assert game.view()["turn"] == 2

    def test_a_mail_that_arrives_too_late_finds_the_deadline_fired(self, table: Table, start: Callable[..., Worker]):
        game = table.game(table.people(2), edition="condensed", clock={"detectives": "PT1H"})
        game.move(game.people[0])
        table.tick()
        turn_mail = game.people[1].mails[-1]
        wanted = game.legal(game.people[1])[-1]
        post = Doorbell()
        start(post)
        table.clock.turn(hours=1, seconds=1)  # the ticker comes round every hour; for days it would have been away
        game.people[1].reply(wanted, to=turn_mail)
        assert woken(post.rung)
        assert game.view()["to_move"] == ["mr_x"]


class TestTicker:
    """APScheduler only ticks."""

    def test_a_tick_is_not_made_up_for_and_does_not_run_twice_at_once(self, start: Callable[..., Worker]):
        for job in start()._ticker.get_jobs():
            assert (job.coalesce, job.max_instances, job.misfire_grace_time) == (True, 1, None)

    def test_it_comes_round_every_tick_seconds(self, start: Callable[..., Worker]):
        assert [job.trigger.interval for job in start()._ticker.get_jobs()] == 2 * [timedelta(hours=1)]

    def test_it_keeps_nothing_that_a_restart_could_lose(self, start: Callable[..., Worker]):
        ticker = start()._ticker
        assert [type(store).__name__ for store in ticker._jobstores.values()] == ["MemoryJobStore"]

    def test_a_tick_fires_what_is_due_and_rings_the_bells(self, table: Table):
        game = table.dealt(2, edition="condensed")
        table.clock.turn(days=2)
        worker = Worker(table.app)
        worker._tick()
        assert game.view()["due_at"] == f"{START + timedelta(days=4):%Y-%m-%dT%H:%M:%SZ}"
        assert worker.wake_ups.inbox.is_set()
        assert worker.wake_ups.outbox.is_set()

    def test_an_application_by_itself_runs_no_threads(self, tmp_path_factory: pytest.TempPathFactory):
        before = set(threading.enumerate())
        Table(tmp_path_factory.mktemp("var"))
        assert set(threading.enumerate()) == before


class TestStop:
    """In good order, and never for ever."""

    def test_all_threads_have_ended_when_it_has_stopped(self, start: Callable[..., Worker]):
        before = set(threading.enumerate())
        worker = start()
        assert len(set(threading.enumerate()) - before) >= 3
        worker.stop()
        assert set(threading.enumerate()) == before

    def test_a_mailbox_that_hangs_takes_no_time_from_the_threads(self, table: Table):
        seen: list[tuple[str, float]] = []

        class Waits:
            def __init__(self, name: str) -> None:
                self.name = name

            def stop(self) -> None:
                seen.append((f"stop {self.name}", 0))

            def join(self, patience: float) -> None:
                seen.append((self.name, patience))
                ticked.append(patience if self.name == "mailbox" else 0)

        ticked = [0.0]
        worker = Worker(table.app)
        table.runtime.monotonic = lambda: sum(ticked)
        worker._threads = [Waits("inbox"), Waits("outbox")]  # type: ignore[list-item]
        worker._readers = [Waits("mailbox")]  # type: ignore[list-item]
        worker._ticker.start(paused=True)
        worker.stop()
        assert seen == [("stop mailbox", 0), *((name, workers.PATIENCE) for name in ("inbox", "outbox", "mailbox"))]

    def test_who_hangs_at_a_relay_does_not_hold_up_the_end(self, table: Table, start: Callable[..., Worker]):
        class Hanging(Doorbell):
            def send(self, message: bytes, sender: str, recipient: str) -> None:
                self.rung.set()
                release.wait(LONG)

        release, post = threading.Event(), Hanging()
        table.dealt(2, edition="condensed")
        worker = start(post, patience=0.01)
        assert woken(post.rung)
        worker.stop()
        (hanging,) = [thread for thread in worker._threads if thread.name == "outbox"]
        for thread in worker._threads:
            if thread is not hanging:
                thread.join(LONG)
        assert hanging.is_alive()
        assert hanging.daemon, "the process may end all the same"
        release.set()
        hanging.join(LONG)

    def test_the_mail_in_hand_is_read_and_the_others_wait(self, game: Playing):
        """So a flood of mail does not hold up the end."""
        game.table.tick()
        for _ in range(3):
            game.people[0].reply("STATUS")
        asked = []

        def is_stopping() -> bool:
            asked.append(1)
            return len(asked) > 2  # asked once before anything is read, and once before each mail

        with game.table.app.app_context():
            workers.read_mail(is_stopping)
            states = session.scalars(select(Incoming.state)).all()
        assert sorted(states) == ["done", "new", "new"]

    def test_what_is_due_waits_for_the_next_start(self, table: Table, game: Playing):
        table.clock.turn(days=3)
        with table.app.app_context():
            workers.fire_due(lambda: True)
        before = game.view()["due_at"]
        table.tick()
        assert before < f"{table.clock():%Y-%m-%dT%H:%M:%SZ}" < game.view()["due_at"]


class TestTrouble:
    """Every failure is logged by its type, and tried again."""

    def test_a_worker_whose_database_is_broken_keeps_running(
        self, table: Table, start: Callable[..., Worker], ear: Ear
    ):
        game = table.dealt(2, edition="condensed")
        table.tick()
        turn_mail, wanted = game.people[0].mails[-1], game.legal(game.people[0])[0]
        rename(table, "deadlines", "away")
        post = Doorbell()
        worker = start(post)
        assert woken(ear.rung)
        kind = "ProgrammingError" if databases.IS_POSTGRESQL else "OperationalError"
        assert f": the worker failed: {kind} at server." in ear.heard[0]
        assert all(thread.is_alive() for thread in worker._threads)
        rename(table, "away", "deadlines")
        game.people[0].reply(wanted, to=turn_mail)
        assert woken(post.rung)
        assert game.view()["turn"] == 2

    def test_a_relay_that_is_away_is_tried_again(self, table: Table, start: Callable[..., Worker]):
        class Away(Doorbell):
            def send(self, message: bytes, sender: str, recipient: str) -> None:
                self.rung.set()
                raise SendingFailure("the relay cannot be reached", lasting=False)

        away, post = Away(), Doorbell()
        table.dealt(2, edition="condensed")
        worker = start(away)
        assert woken(away.rung)
        worker.stop()
        table.clock.turn(minutes=2)
        start(post)
        assert woken(post.rung)

    def test_what_went_wrong_is_not_quoted(self, table: Table, game: Playing, ear: Ear):
        table.clock.turn(days=3)
        with failing(table, "INSERT INTO events", error=KeyError("Mr. X is at 46")):
            table.tick()
        assert ear.heard
        assert all("at 46" not in line and "KeyError" in line for line in ear.heard)

    def test_one_mail_that_cannot_be_read_does_not_stop_the_tick(self, table: Table, game: Playing):
        table.runtime.examiner = SimpleNamespace(examine=lambda *_args, **_kwargs: 1 / 0)
        table.tick()
        game.people[0].reply("taxi 1")
        table.clock.turn(days=3)
        for _ in range(3):  # then it is given up, and its game waits for it no longer
            table.tick()
            table.clock.turn(minutes=3)
        *_, granted, refused = game.people[0].mails
        assert "one more turn" in granted.get_content()
        assert "could not be read" in refused.get_content()


def rename(table: Table, old: str, new: str) -> None:
    with table.app.app_context(), transaction():
        session.execute(text(f"ALTER TABLE {old} RENAME TO {new}"))
