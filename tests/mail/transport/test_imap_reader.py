"""A mailbox is read by IMAP: what is ours is taken in before it is put away, and everything else is left alone."""

import itertools
import threading
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.application.health import health
from server.application.mail import imap_progress
from server.application.mail.arrivals import LARGEST
from server.application.time import outages
from server.mail.examination.supervisor import CannotRead, Examiner, ReadingFailed
from server.mail.transport import imap_reader
from server.mail.transport.imap import ImapConnection, MailboxFailure, Unreachable
from server.mail.transport.imap_reader import ImapReader, Pace, arrival
from server.models import Incoming, Mailbox, Outage, leases, session
from server.runtime import now
from server.settings import Mailbox as MailboxAddress
from server.worker import Worker
from tests.injected import START
from tests.mail.transport.fake_mailbox import Server
from tests.relays import free_port
from tests.scenes import hunt
from tests.statements import failing
from tests.table import Playing, Table

URL = "imaps://host:secret@mail.example.org/INBOX"


class Host:
    """A server whose mailbox is read, before a game in which Mr. X has moved."""

    def __init__(self, game: Playing) -> None:
        self.game = game
        self.table = game.table
        self.server = Server()
        self.reader = self.another()

    def another(self, **parts: Any) -> ImapReader:
        """The reader of another process, with these parts of its own."""
        parts.setdefault("connect", lambda _box: self.server)
        reader = ImapReader(self.table.app, self.table.app.extensions["blackticket"].settings.imap_url, **parts)
        parts = self.table.app.extensions["blackticket"]
        reader._holder = parts.new_id("reader")
        parts.leases.add(leases.Lease(Mailbox, reader.box.name, reader._holder, imap_progress.NEVER))
        return reader

    def read(self, reader: ImapReader | None = None) -> bool:
        with self.table.app.app_context():
            return (reader or self.reader).read(self.server)  # type: ignore[arg-type]

    def reply(self, text: str = "bus 102", number: int = 1, field: str = "To") -> bytes:
        """Return Ben's answer to his turn mail, as it lies in a mailbox."""
        address = self.game.people[1].mails[1]["Reply-To"].addresses[0]
        head = f"Return-Path: <ben@example.org>\nFrom: Ben <ben@example.org>\n{field}: {address}\n"
        return f"{head}Message-ID: <{number}@mail.example.org>\nSubject: Re: x\n\n{text}\n".encode()

    def rows(self) -> list[Any]:
        with self.table.app.app_context():
            found = session.query(Incoming).order_by(Incoming.received_at).all()
            session.expunge_all()
            return found

    def history(self) -> list[str]:
        found: list[str] = self.game.view(self.game.people[1])["history"]
        return found


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return Host(hunt(Table(tmp_path, sandbox="1", min_turn="PT1S", imap_url=URL)))


def test_a_reply_is_taken_in_put_away_and_obeyed(host: Host):
    uid = host.server.arrives(host.reply())
    host.read()
    (row,) = host.rows()
    assert (row.source, row.sender, host.server.away) == ("imap", "ben@example.org", [uid])
    host.table.tick()
    assert host.history() == ["black ?", "purple bus 102"]


@pytest.mark.parametrize("field", ["To", "Cc", "Delivered-To", "X-Original-To", "Envelope-To"])
def test_whichever_field_has_our_address_tells_for_whom_a_mail_is(host: Host, field: str):
    host.server.arrives(host.reply(field=field))
    host.read()
    assert len(host.rows()) == 1


def test_mail_that_is_not_ours_is_left_where_it_is_and_not_even_fetched(host: Host):
    for to in ("friend@example.org", "turn+aaaaaaaaaaaaaaaa@localhost", "play@localhost", "<<broken"):
        host.server.arrives(f"From: aunt@example.org\nTo: {to}\nMessage-ID: <{to}>\n\nHow are you?\n".encode())
    host.read()
    assert (host.rows(), host.server.fetched, host.server.away) == ([], [], [])
    assert len(host.server.mails) == 4


