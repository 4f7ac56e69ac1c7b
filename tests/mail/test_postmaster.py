"""Mail to postmaster@ and abuse@ gets to the operator: safely, not too much of it, and never in circles."""

import smtplib
from email import message_from_bytes
from email.message import EmailMessage
from email.mime.message import MIMEMessage
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from pathlib import Path
from typing import Any

import pytest

from server.application.game import reply_addresses
from server.application.health import health
from server.application.mail import envelopes
from server.mail.reading.quoting import MARKER
from server.mail.transport.imap_reader import ImapReader
from server.mail.transport.smtp_server import listen
from server.models import Incoming, session
from server.settings import Listen, Mailbox, SettingError, Settings
from server.vocabulary import limits
from tests.letters import Postbox
from tests.mail.transport.fake_mailbox import Server
from tests.scenes import hunt, text_of
from tests.table import Table

OPERATOR = "operator@yard.example"
DOMAIN = "play.example.org"


@pytest.fixture
def table(tmp_path: Path) -> Table:
    return Table(tmp_path, sandbox="1", min_turn="PT1S", mail_domain=DOMAIN, operator_email=OPERATOR)


def letter(text: str = "Your player spams me.", **headers: str) -> bytes:
    mail = EmailMessage()
    given = {"From": "Jo <jo@example.org>", "To": f"abuse@{DOMAIN}", "Subject": "Spam", "Message-ID": "<1@example.org>"}
    for name, value in (given | {name.replace("_", "-"): value for name, value in headers.items()}).items():
        mail[name] = value
    mail.set_content(text)
    return mail.as_bytes()


def deliver(table: Table, raw: bytes, to: str = f"abuse@{DOMAIN}", sender: str = "jo@example.org") -> None:
    table.deliver(raw, sender, to)
    table.tick()


def passed_on(table: Table) -> list[Any]:
    return table.post.of(OPERATOR)


def files(mail: Any) -> list[tuple[str, str, bytes]]:
    return [(part.get_filename(), part.get_content_type(), part.get_payload(decode=True)) for part in mail.walk()
            if part.get_filename()]  # fmt: skip


def verdicts(table: Table) -> list[tuple[str | None, str]]:
    with table.app.app_context():
        rows = session.query(Incoming).order_by(Incoming.received_at, Incoming.id)
        return [(row.verdict, row.state) for row in rows]


# How it comes in


def test_these_two_addresses_are_taken_in_any_case_and_no_others(table: Table):
    with table.app.app_context():
        for recipient in (f"postmaster@{DOMAIN}", f"Abuse@{DOMAIN.upper()}", "Postmaster"):
            assert reply_addresses.is_ours(recipient), recipient
        for recipient in ("abuse", "postmaster@elsewhere.example", f"webmaster@{DOMAIN}", f"abuse+x@{DOMAIN}"):
            assert not reply_addresses.is_ours(recipient), recipient


@pytest.mark.parametrize("protocol", ["smtp", "lmtp"])
def test_they_are_taken_by_smtp_and_lmtp(table: Table, protocol: str):
    listener = listen(table.app, Listen(protocol, "127.0.0.1", 0))
    try:
        kind = smtplib.LMTP if protocol == "lmtp" else smtplib.SMTP
        with kind("127.0.0.1", listener.port, local_hostname="mail.example.org") as client:
            client.sendmail("jo@example.org", [f"abuse@{DOMAIN}"], letter().replace(b"\n", b"\r\n"))
    finally:
        listener.stop()
    table.tick()
    assert len(passed_on(table)) == 1


def test_they_are_found_in_a_mailbox_that_takes_all_mail_of_a_domain(table: Table):
    box = Mailbox("imap.example.org", 993, "all", "password", "INBOX", tls=True, starttls=False)
    server = Server()
    server.arrives(letter(Delivered_To=f"abuse@{DOMAIN}"))
    server.arrives(letter(To="somebody@else.example"))
    with table.app.app_context():
        ImapReader(table.app, box).read(server)  # type: ignore[arg-type]
    table.tick()
    assert server.away == [1], "what is not for the server is left alone"
    assert len(passed_on(table)) == 1


