"""Games of six and of three to their end, whose players read and answer mails with mutt, over Postfix and Dovecot."""

import random
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from email.message import EmailMessage
from pathlib import Path

import pytest

from server import worker
from server.application.people.players import add_player
from server.mail.transport.imap import ImapConnection
from server.mail.transport.imap_reader import ImapReader
from server.mail.transport.smtp_client import transport_for
from tests.mail.correspondents import Move, choices
from tests.mail.real_servers import Servers, running_in_a_folder, why_not
from tests.mail.test_real_servers import EVER, Correspondent, command, until
from tests.table import Table

REASON = why_not() or (None if shutil.which("mutt") else "mutt is not installed: apt-get install mutt")
pytestmark = [pytest.mark.campaign, pytest.mark.skipif(REASON is not None, reason=str(REASON))]

YARD = "six-of-them@mail.test"
NAMES = ("Ada", "Ben", "Cleo", "Dan", "Eve", "Finn")
# How each of them writes a move; the pawn can be left out, as each has one.
FORMS = (
    "{ticket} {to}", "{pawn} to {to} by {ticket}", "Hi all,\n\n{to} by {ticket} please\n\nCleo", "{initial} {to}",
    "I'll take the {ticket} to {to}.\n\nThanks!\nEve", "{ticket} to {to}, good luck everyone!",
)  # fmt: skip
# The same of two pawns, a line for each.
FORMS_OF_TWO = ("{pawn} {ticket} {to}", "{pawn}: {ticket} to {to}", "{pawn} to {to} by {ticket}")
FRAMES_OF_TWO = ("{}", "Hello both,\n\n{}\n\nBen", "{}\n\nThanks, and good luck!\nCleo")
ASKS = ("your move by", "it is your turn", "cannot be played", "nothing was done")  # in subjects
SEEDS = {6: 6, 3: 13}  # that of three takes 22 rounds
SECONDS = 60  # that mutt may take
MOST_TURNS = 400


@pytest.fixture
def servers() -> Iterator[Servers]:
    with running_in_a_folder() as found:
        yield found


class MuttUser(Correspondent):
    """Somebody who reads a mailbox by IMAP with mutt, and answers with it."""

    def __init__(self, servers: Servers, name: str, folder: Path) -> None:
        super().__init__(servers, name)
        self.folder = folder / name
        self.folder.mkdir()
        self.got: Counter[str] = Counter()
        self.words = 0
        (self.folder / "said").touch()
        editor = self.folder / "editor"
        editor.write_text(
            # A file that is newer than mutt's note of it makes mutt ask whether it is still the same.
            f'#!/bin/sh\ncat "{self.folder}/said" "$1" > "{self.folder}/new" && cp "{self.folder}/new" "$1"\n'
            'touch -d "5 seconds ago" "$1"\n'
        )
        editor.chmod(0o755)
        (self.folder / "muttrc").write_text(f"""
set folder="{self.folder}" spoolfile="imap://127.0.0.1:{servers.imap}/INBOX"
set imap_user="{self.address}" imap_pass="secret"
set ssl_starttls=no ssl_force_tls=no
set smtp_url="smtp://127.0.0.1:{servers.smtp}" smtp_authenticators=""
set from="{self.address}" realname="{name}" use_from=yes envelope_from_address="{self.address}" use_envelope_from=yes
set editor="{editor}" autoedit=yes fast_reply=yes include=yes edit_headers=no reply_to=yes
set record="" copy=no postponed="" signature="" abort_unmodified=no abort_nosubject=no recall=no
set hostname="mail.test" quit=yes delete=no confirmappend=no wait_key=no mail_check=0 sleep_time=0 beep=no
""")

    def _mutt(self, *arguments: str, stdin: str | None = None) -> None:
        """Run mutt on a terminal of its own."""
        words = ["mutt", "-n", "-F", str(self.folder / "muttrc"), *arguments]
        terminal = ["script", "-qefc", subprocess.list2cmdline(words), "/dev/null"] if stdin is None else words
        environment = {"TERM": "xterm", "HOME": str(self.folder), "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
        subprocess.run(
            terminal,
            input=stdin.encode() if stdin is not None else None,
            stdin=subprocess.DEVNULL if stdin is None else None,
            stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT, env=environment, timeout=SECONDS, check=True,
        )  # fmt: skip

    def begin(self, to: str, text: str) -> None:
        """Write a mail that answers none."""
        self._mutt("-s", "Hello", to, stdin=text)

    def answer(self, answered: tuple[EmailMessage, str], text: str) -> None:
        """Reply with mutt, the text above the mail that it quotes."""
        (self.folder / "said").write_text(f"{text}\n\n")
        wanted = str(answered[0]["Message-ID"]).strip("<>")
        (self.folder / "keys").write_text(
            f"push \"<limit>~i '{wanted}'<enter><first-entry><reply><send-message><quit>\"\n"
        )
        self._mutt("-e", f"source {self.folder}/keys")

    def news(self) -> list[tuple[EmailMessage, str]]:
        """Return the mails that have come since the last call."""
        found = []
        while mail := self.unread(""):
            self.got[_kind(mail[0]["Subject"])] += 1
            self.words += len(mail[1].split())
            found.append(mail)
        return found


def _kind(subject: str) -> str:
    text = re.sub(r"^\[[^\]]*\] ", "", subject)
    return re.sub(r"\b(?:Purple|Red|Green|Yellow|Blue|Mr\. X)\b", "…", re.sub(r" by .*|\d+", "", text))


@pytest.mark.parametrize("players", [6, 3])
def test_people_with_mutt_play_a_game_to_its_end(
    servers: Servers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], players: int
):
    rng = random.Random(SEEDS[players])
    table = Table(
        tmp_path,
        imap_url=f"imap://{YARD.replace('@', '%40')}:secret@127.0.0.1:{servers.imap}/INBOX",
        smtp_url=f"smtp://127.0.0.1:{servers.smtp}",
        play_address=YARD,
        reply_address=YARD.replace("@", "+{token}@"),
    )
    people = [MuttUser(servers, name, tmp_path) for name in NAMES[:players]]
    ada, *others = people
    with table.app.app_context():
        add_player("Ada", ada.address)
    settings = table.app.extensions["blackticket"].settings
    reader, relay = ImapReader(table.app, settings.imap_url), transport_for(settings)

    with closing(ImapConnection(settings.imap_url)) as connection:

        def serve() -> None:
            """The server reads the mail that is under way to it, and answers."""
            with table.app.app_context():
                assert until(lambda: connection.newer(0, EVER)), servers.queue()
                reader.read(connection)
                worker.tick(relay)
            assert until(lambda: "is empty" in servers.queue())

        ada.begin(YARD, f"NEW {players} as mr_x with {', '.join(person.address for person in others)}\n")
        serve()
        ada.answer(ada.mail("your game is open"), "YES")
        serve()
        for person in others:
            person.answer(person.mail("invites you to a game"), "Yes, with pleasure!")
            serve()
        ada.answer(ada.mail("the game can start"), "START")
        serve()
        ended, answers = _play(people, serve, rng)

    with capsys.disabled():
        told = [
            f"{person.name}: {sum(person.got.values())} mails, {person.words} words, {dict(person.got)}"
            for person in people
        ]
        sys.stdout.write("\n".join(("", *told, f"{answers} answers with mutt; {ended[0]['Subject']}", "")))
    transcript = tmp_path / "transcript.json"
    transcript.write_bytes(next(ended[0].iter_attachments()).get_content())
    checked = command(monkeypatch, tmp_path, "verify", str(transcript), *(str(person.maildir) for person in people))
    assert checked.exit_code == 0, checked.output


