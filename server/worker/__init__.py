"""The worker: it reads the inbox, sends the outbox and webhooks, and fires what is due. APScheduler only ticks.

All its work is rows in the database, so a worker may be killed at any moment, and any number of them may run.
"""

import logging
import threading
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, ParamSpec

from flask import Flask

from server.app.heart import Heart
from server.app.notifications import WakeUpReader
from server.application.game import verification
from server.application.health import health
from server.application.limits import answers, idempotency, quotas
from server.application.mail import presses
from server.application.mail.arrivals import forget_old as forget_old_mails
from server.application.operator import alerts
from server.application.people import blocked_networks, devices, webhooks
from server.application.people.accounts import abuse_reports, deliverability, guests
from server.application.time import deadlines, heartbeat, neglected_games, outages
from server.mail import inbox, outbox
from server.mail.examination.supervisor import ReadingProcesses
from server.mail.transport.smtp_client import SendingFailure, Transport, transport_for
from server.mail.writing.calls import call_of
from server.models import Unavailable, leases, transaction
from server.models.base import is_sqlite
from server.runtime import now, runtime
from server.runtime.faults import fault, is_of_machine
from server.settings import Mailbox
from server.vocabulary.durations import DAY
from server.webhooks import sender
from server.webhooks.transport import Post, post
from server.worker import waiting
from server.worker.ticker import Ticker
from server.worker.waiting import EVERYTHING, Waiting
from server.worker.watchdog import Watchdog

Given = ParamSpec("Given")
log = logging.getLogger(__name__)
TIDYING = timedelta(hours=1)
WEBHOOK_THREADS = 4  # so that slow receivers do not hold up the others
KNOCKING = timedelta(seconds=30)  # between two attempts to reach a relay that is out
PATIENCE = 10  # seconds for all threads to finish when the worker stops


def tick(transport: Transport, hook: Post = post) -> None:
    """Do one round of everything, if anything waits. Tests call this with a clock of their own."""
    waits = waiting.look()
    if not any(waits):
        return
    if waits.corrections:
        correct_timers()
    if waits.deadlines:  # first: a mail that came too late is too late
        fire_due()
    if waits.incoming:
        read_mail()
    send_mail(transport)
    send_webhooks(hook)


def _never() -> bool:
    return False


def _nothing() -> None:
    """Do nothing."""


def fire_and_read(is_stopping: Callable[[], bool] = _never) -> None:
    """Fire what is due, then read the mail: in this order, so that a mail that came too late is too late."""
    fire_due(is_stopping)
    read_mail(is_stopping)


def correct_timers(rest: Callable[[float], object] = lambda _seconds: None) -> None:
    """Restart timers of a wrong clock, and give back the time of outages; `rest` gets the seconds each step took."""
    outages.correct_timers(rest)
    outages.give_back(rest)


def read_mail(is_stopping: Callable[[], bool] = _never) -> None:
    """Read the inbox until it is empty, or until the mail in hand is read when the worker stops."""
    while not is_stopping() and not runtime().differs and inbox.process_waiting(is_stopping=is_stopping):
        pass


def send_mail(
    transport: Transport,
    rest: Callable[[float], object] = lambda _seconds: None,
    is_stopping: Callable[[], bool] = _never,
) -> None:
    """Send the outbox until less than a batch is due and nobody has woken the sender meanwhile.

    It ends at the end of a batch; `rest` gets the seconds that each took.
    """
    wake_up = runtime().wake_ups.outbox
    may_wait = True
    while may_wait and not is_stopping() and not runtime().differs and relay_answers(transport):
        wake_up.clear()
        began = time.monotonic()
        may_wait = outbox.send_waiting(transport) == outbox.BATCH or wake_up.is_set()
        rest(time.monotonic() - began)