# What the operator gets


def test_the_operator_gets_it_as_a_file_in_a_mail_of_ours(table: Table):
    raw = letter()
    deliver(table, raw)
    (mail,) = passed_on(table)
    assert files(mail) == [("mail.eml", "application/octet-stream", raw)]
    assert (mail["From"], mail["Subject"]) == (f"Black Ticket <play@{DOMAIN}>", "Black Ticket: a mail to abuse")
    assert (mail["Auto-Submitted"], mail["X-Black-Ticket"]) == ("auto-generated", DOMAIN)
    assert mail["List-Unsubscribe"] is None
    assert '"jo@example.org"' in text_of(mail)
    assert verdicts(table) == [("forwarded", "done")]


@pytest.mark.parametrize(
    "headers",
    [{"Auto_Submitted": "auto-replied"}, {"Precedence": "bulk"}, {"List_Id": "<x.example.org>"}],
    ids=["automatic", "bulk", "list"],
)
def test_what_machines_write_comes_too(table: Table, headers: dict[str, str]):
    deliver(table, letter(**headers))
    assert len(passed_on(table)) == 1
    assert table.post.of("jo@example.org") == [], "nobody is answered"


def test_hostile_headers_do_no_harm_to_our_mail(table: Table):
    nasty = b"From: =?utf-8?q?=0d=0aBcc:_x?= <jo@example.org>\r\nSubject: =?utf-8?q?a=0d=0aBcc:_eve=40x?=\r\n\r\nHi\r\n"
    deliver(table, nasty)
    (mail,) = passed_on(table)
    assert (mail["Bcc"], mail["Subject"]) == (None, "Black Ticket: a mail to abuse")
    assert [recipient for recipient, _ in table.post.sent] == [OPERATOR]


def test_a_mail_that_is_too_large_is_told_of_and_not_attached(table: Table):
    deliver(table, letter("x" * 70 + "\n" + "long line\n" * 30_000))
    (mail,) = passed_on(table)
    assert files(mail) == []
    assert "too much to pass on" in text_of(mail)


# No secret goes along


def with_ours(ours: bytes, how: str) -> bytes:
    """A complaint that holds a mail of this server, in one of the ways that there are."""
    if how == "quoted":
        quoted = "\n".join(f"> {line}" for line in ours.decode().partition("\r\n\r\n")[2].splitlines())
        return letter(f"I want no such mail.\n\nOn Sunday, Black Ticket wrote:\n{quoted}\n")
    report = MIMEMultipart("report", report_type="feedback-report") if how == "complaint" else MIMEMultipart()
    report["From"], report["To"], report["Subject"] = "Jo <jo@example.org>", f"abuse@{DOMAIN}", "Spam"
    report["Message-ID"] = "<1@example.org>"
    report.attach(MIMEText("I want no such mail."))
    if how == "file":
        part = MIMEText(ours.decode(), "plain", "utf-8")  # base64
        report.attach(part)
    else:
        report.attach(MIMEMessage(message_from_bytes(ours)))
    return report.as_bytes()


@pytest.mark.parametrize("how", ["quoted", "file", "attached", "complaint"])
def test_a_mail_of_ours_that_somebody_sends_back_does_not_reach_the_operator(table: Table, how: str):
    game = hunt(table)
    ada = game.people[0]
    (turn,) = [letter.raw for letter in table.post.sent if letter.recipient == ada.address][-1:]
    deliver(table, with_ours(turn, how))
    mail = passed_on(table)[-1]
    assert files(mail) == []
    whole = mail.as_string() + text_of(mail)
    assert ada.mails[-1]["Reply-To"].addresses[0].addr_spec not in whole
    assert MARKER not in text_of(mail)
    assert "holds a mail that this server has sent" in " ".join(text_of(mail).split())
    if how == "quoted":
        assert '"I want no such mail."' in text_of(mail), "their own words are passed on"