CLEO = "From: Cleo <cleo@example.org>"
AUNT = "From: aunt@else.example"
DAEMON = "Return-Path: <>\nFrom: MAILER-DAEMON@example.org"
OURS = "<abcdefghijklmnop@localhost>"


def test_at_the_play_address_commands_of_players_and_what_is_about_our_mail_are_ours_and_a_friends_mail_is_not(
    host: Host,
):
    taken: list[str] = []
    for number, (head, text, is_ours) in enumerate((
        (CLEO, "STATUS", True),
        (f"{CLEO}\nSubject: NEW 4", "", True),
        (f"{CLEO}\nIn-Reply-To: {OURS}", "What is this?", True),
        (f"{CLEO}\nSubject: stop {'abcdefgh' * 4}", "", True),
        (f"{CLEO}\nSubject: Dinner on Friday?", "Yes\n\nShall we meet at 8?", False),
        (CLEO, "Say hello to your wife.", False),
        (f"{AUNT}\nSubject: PLAY", "", True),
        (f"{AUNT}\nSubject: Join abcdefghijklmnop", "Hello!", True),
        (f"{AUNT}\nSubject: HELP\nAuto-Submitted: auto-replied", "", False),
        (f"{AUNT}\nSubject: A new start", "HELP", False),
        (DAEMON, f"This could not be delivered:\n\nMessage-ID: {OURS}", True),
        (DAEMON, "This could not be delivered:\n\nMessage-ID: <1@example.org>\nSubject: Dinner?", False),
    )):  # fmt: skip
        host.server.arrives(f"{head}\nTo: play@localhost\nMessage-ID: <p{number}@x>\n\n{text}\n".encode())
        host.read()
        taken += ["play@localhost"] * is_ours
        assert [row.recipient for row in host.rows()] == taken, head
        assert len(host.server.away) == len(taken), head


def test_mails_read_before_are_not_looked_at_again(host: Host):
    host.server.arrives(b"From: aunt@example.org\nTo: x@example.org\n\nHi\n")
    host.read()
    host.server.arrives(host.reply())
    seen: list[int] = []
    heads = host.server.heads
    host.server.heads = lambda uids: (seen.extend(uids), heads(uids))[1]  # type: ignore[method-assign]
    host.read()
    assert seen == [2]


def test_after_a_crash_between_taking_in_and_putting_away_it_comes_again_and_is_one_move(host: Host):
    host.server.arrives(host.reply())
    host.server.before_filing = lambda _uid: 1 / 0
    with pytest.raises(ZeroDivisionError):
        host.read()
    host.server.before_filing = lambda _uid: None
    assert len(host.rows()) == 1, "it was committed first"
    host.read()
    host.table.tick()
    assert sorted(row.verdict for row in host.rows()) == ["duplicate", "obeyed"]
    assert host.history() == ["black ?", "purple bus 102"]


def test_a_mailbox_that_numbers_its_mails_anew_is_read_anew_without_harm(host: Host):
    host.server.can_file = False
    host.server.arrives(host.reply())
    host.read()
    host.server.uidvalidity = 8
    host.read()
    host.table.tick()
    assert sorted(row.verdict for row in host.rows()) == ["duplicate", "obeyed"]
    assert host.history() == ["black ?", "purple bus 102"]


def test_a_mail_that_cannot_be_stored_stays_and_is_taken_in_later(host: Host):
    host.server.arrives(host.reply())
    for _ in range(imap_reader.MOST_ATTEMPTS + 1):
        with failing(host.table, "INSERT INTO inbox"), pytest.raises(RuntimeError, match="the disk is full"):
            host.read()
    assert list(host.server.mails) == [1]
    host.read()
    assert len(host.rows()) == 1


