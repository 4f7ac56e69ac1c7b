"""`blackticket setup` on mailboxes that can do less than others: what is tried, what is told, what is written."""

import json
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from server.cli import main
from server.mail.setup import self_test
from server.mail.setup.discovery import Server
from server.mail.transport import smtp_client
from server.mail.transport.imap import LoginRefused, MailboxFailure, MailHead
from server.settings import Mailbox, Relay, Settings


class Provider:
    """A mail provider: which addresses it delivers, what it does with the others, whom it lets in."""

    def __init__(self) -> None:
        self.hosts = {"imaps://imap.mail.example:993", "smtps://smtp.mail.example:465"}
        self.users = {"ada@mail.example"}
        self.delivers: Callable[[str], bool] = lambda recipient: True
        self.otherwise = "bounce"
        self.inbox: dict[int, bytes] = {1: b"From: aunt@x.example\r\nSubject: Hello\r\n\r\nHi\r\n"}
        self.results = b""  # what it writes above each mail
        self.deleted: list[int] = []
        self.seconds = 0.0
        self.relay: Relay | None = None
        self.records: dict[str, list[tuple[str, int]]] = {}

    def answers(self, kind: str, server: Server) -> Server:
        if str(server) not in self.hosts:
            raise MailboxFailure("it cannot be reached (there is no host of that name)")
        return Server(server.scheme, server.host, server.port, ("IDLE",) if kind == "imap" else ("AUTH", "SIZE"))

    def send(self, message: bytes, sender: str, recipient: str) -> None:
        if self.delivers(recipient):
            self.inbox[max(self.inbox) + 1] = self.results + message
        elif self.otherwise == "refuse":
            raise smtp_client.SendingFailure("the relay refused the recipient (550)", lasting=True)
        elif self.otherwise == "bounce":
            self.inbox[max(self.inbox) + 1] = b"Return-Path: <>\r\nSubject: Undelivered\r\n\r\n" + message

    def close(self) -> None:
        """Nothing is open."""

    def wait(self, seconds: float) -> None:
        self.seconds += seconds

    def relay_at(self, relay: Relay) -> "Provider":
        self.relay = relay
        return self

    @property
    def outside(self) -> self_test.Outside:
        """Return the world of who has this provider."""
        return self_test.Outside(
            lookup=lambda service: self.records.get(service, []),
            probe=self.answers,
            connect=lambda box: Opened(self, box),  # type: ignore[arg-type, return-value]
            relay_at=self.relay_at,
            sleep=self.wait,
            monotonic=lambda: self.seconds,
        )


class Opened:
    """The provider's mailbox as a connection shows it."""

    def __init__(self, provider: Provider, box: Mailbox) -> None:
        self.provider = provider
        if box.user not in self.provider.users or box.password != "p/w: 1":
            raise LoginRefused("the mail server refuses the user name or the password")
        self.capabilities = frozenset({"IDLE", "MOVE", "X-OTHER"})

    def newer(self, uid: int, since: datetime) -> list[int]:
        return [number for number in self.provider.inbox if number > uid]

    def heads(self, uids: Sequence[int]) -> Iterator[MailHead]:
        for uid in uids:
            raw = self.provider.inbox[uid]
            yield MailHead(uid, len(raw), None, raw.partition(b"\r\n\r\n")[0] + b"\r\n\r\n")

    def raw(self, uid: int, most: int) -> bytes:
        return self.provider.inbox[uid][:most]

    def delete(self, uid: int) -> None:
        del self.provider.inbox[uid]
        self.provider.deleted.append(uid)

    def close(self) -> None:
        pass


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Provider:
    made = Provider()

    monkeypatch.chdir(tmp_path)
    return made


def setup(provider: Provider, *more: str, stdin: str = "ada@mail.example\nFoggy Yard\np/w: 1\n\ny\n") -> Result:
    return CliRunner().invoke(main, ["setup", *more], input=stdin, obj=provider.outside)


def written() -> dict[str, str]:
    lines = Path("blackticket.env").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if not line.startswith("#"))


