"""Mail is handed to a relay, or into a Maildir when there is none."""

import email
import shutil
import smtplib
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from server.mail.transport.smtp_client import MaildirTransport, SendingFailure, SmtpTransport, transport_for
from server.settings import Relay
from tests.relays import free_port, relaying
from tests.rows import for_each
from tests.table import Table

MAIL = b"To: ada@example.org\r\nSubject: Turn 1\r\n\r\nYour move.\r\n"


class Sink:
    """A relay that keeps what it takes; `refuse` names the step at which it answers something else."""

    def __init__(self) -> None:
        self.taken: list[Any] = []
        self.refuse: dict[str, str] = {}
        self.connections: set[Any] = set()
        self.most = 1_000  # mails of one connection

    async def handle_MAIL(self, server: Any, session: Any, envelope: Any, address: str, options: list[str]) -> str:  # noqa: N802
        envelope.mail_from = address
        self.connections.add(session.peer)
        if len(self.taken) >= self.most * len(self.connections):
            return "421 4.4.2 Enough for one connection"
        return self.refuse.get("MAIL", "250 OK")

    async def handle_RCPT(self, server: Any, session: Any, envelope: Any, address: str, options: list[str]) -> str:  # noqa: N802
        envelope.rcpt_tos.append(address)
        return self.refuse.get("RCPT", "250 OK")

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802
        if "DATA" not in self.refuse:
            self.taken.append(envelope)
        return self.refuse.get("DATA", "250 OK")

    async def handle_QUIT(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802
        return self.refuse.get("QUIT", "221 Bye")


@pytest.fixture
def sink() -> Iterator[tuple[Sink, SmtpTransport]]:
    handler = Sink()
    with relaying(handler) as port, closing(relay(port)) as transport:
        yield handler, transport


def relay(port: int, **more: Any) -> SmtpTransport:
    given = {"user": None, "password": None, "tls": False, "starttls": False} | more
    return SmtpTransport(Relay("127.0.0.1", port, **given))


def failure(send: Callable[[], None]) -> SendingFailure:
    with pytest.raises(SendingFailure) as failed:
        send()
    return failed.value


def test_a_relay_gets_the_mail_with_one_sender_and_one_recipient(sink: tuple[Sink, SmtpTransport]):
    sink[1].send(MAIL, "play@localhost", "ada@example.org")
    (envelope,) = sink[0].taken
    assert (envelope.mail_from, envelope.rcpt_tos) == ("play@localhost", ["ada@example.org"])
    assert envelope.content == MAIL


@pytest.mark.parametrize(
    ("step", "answer", "lasting"),
    [
        ("RCPT", "550 5.1.1 No such person, said the mail about station 46", True),
        ("RCPT", "452 4.2.2 Mailbox full", False),
        ("DATA", "554 5.7.1 Looks like spam", True),
        ("DATA", "451 4.3.0 Try later", False),
        # About this server and not about the mail: that can be put right, and then the mail is good.
        ("MAIL", "550 5.7.1 You may not send here", False),
        ("MAIL", "421 4.7.0 Too fast", False),
    ],
)
def test_a_refusal_is_lasting_when_the_mail_itself_is_refused_for_good(
    sink: tuple[Sink, SmtpTransport], step: str, answer: str, lasting: bool
):
    sink[0].refuse[step] = answer
    failed = failure(lambda: sink[1].send(MAIL, "play@localhost", "ada@example.org"))
    assert failed.lasting is lasting
    assert answer[:9] in str(failed), "its code and its class"
    assert "46" not in str(failed), "its words may quote a mail"
    assert sink[0].taken == []


@for_each(
    "answer, said",
    [
        ("451 4.7.1 Too much mail for ada@example.org", "4.7.1 Too much mail for [address]"),
        ("550 <Ada@example.org>: user ada unknown", "<[address]>: user [address] unknown"),
        ("554-5.7.1 first line\r\n554 5.7.1 ask postmaster@relay.example", "5.7.1 first line 5.7.1 ask [address]"),
        ("450 turn+secret@localhost slows down", "[address] slows down"),
        (f"550 {'long ' * 80}", f"{'long ' * 40}"),
    ],
)
def test_the_words_of_the_relay_are_kept_without_addresses_for_the_operator(
    sink: tuple[Sink, SmtpTransport], answer: str, said: str
):
    sink[0].refuse["RCPT"] = answer
    failed = failure(lambda: sink[1].send(MAIL, "turn+secret@localhost", "ada@example.org"))
    assert failed.said == said


def test_mails_that_follow_at_once_go_over_one_connection_and_later_ones_over_another(sink: tuple[Sink, SmtpTransport]):
    for _ in range(3):
        sink[1].send(MAIL, "play@localhost", "ada@example.org")
    assert (len(sink[0].taken), len(sink[0].connections)) == (3, 1)
    sink[1].close()
    sink[1].send(MAIL, "play@localhost", "ada@example.org")
    assert (len(sink[0].taken), len(sink[0].connections)) == (4, 2)


def test_a_relay_that_takes_so_many_mails_over_one_connection_gets_the_rest_over_others(
    sink: tuple[Sink, SmtpTransport],
):
    sink[0].most = 2
    for _ in range(5):
        sink[1].send(MAIL, "play@localhost", "ada@example.org")
    assert (len(sink[0].taken), len(sink[0].connections)) == (5, 3)


def test_one_refused_mail_does_not_spoil_the_connection_for_the_next(sink: tuple[Sink, SmtpTransport]):
    sink[0].refuse["RCPT"] = "550 5.1.1 No such person"
    assert failure(lambda: sink[1].send(MAIL, "play@localhost", "ada@example.org")).no_reader
    del sink[0].refuse["RCPT"]
    sink[1].send(MAIL, "play@localhost", "ben@example.org")
    assert (len(sink[0].taken), len(sink[0].connections)) == (1, 1)


@pytest.mark.parametrize("answer", ["550 5.7.1 Relaying denied", "550 No", "450 4.1.1 Unknown for now"])
def test_a_recipient_who_is_refused_for_another_reason_may_be_there(sink: tuple[Sink, SmtpTransport], answer: str):
    sink[0].refuse["RCPT"] = answer
    assert not failure(lambda: sink[1].send(MAIL, "play@localhost", "ada@example.org")).no_reader


@pytest.mark.parametrize(("step", "answer"), [("RCPT", "552 5.2.2 Over quota"), ("DATA", "452 4.2.2 Mailbox full")])
def test_a_mailbox_that_is_full_now_may_have_room_later(sink: tuple[Sink, SmtpTransport], step: str, answer: str):
    sink[0].refuse[step] = answer
    found = failure(lambda: sink[1].send(MAIL, "play@localhost", "ada@example.org"))
    assert (found.is_full, found.lasting) == (True, False)


def test_a_mail_that_was_taken_is_sent_whatever_becomes_of_the_farewell(sink: tuple[Sink, SmtpTransport]):
    sink[0].refuse["QUIT"] = "451 Not so fast"
    sink[1].send(MAIL, "play@localhost", "ada@example.org")
    assert len(sink[0].taken) == 1


def test_a_relay_that_refuses_the_password_is_told_apart_from_one_that_is_not_there(
    sink: tuple[Sink, SmtpTransport], monkeypatch: pytest.MonkeyPatch
):
    door = relay(sink[1].relay.port, user="yard", password="hunter2")
    failed = failure(door.knock)
    assert str(failed) == "the relay cannot be reached (it does not offer what the settings ask for, TLS or a login)"

    def refuse(*_: object, **__: object) -> None:
        raise smtplib.SMTPAuthenticationError(535, b"5.7.8 no hunter2 here")

    monkeypatch.setattr(smtplib.SMTP, "login", refuse)
    failed = failure(door.knock)
    assert str(failed) == "the relay refuses the user name or the password (535 5.7.8)"
    assert (failed.lasting, failed.for_all) == (False, True)


def test_a_relay_that_is_not_there_is_tried_again():
    failed = failure(lambda: relay(free_port()).send(MAIL, "play@localhost", "ada@example.org"))
    assert (str(failed), failed.lasting) == ("the relay cannot be reached (nobody listens at that port)", False)


def test_a_relay_that_hangs_up_is_tried_again():
    def hang_up() -> None:
        connection, _ = server.accept()
        connection.close()

    with socket.create_server(("127.0.0.1", 0)) as server, ThreadPoolExecutor() as other_side:
        hung_up = other_side.submit(hang_up)
        port = server.getsockname()[1]
        failed = failure(lambda: relay(port).send(MAIL, "play@localhost", "ada@example.org"))
        hung_up.result()
    assert failed.lasting is False


def test_a_relay_without_the_encryption_asked_for_gets_nothing(sink: tuple[Sink, SmtpTransport]):
    port = sink[1].relay.port
    failed = failure(lambda: relay(port, starttls=True).send(MAIL, "play@localhost", "ada@example.org"))
    assert failed.lasting is False
    failed = failure(lambda: relay(port, user="me", password="secret").send(MAIL, "play@localhost", "ada@example.org"))
    assert failed.lasting is False
    assert "secret" not in str(failed)
    assert sink[0].taken == []


def test_a_maildir_takes_the_mail_as_any_tool_reads_it(tmp_path: Path):
    MaildirTransport(tmp_path / "mail").send(MAIL, "play@localhost", "ada@example.org")
    (file,) = (tmp_path / "mail" / "new").iterdir()
    assert email.message_from_bytes(file.read_bytes())["Subject"] == "Turn 1"


def test_a_maildir_that_cannot_be_written_to_is_tried_again(tmp_path: Path):
    transport = MaildirTransport(tmp_path / "mail")
    (tmp_path / "mail").write_text("no folder")
    for attempt in (lambda: transport.send(MAIL, "play@localhost", "ada@example.org"), transport.knock):
        failed = failure(attempt)
        assert (failed.lasting, failed.for_all) == (False, True)
        assert "Maildir" in str(failed)


def test_a_folder_that_is_mounted_empty_becomes_a_maildir_at_any_time(tmp_path: Path):
    transport = MaildirTransport(tmp_path / "mail")
    for _ in range(2):
        (tmp_path / "mail").mkdir()
        transport.knock()
        transport.send(MAIL, "play@localhost", "ada@example.org")
        assert len([*(tmp_path / "mail" / "new").iterdir()]) == 1
        shutil.rmtree(tmp_path / "mail")


def test_the_settings_choose_the_transport(tmp_path: Path):
    by_maildir = Table(tmp_path / "a").app.extensions["blackticket"].settings
    by_relay = Table(tmp_path / "b", smtp_url="smtp://mail.example.org").app.extensions["blackticket"].settings
    assert isinstance(transport_for(by_maildir), MaildirTransport)
    assert isinstance(transport_for(by_relay), SmtpTransport)
