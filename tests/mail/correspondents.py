"""People who play by mail alone: they write through the real listener, and know what stands in the mails they get."""

import random
import re
import smtplib
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import EmailMessage
from html import escape
from pathlib import Path
from typing import Any

from server.mail.transport.smtp_server import listen
from server.settings import Listen
from tests.scenes import text_of
from tests.table import Table

PLAY = "play@localhost"
PASSED = "mx; dmarc=pass header.from=example.org"
MOST_MAILS = 200  # of one player
CHOICE = re.compile(r"by (taxi|bus|underground|black ticket) to ([\d, or]+?) \(")
PAWN = re.compile(r"(You|Purple|Red|Green|Yellow|Blue) can go from \d+")
OVER = "The game is over"
Move = tuple[str, str, str]
"""The pawn, empty for the only one; the ticket; and the station."""


class Office:
    """A server with a listener, and everybody who writes to it."""

    def __init__(self, folder: Path) -> None:
        self.table = Table(folder, sandbox="1", authserv_id="mx")
        self.listener = listen(self.table.app, Listen("smtp", "127.0.0.1", 0))

    def send(self, mail: EmailMessage) -> None:
        with smtplib.SMTP("127.0.0.1", self.listener.port, local_hostname="mx.example.org", timeout=30) as client:
            client.send_message(mail)

    def pass_on(self, rounds: int = 2) -> None:
        for _ in range(rounds):
            self.table.tick()
            self.table.clock.turn(minutes=1)


@contextmanager
def office(folder: Path) -> Any:
    opened = Office(folder)
    try:
        yield opened
    finally:
        opened.listener.stop()


# What they write --------------------------------------------------------------------------------------

Dress = Callable[[EmailMessage, str, Any], None]


def quoted(mail: Any) -> str:
    lines = [f"> {line}".rstrip() for line in text_of(mail).splitlines()]
    return "On Sun, 22 Nov 2026 at 18:00, Black Ticket <play@localhost> wrote:\n" + "\n".join(lines)


def top(letter: EmailMessage, text: str, to: Any) -> None:
    letter.set_content(f"{text}\n\n{quoted(to)}\n" if to else text)


def bottom(letter: EmailMessage, text: str, to: Any) -> None:
    letter.set_content(f"{quoted(to)}\n\n{text}\n" if to else text)


def phone(letter: EmailMessage, text: str, to: Any) -> None:
    """HTML and nothing else, with the whole mail quoted below."""
    lines = "<br>".join(map(escape, text.splitlines()))
    quote = f'<div class="gmail_quote"><blockquote>{html_of(to)}</blockquote></div>' if to else ""
    letter.set_content(f'<div dir="auto">{lines}</div><br>{quote}', subtype="html")


def html_of(mail: Any) -> str:
    part = mail.get_body(("html",))
    return str(part.get_content()) if part is not None else escape(text_of(mail))


def outlook(letter: EmailMessage, text: str, to: Any) -> None:
    head = f"{'_' * 32}\nFrom: Black Ticket <play@localhost>\nSent: Sunday\nSubject: {to and to['Subject']}"
    letter.set_content(f"{text}\n\n{head}\n\n{text_of(to)}" if to else text)


def terminal(letter: EmailMessage, text: str, to: Any) -> None:
    letter.set_content(f"{text}\n\n{quoted(to) if to else ''}\n-- \nTim, 46 Baker Street\n")
    letter.set_param("format", "flowed")


@dataclass(frozen=True)
class Manner:
    """How somebody writes."""

    dress: Dress = top
    frame: str = "{}"
    asks: str = "HELP"
    begins: str = "PLAY"
    agrees: str = "YES"
    form: str = "{pawn} {ticket} {to}"
    tickets: dict[str, str] = field(default_factory=dict)
    thanks: str = "Thanks, that was fun!"
    has_alias: bool = False
    errs: bool = False
    answers_old: bool = False