@pytest.mark.parametrize("tells", [True, False])
def test_a_full_mailbox_is_an_outage_that_ends_when_there_is_room(host: Host, tells: bool):
    if tells:
        host.read()
    else:
        host.server.tells = False
        with host.table.app.app_context():
            imap_progress.was_read(host.reader.box.name, 7, 0, now())
    with host.table.app.app_context():
        outages.Watch().look()
    host.server.most = 1_000
    friends = host.server.arrives(b"From: aunt@example.org\n\n" + b"x" * 1_000)
    host.table.clock.turn(seconds=20)
    host.read()
    host.table.clock.turn(minutes=5)
    host.read()
    with host.table.app.app_context():
        assert "the mailbox is full" in " ".join(health.overview()["warnings"])
        watch = outages.Watch()
        watch.look()
        assert "a mailbox is not read" in str(outages.why_held(now()))
        host.server.delete(friends)
        host.server.most = 10_000_000
        imap_progress.release(host.reader.box.name, host.reader._holder)
        assert host.read(host.another())
        watch.look()
        assert outages.why_held(now()) is None
        assert [row.cause for row in session.query(Outage)] == ["mailbox"]


def test_a_mailbox_whose_provider_does_not_say_how_full_it_is_is_tried_now_and_then(host: Host):
    host.server.most, host.server.tells = 1_000_000, False
    for _ in range(6):
        host.read()
        host.table.clock.turn(minutes=10)
    assert host.server.trials == 1, "once an hour"
    host.server.most = 0
    host.read()
    host.read()
    assert host.server.trials == 3, "before and after its folder is emptied"
    host.server.most = 1_000_000
    host.table.clock.turn(minutes=5)
    host.read()
    with host.table.app.app_context():
        assert health.overview()["mailboxes"][0]["error"] is None


def test_what_was_read_makes_room_when_the_mailbox_is_full(host: Host):
    host.server.most = 250_000
    host.server.arrives(host.reply("bus 102\n\n> " + "x" * 100_000))
    host.read()
    assert host.server.filed == {}
    with host.table.app.app_context():
        assert health.overview()["mailboxes"][0]["error"] is None


def test_a_large_mail_is_not_filed(host: Host):
    host.server.arrives(host.reply("x" * 3 * LARGEST))
    host.read()
    assert (host.server.mails, host.server.away) == ({}, [])


def test_in_a_mailbox_of_its_own_the_server_takes_all_that_players_write(tmp_path: Path):
    slip = b"From: Ben <ben@example.org>\nTo: play@localhost\nMessage-ID: <1@x>\nSubject: Hello\n\nstatuss\n"
    for is_own in ("", "1"):
        host = Host(hunt(Table(tmp_path / (is_own or "0"), sandbox="1", imap_url=URL, mailbox_is_own=is_own)))
        host.server.arrives(slip)
        host.server.arrives(slip.replace(b"ben@", b"aunt@").replace(b"<1@", b"<2@"))
        before = len(host.game.people[1].mails)
        host.read()
        host.table.tick()
        assert (len(host.server.away), len(host.game.people[1].mails) - before) == (bool(is_own),) * 2


def test_of_a_mail_that_is_too_large_enough_is_fetched_to_tell_its_writer_so(host: Host):
    host.server.arrives(host.reply("x" * 3 * LARGEST))
    host.read()
    (row,) = host.rows()
    assert len(row.raw) == LARGEST + 1
    host.table.tick()
    assert "too large" in " ".join(host.game.people[1].mails[-1].get_content().split())


def test_a_mail_that_can_never_be_fetched_does_not_hold_up_those_behind_it(
    host: Host, caplog: pytest.LogCaptureFixture
):
    host.server.arrives(host.reply("taxi 46"))
    host.server.arrives(host.reply(number=2))

    def refuse(uid: int) -> None:
        if uid == 1:
            raise MailboxFailure("the mail server refuses FETCH")

    host.server.before_fetching = refuse
    for _ in range(imap_reader.MOST_ATTEMPTS):
        with pytest.raises(MailboxFailure):
            host.read()
    host.read()
    assert (len(host.rows()), host.server.away, list(host.server.mails)) == (1, [2], [1])
    assert "UID 1" in caplog.text