def test_it_asks_for_address_name_and_password_and_the_rest_it_finds(provider: Provider, tmp_path: Path):
    told = setup(provider)
    assert told.exit_code == 0, told.output
    assert written() == {
        "BLACKTICKET_MAIL_NAME": "Foggy Yard", "BLACKTICKET_MAIL_DOMAIN": "mail.example",
        "BLACKTICKET_PLAY_ADDRESS": "ada@mail.example", "BLACKTICKET_REPLY_ADDRESS": "ada+{token}@mail.example",
        "BLACKTICKET_IMAP_URL": "imaps://ada%40mail.example:p%2Fw%3A%201@imap.mail.example:993/INBOX",
        "BLACKTICKET_SMTP_URL": "smtps://ada%40mail.example:p%2Fw%3A%201@smtp.mail.example:465",
        "BLACKTICKET_MAILBOX_IS_OWN": "1", "BLACKTICKET_MAIL_LISTEN": "",
    }  # fmt: skip
    settings = Settings.from_environ(written(), tmp_path / "var")
    assert settings.imap_url is not None
    assert settings.smtp_url == provider.relay
    assert (settings.imap_url.user, settings.imap_url.password) == ("ada@mail.example", "p/w: 1")
    assert settings.mail_listen == ()
    assert "p/w: 1" not in told.output
    assert list(provider.inbox) == [1], "its own mail is deleted, and no other"


def test_it_finds_under_which_name_the_provider_says_who_a_mail_is_from(provider: Provider):
    assert "set AUTHSERV_ID" in setup(provider).stdout
    assert "BLACKTICKET_AUTHSERV_ID" not in written()
    provider.results = b"Authentication-Results: mx.mail.example; spf=pass smtp.mailfrom=mail.example\r\n"
    assert "says under the name mx.mail.example" in setup(provider).stdout
    assert written()["BLACKTICKET_AUTHSERV_ID"] == "mx.mail.example"


@pytest.mark.parametrize("otherwise", ["bounce", "refuse", "lose"])
@pytest.mark.parametrize(
    ("delivers", "form"),
    [
        (lambda to: "-" in to and to.startswith("ada"), "ada-{token}@mail.example"),
        (lambda to: to.startswith("turn-"), "turn-{token}@mail.example"),
        (lambda to: to == "ada@mail.example", "Black Ticket {token} <ada@mail.example>"),
    ],
)
def test_reply_addresses_are_tried_until_one_comes_back(
    provider: Provider, delivers: Callable[[str], bool], form: str, otherwise: str, tmp_path: Path
):
    provider.delivers, provider.otherwise = delivers, otherwise
    told = setup(provider)
    assert told.exit_code == 0, told.output
    assert written()["BLACKTICKET_REPLY_ADDRESS"] == form
    assert Settings.from_environ(written(), tmp_path / "var").reply_address == form
    why = {"bounce": "it was sent back", "refuse": "refused the recipient", "lose": "it did not come within 60 seconds"}
    (line,) = [line for line in told.stdout.splitlines() if line.startswith("A mail to ada+{token}@mail.example did")]
    assert why[otherwise] in line


def test_a_mailbox_that_never_hears_of_its_own_mails_is_told_so_and_nothing_is_written(provider: Provider):
    provider.delivers, provider.otherwise = lambda _to: False, "lose"
    told = setup(provider, "--patience", "5")
    assert told.exit_code == 1
    assert told.stderr.endswith(
        "No mail from the mailbox to itself came back; of the last one: it did not come within 5 seconds; look for it "
        "in the folder for unwanted mail.\n"
    )
    assert not Path("blackticket.env").exists()


def test_the_user_name_may_be_what_stands_before_the_address_or_another_one(provider: Provider):
    provider.users = {"ada"}
    assert setup(provider).exit_code == 0
    assert "imaps://ada:p" in written()["BLACKTICKET_IMAP_URL"]
    provider.users = {"u17"}
    assert "imaps://u17:p" not in written()["BLACKTICKET_IMAP_URL"]
    assert setup(provider, "--user", "u17").exit_code == 0
    assert "imaps://u17:p" in written()["BLACKTICKET_IMAP_URL"]


def test_a_server_elsewhere_that_dns_names_gets_the_password_only_with_a_word_of_the_host(provider: Provider):
    provider.records = {"_imaps._tcp.mail.example": [("in.big.example", 993)]}
    provider.hosts.add("imaps://in.big.example:993")
    answers = "ada@mail.example\nFoggy Yard\np/w: 1\n\ny\n"
    refused = setup(provider, stdin=f"{answers}n\n")
    assert refused.exit_code == 1
    assert "in.big.example. Tell it the password?" in refused.stderr
    assert not Path("blackticket.env").exists()
    assert setup(provider, stdin=f"{answers}y\n").exit_code == 0
    assert setup(provider, "--yes").exit_code == 0
    assert "@in.big.example:993" in written()["BLACKTICKET_IMAP_URL"]