def relay_answers(transport: Transport) -> bool:
    """Return whether the relay takes mail. One that is out is tried now and then, so that no mail uses up attempts."""
    if not outages.is_relay_out():
        return True
    if not heartbeat.beat(heartbeat.KNOCK, KNOCKING):
        return False
    try:
        transport.knock()
    except SendingFailure:
        return False
    if not outbox.is_taken_again(transport):
        return False
    outages.record_relay_answer()
    return True


def send_webhooks(hook: Post, is_stopping: Callable[[], bool] = _never) -> None:
    """Send to webhooks and devices until nothing is due; several threads may do this at once."""
    while not is_stopping() and sender.send_one(hook, call_of):
        pass


def fire_due(is_stopping: Callable[[], bool] = _never) -> None:
    """Fire what is due until nothing is, the oldest row first, each in a transaction of its own and at most once.

    A row whose game another worker is busy with comes at the end of the batch, and this one goes on at a random row:
    so workers that fire the same rows neither wait for each other nor follow each other from row to row.
    """
    tried: set[str] = set()
    while not is_stopping() and (batch := [row for row in deadlines.due(now()) if row[0] not in tried]):
        tried.update(deadline_id for deadline_id, *_ in batch)
        busy = []
        while batch and not is_stopping():
            row = batch.pop(0)
            if not _fire(*row, waits=False):
                busy.append(row)
                place = runtime().rng("sweep").randrange(len(batch) + 1)
                batch = batch[place:] + batch[:place]
        for row in busy:
            if not is_stopping():
                _fire(*row, waits=True)
    _play_all_held(is_stopping)


def tidy_up() -> None:
    """Delete what has been stored long enough, and warn or end neglected games."""
    warn_or_end_neglected_games()
    while idempotency.forget_old():
        pass
    webhooks.forget_old()
    devices.forget_signed_out()
    answers.forget_old()
    presses.forget_talk()
    blocked_networks.forget_old()
    abuse_reports.forget_old()
    with transaction():
        quotas.forget_old()
    while forget_old_mails():
        pass
    deliverability.find_arrived()
    guests.free_seats_of_idle()
    while guests.forget_idle():
        pass
    while neglected_games.forget_leftovers():
        pass


def verify_games() -> None:
    """Once a day, verify the games in which something happened since; one that fails is closed to moves."""
    last = heartbeat.last(heartbeat.VERIFIED) or now() - DAY
    if heartbeat.is_old(last, DAY):
        verification.verify_moved(last - TIDYING)  # within that hour the last verification took place
        heartbeat.note(heartbeat.VERIFIED)


def tell_operator() -> None:
    """Write to the operator about what needs them; log a failure, and go on."""
    try:
        alerts.tell()
    except Exception as error:  # noqa: BLE001 the next time it may go well
        log.error("the operator could not be told: %s", fault(error))


def warn_or_end_neglected_games() -> None:
    """Warn or end neglected games, each in a transaction of its own; one that fails is tried again the next time."""
    for game_id in neglected_games.neglected():
        try:
            neglected_games.warn_or_end(game_id)
        except Unavailable:
            raise
        except Exception as error:  # noqa: BLE001 isolation is the point
            log.error("game %s could not be expired: %s", game_id, fault(error))


def _fire(deadline_id: str, game_id: str, due_at: datetime, *, waits: bool) -> bool:
    """Fire one row, and postpone it if it fails; return False if another worker is busy with its game."""
    try:
        if not deadlines.is_scheduled(deadline_id):
            return True
        # A mail that arrived in time counts, even if it is not read yet.
        if not inbox.read_of_game(game_id, until=due_at) and deadlines.hold(deadline_id):
            return True
        deadlines.fire(deadline_id, waits=waits)
    except deadlines.Busy:
        return False
    except Unavailable:
        raise  # not the fault of the row, which is tried again at the next tick
    except Exception as error:  # noqa: BLE001 isolation is the point
        log.error("deadline %s failed: %s", deadline_id, fault(error))
        deadlines.postpone(deadline_id, is_counted=not is_of_machine(error))
    return True


