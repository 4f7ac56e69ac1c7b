"""Mails as players see them in their mail programs, and the answers that such programs write.

The demo uses only the Reply-To, the subject and the text of a mail.
"""

import re
import smtplib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP, default
from email.utils import make_msgid
from pathlib import Path
from typing import Any

from blackticket.demo.choices import Choice
from blackticket.demo.own_server import DemoFailed


@dataclass(frozen=True)
class Letter:
    """A mail that arrived."""

    to: str
    reply_to: str
    subject: str
    text: str

    @classmethod
    def read(cls, raw: bytes) -> "Letter":
        """Return the mail in `raw`."""
        message: Any = message_from_bytes(raw, policy=default)
        text = message.get_body(("plain",)).get_content()
        address = message["Reply-To"].addresses[0].addr_spec
        return cls(message["To"].addresses[0].addr_spec, address, str(message["Subject"]), text)

    @property
    def running(self) -> str:
        """Return the text on one line."""
        return " ".join(self.text.split())

    @property
    def invites(self) -> bool:
        """Return whether the mail offers a seat."""
        return "invited" in self.subject

    @property
    def refuses(self) -> bool:
        """Return whether the mail refuses a move, so that another has to be sent."""
        return "cannot be played" in self.subject or "nothing was done" in f"{self.subject} {self.running}".lower()

    @property
    def reminds(self) -> bool:
        """Return whether the mail is a reminder."""
        return "reminder" in self.subject

    @property
    def server_moves(self) -> set[str]:
        """Return the moves that the server made for players, in notation."""
        told = [trips for clause in _BY_THE_SERVER.findall(self.running) for trips in _TRIPS.findall(clause)]
        return {f"{pawn.lower()} {ticket} {stop}" for trips, ticket in told for pawn, stop in _TRIP.findall(trips)}

    @property
    def ends(self) -> bool:
        """Return whether the mail is that of the end."""
        return "The game is over" in self.subject

    @property
    def understood(self) -> tuple[str, bool] | None:
        """Return the move that the mail confirms and whether it was queued, or None if it confirms none."""
        found = _UNDERSTOOD.search(self.running)
        return (found[2], found[1] == "kept") if found else None

    @property
    def choices(self) -> list[Choice]:
        """Return the moves that the mail offers: ` - by taxi to 51, 66 or 84 (8 left)`."""
        return [
            Choice(ticket, int(station))
            for ticket, stations in _CHOICES.findall(self.running)
            for station in re.findall(r"\d+", stations)
        ]

    @property
    def suspects(self) -> list[int]:
        """Return the stations where Mr. X can be by the mail; if it names none, the one where he was seen last."""
        if places := _PLACES.search(self.running):
            return [int(station) for station in re.findall(r"\d+", places[1])]
        return [int(station) for station in _SEEN.findall(self.running)]


_BY_THE_SERVER = re.compile(r"the server moved ([^.]*)")
_TRIPS = re.compile(r"((?:\w+ to \d+(?:,? and |, | ))+)with (?:an? |the )?(\w+)")  # a shared ticket is named once
_TRIP = re.compile(r"(\w+) to (\d+)")
_UNDERSTOOD = re.compile(r'Understood and (kept|played): "([^"]+)"')
_CHOICES = re.compile(r"- by (taxi|bus|underground) to ((?:\d+(?:, | or )?)+)")
_PLACES = re.compile(r"Mr\. X (?:is|can be) on (\d+[\d, or]*)")
_SEEN = re.compile(r"Travel log(?:: seen at| since) (\d+)")


class Mailbox:
    """The Maildir in which the mails of all players arrive."""

    def __init__(self, folder: Path) -> None:
        self._new = folder / "new"
        self._seen: set[str] = set()

    def fetch(self) -> list[Letter]:
        """Return the mails that arrived since the last call, the oldest first."""
        if not self._new.is_dir():
            return []
        arrived = [path for path in self._new.iterdir() if path.name not in self._seen]
        self._seen.update(path.name for path in arrived)
        return [Letter.read(path.read_bytes()) for path in sorted(arrived, key=lambda path: path.stat().st_mtime_ns)]


@dataclass(frozen=True)
class MailProgram:
    """A mail program that sends answers by SMTP and quotes the original mail below them."""

    smtp: tuple[str, int]
    name: str
    email: str
    connect: Callable[..., smtplib.SMTP] = smtplib.SMTP

    def answer(self, letter: Letter, line: str) -> None:
        """Send `line` above the quoted mail."""
        message = EmailMessage()
        message["From"] = f"{self.name} <{self.email}>"
        message["To"] = letter.reply_to
        message["Subject"] = f"Re: {letter.subject}"
        message["Message-ID"] = make_msgid(domain="mail.example.org")
        message["Date"] = datetime.now().astimezone()
        message.set_content(f"{line}\n\n{_quoted(letter)}\n")
        try:
            with self.connect(*self.smtp, local_hostname="mail.example.org", timeout=30) as client:
                client.sendmail(self.email, [letter.reply_to], message.as_bytes(policy=SMTP))
        except (OSError, smtplib.SMTPException) as error:
            raise DemoFailed(f"The server did not take a mail from {self.name}: {error}.") from None


def _quoted(letter: Letter) -> str:
    """Quote a mail below an introduction, each line behind an angle bracket."""
    lines = "\n".join(f"> {line}".rstrip() for line in letter.text.splitlines())
    return (
        f"On {datetime.now().astimezone():%a, %b %d, %Y at %I:%M %p} Black Ticket <{letter.reply_to}> wrote:\n\n{lines}"
    )