@pytest.mark.parametrize(("trouble", "is_left"), [(ReadingFailed("ended with -11"), True), (CannotRead(), False)])
def test_a_mail_whose_header_ends_the_reader_is_left_and_none_while_no_mail_can_be_read(
    host: Host, trouble: Exception, is_left: bool
):
    class Reader(Examiner):
        def headers(self, head: bytes) -> Any:
            if b"taxi 46" in head or not is_left:
                raise trouble
            return super().headers(head)

    host.server.arrives(host.reply("taxi 46", field="X-Note: taxi 46\nTo"))
    host.server.arrives(host.reply(number=2))
    host.table.app.extensions["blackticket"].examiner = Reader()
    for _ in range(imap_reader.MOST_ATTEMPTS):
        with pytest.raises(type(trouble)):
            host.read()
    if is_left:
        host.read()
        assert host.server.away == [2]
    else:
        with pytest.raises(CannotRead):
            host.read()
        host.table.app.extensions["blackticket"].examiner = None
        host.read()
        assert host.server.away == [1, 2]


def test_a_mail_that_is_gone_meanwhile_is_passed_over(host: Host):
    host.server.arrives(host.reply())
    host.server.before_fetching = host.server.mails.pop
    host.read()
    assert (host.rows(), host.server.away) == ([], [])


# Too much ---------------------------------------------------------------------------------------------


def floods(host: Host, number: int) -> list[int]:
    """Let this many large mails arrive that name one provider; return their UIDs."""
    text = "x" * 900_000
    head = "Return-Path: <n@large.example>\nFrom: n@large.example\nTo: postmaster@localhost"
    return [host.server.arrives(f"{head}\nMessage-ID: <f{n}@x>\n\n{text}\n".encode()) for n in range(number)]


def left(host: Host) -> list[int]:
    with host.table.app.app_context():
        return session.get_one(Mailbox, host.reader.box.name).left


def test_a_mail_that_is_too_much_stays_unread_and_is_taken_in_when_there_is_room_whoever_reads_then(host: Host):
    flood = floods(host, 12)
    cleo = host.server.arrives(f"{CLEO}\nTo: play@localhost\nMessage-ID: <c@x>\n\nSTATUS\n".encode())
    answer = host.server.arrives(host.reply())
    host.read()
    refused = left(host)
    assert refused
    assert refused == sorted(host.server.mails), "and nothing of it is lost"
    assert set(host.server.away) >= {cleo, answer}, "nobody else's mail waits behind it"
    host.table.clock.turn(days=1)
    assert host.read(host.another())
    assert (left(host), sorted(host.server.away)) == ([], sorted([*flood, cleo, answer]))
    assert all(row.raw for row in host.rows())


def test_what_is_too_much_is_tried_every_ten_minutes_a_few_at_a_time_and_in_turn(host: Host):
    host.reader = host.another(pace=Pace(refused=2, heads=1))
    floods(host, 13)
    host.read()
    first, second, *others = left(host)
    del host.server.mails[first]
    for minutes, tried in ((0, [second, others[0]]), (9, []), (1, [others[1], others[2]])):
        host.table.clock.turn(minutes=minutes)
        host.server.fetched.clear()
        host.read()
        assert host.server.fetched == tried
    assert len(left(host)) == len(others) + 1, "one is gone from the mailbox"


# Who reads ------------------------------------------------------------------------------------------


def test_of_two_processes_one_reads_until_it_lets_go_or_is_silent_for_long(host: Host):
    other = host.another()
    host.read()
    host.server.arrives(host.reply())
    host.read(other)
    assert host.rows() == []
    host.table.clock.turn(seconds=21)
    host.read(other)
    assert len(host.rows()) == 1
    host.server.arrives(host.reply(number=2))
    host.read()
    assert len(host.rows()) == 1
    with host.table.app.app_context():
        imap_progress.release(other.box.name, other._holder)
    host.read()
    assert len(host.rows()) == 2


