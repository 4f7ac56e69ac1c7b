"""Store the mails of an IMAP mailbox that are for this server in the inbox table; leave all others as they are.

A mail is committed to the inbox before it is filed. If the server dies in between, the mail is stored a second time,
which is harmless because the server acts on each mail once; so it is when a mailbox gives all mails new UIDs.
A mail that is too much stays in the mailbox, unread, and is tried again until there is room for it.
"""

import logging
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from typing import NamedTuple

from flask import Flask
from sqlalchemy import select

from server.application.game import reply_addresses
from server.application.game.as_of import of_standing
from server.application.game.look import standing_of
from server.application.game.reply_addresses import INVITATION, token_of
from server.application.mail import arrivals, imap_progress
from server.application.mail.imap_progress import NEVER, Progress
from server.application.people.players import with_email
from server.house_rules.standing import Seat, Standing
from server.language import grammar
from server.language.forms import Trait, names_with
from server.mail.commands import questions, sending
from server.mail.examination.supervisor import ReadingFailed, TooCostly, examiner
from server.mail.reading.automatic import Kind, classify
from server.mail.reading.headers import BrokenAddressesError, Headers, decoded, first
from server.mail.reading.headers import addresses as addresses_in
from server.mail.reading.quoting import MARKER
from server.mail.transport.imap import HEADS_AT_ONCE, ImapConnection, MailboxFailure, MailHead, Unreachable
from server.mail.trust import bounce_handling, unsubscribe_mails
from server.mail.writing import seating
from server.models import Incoming, Outgoing, Player, ReplyToken, leases, session
from server.models import Mailbox as MailboxRow
from server.runtime import now, runtime
from server.runtime.faults import fault
from server.settings import Mailbox
from server.vocabulary.errors import Problem

log = logging.getLogger(__name__)
AGAIN = timedelta(seconds=arrivals.LATER)  # between two looks at the mails that were too much
POLL = 20.0
STANDBY = 5.0  # the same while another process reads, which may be killed at any time
RETRY = timedelta(seconds=5)  # after the first failure
LONGEST_RETRY = timedelta(minutes=5)
LONGEST_AWAY = timedelta(seconds=10)  # while the server cannot be reached, which costs it nothing
OLDEST = timedelta(days=30)  # of the mails in a mailbox that is read for the first time
FILED = timedelta(days=30)  # how long what was read stays in its folder, unless the mailbox is full
TIDYING = timedelta(days=1)  # between two looks at what lies there for longer
LEAST_ROOM = 200_000  # bytes: an answer with a picture in the quoted mail must fit in
# Between two trials of a mailbox whose provider does not say how full it is, and while it has no room.
TRIALS, TRIALS_WHILE_FULL = timedelta(hours=1), timedelta(minutes=5)
FULL = "the mailbox is full, so its provider refuses mail for it; delete mails there"
# To take in one mail, beside good readings of the others. The pauses before them are two and a half minutes together:
# a network that fails now and then is not the fault of the mail at which it does.
MOST_ATTEMPTS = 6
CONVERSATION = names_with(Trait.CONVERSATION)
FOR_NEWCOMERS = names_with(Trait.FOR_NEWCOMERS)
# The fields in which the server that delivered a mail names its recipient, then those in which its author does.
RECIPIENT_FIELDS = ("delivered-to", "x-original-to", "envelope-to", "x-envelope-to", "to", "cc")


class _Stored(NamedTuple):
    """A mail that is in the inbox; `is_for_us_alone`: by its address it cannot be for a person."""

    is_for_us_alone: bool


class Pace(NamedTuple):
    """The pace of a reader: how much it does at a time, and how often.

    poll: seconds between two readings, with IDLE too: deadlines wait for one
    refused: mails that are too much in a look at those that were, which then ends: each of them is fetched for nothing
    heads: headers that are asked for at once in such a look
    """

    poll: float = POLL
    refused: int = 50
    heads: int = HEADS_AT_ONCE


PACE = Pace()


