"""Mails as they are in the world, by SMTP and through the whole pipe: stored, read, obeyed or not, answered or not.

The corpus lies beside the project; without it there is nothing to do here. Its player RED is Cleo, its turn 5 the
second round of a game in which `taxi 46` is a move that she may send ahead.
"""

import json
import smtplib
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from conftest import Playing, Table
from positions import position
from scenes import readdress

from server.application.mail import addresses
from server.mail.listener import listen
from server.mail.reading import read
from server.models import Incoming, MoveAhead, Outgoing, Player, ReplyToken, Seen, session, transaction
from server.settings import Listen

CORPUS = Path(__file__).parents[3] / "shared" / "mail-corpus"
pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not here")

NOW, BEFORE = "red.g12.t5.k7m2q9xw4d@play.example.org", "red.g12.t4.p3n8v6c2zq@play.example.org"
REPORTS = "bounce.g12.p3.n881.h4z8k2@play.example.org"
ELSEWHERE = "blue.g99.t2.m4k7d9r2xs@play.example.org"  # of a game that is not here
BARE_LINE_ENDS = ("cr-only", "smtp-smuggling-bare-lf")
MACHINES = ("autoreply", "bounce", "complaint", "list", "loop", "duplicate")


class Desk:
    """A game at which one mail after the other arrives by SMTP; after each all is as before."""

    def __init__(self, folder: Path) -> None:
        settings = {"mail_domain": "play.example.org", "authserv_id": "mx.play.example.org"}
        self.table = Table(folder, sandbox="1", min_turn="PT1S", **settings)
        self.table.app.extensions["blackticket"].records.lookup = looked_up
        self.game = self._begun()
        self.cleo = self.game.people[2]
        turns = [mail for mail in self.cleo.mails if "send your move ahead" in mail["Subject"]]
        self.before, self.now = (mail["Reply-To"].addresses[0].addr_spec for mail in turns)
        self.reported, self.reports = self._reports()
        self.rename("bob@example.net")
        self.table.post.sent.clear()
        self.listener = listen(self.table.app, Listen("smtp", "127.0.0.1", 0))

    def _reports(self) -> tuple[str, str]:
        """A turn mail to Cleo, and where reports about it go."""
        with self.table.app.app_context():
            told = session.query(Outgoing).filter_by(player_id=self.cleo.id, kind="turn", state="sent").first()
            assert told is not None
            return told.id, addresses.bounce_address(told.id)

    def _begun(self) -> Playing:
        places = position(111, log_used=8, last_seen=(8, 111), purple=127, red=34, green=133, yellow=153, blue=185)
        game = self.table.game(self.table.people(6), position=places)
        for move in ("black 100", "taxi 115", "taxi 47", "taxi 140", "bus 154", "taxi 170", "taxi 101"):
            self.table.tick()
            assert game.move(game.mover(), move).status_code == 201
        self.table.tick()
        return game

    def rename(self, address: str) -> None:
        """Give Cleo the address that a mail was written from."""
        self.cleo.address = address.lower()
        readdress(self.table, self.cleo.id, self.cleo.address)

    def reset(self) -> None:
        """Forget what the last mail did."""
        with self.table.app.app_context(), transaction():
            for row in (*session.query(MoveAhead), *session.query(Seen)):
                session.delete(row)
            session.query(Outgoing).filter(Outgoing.kind.in_(("answer", "advice"))).delete()
            session.flush()
            session.query(Incoming).delete()
            session.query(ReplyToken).update({"errors_told": 0, "question": None})
            session.get_one(Outgoing, self.reported).state = "sent"
            session.query(Player).update({"mail": "usual"})
        self.table.post.sent.clear()

    def mapped(self, raw: bytes) -> bytes:
        """A mail of the corpus with the addresses that this game has; one that is signed stays as it is."""
        if b"DKIM-Signature" in raw:
            return raw
        return raw.replace(NOW.encode(), self.now.encode()).replace(BEFORE.encode(), self.before.encode())

    def take(self, raw: bytes, sender: str, *recipients: str) -> tuple[list[int], int]:
        """Hand a mail to the listener, byte for byte, have it read, and send what comes of it; what was said to it."""
        here = {NOW: self.now, BEFORE: self.before, REPORTS: self.reports}
        with smtplib.SMTP("127.0.0.1", self.listener.port, local_hostname="mx.example.net", timeout=10) as client:
            client.ehlo()
            assert client.mail(sender)[0] == 250
            known = [client.rcpt(here.get(recipient, recipient))[0] for recipient in recipients]
            assert client.docmd("DATA")[0] == 354
            stuffed = raw if not raw.startswith(b".") else b"." + raw
            client.send(stuffed.replace(b"\r\n.", b"\r\n..").removesuffix(b"\r\n") + b"\r\n.\r\n")
            code = client.getreply()[0]
        self.table.tick()
        return known, code

    @property
    def ahead(self) -> list[str]:
        return [kept["notation"] for kept in self.game.view(self.cleo)["ahead"]]

    @property
    def answers(self) -> list[Any]:
        """The mails that went out; all must have gone to the registered address."""
        assert {recipient for recipient, _ in self.table.post.sent} <= {self.cleo.address}
        return [mail for _, mail in self.table.post.sent]

    def stored(self) -> list[Any]:
        with self.table.app.app_context():
            return [((row.raw or b"").removesuffix(b"\r\n"), row.state) for row in session.query(Incoming)]

    @property
    def fate(self) -> tuple[str, bool]:
        """What became of a mail to Cleo as far as is known, and whether she wants any."""
        with self.table.app.app_context():
            cleo = session.get_one(Player, self.cleo.id)
            return session.get_one(Outgoing, self.reported).state, cleo.mail != "off"


