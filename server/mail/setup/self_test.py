"""Test the mail setup with mails to ourselves: which reply addresses arrive, and how long that takes."""

import base64
import re
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import timedelta
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime

from server.application.game import reply_addresses
from server.application.mail import arrivals
from server.mail.reading.automatic import LOOP_HEADER, Kind, classify
from server.mail.reading.headers import parse_headers
from server.mail.setup import discovery
from server.mail.transport import smtp_client
from server.mail.transport.imap import ImapConnection, MailboxFailure, MailHead
from server.mail.transport.smtp_client import Transport
from server.runtime import now, runtime, utc_now
from server.settings import Mailbox, Relay

PATIENCE = 60.0  # seconds for a mail to come back
PAUSE = 1.0  # seconds between two checks
MOST_OF_A_REPORT = 200_000  # bytes of a bounce that are searched for our mail


@dataclass(frozen=True)
class Outside:
    """The world that the setup of a mailbox asks: the name service, mail servers, and time in seconds."""

    sleep: Callable[[float], object]
    lookup: discovery.Lookup = discovery.srv
    probe: discovery.Probe = discovery.probe
    connect: Callable[[Mailbox], ImapConnection] = ImapConnection
    relay_at: Callable[[Relay], Transport] = smtp_client.SmtpTransport
    monotonic: Callable[[], float] = time.monotonic


@dataclass(frozen=True)
class Form:
    """A form of reply addresses: `address` is a REPLY_ADDRESS, `sentence` describes it."""

    name: str
    address: str
    sentence: str


@dataclass(frozen=True)
class Outcome:
    """The result of a mail to ourselves; `sentence` says why it did not come back.

    `authserv_id`: the name under which the provider of the mailbox wrote Authentication-Results into it.
    """

    came: bool
    seconds: float
    sentence: str = ""
    authserv_id: str = ""


def forms(address: str) -> tuple[Form, ...]:
    """Return the forms of reply addresses that a mailbox may accept, the best first; every mailbox accepts the last."""
    name, _, domain = address.rpartition("@")
    return (
        Form("plus", f"{name}+{{token}}@{domain}", "what follows a plus in the address"),
        Form("dash", f"{name}-{{token}}@{domain}", "what follows a dash in the address"),
        Form("catch-all", f"turn-{{token}}@{domain}", "an address of its own, as the domain takes them all"),
        Form("name", f"Black Ticket {{token}} <{address}>", "the name before the address"),
    )


def round_trip(box: Mailbox, sender: str, form: str, patience: float, *, relay: Transport, outside: Outside) -> Outcome:
    """Send a mail to a reply address, wait until it is in the mailbox, and delete it there."""
    trial = _Trial.to(form, sender)
    monotonic = outside.monotonic
    began = monotonic()
    with closing(outside.connect(box)) as connection:
        newest = max(connection.newer(0, utc_now() - timedelta(days=1)), default=0)
        failure = trial.send(relay)
        if failure is not None:
            return Outcome(came=False, seconds=0, sentence=failure)
        for _ in _checks(began, patience, outside):
            for head in connection.heads(connection.newer(newest, utc_now() - timedelta(days=1))):
                if trial.is_in(head.header):
                    connection.delete(head.uid)
                    took = monotonic() - began
                    return Outcome(came=True, seconds=took, authserv_id=authserv_id(head.header))
                if trial.is_refused_by(head, connection):
                    return Outcome(came=False, seconds=monotonic() - began, sentence="it was sent back")
                newest = head.uid
    return Outcome(came=False, seconds=monotonic() - began, sentence=_LOST.format(patience))


def authserv_id(header: bytes) -> str:
    """Return the name in the uppermost Authentication-Results, which the provider wrote; nothing if there is none."""
    results = parse_headers(header).get("authentication-results", ("",))[0]
    named = re.match(r"\s*([A-Za-z0-9.-]+)\s*(?:\d+\s*)?;", results)
    return named[1] if named else ""


