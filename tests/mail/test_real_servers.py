"""With Postfix in front and Dovecot behind: mail in, replies, bounces, setting up, as on a real host."""

import json
import os
import re
import smtplib
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import make_msgid
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from click.testing import CliRunner, Result

from server import worker
from server.application.people import players
from server.cli import main
from server.mail.transport.imap import ImapConnection, LoginRefused, MailboxFailure
from server.mail.transport.imap_reader import ImapReader, Pace
from server.mail.transport.smtp_client import SmtpTransport, transport_for
from server.mail.transport.smtp_server import listen
from server.models import Incoming, session
from server.settings import Listen, Mailbox, Relay, SettingError, Settings
from server.vocabulary.dns import DnsClient
from tests.injected import for_command
from tests.mail.real_servers import Servers, running_in_a_folder, why_not
from tests.mail.trust.signing import Names
from tests.scenes import hunt
from tests.statements import before
from tests.table import Playing, Table

REASON = why_not()
pytestmark = [
    pytest.mark.skipif(REASON is not None, reason=str(REASON)),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning"),
]
EVER = datetime(2020, 1, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def servers() -> Iterator[Servers]:
    with running_in_a_folder() as found:
        yield found


def until(holds: Callable[[], Any], patience: float = 60) -> Any:
    """Return the first result of `holds` that is not empty: other programs take their time."""
    end = time.monotonic() + patience
    while not (found := holds()) and time.monotonic() < end:
        time.sleep(0.02)
    return found


def write(servers: Servers, *recipients: str, text: str = "bus 102", sender: str = "ben@example.org") -> None:
    """A mail to Postfix, as somebody's provider brings it."""
    head = f"From: {sender}\nTo: {', '.join(recipients)}\nSubject: Re: x\nMessage-ID: <{time.monotonic()}@x>\n"
    with smtplib.SMTP("127.0.0.1", servers.smtp, timeout=30) as client:
        client.sendmail(sender, recipients, f"{head}\n{text}\n".replace("\n", "\r\n").encode())


class Scene:
    """A server under test, before a game in which Mr. X has moved and Ben has to."""

    at: Listen
    listener: Controller

    def __init__(self, servers: Servers, game: Playing) -> None:
        self.servers = servers
        self.game = game
        self.table = game.table

    def token(self, person: int = 1) -> str:
        """Return the token in a person's reply address, Ben's unless named."""
        return str(re.findall("[a-z2-7]{16}", self.game.people[person].mails[1]["Reply-To"])[0])

    def rows(self) -> list[Incoming]:
        with self.table.app.app_context():
            found = session.query(Incoming).order_by(Incoming.received_at).all()
            session.expunge_all()
            return found

    def history(self) -> list[str]:
        found: list[str] = self.game.view(self.game.people[1])["history"]
        return found


# A domain of its own: Postfix hands over by LMTP ---------------------------------------------------


@pytest.fixture
def domain(servers: Servers, tmp_path: Path) -> Iterator[Scene]:
    relay = f"smtp://127.0.0.1:{servers.smtp}"
    table = Table(tmp_path, sandbox="1", min_turn="PT1S", mail_domain="play.test", smtp_url=relay)
    scene = Scene(servers, hunt(table))
    scene.at = Listen("lmtp", "127.0.0.1", servers.play_lmtp)
    scene.listener = listen(table.app, scene.at)
    yield scene
    scene.listener.stop()


def test_a_reply_comes_through_postfix_and_is_a_move(domain: Scene):
    write(domain.servers, f"turn+{domain.token()}@play.test")
    (row,) = until(domain.rows)
    domain.table.tick()
    assert (row.source, row.sender) == ("lmtp", "ben@example.org")
    assert domain.history() == ["black ?", "purple bus 102"]


def test_two_recipients_of_one_mail_are_delivered_once_each(domain: Scene):
    write(domain.servers, f"turn+{domain.token()}@play.test", f"turn+{domain.token(2)}@play.test")
    assert until(lambda: "is empty" in domain.servers.queue())
    assert len({row.recipient for row in domain.rows()}) == len(domain.rows()) == 2


def test_a_mail_that_cannot_be_stored_now_stays_with_postfix_and_comes_again(domain: Scene):
    failures: list[str] = []

    def fail(values: str) -> None:
        failures.append(values)
        raise RuntimeError

    with before(domain.table, "INSERT INTO inbox", fail):
        write(domain.servers, f"turn+{domain.token()}@play.test", "play@play.test", sender="stays@example.org")
        assert until(lambda: failures)

    def stayed() -> list[str]:
        """Return to whom this mail came; Postfix may still bring those of the test before."""
        return sorted(row.recipient.partition("@")[0][:4] for row in domain.rows() if row.sender == "stays@example.org")

    def came_again() -> bool:
        domain.servers.try_again()
        return bool(until(lambda: stayed() == ["play", "turn"], patience=2))

    assert until(came_again), f"each once, though answered for in one go: {stayed()}"
    assert until(lambda: "is empty" in domain.servers.queue())


@pytest.mark.parametrize("address", ["turn+short@play.test", "sales@play.test"])
def test_an_address_that_is_none_of_the_servers_is_refused_while_the_sender_waits(domain: Scene, address: str):
    with pytest.raises(smtplib.SMTPRecipientsRefused) as error:
        write(domain.servers, address)
    assert [code for code, _ in error.value.recipients.values()] == [550]


def test_a_reply_that_came_while_the_server_was_down_is_there_soon_after_its_start(domain: Scene):
    domain.listener.stop()
    write(domain.servers, f"turn+{domain.token()}@play.test")
    assert until(lambda: "Connection refused" in domain.servers.queue())
    domain.listener = listen(domain.table.app, domain.at)
    assert until(domain.rows), "Postfix itself would try again after five minutes"
    domain.table.tick()
    assert domain.history() == ["black ?", "purple bus 102"]


def test_a_bounce_of_our_mail_arrives_and_is_known_as_one(domain: Scene):
    raw = b"From: play@play.test\r\nTo: gone@nowhere.test\r\nSubject: your move\r\n\r\nHello\r\n"
    relay = SmtpTransport(Relay("127.0.0.1", domain.servers.smtp, None, None, tls=False, starttls=False))
    with closing(relay):
        relay.send(raw, "play@play.test", "gone@nowhere.test")
    (row,) = until(domain.rows)
    assert row.sender == ""
    domain.table.tick()
    assert domain.rows()[0].verdict is not None
    assert domain.rows()[0].verdict.startswith("bounce")


def test_doctor_sends_a_mail_out_and_in_again(domain: Scene, monkeypatch: pytest.MonkeyPatch):
    runtime = domain.table.app.extensions["blackticket"]
    var = runtime.settings.var
    environ = {"MAIL_DOMAIN": "play.test", "SMTP_URL": f"smtp://127.0.0.1:{domain.servers.smtp}"}
    environ |= {"DATABASE_URL": runtime.settings.database_url, "SECRET_KEY_FILE": str(var / "secret_key")}
    told = command(monkeypatch, var, "doctor", "--mail", "--json", "--patience", "50", **environ)
    facts = json.loads(told.stdout)
    assert (facts["troubles"], facts["mail_round_trip"]["came"]) == ([], True)
    assert told.exit_code == (2 if facts["faults"] else 0)


def command(patch: pytest.MonkeyPatch, folder: Path, *arguments: str, stdin: str = "", **settings: str) -> Result:
    """A command, given in a folder of its own."""
    patch.chdir(folder)
    for name, value in settings.items():
        patch.setenv(f"BLACKTICKET_{name}", value)
    return CliRunner().invoke(main, arguments, input=stdin, obj=for_command(dns=DnsClient(Names())))


# An ordinary mailbox: Dovecot, read by IMAP -------------------------------------------------------


def box_of(servers: Servers, user: str, **changed: Any) -> Mailbox:
    known = {"host": "127.0.0.1", "port": servers.imap, "password": "secret", "tls": False}
    return Mailbox(user=user, folder="INBOX", starttls=False, **{**known, **changed})


@pytest.fixture
def mailbox(servers: Servers, tmp_path: Path, request: pytest.FixtureRequest) -> Scene:
    """A server on the mailbox of a user of its own, with the plus in its reply addresses."""
    user = f"{request.node.originalname.removeprefix('test_')[:30]}@mail.test"
    url = f"imap://{user.replace('@', '%40')}:secret@127.0.0.1:{servers.imap}/INBOX"
    reply = user.replace("@", "+{token}@")
    return Scene(
        servers,
        hunt(Table(tmp_path, sandbox="1", min_turn="PT1S", imap_url=url, play_address=user, reply_address=reply)),
    )


def settings_of(scene: Scene) -> Settings:
    found: Settings = scene.table.app.extensions["blackticket"].settings
    return found


def in_mailbox(scene: Scene, folder: str = "INBOX") -> list[tuple[bytes, tuple[str, ...]]]:
    """Subject and flags of what lies in a folder, looked at without leaving a trace."""
    from imap_tools import MailBoxUnencrypted

    with MailBoxUnencrypted("127.0.0.1", scene.servers.imap).login(settings_of(scene).play_address, "secret") as client:
        client.folder.set(folder, readonly=True)
        return [(mail.obj["Message-ID"], mail.flags) for mail in client.fetch(mark_seen=False)]


def test_a_mail_is_read_the_moment_it_comes_and_put_away_and_a_friends_is_left_unread(mailbox: Scene):
    settings = settings_of(mailbox)
    mailbox.table.app.extensions["blackticket"].clock = lambda: datetime.now(UTC)
    write(mailbox.servers, settings.play_address, text="How are you?", sender="aunt@example.org")
    # It is not found by looking again, but because the server says so.
    reader = ImapReader(mailbox.table.app, settings.imap_url, pace=Pace(poll=3600.0))
    reader.start()
    try:
        assert until(lambda: mailbox.table.client.get("/readyz").json["mailboxes"][0]["read_at"])
        written = datetime.now(UTC)
        write(mailbox.servers, settings.reply_address.replace("{token}", mailbox.token()))
        (row,) = until(mailbox.rows)
        assert (row.source, row.sender) == ("imap", "ben@example.org")
        # The server of the mailbox tells whole seconds.
        assert written - timedelta(seconds=1) < row.received_at <= datetime.now(UTC)
        assert until(lambda: len(in_mailbox(mailbox)) == 1)
    finally:
        reader.stop()
        reader.join(60)
    assert not reader._thread.is_alive(), "who waits at the server is waked to stop"
    assert [flags for _, flags in in_mailbox(mailbox)] == [()], "the friend's mail is as new as it was"
    assert len(in_mailbox(mailbox, "Black Ticket.read")) == 1


def test_a_game_goes_on_in_a_mailbox(mailbox: Scene):
    settings = settings_of(mailbox)
    write(mailbox.servers, settings.reply_address.replace("{token}", mailbox.token().upper()))
    read(mailbox)
    mailbox.table.tick()
    assert mailbox.history() == ["black ?", "purple bus 102"]


def read(scene: Scene) -> None:
    """One look into the mailbox, once something is there."""
    box = settings_of(scene).imap_url
    assert box is not None
    with closing(ImapConnection(box)) as connection, scene.table.app.app_context():
        assert until(lambda: connection.newer(0, EVER))
        ImapReader(scene.table.app, box).read(connection)


@pytest.mark.parametrize(
    ("lacks", "left"), [({"MOVE"}, [("\\Deleted",)]), ({"MOVE", "UIDPLUS"}, [("\\Deleted",), ("\\Seen",)])]
)
def test_where_a_server_can_do_less_a_mail_is_copied_or_marked_and_what_the_owner_deleted_stays(
    servers: Servers, lacks: set[str], left: list[tuple[str, ...]]
):
    user = f"less{len(lacks)}@mail.test"
    with closing(ImapConnection(box_of(servers, user))) as connection:
        write(servers, user)
        write(servers, user)
        first, second = until(lambda: (found := connection.newer(0, EVER))[1:] and found)
        connection._command("STORE", str(first), "+FLAGS", r"(\Deleted)")
        connection.capabilities -= lacks
        connection.put_away(second)
        flags = [str(connection._command("FETCH", str(uid), "(FLAGS)")) for uid in connection.newer(0, EVER)]
    assert [next(flag for flag in expected if flag) in found for expected, found in zip(left, flags, strict=True)]
    assert len(flags) == len(left)


def test_the_server_tells_how_much_room_there_is_and_the_folder_of_read_mails_is_emptied(servers: Servers):
    with closing(ImapConnection(box_of(servers, "room@mail.test"))) as connection:
        empty = connection.room()
        assert empty is not None
        write(servers, "room@mail.test", text=("x" * 70 + "\n") * 20_000)
        (first,) = until(lambda: connection.newer(0, EVER))
        write(servers, "room@mail.test")
        (second,) = until(lambda: connection.newer(first, EVER))
        assert empty - (connection.room() or 0) > 1_400_000
        connection.put_away(first)
        connection.empty_read_folder((datetime.now(UTC) - timedelta(days=1)).date())
        assert empty - (connection.room() or 0) > 1_400_000, "it came today"
        connection.empty_read_folder()
        assert empty - (connection.room() or 0) < 100_000
        assert connection.newer(0, EVER) == [second], "the mailbox is open again"


def test_a_server_that_does_not_tell_how_much_room_there_is_is_tried(servers: Servers):
    with closing(ImapConnection(box_of(servers, "tried@mail.test"))) as connection:
        most = connection.room()
        connection.capabilities -= {"QUOTA"}
        assert connection.room() is None
        assert connection.takes(200_000)
        assert not connection.takes((most or 0) + 100_000)
        write(servers, "tried@mail.test")
        (uid,) = until(lambda: connection.newer(0, EVER))
        connection.put_away(uid)
        connection.capabilities |= {"QUOTA"}
        assert (most or 0) - (connection.room() or 0) < 10_000, "no trial is left, and what else was filed is"
        assert connection.room() != most


def test_a_large_mail_is_fetched_no_further_than_asked(servers: Servers):
    with closing(ImapConnection(box_of(servers, "large@mail.test"))) as connection:
        write(servers, "large@mail.test", text=("x" * 70 + "\n") * 20_000)
        (uid,) = until(lambda: connection.newer(0, EVER))
        (head,) = connection.heads([uid])
        assert head.size > 1_400_000
        assert b"\r\n\r\n" in head.header
        assert head.arrived is not None
        assert abs((datetime.now(UTC) - head.arrived).total_seconds()) < 60
        assert len(connection.raw(uid, 1000) or b"") == 1000
        connection.delete(uid)
        assert connection.newer(0, EVER) == []
        assert connection.raw(uid, 1000) is None


@pytest.mark.parametrize(
    ("changed", "error", "says"),
    [
        ({"password": "hunter2"}, LoginRefused, "refuses the user name or the password"),
        ({"port": 1}, MailboxFailure, r"cannot be reached \(nobody listens at that port\)"),
        ({"folder": "Nowhere"}, MailboxFailure, "has no such folder"),
        ({"tls": True}, MailboxFailure, "cannot be reached"),
    ],
)
def test_what_is_wrong_is_said_in_our_own_words(
    servers: Servers, changed: dict[str, Any], error: type[MailboxFailure], says: str
):
    known = {
        "host": "127.0.0.1",
        "port": servers.imap,
        "user": "ann@mail.test",
        "password": "secret",
        "folder": "INBOX",
    }
    box = Mailbox(**{**known, "tls": False, "starttls": False, **changed})
    with pytest.raises(error, match=says) as raised:
        ImapConnection(box)
    assert "hunter2" not in str(raised.value)


def test_tls_is_for_servers_whose_certificate_can_be_trusted(servers: Servers, monkeypatch: pytest.MonkeyPatch):
    box = box_of(servers, "ann@mail.test", host="localhost", port=servers.imaps, tls=True)
    with pytest.raises(
        MailboxFailure, match="the certificate of the mail server is not one for localhost that can be trusted"
    ):
        ImapConnection(box)
    monkeypatch.setenv("SSL_CERT_FILE", str(servers.certificate))
    ImapConnection(box).close()
    upgraded = Mailbox("localhost", servers.imap, "ann@mail.test", "secret", "INBOX", tls=False, starttls=True)
    ImapConnection(upgraded).close()


# A whole game ---------------------------------------------------------------------------------------


class Correspondent:
    """Somebody who has a mail program, and nothing else."""

    def __init__(self, servers: Servers, name: str) -> None:
        self.servers = servers
        self.address = f"{name.lower()}-of-a-whole-game@mail.test"
        self.name = name
        self._read: set[bytes] = set()

    @property
    def maildir(self) -> Path:
        return self.servers.folder / "mailboxes" / self.address / "Maildir"

    def mail(self, about: str) -> tuple[EmailMessage, str]:
        """The next mail whose subject holds `about`, as soon as it has come, and its text."""
        return until(lambda: self.unread(about))  # type: ignore[no-any-return]

    def unread(self, about: str) -> tuple[EmailMessage, str] | None:
        """Return the first mail not yet read whose subject holds `about`, and its text; None if there is none."""
        arrived = [*self.maildir.glob("new/*"), *self.maildir.glob("cur/*")]  # the second once a program has looked
        for file in sorted(arrived, key=lambda file: file.name):
            raw = file.read_bytes()
            mail = message_from_bytes(raw, policy=policy.default)
            if raw not in self._read and about in mail["Subject"]:
                self._read.add(raw)
                body = mail.get_body(("plain",))
                assert body is not None
                return mail, body.get_content()
        return None

    def write(self, to: str, text: str, about: str = "Hello", answered: EmailMessage | None = None) -> None:
        mail = EmailMessage()
        mail["From"], mail["To"], mail["Subject"] = f"{self.name} <{self.address}>", to, about
        mail["Message-ID"] = make_msgid(domain="mail.test")
        if answered is not None:
            mail["In-Reply-To"] = answered["Message-ID"]
        mail.set_content(text)
        with smtplib.SMTP("127.0.0.1", self.servers.smtp, timeout=30) as client:
            client.send_message(mail, self.address)

    def answer(self, answered: tuple[EmailMessage, str], text: str) -> None:
        """Write an answer as a mail program does, above the quoted mail."""
        mail, told = answered
        quoted = "".join(f"> {line}\n" for line in told.splitlines())
        said = f"{text}\n\nOn Sat, 21 Nov 2026 at 10:00, Black Ticket <{mail['From'].addresses[0].addr_spec}> wrote:\n"
        self.write(str(mail["Reply-To"]), said + quoted, f"Re: {mail['Subject']}", mail)


def moves_told(text: str) -> list[str]:
    """A move for each pawn, of those that a mail names; no two to one station."""
    found: dict[str, str] = {}
    about = re.compile(r"^(\w+) can go from \d+\n((?: - .*\n(?:   .*\n)?)+)", re.MULTILINE)
    for pawn, choices in about.findall(text):
        told = re.findall(r"by (taxi|bus) to (\d+)(?:, (\d+))*(?: or (\d+))?", choices)
        wanted = [(ticket, station) for ticket, *stations in told for station in stations if station]
        ticket, station = next((ticket, station) for ticket, station in wanted if station not in found)
        found[station] = f"{pawn} {ticket} {station}" if pawn != "You" else f"{ticket} {station}"
    return list(found.values())


def test_a_whole_game_is_played_by_people_who_have_nothing_but_mail(
    servers: Servers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    yard = "whole-game@mail.test"
    table = Table(
        tmp_path,
        imap_url=f"imap://whole-game%40mail.test:secret@127.0.0.1:{servers.imap}/INBOX",
        smtp_url=f"smtp://127.0.0.1:{servers.smtp}",
        play_address=yard,
        reply_address="whole-game+{token}@mail.test",
    )
    ada, ben = Correspondent(servers, "Ada"), Correspondent(servers, "Ben")
    with table.app.app_context():
        players.add_player("Ada", ada.address)
    settings = table.app.extensions["blackticket"].settings
    box = settings.imap_url
    reader = ImapReader(table.app, box)
    relay = transport_for(settings)

    with closing(ImapConnection(box)) as connection:

        def serve() -> None:
            """The server reads the one mail that is under way to it, and answers."""
            with table.app.app_context():
                assert until(lambda: connection.newer(0, EVER))
                reader.read(connection)
                worker.tick(relay)

        ada.write(yard, f"NEW condensed 2 as mr_x max_rounds=2 with {ben.address}")
        serve()
        ada.answer(ada.mail("your game is open"), "YES")
        serve()
        ben.answer(ben.mail("invites you to a game"), "Yes!")
        serve()
        assert "You are a player here now" in ben.mail("the seat is yours")[1]
        ada.answer(ada.mail("the game can start"), "START")
        serve()
        ben.mail("The hunt begins")
        for _ in range(2):
            turn = ada.mail("Mr. X, your move")
            ada.answer(turn, moves_told(turn[1])[0])
            serve()
            turn = ben.mail("your move by")
            ben.answer(turn, "\n".join(moves_told(turn[1])))
            serve()
        ended = [person.mail("The game is over: Mr. X has won") for person in (ada, ben)]

    transcript = tmp_path / "transcript.json"
    transcript.write_bytes(next(ended[1][0].iter_attachments()).get_content())
    checked = command(monkeypatch, tmp_path, "verify", str(transcript), str(ada.maildir), str(ben.maildir))
    assert checked.exit_code == 0, checked.output


# Setting up ---------------------------------------------------------------------------------------


def setup(servers: Servers, patch: pytest.MonkeyPatch, folder: Path, *more: str, password: str = "secret") -> Result:
    where = ("--imap", f"imap://127.0.0.1:{servers.imap}", "--smtp", f"smtp://127.0.0.1:{servers.smtp}")
    known = ("--address", "yard@mail.test", "--name", "Foggy Yard", "--password-file", "-", "--patience", "50")
    return command(patch, folder, "setup", *known, *where, *more, stdin=f"{password}\n")


def test_setup_finds_out_what_works_and_writes_settings_with_which_the_server_runs(
    servers: Servers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    told = setup(servers, monkeypatch, tmp_path)
    assert told.exit_code == 0, told.output
    assert "yard+{token}@mail.test came back" in told.stdout
    assert "set AUTHSERV_ID" in told.stdout, "as this Postfix writes no results"
    assert "secret" not in told.output
    file = tmp_path / "blackticket.env"
    assert file.stat().st_mode & 0o777 == 0o600
    doctor = command(monkeypatch, tmp_path, "doctor", "--mail", "--json", "--patience", "50")
    facts = json.loads(doctor.stdout)
    assert (facts["troubles"], facts["mail_round_trip"]["came"]) == ([], True)
    assert facts["mailboxes"][0]["mailbox"] == "yard@mail.test@127.0.0.1/INBOX"
    with closing(ImapConnection(box_of(servers, "yard@mail.test"))) as connection:
        assert connection.newer(0, EVER) == [], "the trials were tidied away"


def test_setup_again_keeps_what_else_stands_in_the_file(
    servers: Servers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    file = tmp_path / "blackticket.env"
    file.write_text("# mine\nBLACKTICKET_PUBLIC_URL=https://yard.example.org\nBLACKTICKET_IMAP_URL_FILE=old\n")
    facts = json.loads(setup(servers, monkeypatch, tmp_path, "--json", "--own").stdout)
    lines = file.read_text().splitlines()
    assert lines[:2] == ["# mine", "BLACKTICKET_PUBLIC_URL=https://yard.example.org"]
    assert {"BLACKTICKET_REPLY_ADDRESS=yard+{token}@mail.test", "BLACKTICKET_MAILBOX_IS_OWN=1"} <= set(lines)
    assert not [line for line in lines if "_FILE" in line]
    assert facts["tried"] == [{"form": "plus", "came": True, "sentence": ""}]
    assert {"IDLE", "MOVE"} <= set(facts["advertised"]["imap"])


def test_a_wrong_password_is_said_with_what_to_do_and_nothing_is_written(
    servers: Servers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    told = setup(servers, monkeypatch, tmp_path, password="hunter2")
    assert told.exit_code == 1
    assert "refuses the user name or the password. Check both" in told.stderr
    assert "hunter2" not in told.output
    assert list(tmp_path.iterdir()) == []


def test_doctor_says_why_a_mail_does_not_come_back(servers: Servers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    environ = {"IMAP_URL": f"imap://ann%40mail.test:secret@127.0.0.1:{servers.imap}", "SMTP_URL": "smtp://127.0.0.1:1"}
    told = command(monkeypatch, tmp_path, "doctor", "--mail", **environ)
    assert told.exit_code == 2
    assert "why not the relay cannot be reached (nobody listens at that port)" in told.stdout


def test_the_settings_of_the_environment_stand_above_those_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    from server.settings import environment

    monkeypatch.chdir(tmp_path)
    Path("blackticket.env").write_text("# ours\n\nBLACKTICKET_MAIL_DOMAIN = a.example\nBLACKTICKET_SMTP_URL=smtp://a\n")
    given = {"BLACKTICKET_SMTP_URL_FILE": "secret", "PATH": os.defpath}
    assert environment(given) == {"BLACKTICKET_MAIL_DOMAIN": "a.example", **given}
    Path("blackticket.env").write_text("MAIL_DOMAIN=a.example\n")
    with pytest.raises(SettingError, match=r"Line 1 of .*blackticket\.env is no setting; write BLACKTICKET_NAME=value"):
        environment(given)