class ImapReader:
    """Reads one mailbox in a thread of its own until it is stopped.

    `stopping` is set when it is to stop, and it waits for that in its pauses.
    """

    def __init__(
        self,
        app: Flask,
        box: Mailbox,
        connect: Callable[[Mailbox], ImapConnection] = ImapConnection,
        *,
        pace: Pace = PACE,
        stopping: threading.Event | None = None,
    ) -> None:
        self.app = app
        self.box = box
        self._connect = connect
        self._pace = pace
        self._connection: ImapConnection | None = None
        self._stopping = stopping or threading.Event()
        self._thread = threading.Thread(target=self._run, name="mailbox", daemon=True)
        self._failures = 0
        self._attempts: Counter[int] = Counter()
        self._tidied_at: datetime | None = None
        self._tried_at, self._takes_mail = NEVER, True
        self._holder = ""  # of the lease, with a new name for each connection
        self._looked_at = NEVER

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Have the thread stop once it has finished the mail under way."""
        self._stopping.set()
        if self._connection is not None:
            self._connection.interrupt()

    def join(self, patience: float) -> None:
        """Wait until the thread has stopped, at most `patience` seconds: it may hang at the mail server."""
        self._thread.join(patience)

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                self._read_on()
            except MailboxFailure as failure:
                self._pause(str(failure), LONGEST_AWAY if isinstance(failure, Unreachable) else LONGEST_RETRY)
            except Exception as error:  # noqa: BLE001 such as a database that is down for a while
                log.error("the mailbox reader failed: %s", fault(error))
                self._pause("it could not be read, see the log")

    def _read_on(self) -> None:
        """Read the mailbox again and again until something fails."""
        self._connection = connection = self._connect(self.box)
        parts = self.app.extensions["blackticket"]
        self._holder = parts.new_id("reader")
        lease = leases.Lease(MailboxRow, self.box.name, self._holder, NEVER)
        parts.leases.add(lease)  # once it is claimed it is renewed
        try:
            while not self._stopping.is_set():
                with self.app.app_context():
                    pause = self._pace.poll if self.read(connection) else STANDBY
                self._failures = 0
                if not connection.wait(pause):
                    self._stopping.wait(pause)
        finally:
            parts.leases.remove(lease)
            connection.close()
            self._connection = None
            with self.app.app_context(), suppress(Exception):
                imap_progress.release(self.box.name, self._holder)

    def _pause(self, sentence: str, longest: timedelta = LONGEST_RETRY) -> None:
        if self._stopping.is_set():
            return
        with self.app.app_context():
            with suppress(Exception):  # the database may be what fails
                imap_progress.failed(self.box.name, sentence)
            self._failures += 1
            pause = leases.pause_after(self._failures, longest, first=RETRY)
        self._stopping.wait(pause.total_seconds())

    def read(self, connection: ImapConnection) -> bool:
        """Store the new mails, the oldest first; return False, with nothing done, while another process does or is to.

        That is so where the settings of this one differ.
        """
        progress = None if runtime().differs else imap_progress.claim(self.box.name, self._holder)
        if progress is None:
            return False
        began = now()
        is_same = progress.uidvalidity == connection.uidvalidity
        last = progress.last_uid if is_same else 0
        left = self._look_again(connection, progress) if is_same else []
        for head in connection.heads(connection.newer(last, began - OLDEST)):
            if not self._take(connection, head, progress.read_at):
                left.append(head.uid)
            last = head.uid
        error = None if self._has_room(connection) else FULL
        imap_progress.was_read(self.box.name, connection.uidvalidity, last, began, left, error)
        session.remove()
        return True

    def _has_room(self, connection: ImapConnection) -> bool:
        """Delete what lies long in the folder of mails that were read, and all of it if the mailbox is full.

        Return False if it is full all the same.
        """
        if self._tidied_at is None or now() - self._tidied_at >= TIDYING:
            self._tidied_at = now()
            connection.empty_read_folder((now() - FILED).date())
        room = connection.room()
        if room is None:
            return self._has_room_by_trial(connection)
        if room < LEAST_ROOM:
            connection.empty_read_folder()
            room = connection.room() or 0
        return room >= LEAST_ROOM

    def _has_room_by_trial(self, connection: ImapConnection) -> bool:
        """Return the result of the last trial of a mailbox whose provider does not say how full it is."""
        pause = TRIALS if self._takes_mail else TRIALS_WHILE_FULL
        if not timedelta(0) <= now() - self._tried_at < pause:
            self._tried_at = now()
            self._takes_mail = connection.takes(LEAST_ROOM)
            if not self._takes_mail:
                connection.empty_read_folder()
                self._takes_mail = connection.takes(LEAST_ROOM)
        return self._takes_mail

    def _look_again(self, connection: ImapConnection, progress: Progress) -> list[int]:
        """Take in what was too much before, now and then; return the UIDs of what is left, the next to try first."""
        refused: list[int] = []
        left = progress.left
        if not timedelta(0) <= now() - self._looked_at < AGAIN:
            self._looked_at = now()
            while left and len(refused) < self._pace.refused:
                heads = connection.heads(left[: self._pace.heads])
                # As a mail that is sent again, it counts from now.
                refused += [head.uid for head in heads if not self._take(connection, head, now())]
                left = left[self._pace.heads :]
        return left + refused

    def _take(self, connection: ImapConnection, head: MailHead, last_read: datetime | None) -> bool:
        """Store a mail if it is for us, and put it away then; return False if it is too much now, and stays for later.

        A mail that can never be fetched or read stays where it is, so that it does not hold up those behind it.
        """
        if self._attempts[head.uid] >= MOST_ATTEMPTS:
            log.error("a mail in the mailbox cannot be taken in, and is left there: UID %s", head.uid)
            return True
        try:
            stored = self._store(connection, head, last_read)
        except Problem:
            return False
        except (MailboxFailure, ReadingFailed):
            self._attempts[head.uid] += 1
            raise
        self._attempts.pop(head.uid, None)
        if stored is not None and stored.is_for_us_alone and head.size > arrivals.LARGEST:
            connection.delete(head.uid)  # what can be read of it is stored, and filed it would fill the mailbox
        elif stored is not None:
            connection.put_away(head.uid)
        return True

    def _store(self, connection: ImapConnection, head: MailHead, last_read: datetime | None) -> _Stored | None:
        """Store a mail in the inbox; return None if it is not for us, or nobody can tell as it costs too much.

        Raises:
            Problem: if too much mail came from there.
        """
        try:
            headers = examiner().headers(head.header)
        except TooCostly:
            return None
        recipients = recipients_of(headers)
        # Of a mail that is too large, just enough to show that.
        raw = connection.raw(head.uid, arrivals.LARGEST + 1) if recipients else None
        if raw is None:
            return None
        is_alone = _is_for_us_alone(recipients[0])
        if not (is_alone or runtime().settings.mailbox_is_own or _concerns_us(raw)):
            return None
        arrivals.store(raw, sender_of(headers), recipients, "imap", arrival(head.arrived, last_read, now()))
        return _Stored(is_alone)


def recipients_of(headers: Headers) -> list[str]:
    """Return which of our addresses a mail came to, by its header; none if it is not for this server.

    Addresses with a token are known by their form, and one that is missing by the mail that this one answers. The play
    address may be the ordinary one of a person: a mail to it counts if a player wrote it, or a machine that reports, or
    if its subject is a command by which people begin.
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
    """Return True if all mail to `recipient` is for the server, and none for a person who shares the mailbox."""
    return reply_addresses.has_token(recipient) or reply_addresses.is_operators(recipient)