def _play_all_held(is_stopping: Callable[[], bool]) -> None:
    tried: set[str] = set()
    while not is_stopping() and (batch := [row for row in deadlines.due_holds(now()) if row[0] not in tried]):
        tried.update(game_id for game_id, _ in batch)
        for game_id, plays_at in batch:
            if not is_stopping():
                _play_held(game_id, plays_at)


def _play_held(game_id: str, plays_at: datetime) -> None:
    """Play the held moves of a game that are due, after the mails that came by then; postpone them if that fails."""
    try:
        if inbox.read_of_game(game_id, until=plays_at) or not deadlines.wait_for_mail(game_id, plays_at):
            deadlines.play_hold(game_id)
    except Unavailable:
        raise
    except Exception as error:  # noqa: BLE001 isolation is the point
        log.error("what waits in game %s failed: %s", game_id, fault(error))
        deadlines.postpone_hold(game_id, is_counted=not is_of_machine(error))


class Checked:
    """A transport that calls `check` before each mail."""

    def __init__(self, transport: Transport, check: Callable[[], None]) -> None:
        self._transport, self._check = transport, check
        self.knock, self.close = transport.knock, transport.close

    def send(self, message: bytes, sender: str, recipient: str) -> None:
        """Check, and send `message`."""
        self._check()
        self._transport.send(message, sender, recipient)


def _checked_post(post: Callable[Given, str], check: Callable[[], None]) -> Callable[Given, str]:
    """Return `post`, with a call of `check` before it."""

    def send(*given: Given.args, **named: Given.kwargs) -> str:
        check()
        return post(*given, **named)

    return send