def test_when_a_reader_was_killed_another_has_read_before_the_mailbox_counts_as_unread(host: Host):
    host.table.clock.turn(seconds=imap_reader.POLL)
    host.read()
    other, killed_at = host.another(), host.table.clock.time
    while not host.read(other):
        host.table.clock.turn(seconds=imap_reader.STANDBY)
    assert killed_at < host.table.clock.time < killed_at + outages.UNREAD - timedelta(seconds=imap_reader.STANDBY)


def test_a_reading_that_takes_long_is_not_taken_over(host: Host):
    other, taken_over = host.another(), []
    for number in range(4):
        host.server.arrives(host.reply(number=number))

    def be_slow(_uid: int) -> None:
        for _ in range(6):
            host.table.clock.turn(seconds=5)
            leases.renew()  # as a thread of the worker does meanwhile
        taken_over.append(imap_progress.claim(other.box.name, other._holder) is not None)

    host.server.before_fetching = be_slow
    host.read()
    assert (taken_over, len(host.rows())) == ([False] * 4, 4)


# When it arrived --------------------------------------------------------------------------------


def test_a_mail_counts_from_when_it_arrived_at_the_provider(host: Host):
    """It came before the deadline and was read after it: the move is made, and not the house's."""
    host.read()
    due = datetime.fromisoformat(host.game.view()["due_at"])
    host.table.clock.turn(seconds=(due - START).total_seconds() + 20)
    host.server.arrives(host.reply(), at=due - timedelta(seconds=5))
    host.read()
    host.table.tick()
    assert host.history()[1] == "purple bus 102"
    assert host.rows()[0].received_at == due - timedelta(seconds=5)


MOMENTS = st.integers(-10_000, 10_000).map(lambda seconds: START + timedelta(seconds=seconds))


@given(told=st.none() | MOMENTS, last=st.none() | MOMENTS, at=MOMENTS)
def test_no_mail_arrives_after_it_is_read_nor_before_a_reading_that_did_not_find_it(
    told: datetime | None, last: datetime | None, at: datetime
):
    found = arrival(told, last, at)
    assert found <= at
    assert last is None or last > at or found >= last
    plausible = told is not None and told <= at and (last is None or told >= last)
    assert not plausible or found == told
    assert told is not None or found == at


def test_a_deadline_can_ask_up_to_when_every_mailbox_was_read(host: Host, table: Table):
    with host.table.app.app_context():
        assert imap_progress.read_until(START) == imap_progress.NEVER
        assert imap_progress.report() == [{"mailbox": "host@mail.example.org/INBOX", "read_at": None, "error": None}]
    host.table.clock.turn(seconds=10)
    host.read()
    with host.table.app.app_context():
        assert imap_progress.read_until(START + timedelta(days=1)) == START + timedelta(seconds=10)
        assert imap_progress.read_until(START) == imap_progress.NEVER, "a clock that was set back knows of no reading"
        session.get_one(Mailbox, "host@mail.example.org/INBOX")
    with table.app.app_context():
        assert imap_progress.read_until(START) is None, "where no mailbox is read there is nothing to wait for"


# Going on and failing -------------------------------------------------------------------------------


class Steps(threading.Event):
    """A thread's life told step by step: each waiting does the next thing. It is the event that stops the reader."""

    def __init__(self, host: Host, *outcomes: Any) -> None:
        super().__init__()
        self.outcomes = list(outcomes)
        self.pauses: list[float] = []
        self.server = host.server
        self.server.while_waiting = self.have_news
        self.reader = host.another(connect=self.connect, stopping=self)
        self.reader._run()

    def wait(self, timeout: float | None = None) -> bool:
        assert timeout is not None
        self.pauses.append(timeout)
        return self.is_set()

    def connect(self, _box: Any) -> Any:
        self._next()
        return self.server

    def have_news(self, _seconds: float) -> bool:
        self._next()
        return True

    def _next(self) -> None:
        outcome = self.outcomes.pop(0)
        if not self.outcomes:
            self.set()
        if isinstance(outcome, Exception):
            raise outcome