MANNERS = {
    "Pia": Manner(phone, form="{ticket} to {to}"),
    "Theo": Manner(frame="Thanks, what a lovely game!\n\n{}\n\nAll the best\nTheo"),
    "Alia": Manner(has_alias=True),
    "Bo": Manner(bottom, form="{to} by {ticket}"),
    "Gerd": Manner(
        frame="Hallo,\n\n{}\n\nViele Grüße\nGerd", asks="Hilfe!", begins="Ich möchte spielen", agrees="Ja, gerne",
        form="{ticket} nach {to}, bitte", tickets={"underground": "U-Bahn"}, thanks="Danke, das war toll!",
    ),
    "Fleur": Manner(
        phone, frame="Bonjour,\n{}\nBonne journée", asks="Aide svp", begins="Je voudrais jouer", agrees="Oui",
        form="je prends le {ticket} pour {to}", tickets={"underground": "métro"}, thanks="Merci, bravo à tous !",
    ),
    "Otto": Manner(outlook, form="I'd like to take the {ticket} to {to}"),
    "Tim": Manner(terminal, form="{ticket[0]}{to}"),
    "Ty": Manner(errs=True),
    "Wim": Manner(
        answers_old=True, asks="Hulp", begins="Ik wil graag spelen", agrees="Ja", form="met {ticket} naar {to}",
        tickets={"underground": "metro"}, thanks="Bedankt!",
    ),
}  # fmt: skip


# What they do ----------------------------------------------------------------------------------------


class Correspondent:
    """Somebody who reads the mails to one address, and answers each that asks for something."""

    def __init__(self, place: Office, name: str, manner: Manner) -> None:
        self.office, self.name, self.manner = place, name, manner
        self.address = f"{name.lower()}@example.org"
        self.rng = random.Random(name)
        self.read = self.sent = 0
        self.turns: list[Any] = []
        self.unanswered: list[str] = []
        self.is_done = False

    @property
    def mails(self) -> list[Any]:
        return self.office.table.post.of(self.address)

    def write(self, text: str, to: Any = None, *, from_alias: bool = False, is_answered: bool = True) -> None:
        """Send a mail, and note it if nothing comes back."""
        mail, before = EmailMessage(), len(self.mails)
        address = f"{self.name.lower()}.phone@example.org" if from_alias else self.address
        mail["From"], mail["To"] = f"{self.name} Lind <{address}>", to["Reply-To"] if to else PLAY
        mail["Subject"] = f"Re: {to['Subject']}" if to else "Hello"
        mail["Message-ID"] = f"<{self.office.table.count()}@mail.example.org>"
        mail["Authentication-Results"] = PASSED
        self.manner.dress(mail, self.manner.frame.format(text), to)
        self.office.send(mail)
        self.sent += 1
        assert self.sent < MOST_MAILS, f"{self.name} writes for ever"
        for _ in range(4):
            self.office.pass_on(1)
            if len(self.mails) > before:
                return
        if is_answered:
            self.unanswered.append(text)

    def look(self) -> bool:
        """Answer the newest mail that asks for something, if there is one; those before it are overtaken."""
        unread, self.read = self.mails[self.read :], len(self.mails)
        for mail in reversed(unread):
            said = " ".join(text_of(mail).split())
            if OVER in said or OVER in mail["Subject"]:
                self.is_done = True
                return False
            if text := self._answer(mail, said):
                self._send_answer(text, mail)
                return True
        return False

    def _answer(self, mail: Any, said: str) -> str:
        if "you have no account here yet" in said:
            return self.manner.begins
        if "the word START on a line of its own" in said:
            return "START"
        if re.search(r"[Aa]nswer (with the word )?YES|With YES|: YES ", said) or "was it you" in mail["Subject"]:
            return self.manner.agrees
        if "Reply with the one you mean" in said:
            return said.partition('I read "')[2].partition('"')[0]
        moves = choices(said)
        is_answer = mail["Auto-Submitted"] == "auto-replied"
        is_made = is_answer and "Understood" in said and "Still to move" not in said
        return self._worded(moves) if moves and not is_made else ""

    def _worded(self, moves: dict[str, list[Move]]) -> str:
        taken: set[str] = set()
        lines = []
        for pawn, ways in moves.items():
            _, ticket, to = self.rng.choice([way for way in ways if way[2] not in taken] or ways)
            taken.add(to)
            word = self.manner.tickets.get(ticket, ticket)
            whose = pawn if len(moves) > 1 else ""
            line = self.manner.form.format(pawn=whose, ticket=word, to=to).strip()
            lines.append(line if "{pawn}" in self.manner.form or not whose else f"{whose}: {line}")
        if self.manner.errs and len(moves) == 1:
            return self._with_an_error(next(iter(moves.values())), lines[0])
        return "\n".join(lines)

    def _with_an_error(self, ways: list[Move], line: str) -> str:
        _, ticket, to = self.rng.choice(ways)
        if self.rng.random() < 0.3:
            return f"{ticket[:-1]}{ticket[-2]} {to}"
        other = f"{ticket} {to}"
        return f"{other}\nsorry, I meant {line}" if self.rng.random() < 0.4 and other != line else line

    def _send_answer(self, text: str, mail: Any) -> None:
        is_turn = "your move by" in mail["Subject"]
        old = self.turns[-1] if self.manner.answers_old and is_turn and self.turns and self.rng.random() < 0.3 else None
        self.turns += [mail] * is_turn
        from_alias = self.manner.has_alias and is_turn and len(self.turns) % 3 == 2
        self.write(text, old or mail, from_alias=from_alias)

    def thank(self) -> None:
        """Say thanks for the game, which nobody has to answer, and ask for its story."""
        end = self.mails[-1]
        self.write(self.manner.thanks, end, is_answered=False)
        assert "found no move" not in text_of(self.mails[-1])
        self.write("REPLAY", end)


