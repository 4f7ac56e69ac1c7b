"""Real sockets: mail comes in by SMTP and LMTP, is stored before it is told so, and nothing ends the listener."""

import logging
import smtplib
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from server.application.mail.arrivals import LARGEST
from server.mail.transport.smtp_server import LIMITS, MOST_RECIPIENTS, Limits, bind, client_of, listen
from server.models import Incoming, session
from server.settings import Listen
from tests.rows import for_each
from tests.scenes import hunt
from tests.statements import committing, failing
from tests.table import Person, Playing, Table


class Door:
    """A running listener before a game in which Mr. X has moved."""

    def __init__(self, game: Playing, port: int) -> None:
        self.game = game
        self.port = port

    @property
    def ben(self) -> Person:
        return self.game.people[1]

    @property
    def address(self) -> str:
        """Return the address of Ben's answers."""
        found: str = self.ben.mails[1]["Reply-To"].addresses[0].addr_spec
        return found

    def client(self) -> smtplib.SMTP:
        return smtplib.SMTP("127.0.0.1", self.port, local_hostname="mail.example.org", timeout=30)

    def send(self, raw: bytes, *recipients: str, sender: str = "ben@example.org") -> dict[str, Any]:
        with self.client() as client:
            return client.sendmail(sender, recipients or (self.address,), raw.replace(b"\n", b"\r\n"))

    def stored(self) -> list[bytes]:
        with self.game.table.app.app_context():
            return [row.raw or b"" for row in session.query(Incoming).order_by(Incoming.received_at)]

    def still_works(self) -> bool:
        """Return True if an ordinary mail is taken and obeyed."""
        self.send(b"From: ben@example.org\nMessage-ID: <still@works>\nSubject: x\n\nbus 102\n")
        self.game.table.tick()
        return self.history() == ["black ?", "purple bus 102"]

    def history(self) -> list[str]:
        found: list[str] = self.game.view(self.ben)["history"]
        return found


@pytest.fixture
def door(table: Table, request: pytest.FixtureRequest) -> Iterator[Door]:
    """With the parameter as its limits, if there is one."""
    game = hunt(table)
    listener = listen(table.app, Listen("smtp", "127.0.0.1", 0), limits=getattr(request, "param", LIMITS))
    yield Door(game, listener.port)
    listener.stop()


# Replies as mail programs write them --------------------------------------------------------------


# Bad mails ------------------------------------------------------------------------------------------


def refused(door: Door, raw: bytes, *recipients: str) -> tuple[int, str]:
    with door.client() as client:
        client.ehlo()
        client.mail("ben@example.org")
        for recipient in recipients or (door.address,):
            client.rcpt(recipient)
        code, said = client.data(raw)
    return code, said.decode()


