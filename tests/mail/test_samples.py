"""Mails as they are in the world, by SMTP and through the whole pipe: stored, read, obeyed or not, answered or not."""

import re
import smtplib
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from server.application.game import reply_addresses
from server.mail.transport.smtp_server import listen
from server.models import Incoming, MailAnswer, Outgoing, Player, QueuedMove, ReplyToken, Seen, session, transaction
from server.runtime import runtime
from server.settings import Listen
from tests.mail.samples import ADDRESSES, ANSWERS, DATA, SERVER, WRITER, Sample, looked_up, samples
from tests.positions import position
from tests.profiles import IS_CAMPAIGN
from tests.scenes import mail_only_to, readdress
from tests.table import Playing, Table

MOST_OF_A_LINE = 998  # bytes, by RFC 5322
EACH = 3


class Desk:
    """A game at which one mail after the other arrives by SMTP; after each all is as before."""

    def __init__(self, folder: Path) -> None:
        settings = {"mail_domain": "play.example.org", "authserv_id": SERVER}
        self.table = Table(folder, sandbox="1", min_turn="PT1S", **settings)
        self.table.app.extensions["blackticket"].dns.lookup = looked_up
        self.game = self._begun()
        self.vera = self.game.people[2]
        turns = [mail for mail in self.vera.mails if "Red, your move" in mail["Subject"]]
        for name, mail in zip(("before", "now"), turns, strict=True):
            self._print(ADDRESSES[name], mail["Reply-To"].addresses[0].addr_spec)
        self.reported, self.reports = self._reports()
        self.vera.address = WRITER
        readdress(self.table, self.vera.id, WRITER)
        self.reset()
        self.listener = listen(self.table.app, Listen("smtp", "127.0.0.1", 0))

    def _print(self, address: str, instead_of: str) -> None:
        """Make a reply address good that stands in the mails, in place of one that was sent."""
        with self.table.app.app_context(), transaction():
            token = reply_addresses.find(instead_of)
            assert token is not None
            token.digest = reply_addresses._digest_in(address)

    def _reports(self) -> tuple[str, str]:
        """A turn mail to Red, and where reports about it go."""
        with self.table.app.app_context():
            told = session.query(Outgoing).filter_by(player_id=self.vera.id, kind="turn", state="sent").first()
            assert told is not None
            return told.id, reply_addresses.bounce_address(told.id)

    def _begun(self) -> Playing:
        places = position(111, log_used=8, last_seen=(8, 111), purple=127, red=34, green=133, yellow=153, blue=185)
        game = self.table.game(self.table.people(6), position=places)
        mail_only_to(self.table, "Cleo")
        for move in ("black 100", "taxi 115", "taxi 47", "taxi 140", "bus 154", "taxi 170", "taxi 101"):
            self.table.tick()
            assert game.move(game.mover(), move).status_code == 201
        self.table.tick()
        return game

    def reset(self) -> None:
        """Forget what the last mail did; no more mails go to the others, whatever Red says to them."""
        with self.table.app.app_context(), transaction():
            for row in (*session.query(QueuedMove), *session.query(Seen), *session.query(MailAnswer)):
                session.delete(row)
            session.query(Outgoing).filter(Outgoing.kind.in_(("answer", "advice"))).delete()
            session.flush()
            session.query(Incoming).delete()
            session.query(ReplyToken).update({"question": None})
            session.query(Player).update({"mail": "off"})
            session.get_one(Player, self.vera.id).mail = "usual"
        self.arrive()
        self.table.post.sent.clear()

    def arrive(self) -> None:
        """Let the mail arrive that was reported; if it waits to be sent again, later ones wait behind it."""
        with self.table.app.app_context(), transaction():
            session.get_one(Outgoing, self.reported).state = "sent"

    def take(self, raw: bytes, sender: str, *recipients: str) -> tuple[list[int], int]:
        """Hand a mail to the listener, byte for byte, have it read, and send what comes of it; what was said to it."""
        here = {**ADDRESSES, "reports": self.reports}
        with smtplib.SMTP("127.0.0.1", self.listener.port, local_hostname="mx.example.net", timeout=30) as client:
            client.ehlo()
            assert client.mail(sender)[0] == 250
            known = [client.rcpt(here[recipient])[0] for recipient in recipients]
            assert client.docmd("DATA")[0] == 354
            stuffed = raw if not raw.startswith(b".") else b"." + raw
            client.send(stuffed.replace(b"\r\n.", b"\r\n..").removesuffix(b"\r\n") + b"\r\n.\r\n")
            code = client.getreply()[0]
        self.table.tick()
        return known, code

    @property
    def ahead(self) -> list[str]:
        with self.table.app.app_context():
            return list(session.scalars(select(QueuedMove.notation).order_by(QueuedMove.pawn)))

    @property
    def answers(self) -> list[Any]:
        """The mails that went out; all must have gone to the registered address."""
        assert {recipient for recipient, _ in self.table.post.sent} <= {self.vera.address}
        return [mail for _, mail in self.table.post.sent]

    def stored(self) -> list[Any]:
        with self.table.app.app_context():
            return [(row.digest, row.state) for row in session.query(Incoming)]

    def marks(self, raw: bytes) -> set[str]:
        """Return the hashes of a mail as it was sent, and with the line end that some transports add."""
        with self.table.app.app_context():
            return {runtime().keyring.fingerprint(raw.removesuffix(b"\r\n") + end) for end in (b"", b"\r\n")}

    @property
    def fate(self) -> tuple[str, bool]:
        """Return the state of the reported mail to Red, and whether she wants any mail."""
        with self.table.app.app_context():
            vera = session.get_one(Player, self.vera.id)
            return session.get_one(Outgoing, self.reported).state, vera.mail != "off"