@pytest.fixture(scope="module")
def shared_desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    made = Desk(tmp_path_factory.mktemp("corpus"))
    yield made
    made.listener.stop()


@pytest.fixture
def desk(shared_desk: Desk) -> Iterator[Desk]:
    yield shared_desk
    shared_desk.reset()
    shared_desk.rename("bob@example.net")


@cache
def zone() -> dict[str, str]:
    """What the name service says, for the mails that are signed."""
    known: dict[str, str] = json.loads((CORPUS / "dns.json").read_text())
    return known


def looked_up(name: str, kind: str, _patience: float) -> list[bytes]:
    found = zone().get(f"{name}.") if kind == "TXT" else None
    return [found.encode()] if found else []


def cases(folder: str) -> list[str]:
    return sorted(path.name.removesuffix(".expected.json") for path in (CORPUS / folder).glob("*.expected.json"))


def case(folder: str, name: str) -> tuple[bytes, dict[str, Any]]:
    path = CORPUS / folder
    return (path / f"{name}.eml").read_bytes(), json.loads((path / f"{name}.expected.json").read_text())


# Replies --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", cases("replies"))
def test_a_reply_does_what_its_writer_meant(desk: Desk, name: str):
    raw, expected = case("replies", name)
    raw = desk.mapped(raw)
    (writer,) = read(raw).from_addresses
    desk.rename(writer)
    assert desk.take(raw, writer, NOW) == ([250], 250)
    (answer,) = desk.answers
    said = " ".join(answer.get_content().split())
    if expected["expect"] == "ambiguous":  # the first counts, and the answer says what was not read
        assert (desk.ahead, 'not read as commands: "bus 34"' in said) == (["red taxi 46"], True)
    elif expected["expect"] == "no_command":
        assert (desk.ahead, "so nothing was done" in said) == ([], True)
    elif expected["command_lines"] == ["double taxi 46 bus 34"]:
        assert (desk.ahead, "Only Mr. X makes double moves" in said) == ([], True)
    else:
        assert (desk.ahead, "Understood and kept" in said) == (["red taxi 46"], True)


# Hostile mails --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in cases("hostile") if not name.startswith("dup-")])
def test_a_hostile_mail_is_stored_and_survived_and_does_no_more_than_it_may(desk: Desk, name: str):
    raw, expected = case("hostile", name)
    raw = desk.mapped(raw)
    begin = time.process_time()
    recipients = expected["envelope"]["rcpt_to"]
    known, code = desk.take(raw, expected["envelope"]["mail_from"], *recipients)
    assert time.process_time() - begin < 2
    assert known == [550 if recipient == ELSEWHERE else 250 for recipient in recipients]
    assert code == (554 if name in BARE_LINE_ENDS else 250)
    taken = known.count(250) * (code == 250)
    assert desk.stored() == [(raw.removesuffix(b"\r\n"), "done")] * taken
    assert len(desk.answers) <= 1
    if name == "two-tokens-two-games":  # each game is judged on its own, and the other is not here
        assert desk.ahead == ["red taxi 46"]
    else:
        assert desk.ahead == ["red taxi 46"] * expected["apply_command"]
        assert len(desk.answers) == 1 or not expected["apply_command"]
    if expected["class"] in MACHINES:
        assert desk.answers == []
    came_back = expected["class"] == "bounce" and expected["subclass"] != "success report"
    assert desk.fate == ("bounced" if came_back else "sent", expected["class"] != "complaint")
    _still_works(desk)


def _still_works(desk: Desk) -> None:
    before = len(desk.answers)
    desk.take(b"From: bob@example.net\r\nMessage-ID: <next@mail>\r\n\r\nSTATUS\r\n", "bob@example.net", NOW)
    assert len(desk.answers) == before + 1
    assert "how the game stands" in desk.answers[-1]["Subject"]


def test_duplicates_and_mails_of_months_ago_do_nothing_a_second_time(desk: Desk):
    kept = []
    for name in cases("hostile"):
        if name.startswith("dup-"):
            raw, expected = case("hostile", name)
            desk.take(desk.mapped(raw), "bob@example.net", *expected["envelope"]["rcpt_to"])
            kept.append((name, desk.ahead, len(desk.answers)))
    first = ["red taxi 46"]
    assert [ahead for _, ahead, _ in kept] == [first] * 6
    # One answer to the first, and one to who pressed Send twice: that mail has a Message-ID of its own.
    assert [answers for _, _, answers in kept] == [1, 1, 1, 2, 2, 2]
