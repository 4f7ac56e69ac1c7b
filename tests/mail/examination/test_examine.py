"""Mails as they are in the world, examined: what they say, what they report, who sent them, and the move they mean.

`tests/mail/test_samples.py` sends some of each kind through the whole pipe.
"""

import time
import unicodedata
from datetime import UTC, datetime
from functools import cache

import pytest

from server.dns import DnsClient
from server.engine import Edition, Game, Move
from server.mail.examination.examine import Examination, examine
from server.mail.language.courtesies import courtesy_in
from server.mail.language.grammar import parse
from server.mail.language.matching import Play, resolve, suggest
from server.mail.language.prose import is_unwanted, objection
from server.mail.reading.quoting import MARKER
from server.mail.trust.mail import Handover
from tests.mail.people import ASKED, PLAYED, REFUSED
from tests.mail.samples import ADDRESSES, SERVER, WRITER, Sample, looked_up, samples
from tests.positions import position

NOW = datetime(2026, 11, 22, 18, 0, tzinfo=UTC)
CASES = [
    (title, text, became)
    for became, mails in (("played", PLAYED), ("asked", ASKED), ("refused", REFUSED))
    for title, text in mails.items()
]


def examined(raw: bytes, sender: str = WRITER) -> Examination:
    handover = Handover(sender, None, ADDRESSES["now"], int(NOW.timestamp()))
    dns = DnsClient(looked_up)
    return examine(
        raw, handover, lambda domain: dns.for_mail_from(domain, NOW, lambda: 0), marker=MARKER, authserv_id=SERVER
    )


@cache
def legal() -> list[Move]:
    """Return the moves that the writer can send ahead."""
    game = Game.at(Edition.named("ravensburger-2000"), position(100, to_move="purple", purple=115, red=47, green=140))
    return list(game.moves_ahead("red"))


def understood(found: Examination) -> str:
    """Return the notation of the move that is played, "asked" if there is a question, or else "refused"."""
    reading = found.reading
    parsed = parse(reading.lines, reading.subject)
    if reading.problem is not None or courtesy_in(reading.lines):
        return "refused"
    if not parsed.commands:
        return "asked" if suggest([line for line in reading.lines if not is_unwanted(line)], legal()) else "refused"
    meant = {resolve(command.move, legal()) for command in parsed.commands if command.move}
    moves = [move.notation for move in meant if isinstance(move, Play)]
    if {"cancel", "no"} & {command.name for command in parsed.commands}:
        return "asked"
    if len(moves) == len(meant) == 1 and objection(parsed.free, moves, legal()) is None:
        return moves[0]
    return "asked" if moves else "refused"


def spelled(text: str) -> str:
    return unicodedata.normalize("NFKC", text).lower()


@pytest.mark.parametrize("sample", samples(), ids=str)
def test_a_mail_is_read_as_it_was_meant(sample: Sample):
    begin = time.process_time()
    found = examined(sample.raw, sample.sender)
    reading = found.reading
    assert (reading.kind, reading.problem) == (sample.kind, sample.problem)
    parsed = parse(reading.lines, reading.subject)
    assert tuple(command.line for command in parsed.commands) == sample.commands
    assert tuple(command.line for command in parsed.later) == sample.not_read
    assert parsed.from_subject == sample.from_subject
    assert not [line for line in reading.lines for decoy in sample.decoys if spelled(decoy) in spelled(line)]
    if sample.outcome:
        assert found.report == sample.outcome
    assert found.authentication.is_failing == (sample.answer == "forged")
    if sample.obeyed:
        assert (understood(found),) == sample.obeyed
    assert time.process_time() - begin < 10  # it takes some milliseconds


@pytest.mark.parametrize(("title", "text", "became"), CASES, ids=[f"{case[2]}: {case[0]}" for case in CASES])
def test_a_mail_is_played_asked_about_or_refused(title: str, text: str, became: str):
    raw = f"From: {WRITER}\nMessage-ID: <people@mail>\nContent-Type: text/plain; charset=utf-8\n\n{text}\n"
    meant = understood(examined(raw.replace("\n", "\r\n").encode()))
    assert meant == ("red taxi 46" if became == "played" else became)