def into_the_inbox(patience: float, *, relay: Transport, outside: Outside) -> Outcome:
    """Send a mail to the play address, and wait until the listener has stored it."""
    play = runtime().settings.play_address
    trial = _Trial.to(play, play)
    monotonic = outside.monotonic
    began, at = monotonic(), now()
    failure = trial.send(relay)
    if failure is not None:
        return Outcome(came=False, seconds=0, sentence=failure)
    for _ in _checks(began, patience, outside):
        if arrivals.came_since(at, trial.token.encode()):
            return Outcome(came=True, seconds=monotonic() - began)
    return Outcome(came=False, seconds=monotonic() - began, sentence=_LOST.format(patience))


def of_this_server(patience: float, outside: Outside) -> Outcome:
    """Test the way of the server's own mail: out by its relay, in by its mailbox or its listener."""
    settings = runtime().settings
    if settings.smtp_url is None:
        sentence = "there is no relay (SMTP_URL), so no mail leaves this machine"
        return Outcome(came=False, seconds=0, sentence=sentence)
    relay = outside.relay_at(settings.smtp_url)
    try:
        if settings.imap_url is None:
            return into_the_inbox(patience, relay=relay, outside=outside)
        play, form = settings.play_address, settings.reply_address
        return round_trip(settings.imap_url, play, form, patience, relay=relay, outside=outside)
    except MailboxFailure as failure:
        return Outcome(came=False, seconds=0, sentence=str(failure))


_LOST = "it did not come within {:.0f} seconds; look for it in the folder for unwanted mail"


def _checks(began: float, patience: float, outside: Outside) -> Iterator[None]:
    """Yield at once, and again after each pause, for `patience` seconds."""
    yield
    while outside.monotonic() - began < patience:
        outside.sleep(PAUSE)
        yield


@dataclass(frozen=True)
class _Trial:
    """A mail to ourselves, recognised by its token."""

    token: str
    sender: str
    recipient: str
    message: bytes

    @classmethod
    def to(cls, form: str, sender: str) -> "_Trial":
        """Return a mail from `sender` to the reply address of a token that belongs to no game."""
        token = base64.b32encode(secrets.token_bytes(10)).decode().lower()
        whole = form.replace("{token}", token)
        name, recipient = whole.partition(" <")[0] if " <" in whole else "", reply_addresses.bare(whole)
        message = EmailMessage(policy=SMTP)
        message["From"] = Address("Black Ticket", addr_spec=sender)
        message["To"] = Address(name, addr_spec=recipient)
        message["Subject"] = f"A trial of the mailbox ({token})"
        message["Date"] = format_datetime(utc_now())
        message["Message-ID"] = f"<{token}@{sender.rpartition('@')[2]}>"
        message["Auto-Submitted"] = "auto-generated"
        message[LOOP_HEADER] = "trial"
        message.set_content("Black Ticket has sent this mail to itself, and deletes it when it has come back.\n")
        return cls(token, sender, recipient, message.as_bytes())

    def send(self, relay: Transport) -> str | None:
        """Send the mail; return why that failed, None if it did not."""
        try:
            relay.send(self.message, self.sender, self.recipient)
        except smtp_client.SendingFailure as failure:
            return str(failure)
        finally:
            relay.close()
        return None

    def is_in(self, header: bytes) -> bool:
        """Return True if a header is that of this mail."""
        headers = parse_headers(header)
        return any(self.token in value for value in headers.get("subject", ())) and LOOP_HEADER.lower() in headers

    def is_refused_by(self, head: MailHead, connection: ImapConnection) -> bool:
        """Return True if a mail is a report that this one was not delivered."""
        if classify(parse_headers(head.header)) is not Kind.BOUNCE:
            return False
        return self.token.encode() in (connection.raw(head.uid, MOST_OF_A_REPORT) or b"")
