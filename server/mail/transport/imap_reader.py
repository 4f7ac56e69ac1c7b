"""Reads a mailbox by IMAP: what is for this server is taken into the inbox, everything else is left as it is.

A mail is committed to the inbox before it is put away. If the server dies in between it is taken in again, and the
ledger of mails acted on makes that harmless, as it does when a mailbox numbers its mails anew.
"""

import logging
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta

from flask import Flask

from server.application import leases
from server.application.game import reply_addresses
from server.application.mail import imap_progress, inbox
from server.application.mail.imap_progress import Progress
from server.application.people.players import with_email
from server.faults import fault
from server.mail.commands import reply_address
from server.mail.examination.supervisor import TooCostly, examiner
from server.mail.language import grammar
from server.mail.reading.automatic import Kind, classify
from server.mail.reading.headers import BrokenAddressesError, Headers
from server.mail.reading.headers import addresses as addresses_in
from server.mail.transport.imap import ImapConnection, MailboxFailure, MailHead
from server.mail.trust import bounce_reports
from server.mail.writing.compose import MARKER
from server.models import session
from server.runtime import now, runtime
from server.settings import Mailbox

log = logging.getLogger(__name__)
POLL = 20.0  # seconds between two looks, with IDLE too: deadlines want to know that nothing waits outside
NEXT_IN_LINE = 5.0  # the same while another process reads, which may be killed at any time
BACK_OFF = 5.0  # seconds after the first failure, twice as long after each further one
LONGEST_BACK_OFF = 300.0
OLDEST = timedelta(days=30)  # of what lies in a mailbox when it is read for the first time
MOST_ATTEMPTS = 3  # to fetch one mail
# Where the server that delivered a mail says for whom, then where its writer does.
OF_A_TALK = {"yes", "no", "say", "say_all"}  # words that are a command in an answer to us, and elsewhere just words
RECIPIENT_FIELDS = ("delivered-to", "x-original-to", "envelope-to", "x-envelope-to", "to", "cc")


class ImapReader:
    """Reads one mailbox in a thread of its own, for ever, until it is stopped."""

    def __init__(self, app: Flask, box: Mailbox, connect: Callable[[Mailbox], ImapConnection] = ImapConnection) -> None:
        self.app = app
        self.box = box
        self._connect = connect
        self._connection: ImapConnection | None = None
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="mailbox", daemon=True)
        self._failures = 0
        self._attempts: Counter[int] = Counter()
        self._holder = ""  # named where a connection begins: the life in it may be another than the last time

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """Begin to stop: the mail under way is finished."""
        self._stopping.set()
        if self._connection is not None:
            self._connection.interrupt()

    def join(self, patience: float) -> None:
        """Wait until it has stopped; leave it behind if it still hangs at the mail server after `patience` seconds."""
        self._thread.join(patience)

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                self._stay()
            except MailboxFailure as failure:
                self._pause(str(failure))
            except Exception as error:  # noqa: BLE001 a database that is away now will be back
                log.error("the mailbox reader failed: %s", fault(error))
                self._pause("it could not be read, see the log")

    def _stay(self) -> None:
        """Read, wait for news, read again, until something fails."""
        self._connection = connection = self._connect(self.box)
        try:
            with self.app.app_context():
                self._holder = leases.new_name("reader")
            while not self._stopping.is_set():
                with self.app.app_context():
                    pause = POLL if self.read(connection) else NEXT_IN_LINE
                self._failures = 0
                if not connection.wait(pause):
                    self._stopping.wait(pause)
        finally:
            connection.close()
            self._connection = None
            with self.app.app_context(), suppress(Exception):
                imap_progress.let_go(self.box.name, self._holder)

    def _pause(self, sentence: str) -> None:
        if self._stopping.is_set():
            return
        with self.app.app_context():
            with suppress(Exception):  # the database may be what fails
                imap_progress.failed(self.box.name, sentence)
            jitter = runtime().rng("back-off").uniform(0.8, 1.2)
        length = min(BACK_OFF * 2 ** min(self._failures, 16), LONGEST_BACK_OFF) * jitter
        self._failures += 1
        self._stopping.wait(length)

    def read(self, connection: ImapConnection) -> bool:
        """Take in what is new, the oldest first; nothing, and False, while another process reads this mailbox."""
        progress = imap_progress.claim(self.box.name, self._holder)
        if progress is None:
            return False
        began = claimed = now()
        last = progress.last_uid if progress.uidvalidity == connection.uidvalidity else 0
        for head in connection.heads(connection.newer(last, began - OLDEST)):
            if now() - claimed > imap_progress.LEASE / 2:
                claimed = now()  # a reading that takes long keeps it
                imap_progress.claim(self.box.name, self._holder)
            self._take(connection, head, progress)
            last = head.uid
        imap_progress.was_read(self.box.name, connection.uidvalidity, last, began)
        session.remove()
        return True

    def _take(self, connection: ImapConnection, head: MailHead, progress: Progress) -> None:
        try:
            headers = examiner().headers(head.header)
        except TooCostly:
            return  # left where it is
        recipients = recipients_of(headers)
        raw = self._fetch(connection, head) if recipients else None
        if raw is not None and (_is_for_us_alone(recipients[0]) or _speaks_to_us(raw)):
            inbox.store(raw, sender_of(headers), recipients, "imap", arrival(head.arrived, progress.read_at, now()))
            connection.put_away(head.uid)

    def _fetch(self, connection: ImapConnection, head: MailHead) -> bytes | None:
        """The bytes; of a mail that is too large so many that it is seen to be, and its writer hears of it.

        What can never be fetched is left where it is, or it would hold up all behind it.
        """
        if self._attempts[head.uid] >= MOST_ATTEMPTS:
            log.error("a mail in the mailbox cannot be fetched, and is left there: UID %s", head.uid)
            return None
        self._attempts[head.uid] += 1
        raw = connection.raw(head.uid, inbox.LARGEST + 1)
        del self._attempts[head.uid]
        return raw


