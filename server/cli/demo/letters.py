"""Mails as a player sees them in his mail program, and the answers that such programs write.

Of a mail nothing is used but its Reply-To, its subject and its text.
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
from typing import Any, NamedTuple

from server.cli.demo.choices import Choice
from server.cli.demo.trouble import DemoFailed


class Entry(NamedTuple):
    """A window of the travel log as a mail or a view tells it; `station` is None where it is hidden."""

    window: int
    ticket: str
    station: int | None


@dataclass(frozen=True)
class Letter:
    """A mail that arrived."""

    to: str
    reply_to: str
    subject: str
    text: str

    @classmethod
    def read(cls, raw: bytes) -> "Letter":
        """The mail in `raw`."""
        message: Any = message_from_bytes(raw, policy=default)
        text = message.get_body(("plain",)).get_content()
        address = message["Reply-To"].addresses[0].addr_spec
        return cls(message["To"].addresses[0].addr_spec, address, str(message["Subject"]), text)

    @property
    def running(self) -> str:
        """The text without the ends of its lines."""
        return " ".join(self.text.split())

    @property
    def turn(self) -> int:
        """The turn that was awaited when it was written; 0 before the game."""
        found = _TURN.search(self.subject)
        return int(found[1]) if found else 0

    @property
    def invites(self) -> bool:
        """Whether it offers a seat."""
        return "invited" in self.subject

    @property
    def refuses(self) -> bool:
        """Whether it gives a move back, so that another has to be sent."""
        return "cannot be played" in self.subject or "nothing was done" in f"{self.subject} {self.running}".lower()

    @property
    def reminds(self) -> bool:
        """Whether it is a reminder."""
        return "reminder" in self.subject

    @property
    def house_moves(self) -> set[str]:
        """The moves it says the house has made, in notation."""
        told = [trip for clause in _BY_THE_HOUSE.findall(self.running) for trip in _TRIP.findall(clause)]
        return {f"{pawn.lower()} {ticket} {station}" for pawn, station, ticket in told}

    @property
    def ends(self) -> bool:
        """Whether it tells the end."""
        return "The game is over" in self.subject

    @property
    def understood(self) -> tuple[str, bool] | None:
        """The notation of the move it confirms, and whether that was kept for its turn; None if it confirms none."""
        found = _UNDERSTOOD.search(self.running)
        return (found[2], found[1] == "kept") if found else None

    @property
    def choices(self) -> list[Choice]:
        """The moves it offers: ` - with a taxi to 51, 66 or 84 (8 left)`."""
        return [
            Choice(ticket, int(station))
            for ticket, stations in _CHOICES.findall(self.running)
            for station in re.findall(r"\d+", stations)
        ]

    @property
    def suspects(self) -> list[int]:
        """Where it says that Mr. X can be; where he was seen last if it does not say."""
        if places := _PLACES.search(self.running):
            return [int(station) for station in re.findall(r"\d+", places[1])]
        return [entry.station for entry in self.log if entry.station is not None][-1:]

    @property
    def sightings(self) -> set[int]:
        """The stations it names where it tells of Mr. X's moves."""
        return {int(station) for move in _HIS_MOVE.findall(self.running) for station in re.findall(r"\d+", move)}

    @property
    def log(self) -> list[Entry]:
        """The travel log in it."""
        found = _LOG.search(self.running)
        entries = _ENTRY.findall(found[1]) if found else []
        return [Entry(int(window), ticket, int(station) if station else None) for window, ticket, station in entries]


_BY_THE_HOUSE = re.compile(r"the house moved ([^.]*)")
_TRIP = re.compile(r"(\w+) to (\d+) with (?:an? |the )?(\w+)")
_TURN = re.compile(r"\] Turn (\d+)")
_UNDERSTOOD = re.compile(r'Understood and (kept|played): "([^"]+)"')
_CHOICES = re.compile(r"- (?:with )?(?:an? |the )?(taxi|bus|underground)(?: \([^)]*\))? to ((?:\d+(?:, | or )?)+)")
_PLACES = re.compile(r"The log allows him \w+ places?: ((?:station )?\d+[\d, and]*)")
_HIS_MOVE = re.compile(r"Mr\. X (?:moved|made|took) ([^.;]*)")
_LOG = re.compile(r"The travel log, window by window: (.*?); and (?:no more so far|that is all)")
_ENTRY = re.compile(r"(?<![\w-])(\d+) (taxi|bus|underground|black)(?: to (\d+))?")


class Mailbox:
    """The Maildir in which the mails of all players arrive."""

    def __init__(self, folder: Path) -> None:
        self._new = folder / "new"
        self._seen: set[str] = set()

    def fetch(self) -> list[Letter]:
        """What has arrived since the last time, the oldest first."""
        if not self._new.is_dir():
            return []
        arrived = [path for path in self._new.iterdir() if path.name not in self._seen]
        self._seen.update(path.name for path in arrived)
        return [Letter.read(path.read_bytes()) for path in sorted(arrived, key=lambda path: path.stat().st_mtime_ns)]


class MailProgram:
    """Sends answers by SMTP, each program with its own way of quoting the mail that is answered."""

    def __init__(self, smtp: tuple[str, int], name: str, email: str, quote: Callable[[Letter], str]) -> None:
        self._smtp = smtp
        self._name = name
        self._email = email
        self._quote = quote

    def answer(self, letter: Letter, line: str) -> None:
        """Send `line` above the quoted mail."""
        message = EmailMessage()
        message["From"] = f"{self._name} <{self._email}>"
        message["To"] = letter.reply_to
        message["Subject"] = f"Re: {letter.subject}"
        message["Message-ID"] = make_msgid(domain="mail.example.org")
        message["Date"] = datetime.now().astimezone()
        message.set_content(f"{line}\n\n{self._quote(letter)}\n")
        try:
            with smtplib.SMTP(*self._smtp, local_hostname="mail.example.org", timeout=30) as client:
                client.sendmail(self._email, [letter.reply_to], message.as_bytes(policy=SMTP))
        except (OSError, smtplib.SMTPException) as error:
            raise DemoFailed(f"The server did not take a mail from {self._name}: {error}.") from None


def gmail(letter: Letter) -> str:
    """An introduction, and every line behind an angle."""
    introduction = f"On {_now():%a, %b %d, %Y at %I:%M %p} Black Ticket <{letter.reply_to}> wrote:"
    return f"{introduction}\n\n{_angled(letter)}"


def outlook(letter: Letter) -> str:
    """A rule, a head, and the mail as it was."""
    head = f"From: Black Ticket <{letter.reply_to}>\nSent: {_now():%A, %B %d, %Y %I:%M %p}\nTo: {letter.to}\n"
    return f"________________________________\n{head}Subject: {letter.subject}\n\n{letter.text}"


def apple_mail(letter: Letter) -> str:
    """A signature, and an introduction that is quoted itself."""
    introduction = f"> On {_now():%d %b %Y, at %H:%M}, Black Ticket <{letter.reply_to}> wrote:"
    return f"Sent from my iPhone\n\n{introduction}\n> \n{_angled(letter)}"


def _angled(letter: Letter) -> str:
    return "\n".join(f"> {line}".rstrip() for line in letter.text.splitlines())


def _now() -> datetime:
    return datetime.now().astimezone()