def test_failures_are_kept_for_the_operator_and_the_pauses_grow_until_it_goes_well_again(host: Host):
    down = [MailboxFailure("the mail server cannot be reached (it does not answer)") for _ in range(9)]
    steps = Steps(host, *down, None, None, MailboxFailure("the line is dead"), None, None)
    lengths = [5 * 2**n for n in range(6)] + [300] * 3 + [5]
    for length, pause in zip(lengths, steps.pauses, strict=True):
        assert 0.8 * length <= pause <= 1.2 * length
    assert len(set(steps.pauses)) == len(steps.pauses), "each a little longer or shorter, so that not all come at once"


def test_a_mailbox_that_was_away_for_36_seconds_is_read_within_15_after_it_is_back(host: Host):
    steps = Steps(host, *[Unreachable("away") for _ in range(60)], None)
    tried_at = list(itertools.accumulate(steps.pauses))
    assert next(at for at in tried_at if at > 36) < 36 + 15
    assert max(steps.pauses) < 15, "however long it is away"


def test_a_server_that_is_not_there_is_told_from_one_that_refuses():
    box = MailboxAddress("127.0.0.1", free_port(), "ada", "secret", "INBOX", tls=False, starttls=False)
    with pytest.raises(Unreachable, match="nobody listens at that port"):
        ImapConnection(box)


def test_what_is_wrong_with_a_mailbox_stands_in_doctor_and_readyz_until_it_is_read_again(host: Host):
    words = "the mail server refuses the user name or the password"
    host.read()
    Steps(host, MailboxFailure(words), MailboxFailure(words))
    ready = host.table.client.get("/readyz")
    assert (ready.status_code, ready.json["mailboxes"]) == (200, [{"read_at": "2026-11-22T18:00:00Z", "error": words}])
    host.read()
    assert host.table.client.get("/readyz").json["mailboxes"][0]["error"] is None


def test_a_fault_of_ours_is_logged_without_its_text_and_the_reader_goes_on(
    host: Host, caplog: pytest.LogCaptureFixture
):
    steps = Steps(host, RuntimeError("the secret is hunter2"), None, None)
    assert "the mailbox reader failed: RuntimeError" in caplog.text
    assert "hunter2" not in caplog.text
    assert len(steps.pauses) == 1


def test_the_worker_reads_the_mailbox_from_its_start_to_its_stop(host: Host):
    """The whole thread: it connects, waits for news, is interrupted, takes leave, and gives the mailbox back."""
    waits, news = threading.Event(), threading.Event()

    def wait(_seconds: float) -> bool:
        waits.set()
        return news.wait(20)

    host.server.while_waiting, host.server.when_interrupted = wait, news.set
    worker = Worker(host.table.app, connect=lambda _box: host.server)
    (reader,) = (one for one in worker._readers if isinstance(one, ImapReader))
    worker.start()
    assert waits.wait(20)
    worker.stop()
    assert (reader._thread.is_alive(), host.server.closed) == (False, 1)
    with host.table.app.app_context():
        row = session.get_one(Mailbox, "host@mail.example.org/INBOX")
        assert (row.holder, row.read_at) == (None, START)


def test_each_connection_holds_the_mailbox_by_a_name_of_its_own(host: Host):
    reader, names = host.another(), []

    def fail(_uid: int) -> None:
        names.append(reader._holder)
        raise MailboxFailure("away")

    host.server.arrives(host.reply())
    host.server.before_fetching = fail
    for _ in range(2):
        with pytest.raises(MailboxFailure):
            reader._read_on()
    assert len(set(names)) == 2