def _answered(headers: Headers, to: list[str]) -> str | None:
    writers = _addresses(headers, "from")
    player = with_email(writers[0]) if len(writers) == 1 and reply_addresses.may_lack_token(to) else None
    return reply_address(headers, player) if player is not None else None


def _is_ours(headers: Headers) -> bool:
    kind = classify(headers)
    if kind in (Kind.BOUNCE, Kind.COMPLAINT):
        return True
    commands = grammar.parse((), decoded(first(headers, "subject"))).commands
    if kind == Kind.HUMAN and not FOR_NEWCOMERS.isdisjoint(command.name for command in commands):
        return True
    return any(with_email(address) is not None for address in _addresses(headers, "from"))


def _concerns_us(raw: bytes) -> bool:
    """Return True if a mail to an address that a person may share is a command, or about a mail of ours.

    Mails that players or machines write to that person are left to them.
    """
    if bounce_handling.names_ours(raw):
        return True
    try:
        reading = examiner().read(raw, marker=MARKER)
    except TooCostly:
        return True  # the inbox tells the operator
    names = {command.name for command in grammar.parse(reading.lines, reading.subject).commands}
    return bool(names - CONVERSATION) or unsubscribe_mails.is_stop(reading.subject)


def sender_of(headers: Headers) -> str:
    """Return the envelope sender as the delivering server noted it, or else the address in From."""
    for value in headers.get("return-path", ())[:1]:
        return value.strip().strip("<>").strip()
    return next(iter(_addresses(headers, "from")), "unknown")