def _play(
    people: list[MuttUser], serve: Callable[[], None], rng: random.Random
) -> tuple[tuple[EmailMessage, str], int]:
    """Answer each mail that asks for a move to the end; return the mail of that, and how many answers it took."""
    ended: dict[str, tuple[EmailMessage, str]] = {}
    answers = 0
    while len(ended) < len(people) and answers < MOST_TURNS:
        asked = []
        for person in people:
            for mail in person.news():
                subject = mail[0]["Subject"]
                assert "did you mean" not in subject
                assert "no move was found" not in subject
                if "The game is over" in subject:
                    ended[person.name] = mail
                elif any(words in subject for words in ASKS):
                    asked.append((person, mail))
        assert asked or len(ended) == len(people), "nobody is asked for a move, and the game is not over"
        rng.shuffle(asked)
        for person, mail in asked:
            if ended or not (found := choices(" ".join(mail[1].split()))):
                continue
            chosen = _chosen(found, rng)
            number = people.index(person)
            text = _lines(chosen, number) if chosen[0][0] else _said(chosen[0], number, mail[0]["Subject"])
            person.answer(mail, text)
            answers += 1
            serve()
    assert len(ended) == len(people), f"the game is not over after {answers} answers"
    return ended[people[0].name], answers


def _chosen(found: dict[str, list[Move]], rng: random.Random) -> list[Move]:
    """Return a move for each pawn, no two to one station."""
    chosen: list[Move] = []
    for moves in found.values():
        free = [move for move in moves if move[2] not in [other[2] for other in chosen]]
        chosen += [rng.choice(free)] if free else []
    return chosen


def _lines(moves: list[Move], number: int) -> str:
    """Return moves of several pawns in the words of this person, a line for each."""
    form = FORMS_OF_TWO[number]
    lines = [form.format(pawn=pawn.capitalize(), ticket=ticket, to=to) for pawn, ticket, to in moves]
    return FRAMES_OF_TWO[number].format("\n".join(lines))


def _said(move: Move, number: int, subject: str) -> str:
    """Return a move in the words of this person."""
    _, ticket, to = move
    pawn = next((pawn for pawn in ("Purple", "Red", "Green", "Yellow", "Blue") if pawn in subject), "")
    form = FORMS[number] if pawn else FORMS[0]
    return form.format(pawn=pawn, ticket=ticket, initial=ticket[0], to=to)
