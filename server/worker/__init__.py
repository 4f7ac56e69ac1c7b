"""The worker: reads the inbox, sends the outbox, fires what is due. APScheduler only ticks.

Everything it does is a row in the database; it may be killed at any moment and run in any number.
"""

import logging
import threading
import time
from collections.abc import Callable
from datetime import datetime

from apscheduler.schedulers.background import BackgroundScheduler
from flask import Flask

from server.application import deadlines
from server.faults import fault
from server.mail import inbox, outbox
from server.mail.transport import Transport, transport_for
from server.runtime import now

log = logging.getLogger(__name__)
PATIENCE = 10  # seconds for a thread to finish when the worker stops


def tick(transport: Transport) -> None:
    """One round of everything that waits. Tests call this with a clock of their own."""
    keep_up()
    send_mail(transport)


def keep_up() -> None:
    """Fire what is due, then read the mail. In this order, so that a mail that came too late is too late."""
    fire_due()
    read_mail()


def read_mail() -> None:
    """Read the inbox until it is empty."""
    while inbox.process_waiting():
        pass


def send_mail(transport: Transport, rest: Callable[[float], object] = lambda _seconds: None) -> None:
    """Send the outbox until nothing is due; after each batch `rest` is told how long it took."""
    began = time.monotonic()
    while outbox.send_waiting(transport):
        rest(time.monotonic() - began)
        began = time.monotonic()


def fire_due() -> None:
    """Fire what is due until nothing is, the oldest first, each row by itself and at most once."""
    tried: set[str] = set()
    while batch := [row for row in deadlines.due(now()) if row[0] not in tried]:
        for deadline_id, game_id, due_at in batch:
            tried.add(deadline_id)
            _fire(deadline_id, game_id, due_at)


def _fire(deadline_id: str, game_id: str, due_at: datetime) -> None:
    """A row that fails is pushed on, and does not hold up the others."""
    try:
        # A mail that came in time counts, even if nobody has read it yet.
        while inbox.process_waiting(game_id=game_id, until=due_at):
            pass
        deadlines.fire(deadline_id)
    except Exception as error:  # noqa: BLE001 isolation is the point
        log.error("deadline %s failed: %s", deadline_id, fault(error))
        deadlines.postpone(deadline_id)


class Worker:
    """Threads around `tick`: one that reads, one that sends, each waked by a bell or by the ticker."""

    def __init__(self, app: Flask, *, gives_way: bool = False) -> None:
        """`gives_way` where requests are answered in the same process: a flood of mail lets them go first."""
        self.app = app
        self._share = 2 if gives_way else 0
        self.transport = transport_for(app.extensions["blackticket"].settings)
        self.bells = app.extensions["blackticket"].bells
        self._stopping = threading.Event()
        self._threads = [
            threading.Thread(target=self._loop, args=(bell, work), name=name, daemon=True)
            for name, bell, work in (
                ("inbox", self.bells.inbox, keep_up),
                ("outbox", self.bells.outbox, lambda: send_mail(self.transport, self._rest)),
            )
        ]
        seconds = app.extensions["blackticket"].settings.tick_seconds
        # A tick is never made up for and never runs twice at once: what is due is in the database.
        self._ticker = BackgroundScheduler(
            timezone="UTC", job_defaults={"misfire_grace_time": None, "coalesce": True, "max_instances": 1}
        )
        self._ticker.add_job(self._tick, "interval", seconds=seconds)

    def start(self) -> None:
        """Begin; the first round comes at once, for what fell due while nobody ran."""
        for thread in self._threads:
            thread.start()
        self._ticker.start()
        self._ring()

    def stop(self) -> None:
        """Finish what is under way, and stop. Who hangs at a relay is left behind: his lease runs out."""
        self._stopping.set()
        self._ticker.shutdown(wait=True)
        self._ring()
        for thread in self._threads:
            thread.join(PATIENCE)

    def _ring(self) -> None:
        self.bells.inbox.set()
        self.bells.outbox.set()

    def _rest(self, worked: float) -> None:
        self._stopping.wait(min(worked * self._share, 1))

    def _tick(self) -> None:
        # Not left to the thread that reads: a flood of mail must not hold up what is due.
        self._guarded(fire_due)
        self._ring()

    def _loop(self, bell: threading.Event, work: Callable[[], None]) -> None:
        while not self._stopping.is_set():
            bell.wait()
            bell.clear()
            self._guarded(work)

    def _guarded(self, work: Callable[[], None]) -> None:
        try:
            with self.app.app_context():  # which gives the session back at its end
                work()
        except Exception as error:  # noqa: BLE001 a database that is away now will be back
            log.error("%s: the worker failed: %s", threading.current_thread().name, fault(error))