def test_a_complaint_to_abuse_ends_the_mail_to_who_complains(table: Table):
    game = hunt(table)
    ben = game.people[1]
    turn = [letter.raw for letter in table.post.sent if letter.recipient == ben.address][-1]
    deliver(table, with_ours(turn, "complaint"))
    assert ben.get("/me/preferences").json["mail"] == "off"


# In no circle, and not too much


def test_what_this_server_sent_is_never_passed_on(table: Table):
    deliver(table, letter())
    mine = table.post.sent[-1].raw
    for recipient in (f"abuse@{DOMAIN}", f"postmaster@{DOMAIN}"):
        deliver(table, mine, recipient, OPERATOR)
    automatic = letter(From=OPERATOR, Auto_Submitted="auto-replied", Message_ID="<2@x>")
    deliver(table, automatic, sender=OPERATOR)
    deliver(table, automatic.replace(b"<2@x>", b"<3@x>"), sender="")
    assert len(passed_on(table)) == 1
    assert [verdict for verdict, _ in verdicts(table)].count("loop") == 4


def test_the_same_mail_comes_once(table: Table):
    for _ in range(3):
        deliver(table, letter())
    assert len(passed_on(table)) == 1


def test_so_many_a_day_are_passed_on_and_the_rest_is_kept(table: Table):
    most, plenty = limits.POSTMASTER.most, limits.POSTMASTER.plenty
    for number in range(most + 2):
        deliver(table, letter(Message_ID=f"<{number}@x>"))
    assert len(passed_on(table)) == most
    assert verdicts(table).count(("kept", "aside")) == 2
    for number in range(plenty):
        deliver(table, letter(Message_ID=f"<{number}@y>"), sender=f"{number}@example{number % 2}.net")
    number = len(passed_on(table))
    assert plenty <= number < plenty + most
    deliver(table, letter(Message_ID="<other@x>"), sender="somebody@example.com")
    assert len(passed_on(table)) == number + 1, "nobody is kept from the operator by the others"
    table.clock.turn(days=1)
    deliver(table, letter(Message_ID="<tomorrow@x>"))
    assert len(passed_on(table)) == number + 2


# Without an operator


def test_without_an_operator_it_is_kept_and_doctor_says_so_and_it_is_read_again_later(tmp_path: Path):
    table = Table(tmp_path, mail_domain=DOMAIN)
    deliver(table, letter())
    assert (table.post.sent, verdicts(table)) == ([], [("kept", "aside")])
    with table.app.app_context():
        (told,) = [warning for warning in health.report()["warnings"] if "OPERATOR_EMAIL" in warning]
        session.remove()
    assert f"postmaster@{DOMAIN} and abuse@{DOMAIN}" in told
    assert "Kept so far: 1" in told
    later = Table(tmp_path, mail_domain=DOMAIN, operator_email=OPERATOR)
    with later.app.app_context():
        (kept,) = envelopes.incoming(state="aside")
        envelopes.read_again(kept["id"])
        session.remove()
    later.post = Postbox()
    later.tick()
    assert len(later.post.of(OPERATOR)) == 1


def test_a_server_that_is_tried_out_is_not_warned_of_it(tmp_path: Path):
    table = Table(tmp_path)
    with table.app.app_context():
        assert [warning for warning in health.report()["warnings"] if "OPERATOR_EMAIL" in warning] == []


@pytest.mark.parametrize(
    "address",
    [
        f"abuse@{DOMAIN}",
        f"Postmaster@{DOMAIN}",
        f"play@{DOMAIN}",
        f"turn+x@{DOMAIN}",
        f"play+me@{DOMAIN}",
        "me",
        "a@b c",
    ],
)
def test_an_operator_whose_mail_would_come_back_here_is_refused(tmp_path: Path, address: str):
    environ = {"BLACKTICKET_MAIL_DOMAIN": DOMAIN, "BLACKTICKET_OPERATOR_EMAIL": address}
    with pytest.raises(SettingError, match="OPERATOR_EMAIL is wrong"):
        Settings.from_environ(environ, tmp_path)