def arrival(stated: datetime | None, last_read: datetime | None, at: datetime) -> datetime:
    """Return when a mail arrived that is read at the time `at`: when the mail server states, within limits.

    It was not later than now, nor before the last reading, which would have found it. So a mail that came in time still
    counts if it is read a little later, and nobody can pass off a late one as having been there all along.
    """
    arrived = min(stated or at, at)
    return max(arrived, last_read) if last_read and last_read <= at else arrived


def _addresses(headers: Headers, name: str) -> list[str]:
    found: list[str] = []
    for value in headers.get(name, ()):
        with suppress(BrokenAddressesError):
            found += addresses_in(value)
    return found[: reply_addresses.MOST_IN_A_FIELD]


def reply_address(headers: Headers, player: Player) -> str | None:
    """Return the address printed in the newest mail to `player` that the mail with this header follows, or None.

    Some mail programs leave out the name that it stands in. It is found by our Message-ID that the answer follows. As
    everybody who got the answer can read that, it counts only from the player to whom our mail went; what they may do
    with the address is for `dispatch` to say, as ever.
    """
    for mail_id in _followed(headers):
        row = session.get(Outgoing, mail_id)
        address = _printed_in(row, player) if row is not None and row.player_id == player.id else None
        if address is not None:
            return address
    return None


def own_mail_ids(field: str) -> list[str]:
    """Return the ids of mails of ours that a header field names, in its order."""
    return re.findall(rf"<([a-z2-7]{{16}})@{re.escape(runtime().settings.mail_domain)}>", field)


def _followed(headers: Headers) -> Iterator[str]:
    """Yield the ids of mails of ours, beginning with the one that was answered."""
    for name in ("in-reply-to", "references"):
        for value in headers.get(name, ())[:1]:
            yield from own_mail_ids(value)[: -reply_addresses.MOST_IN_A_FIELD - 1 : -1]


def _printed_in(row: Outgoing, player: Player) -> str | None:
    game = None if row.game is None else standing_of(row.game)
    seat = seating.find_seat(game, player) if game is not None else None
    if game is None or seat is None or row.event is None:
        return None
    about = _about(row)
    round_ = _round_asked_in(game, seat, about) if about else None
    if round_ is None:
        about, round_ = "", of_standing(game, row.event).phase[1] or INVITATION
    address = token_of(game, seat, round_, about).written
    return address if reply_addresses.find(address) is not None else None


def _about(row: Outgoing) -> str:
    """Return the name of the question that a mail may have asked, at an address of its own."""
    if row.kind == "vote":
        return row.cause
    written = session.get(Incoming, row.cause) if row.cause else None
    if written is None:
        return ""
    return questions.name_of(written.id) if written.author is None else sending.about_sender(written)


def _round_asked_in(game: Standing, seat: Seat, about: str) -> int | None:
    mine = (ReplyToken.game_id == game.id, ReplyToken.seat == seat.number, ReplyToken.nonce == seat.nonce + about)
    return session.scalar(select(ReplyToken.round).where(*mine).order_by(ReplyToken.created_at.desc()).limit(1))