def recipients_of(headers: Headers) -> list[str]:
    """Which of our addresses a mail came to, as its header tells; none when it is no business of ours.

    Those with a token are told at a glance, and one that was left out by what the mail answers. The play address may be
    somebody's ordinary one: what comes to it is looked into if a player wrote it, or a machine that reports.
    """
    named = [_addresses(headers, name) for name in RECIPIENT_FIELDS]
    for found in named:
        printed = [address for address in found if reply_addresses.has_token(address)]
        if printed:
            return list(dict.fromkeys(printed))
    for name in ("to", "cc"):
        for value in headers.get(name, ()):
            if in_names := reply_addresses.in_names(value):
                return in_names
    if operators := [address for found in named for address in found if reply_addresses.is_operators(address)]:
        return operators[:1]
    if lacking := _answered(headers, [address for found in named for address in found]):
        return [lacking]
    play = [address for found in named for address in found if reply_addresses.is_play(address)]
    return play[:1] if play and _is_ours(headers) else []


def _is_for_us_alone(recipient: str) -> bool:
    """Return True if whatever comes to `recipient` is for the server, and nothing for a person who has the mailbox."""
    return reply_addresses.has_token(recipient) or reply_addresses.is_operators(recipient)


def _answered(headers: Headers, to: list[str]) -> str | None:
    writers = _addresses(headers, "from")
    player = with_email(writers[0]) if len(writers) == 1 and reply_addresses.may_lack_token(to) else None
    return reply_address.reply_address(headers, player) if player is not None else None


def _is_ours(headers: Headers) -> bool:
    if classify(headers) in (Kind.BOUNCE, Kind.COMPLAINT):
        return True
    return any(with_email(address) is not None for address in _addresses(headers, "from"))


def _speaks_to_us(raw: bytes) -> bool:
    """Whether what came to an address that may be somebody's own is for the server: a command, or about mail of ours.

    What players, or machines, write to that somebody is left to him.
    """
    if bounce_reports.names_ours(raw):
        return True
    try:
        reading = examiner().read(raw, marker=MARKER)
    except TooCostly:
        return True  # which is for the inbox to tell the operator
    names = {command.name for command in grammar.parse(reading.lines, reading.subject).commands}
    return bool(names - OF_A_TALK) or bounce_reports.is_stop(reading.subject)


def sender_of(headers: Headers) -> str:
    """The envelope sender, as who delivered the mail has noted it; where nobody has, who says he wrote it."""
    for value in headers.get("return-path", ())[:1]:
        return value.strip().strip("<>").strip()
    return next(iter(_addresses(headers, "from")), "unknown")


def arrival(told: datetime | None, last_read: datetime | None, at: datetime) -> datetime:
    """When a mail arrived that is read `at` a time: the mail server's word for it, as far as that can be.

    It cannot be later than now, nor before the last reading, which would have found it. A mail that came in time and is
    read a little later so still counts, and nobody can hand in one that claims to have been there all along.
    """
    arrived = min(told or at, at)
    return max(arrived, last_read) if last_read and last_read <= at else arrived


def _addresses(headers: Headers, name: str) -> list[str]:
    found: list[str] = []
    for value in headers.get(name, ()):
        with suppress(BrokenAddressesError):
            found += addresses_in(value)
    return found[: reply_addresses.MOST_IN_A_FIELD]