def choices(said: str) -> dict[str, list[Move]]:
    """Return the moves of each pawn that a mail names, Mr. X's double moves left out."""
    found: dict[str, list[Move]] = {}
    starts = [*PAWN.finditer(said)]
    ends = [*(start.start() for start in starts[1:]), len(said)]
    for start, end in zip(starts, ends, strict=False):
        part = said[start.end() : end]
        pawn = "" if start[1] == "You" else start[1].lower()
        ways = [
            (pawn, ticket.split()[0], station)
            for ticket, stations in CHOICE.findall(part)
            for station in re.findall(r"\d+", stations)
        ]
        if ways:
            found[pawn] = ways
    return found


# Games ------------------------------------------------------------------------------------------------


def practise(place: Office, name: str, turns: int | None = None) -> Correspondent:
    """Let somebody who has never been here ask for help, play a practice game to its end, and say thanks.

    With a number of `turns`, they play these alone.
    """
    newcomer = Correspondent(place, name, MANNERS[name])
    newcomer.write(newcomer.manner.asks)
    while not newcomer.is_done:
        if turns is not None and len(newcomer.turns) >= turns:
            return newcomer
        if not newcomer.look():
            assert newcomer.is_done or _waits(place, newcomer), f"{name} waits for a mail that does not come"
    newcomer.thank()
    return newcomer


def _waits(place: Office, player: Correspondent) -> bool:
    """Let time pass until a mail comes; return False if none does."""
    for _ in range(20):
        if len(player.mails) > player.read:
            return True
        place.pass_on(1)
    return False


def whole_game(place: Office, players: int) -> list[Correspondent]:
    """Play a game of people by mail alone: one opens it, the others join by its code, and all answer what they get."""
    people = [Correspondent(place, name, MANNERS[name]) for name in list(MANNERS)[:players]]
    for person in people:
        place.table.person(person.name)
    host = people[0]
    host.write(f"NEW ravensburger-2000 {players}")
    (code,) = re.findall(r'"JOIN (\S+)"', text_of(host.mails[-1]))
    for person in people[1:]:
        person.write(f"JOIN {code}")
    while not all(person.is_done for person in people):
        looks = [person.look() for person in people]
        if not any(looks):
            is_over = all(person.is_done for person in people)
            assert is_over or any(_waits(place, person) for person in people), "nobody gets a mail any more"
    return people