def test_a_mail_that_is_too_large_is_refused_with_a_clear_word(door: Door):
    line = b"x" * 70 + b"\r\n"
    # Of a client that does not tell the size beforehand.
    code, said = refused(door, b"From: ben@example.org\r\n\r\n" + line * (5_000_000 // len(line)))
    assert (code, said) == (552, "Error: Too much mail data")
    assert door.stored() == []
    assert door.still_works()


def test_a_client_that_tells_the_size_beforehand_need_not_send_it(door: Door):
    with pytest.raises(smtplib.SMTPSenderRefused) as error:
        door.send(b"From: ben@example.org\n\n" + b"x" * 70 + b"\n" * 5_000_000)
    assert error.value.smtp_code == 552
    assert door.still_works()


def test_a_mail_just_small_enough_is_taken(door: Door):
    head = b"From: ben@example.org\nMessage-ID: <big@mail>\nSubject: x\n\nbus 102\n\n"
    line = b"> " + b"x" * 70 + b"\n"
    door.send(head + line * ((LARGEST - len(head) - 100) // (len(line) + 1)))
    door.game.table.tick()
    assert door.history()[-1] == "purple bus 102"


def test_a_mail_in_which_another_one_could_hide_is_refused(door: Door):
    for trick in (
        b"taxi 115\n.\nMAIL FROM:<a@evil.example>\nRCPT TO:<x@y.example>\nDATA\nSubject: y\n\nbus 102\r\n",
        b"taxi 115\n.\r\nMAIL FROM:<a@evil.example>\r\n",
        b"taxi 115\r.\r\r\nbus 102\r\n",
        b"taxi 115\r\n.\r",
        b"taxi 115\rbus 102\r\n",
        b"taxi 115\nbus 102\r\n",
        b"taxi 115\n.\n",
    ):
        code, said = refused(door, b"From: ben@example.org\r\nMessage-ID: <trick@mail>\r\n\r\n" + trick)
        assert (code, "bare CR or LF" in said) == (554, True), trick
        assert door.stored() == [], trick
    assert door.still_works()


def test_a_line_longer_than_the_standard_allows_is_taken(door: Door):
    door.send(b"From: ben@example.org\nMessage-ID: <long@mail>\n\nbus 102\n\n> " + b"x" * 60_000 + b"\n")
    door.game.table.tick()
    assert door.history()[-1] == "purple bus 102"


def test_nul_bytes_and_letters_of_no_charset_are_stored_and_survived(door: Door):
    door.send(b"From: ben@example.org\nMessage-ID: <nul@mail>\nSubject: \x00\xff\n\n\x00\x00\xfe bus\x00 102 \x80\n")
    door.game.table.tick()
    assert b"\x00\x00\xfe bus\x00 102 \x80" in door.stored()[0]
    assert door.still_works()


def test_a_line_without_end_is_refused_and_survived(door: Door):
    code, said = refused(door, b"From: ben@example.org\r\n\r\n" + b"x" * 100_000 + b"\r\n")
    assert (code, "too long" in said) == (500, True)
    assert door.still_works()


# Recipients -----------------------------------------------------------------------------------------


def test_an_address_that_was_never_printed_is_refused_at_once(door: Door):
    with door.client() as client:
        client.ehlo()
        client.mail("ben@example.org")
        for address in ("turn+aaaaaaaaaaaaaaaa@localhost", "nobody@localhost", "ben@example.org", door.address[5:]):
            code, said = client.rcpt(address)
            assert (code, said.startswith(b"5.1.1")) == (550, True), address
            assert b"write to play@localhost" in said
        assert client.rcpt(door.address)[0] == 250
        assert client.rcpt("PLAY@localhost")[0] == 250


def test_of_a_hundred_recipients_the_first_ten_are_taken(door: Door):
    with door.client() as client:
        client.ehlo()
        client.mail("ben@example.org")
        codes = [client.rcpt(door.address)[0] for _ in range(100)]
        assert codes == [250] * MOST_RECIPIENTS + [452] * (100 - MOST_RECIPIENTS)
        assert client.data(b"From: ben@example.org\r\nMessage-ID: <c@mail>\r\n\r\nbus 102\r\n")[0] == 250
    door.game.table.tick()
    assert len(door.stored()) == MOST_RECIPIENTS
    assert door.history() == ["black ?", "purple bus 102"]


# Faults ---------------------------------------------------------------------------------------------


def test_a_mail_that_cannot_be_stored_is_left_with_the_sender_and_taken_later(door: Door):
    raw = b"From: ben@example.org\r\nMessage-ID: <once@mail>\r\nSubject: x\r\n\r\nbus 102\r\n"
    full = RuntimeError("the disk with the secret /path is full")
    with failing(door.game.table, "INSERT INTO inbox", error=full):
        code, said = refused(door, raw)
    assert (code, "secret" in said) == (451, False)
    assert refused(door, raw)[0] == 250
    door.game.table.tick()
    assert door.history()[-1] == "purple bus 102"


def test_a_recipient_that_cannot_be_looked_up_is_asked_for_later(door: Door):
    address = door.address
    with door.client() as client:
        client.ehlo()
        client.mail("ben@example.org")
        with failing(door.game.table, "SELECT"):
            assert client.rcpt(address)[0] == 451


def test_a_mail_is_stored_before_it_is_told_that_it_was_taken(door: Door):
    stored: list[int] = []
    with door.client() as client, committing(door.game.table, lambda: stored.append(len(door.stored()))):
        client.ehlo()
        client.mail("ben@example.org")
        client.rcpt(door.address)
        stored.clear()
        assert client.data(b"From: ben@example.org\r\n\r\nHello\r\n")[0] == 250
        assert stored == [0], "it is committed while the client waits, and then it is told"
        assert len(door.stored()) == 1


def test_a_client_that_hangs_up_in_the_middle_leaves_nothing(door: Door):
    with socket.create_connection(("127.0.0.1", door.port)) as client:
        for line in ("HELO x", "MAIL FROM:<ben@example.org>", f"RCPT TO:<{door.address}>", "DATA"):
            client.recv(1000)
            client.sendall(f"{line}\r\n".encode())
        client.recv(1000)
        client.sendall(b"From: ben@example.org\r\n\r\nbus 102\r\n")
    assert door.stored() == []
    assert door.still_works()


@for_each("content", [b"Subject: x\r\n\r\n..bus 102\r\n", b"a\r\n", b""])
def test_a_client_that_does_not_wait_for_the_answer_to_data_has_its_mail_taken_whole(door: Door, content: bytes):
    with door.client() as client:
        client.ehlo()
        client.mail("ben@example.org")
        client.rcpt(door.address)
        client.send(b"DATA\r\n" + content + b".\r\nNOOP\r\n")
        assert [client.getreply()[0] for _ in range(3)] == [354, 250, 250]
    assert content.replace(b"..", b".") in door.stored()


def test_nonsense_before_the_mail_is_answered_and_survived(door: Door):
    for line in (
        b"\xff\xfe\x00", b"MAIL FROM:<\xff@x>", b"RCPT TO:<>", b"EHLO", b"XXXX" * 1000, b"DATA", b"VRFY a", b""
    ):  # fmt: skip
        with socket.create_connection(("127.0.0.1", door.port)) as client:
            client.recv(1000)
            client.sendall(line + b"\r\n")
            assert client.recv(1000)[:1] in b"2345", line
    assert door.still_works()


def test_nothing_of_a_mail_is_logged(door: Door, caplog: pytest.LogCaptureFixture):
    logging.getLogger().setLevel(logging.DEBUG)
    door.send(b"From: ben@example.org\nMessage-ID: <quiet@mail>\n\nmy secret plan\n")
    logging.getLogger().setLevel(logging.WARNING)
    assert "secret plan" not in caplog.text
    assert door.address not in caplog.text


def test_lines_of_a_mail_that_are_taken_for_commands_are_not_logged(door: Door, caplog: pytest.LogCaptureFixture):
    with door.client() as client:
        client.ehlo()
        client.docmd("MAIL", "FROM:<ben@example.org> BODY=BINARYMIME")
        client.docmd("RCPT", f"TO:<{door.address}>")
        assert client.docmd("DATA")[0] == 503  # the lines that the client sends nevertheless are read as commands
        for line in ("46", "surface46 at once", door.address, "\x1b[2J46"):
            assert client.docmd(line)[0] == 500
        assert client.docmd("x" * 400)[0] == 502
    assert caplog.text == ""
    assert door.still_works()


# The listener itself --------------------------------------------------------------------------------


def test_an_address_in_use_is_an_error_at_once(door: Door):
    with pytest.raises(OSError, match="in use"):
        listen(door.game.table.app, Listen("smtp", "127.0.0.1", door.port))


def test_a_line_of_an_answer_waits_for_no_acknowledgement_of_the_one_before(table: Table):
    bound = bind(Listen("smtp", "127.0.0.1", 0))
    listener = listen(table.app, Listen("smtp", "127.0.0.1", 0), bound)
    assert bound.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) == 1, "every connection takes it over"
    listener.stop()


class Lmtp:
    """A client of LMTP, as Postfix is one."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=30)
        self.answers = self.socket.makefile("rb")
        self.answers.readline()

    def tell(self, line: bytes, answers: int = 1) -> list[bytes]:
        """Return the answers to a line, as many as expected, each as its last line."""
        self.socket.sendall(line + b"\r\n")
        return [self._answer() for _ in range(answers)]

    def _answer(self) -> bytes:
        said = self.answers.readline()
        while said[3:4] == b"-":
            said = self.answers.readline()
        return said[:3]

    def send(self, raw: bytes, *recipients: str) -> list[bytes]:
        """The answers to a mail for so many."""
        assert self.tell(b"MAIL FROM:<ben@example.org>") == [b"250"]
        taken = [self.tell(f"RCPT TO:<{recipient}>".encode()) for recipient in recipients]
        assert self.tell(b"DATA") == [b"354"]
        return self.tell(raw + b"\r\n.", taken.count([b"250"]))

    def close(self) -> None:
        assert self.tell(b"QUIT") == [b"221"]
        self.answers.close()
        self.socket.close()


@pytest.fixture
def lmtp(table: Table) -> Iterator[tuple[Door, Lmtp]]:
    door = Door(hunt(table), 0)
    listener = listen(table.app, Listen("lmtp", "127.0.0.1", 0))
    client = Lmtp(listener.port)
    assert client.tell(b"EHLO mail.example.org") == [b"500"]
    assert client.tell(b"LHLO mail.example.org") == [b"250"]
    yield door, client
    client.close()
    listener.stop()


def test_lmtp_answers_for_each_recipient_that_was_taken(lmtp: tuple[Door, Lmtp]):
    door, client = lmtp
    raw = b"From: ben@example.org\r\nMessage-ID: <l@mail>\r\n\r\nSTATUS\r\n"
    assert client.send(raw, door.address, "nobody@localhost", "play@localhost") == [b"250"] * 2
    with door.game.table.app.app_context():
        assert [row.source for row in session.query(Incoming)] == ["lmtp"] * 2


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (b"From: ben@example.org\r\n\r\nbus 102\rtaxi 115", b"554"),
        (b"From: ben@example.org\r\n\r\n" + b"x" * 70_000, b"500"),
        (b"From: ben@example.org\r\n\r\n" + (b"x" * 70 + b"\r\n") * 15_000, b"552"),
    ],
)
def test_lmtp_refuses_a_mail_for_each_recipient_too(lmtp: tuple[Door, Lmtp], raw: bytes, code: bytes):
    door, client = lmtp
    assert client.send(raw, door.address, "play@localhost") == [code] * 2
    assert door.stored() == []
    assert client.tell(b"NOOP") == [b"250"], "no answer is left over"


def test_lmtp_asks_for_each_recipient_again_when_storing_fails(lmtp: tuple[Door, Lmtp]):
    door, client = lmtp
    raw = b"From: ben@example.org\r\nMessage-ID: <l@mail>\r\n\r\nbus 102"
    with failing(door.game.table, "INSERT INTO inbox"):
        assert client.send(raw, door.address, "play@localhost") == [b"451"] * 2
    assert client.send(raw, door.address) == [b"250"], "and the next mail may follow at once"
    door.game.table.tick()
    assert door.history()[-1] == "purple bus 102"


# Floods ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("door", [Limits(mails_a_minute=5)], indirect=True, ids=str)
def test_a_client_that_brings_too_many_mails_is_asked_to_come_again(door: Door):
    raw = b"From: ben@example.org\nMessage-ID: <%d@mail>\n\nSTATUS\n"
    for number in range(5):
        door.send(raw % number)
    with pytest.raises(smtplib.SMTPSenderRefused) as error:
        door.send(raw % 5)
    assert (error.value.smtp_code, len(door.stored())) == (451, 5)
    door.game.table.clock.turn(minutes=1)
    door.send(raw % 5)
    assert len(door.stored()) == 6


@pytest.mark.parametrize("door", [Limits(mails_a_minute=5)], indirect=True, ids=str)
def test_a_client_that_tries_addresses_out_is_slowed_down(door: Door):
    with door.client() as client:
        client.ehlo()
        client.mail("ben@example.org")
        codes = [client.rcpt(f"turn+{letter * 16}@localhost")[0] for letter in "abcdef"]
    assert codes == [550] * 4 + [451] * 2


@pytest.mark.parametrize("door", [Limits(connections=2)], indirect=True, ids=str)
def test_of_a_client_with_too_many_connections_the_last_are_refused(door: Door):
    with door.client() as first, door.client() as second:
        assert first.noop()[0] == second.noop()[0] == 250
        with pytest.raises(smtplib.SMTPConnectError) as error:
            door.client()
        assert error.value.smtp_code == 421
    assert door.still_works()


@pytest.mark.parametrize("door", [Limits(connections=2, idle=0.0)], indirect=True, ids=str)
def test_a_connection_on_which_nothing_comes_ends_for_a_new_one(door: Door):
    first, second = door.client(), door.client()
    assert first.noop()[0] == second.noop()[0] == 250
    with door.client() as third:
        assert third.noop()[0] == second.noop()[0] == 250
        with pytest.raises(smtplib.SMTPServerDisconnected):
            first.noop()
    second.close()
    assert door.still_works()


def sent(door: Door, content: bytes) -> bytes:
    """Send a mail as bytes, with nothing behind them; return the answer."""
    with socket.create_connection(("127.0.0.1", door.port), timeout=30) as client:
        answers = client.makefile("rb")
        answers.readline()
        for line in (b"HELO mail.example.org", b"MAIL FROM:<ben@example.org>", b"RCPT TO:<play@localhost>", b"DATA"):
            client.sendall(line + b"\r\n")
            assert answers.readline()[:1] in b"23"
        client.sendall(content + b".\r\n")
        return answers.readline()


@pytest.fixture
def steps() -> Iterator[list[int]]:
    """Counts the calls that threads make which begin from now on."""
    counted = [0]

    def count(*_: object) -> None:
        counted[0] += 1

    threading.setprofile(count)
    yield counted
    threading.setprofile(None)


def test_a_mail_of_empty_lines_is_not_read_line_by_line(steps: list[int], door: Door):
    """The listener has one thread: what it reads for long holds up everybody."""
    lines = 450_000
    assert sent(door, b"\r\n" * lines) == b"250 OK, stored\r\n"
    assert 0 < steps[0] < lines


@for_each("content", [
    b"", b"\r\n", b"a\r\n", b"\r\n\r\n", b"..\r\n", b"..a\r\n...\r\n", b"a\r\n..\r\nb\r\n",
    b"x" * 63_990 + b"\r\n" + b"..y\r\n", b"x" * 63_997 + b"\r\n..\r\n" + b"z" * 63_998 + b"\r\n",
])  # fmt: skip
def test_a_mail_is_stored_to_the_byte_without_the_dots_of_the_protocol(door: Door, content: bytes):
    assert sent(door, content) == b"250 OK, stored\r\n"
    assert b"\r\n".join(line.removeprefix(b".") for line in content.split(b"\r\n")) in door.stored()


@pytest.mark.parametrize(
    ("peer", "client"),
    [
        (("192.0.2.1", 5), "192.0.2.1"),
        (("2001:db8::1", 5, 0, 0), "2001:db8::/64"),
        (("fe80::1%eth0", 5), "fe80::/64"),
        (("::ffff:192.0.2.1", 5, 0, 0), "192.0.2.1"),
    ],
)
def test_a_client_is_an_address_or_a_whole_network_of_them(peer: Any, client: str):
    assert client_of(peer) == client


def test_a_listener_that_was_stopped_gives_its_address_back(table: Table, tmp_path: Path):
    listener = listen(table.app, Listen("smtp", "127.0.0.1", 0))
    port = listener.port
    listener.stop()
    with socket.create_server(("127.0.0.1", port)):
        pass