def test_if_no_server_is_found_it_is_told_what_was_tried_and_what_to_do(provider: Provider):
    provider.hosts = {"imaps://imap.mail.example:993"}
    told = setup(provider)
    assert told.exit_code == 1
    assert told.stderr.rstrip().endswith("name one with --smtp, as your provider's help pages have it.")
    assert "smtps://smtp.mail.example:465: it cannot be reached (there is no host of that name)" in told.stderr


def test_everything_may_be_given_and_told_to_a_program(provider: Provider):
    Path("password").write_text("p/w: 1\n")
    provider.hosts = {"imaps://a.example:993", "smtps://b.example:465"}
    told = setup(
        provider,         "--address", "ada@mail.example", "--name", "Yard", "--password-file", "password", "--imap", "imaps://a.example",
        "--smtp", "smtps://b.example", "--to", "other.env", "--json", stdin="",
    )  # fmt: skip
    assert told.exit_code == 0, told.output
    facts = json.loads(told.stdout)
    assert (facts["imap"], facts["smtp"]) == ("imaps://a.example:993", "smtps://b.example:465")
    assert facts["advertised"] == {"imap": ["IDLE", "MOVE"], "smtp": ["AUTH", "SIZE"]}
    assert facts["settings_file"] == str(Path("other.env").resolve())
    assert "p/w: 1" not in told.output


@pytest.mark.parametrize(
    ("more", "stdin", "says"),
    [
        ((), "ada\n", "'ada' is no mail address"),
        ((), "ada@mail.example\nA <b@c.example>\n", "is no name for a sender"),
        (("--imap", "mx"), "ada@mail.example\nYard\npw\n\nn\n", "'mx' is no server; write it like imaps://"),
        (
            ("--to", "missing/x.env"),
            "ada@mail.example\nYard\np/w: 1\n\ny\n",
            "cannot be written (No such file",
        ),
        (("--password-file", "-", "--address", "a@mail.example", "--name", "Y"), "\n", "There is no password in that"),
        (
            ("--password-file", "-", "--address", "a@mail.example", "--name", "Y"),
            "x",
            "Check both; many providers",
        ),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(provider: Provider, more: tuple[str, ...], stdin: str, says: str):
    told = setup(provider, *more, stdin=stdin)
    assert told.exit_code == 1
    assert says in told.stderr
    assert "Traceback" not in told.output
    assert not list(Path().glob("*.env"))
    assert not list(Path().glob(".*")), "nothing half-written is left"


def test_doctor_without_a_relay_says_that_no_mail_leaves(provider: Provider, monkeypatch: pytest.MonkeyPatch):
    told: Any = CliRunner().invoke(main, ["doctor", "--mail", "--json"])
    assert told.exit_code == 2
    assert json.loads(told.stdout)["mail_round_trip"] == {
        "came": False, "seconds": 0, "why_not": "there is no relay (SMTP_URL), so no mail leaves this machine",
    }  # fmt: skip


def test_it_asks_where_the_operator_hears_of_trouble_and_writes_that(provider: Provider):
    answers = "ada@mail.example\nFoggy Yard\np/w: 1\nada@home.example\nn\n"
    assert setup(provider, stdin=answers).exit_code == 0
    assert written()["BLACKTICKET_OPERATOR_EMAIL"] == "ada@home.example"
    Settings.from_environ(written(), Path("var"))
    assert setup(provider).exit_code == 0
    assert written()["BLACKTICKET_OPERATOR_EMAIL"] == "ada@home.example", "what is there stays where nothing is given"


@pytest.mark.parametrize("operator", ["ada@mail.example", "Ada@Mail.example", "nobody", "postmaster@mail.example"])
def test_an_operator_whose_mail_would_come_back_is_refused(provider: Provider, operator: str):
    refused = setup(provider, "--operator", operator, stdin="ada@mail.example\nFoggy Yard\np/w: 1\nn\n")
    assert refused.exit_code == 1
    assert not Path("blackticket.env").exists()