@pytest.fixture(scope="module")
def shared_desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    made = Desk(tmp_path_factory.mktemp("desk"))
    yield made
    made.listener.stop()


@pytest.fixture
def desk(shared_desk: Desk) -> Iterator[Desk]:
    yield shared_desk
    shared_desk.reset()


def sent() -> list[Any]:
    """One mail of each expectation, and three of each kind that a transport could spoil; the others in a campaign.

    What the server finds in each of them all is in `tests/mail/examination/test_examine.py`; the rest follows from it.
    """
    seen: Counter[Sample | str] = Counter()
    chosen = []
    for sample in samples():
        if not sample.row:
            expected = replace(sample, name="", raw=b"", about="", decoys=())
            dangers = delicate(sample.raw)
            is_new = seen[expected] == 0 or any(seen[danger] < EACH for danger in dangers)
            seen.update([expected, *dangers])
            chosen.append(pytest.param(sample, id=str(sample), marks=() if is_new else pytest.mark.campaign))
    return chosen


def delicate(raw: bytes) -> list[str]:
    """Return which bytes of a mail a transport could spoil."""
    lines = raw.split(b"\r\n")
    found = {
        "beyond ASCII": not raw.isascii(),
        "a zero": b"\0" in raw,
        "half a line end": re.search(rb"[\r\n]", b"".join(lines)) is not None,
        "a point at the begin of a line": any(line.startswith(b".") for line in lines),
        "a long line": max(map(len, lines)) > MOST_OF_A_LINE,
    }
    return [danger for danger, is_there in found.items() if is_there]


@pytest.mark.parametrize("sample", sent())
def test_a_mail_does_what_it_is_meant_to_and_no_more(desk: Desk, sample: Sample):
    known, code = desk.take(sample.raw, sample.sender, *sample.to)
    assert known == [550 if recipient == "elsewhere" else 250 for recipient in sample.to]
    assert code == (554 if sample.refused else 250)
    taken = known.count(250) * (not sample.refused)
    stored, marks = desk.stored(), desk.marks(sample.raw)
    assert [(digest in marks, state) for digest, state in stored] == [(True, "done")] * taken
    assert desk.ahead == list(sample.obeyed)
    said = [" ".join(answer.get_content().split()) for answer in desk.answers]
    assert len(said) == (sample.answer is not None), said
    assert not sample.answer or ANSWERS[sample.answer] in said[0]
    fates = {"lasting": "bounced", "passing": "bounced", "for now": "pending"}  # again
    assert desk.fate == (fates.get(sample.outcome or "", "sent"), sample.kind != "complaint")
    if sample.name.startswith("hostile") and (IS_CAMPAIGN or delicate(sample.raw)):
        _still_works(desk)  # after the others the next sample, at the same desk, tells that it does


def _still_works(desk: Desk) -> None:
    desk.arrive()
    before = len(desk.answers)
    desk.take(f"From: {WRITER}\r\nMessage-ID: <next@mail>\r\n\r\nSTATUS\r\n".encode(), WRITER, "now")
    assert len(desk.answers) == before + 1
    assert "how the game stands" in desk.answers[-1]["Subject"]


def test_duplicates_and_mails_of_months_ago_do_nothing_a_second_time(desk: Desk):
    kept = []
    for sample in sorted((sample for sample in samples() if sample.row), key=lambda sample: sample.row):
        desk.take(sample.raw, sample.sender, *sample.to)
        kept.append((desk.ahead, len(desk.answers)))
    # One answer to the first, and one to who pressed Send twice: that mail has a Message-ID of its own.
    first = ["red taxi 46"]
    assert kept == [(first, 1), (first, 1), (first, 1), (first, 2), (first, 2)]


def test_every_mail_has_its_expectation_and_every_expectation_its_mail():
    names = {suffix: {path.with_suffix("") for path in DATA.glob(f"*/*{suffix}")} for suffix in (".eml", ".json")}
    assert names[".eml"] == names[".json"]
    assert {path.suffix for path in DATA.glob("*/*")} == {".eml", ".json"}