class Worker:
    """A set of threads: one reads, one sends, some send webhooks; each is woken by an event or by the ticker.

    One more waits at the server of the mailbox, if there is one, and on PostgreSQL one for commits of other processes.
    """

    def __init__(
        self,
        app: Flask,
        *,
        gives_way: bool = False,
        check: Callable[[], None] = _nothing,
        looked: Callable[[], None] = _nothing,
        patience: float = PATIENCE,
        connect: Callable[[Mailbox], Any] | None = None,
    ) -> None:
        """Prepare the threads; `gives_way` if this process answers requests too, which come before a flood of mail.

        `check` is called before anything is sent; it does not return if this worker must not send any more. `looked` is
        called after each look, even of a database that is out. When it stops, all threads have `patience` seconds.
        `connect` opens the mailbox, by IMAP if None.
        """
        settings = app.extensions["blackticket"].settings
        self.app = app
        self._patience = patience
        self._share = 2 if gives_way else 0
        self.transport: Transport = Checked(transport_for(settings), check)
        self.hook = _checked_post(post, check)
        self.wake_ups = app.extensions["blackticket"].wake_ups
        self._processes = app.extensions["blackticket"].examiner = ReadingProcesses()
        self._stopping = threading.Event()
        is_stopping = self._stopping.is_set
        self._tidied_at: datetime | None = None
        self._told_at: datetime | None = None
        self._watch, self._looked = outages.Watch(), looked
        self._alert_due, self._credit_due = threading.Event(), threading.Event()
        self._watchdog = Watchdog(settings.alert_url)
        self._waits = EVERYTHING
        self._threads = [
            threading.Thread(target=self._loop, args=(wake_up, work), name=name, daemon=True)
            for name, wake_up, work in (
                ("inbox", self.wake_ups.inbox, lambda: fire_and_read(is_stopping)),
                ("outbox", self.wake_ups.outbox, lambda: send_mail(self.transport, self._rest, is_stopping)),
                *[("webhooks", self.wake_ups.webhooks, lambda: send_webhooks(self.hook, is_stopping))]
                * WEBHOOK_THREADS,
                ("alert", self._alert_due, self._alert),
                ("outages", self._credit_due, lambda: correct_timers(self._rest)),
            )
        ]
        self._readers: list[Any] = []
        if settings.imap_url:
            # Only here: memory of servers that have none.
            from server.mail.transport.imap import ImapConnection  # noqa: PLC0415
            from server.mail.transport.imap_reader import ImapReader  # noqa: PLC0415

            self._readers.append(ImapReader(app, settings.imap_url, connect or ImapConnection))
        if not is_sqlite(settings.database_url):
            self._readers.append(WakeUpReader(app))
        self._heart = Heart(app, outbox.settle, leases.renew)
        self._ticker = Ticker()
        self._ticker.every(settings.tick_seconds, self._tick)
        # A job of its own: however long it takes to fire what is due, that is no outage.
        self._ticker.every(settings.tick_seconds, self._look)

    def start(self) -> None:
        """Start all threads; the first round comes at once, for what fell due while no worker ran."""
        parts = self.app.extensions["blackticket"]
        parts.has_worker = True
        parts.has_listener = any(isinstance(reader, WakeUpReader) for reader in self._readers)
        self._heart.start()
        self._look()
        for thread in self._threads:
            thread.start()
        for reader in self._readers:
            reader.start()
        self._ticker.start()
        self._ring(EVERYTHING)

    def stop(self) -> None:
        """Finish the work under way, and stop. A thread that hangs at a relay is left behind: its lease runs out."""
        self._stopping.set()
        for reader in self._readers:
            reader.stop()
        self._ring(EVERYTHING)
        self._ticker.shutdown(wait=True)
        monotonic = self.app.extensions["blackticket"].monotonic
        until = monotonic() + self._patience
        for thread in self._threads:
            thread.join(max(0.0, until - monotonic()))
        for reader in self._readers:
            reader.join(max(0.0, until - monotonic()))
        self._heart.stop()
        self._processes.close()

    def _ring(self, waits: Waiting) -> None:
        """Wake the threads for which something waits, and the one that watches."""
        if waits.deadlines or waits.incoming:
            self.wake_ups.inbox.set()
        if waits.outgoing:
            self.wake_ups.outbox.set()
        if waits.webhooks:
            self.wake_ups.webhooks.set()
        if waits.corrections:
            self._credit_due.set()
        self._alert_due.set()

    def _rest(self, worked: float) -> None:
        self._stopping.wait(min(worked * self._share, 1))

    def _tick(self) -> None:
        self._waits = EVERYTHING  # unless the look finds less; where it fails, each thread finds out what works
        self._guarded(self._look_around)
        if self._waits.deadlines:  # not in the thread that reads: a flood of mail must not hold up what is due
            self._guarded(lambda: fire_due(self._stopping.is_set))
        self._ring(self._waits)
        self._guarded(self._tidy)

    def _look_around(self) -> None:
        self._waits = waiting.look()

    def _look(self) -> None:
        self._guarded(self._watch.look)
        self._looked()

    def _alert(self) -> None:
        self._watchdog.call(health.troubles)
        # Not at a tick: it replays games, and meanwhile nothing would fire.
        if not self._stopping.is_set() and heartbeat.is_old(self._told_at, TIDYING):
            self._told_at = now()
            self._guarded(verify_games)
            tell_operator()

    def _tidy(self) -> None:
        if heartbeat.is_old(self._tidied_at, TIDYING):
            self._tidied_at = now()
            tidy_up()

    def _loop(self, wake_up: threading.Event, work: Callable[[], None]) -> None:
        while not self._stopping.is_set():
            wake_up.wait()
            wake_up.clear()
            self._guarded(work)

    def _guarded(self, work: Callable[[], object]) -> None:
        try:
            with self.app.app_context():  # which gives the session back at its end
                work()
        except Exception as error:  # noqa: BLE001 a database that is away now will be back
            log.error("%s: the worker failed: %s", threading.current_thread().name, fault(error))
