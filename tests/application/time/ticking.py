"""A worker in a time that is turned by hand: it looks, fires, reads and sends at every tick, unless it is out."""

from collections.abc import Callable
from datetime import datetime, timedelta

from server import worker
from server.application.mail import imap_progress
from server.application.time import heartbeat
from server.application.time.outages import Watch
from server.mail.transport.smtp_client import SendingFailure
from server.models import Pulse, session, transaction
from server.worker import waiting
from tests.table import Table


class Relay:
    """A relay that can be out; for who is in `bouncing` it refuses mail for good."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self.clock = clock
        self.is_out = False
        self.bouncing: set[str] = set()
        self.taken = 0
        self.refused_at: datetime | None = None  # the first time since this was last forgotten

    def send(self, message: bytes, sender: str, recipient: str) -> None:
        self.knock()
        if recipient in self.bouncing:
            raise SendingFailure("the relay refused the recipient (550)", lasting=True)
        self.taken += 1

    def close(self) -> None:
        """Nothing is kept open."""

    def knock(self) -> None:
        if self.is_out:
            self.refused_at = self.refused_at or self.clock()
            raise SendingFailure("the relay cannot be reached (it does not answer)", lasting=False, for_all=True)


class Ticking:
    """One worker of an application. Its mailbox, if it has one, is read at every tick."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.relay = Relay(table.clock)
        self.mailbox_is_out = False
        self.watch = Watch()
        self.seconds = self.looked_at = 0.0
        self.runtime = table.app.extensions["blackticket"]
        self.runtime.monotonic = lambda: self.seconds
        self.tick_length = timedelta(seconds=self.runtime.settings.tick_seconds)
        self.stride = self.tick_length  # how much time passes from one tick to the next while it runs

    @property
    def now(self) -> datetime:
        return self.table.clock.time

    def tick(self) -> None:
        """Do what the worker's threads do at one tick."""
        with self.table.app.app_context():
            self.read_mailbox()
            self.look()
            waits = waiting.look()
            if waits.corrections:
                worker.correct_timers(self.rest)
            if any(waits):
                worker.fire_and_read()
                worker.send_mail(self.relay)
            session.remove()

    def look(self) -> None:
        """Look as the ticker has a worker do."""
        self.watch.look()
        self.looked_at = self.seconds

    def rest(self, _worked: float) -> None:
        """Look while the worker gives time back, whenever a tick has passed: the ticker goes on meanwhile."""
        if self.seconds - self.looked_at >= self.tick_length.total_seconds():
            self.look()

    def read_mailbox(self) -> None:
        box = self.runtime.settings.imap_url
        if box and self.mailbox_is_out:
            imap_progress.failed(box.name, "the mail server cannot be reached (it does not answer)")
        elif box:
            imap_progress.was_read(box.name, 1, 0, self.now)

    def pass_time(self, length: timedelta) -> None:
        """Time goes by, and nobody ticks."""
        self.table.clock.time += length
        self.seconds += length.total_seconds()

    def run(self, until: datetime) -> None:
        """Tick and tick."""
        while self.now < until:
            self.pass_time(min(self.stride, until - self.now))
            self.tick()

    def idle(self, until: datetime) -> None:
        """The same for a while in which nothing is due: all that a tick does then is to note that all is well."""
        self.pass_time(max(until - self.now, timedelta(0)))
        self.retry_from_database()

    def retry_from_database(self) -> None:
        """All was well until this moment."""
        with self.table.app.app_context():
            note_well(self.now)
            session.remove()
        self.watch = Watch()
        self.tick()

    def set_clock(self, by: timedelta) -> None:
        """Somebody sets the clock on the wall; nothing else happens."""
        self.table.clock.time += by

    def restart(self) -> None:
        """Another process, which remembers nothing."""
        self.watch = Watch()
        self.tick()


def note_well(at: datetime) -> None:
    """Note a heartbeat of that moment, as a worker does."""
    with transaction():
        for name in (heartbeat.TICK, heartbeat.WELL):
            session.merge(Pulse(name=name, at=at))
