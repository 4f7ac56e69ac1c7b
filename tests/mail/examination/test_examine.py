"""Mails as they are in the world, examined: what they say, what they report, who sent them, and the move they mean.

`tests/mail/test_samples.py` sends some of each kind through the whole pipe.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache

import pytest

from server.engine import Edition, Game, Move
from server.language.doubts import People, doubt
from server.language.grammar import parse
from server.language.matching import Play, resolve, suggest
from server.language.prose import is_unwanted
from server.language.talk import Courtesy, courtesy_in
from server.mail.examination.examine import Examination, examine
from server.mail.reading.quoting import MARKER
from server.mail.trust.mail import Handover
from server.vocabulary.dns import DnsClient
from tests.mail import phrasings
from tests.mail.people import ASKED, HELD, PLAYED, REFUSED
from tests.mail.samples import ADDRESSES, SERVER, WRITER, Sample, looked_up, samples
from tests.positions import position

NOW = datetime(2026, 11, 22, 18, 0, tzinfo=UTC)
CASES = [
    (title, text, became)
    for became, mails in (("played", PLAYED), ("held", HELD), ("asked", ASKED), ("refused", REFUSED))
    for title, text in mails.items()
]
PHRASINGS = [
    (title, text, became)
    for became, mails in (
        ("asked", phrasings.ASKED), ("held", phrasings.HELD), ("refused", phrasings.UNPLAYED),
        ("thanks", phrasings.UNANSWERED),
    )
    for title, text in mails.items()
]  # fmt: skip
OTHERS = {"ada": "mr_x", "ben": "purple", "dan": "green", "eve": "yellow", "finn": "blue"}


def examined(raw: bytes, sender: str = WRITER) -> Examination:
    handover = Handover(sender, ADDRESSES["now"], int(NOW.timestamp()))
    dns = DnsClient(looked_up)
    return examine(
        raw, handover, lambda domain: dns.for_mail_from(domain, NOW, lambda: 0), marker=MARKER, authserv_id=SERVER
    )


@cache
def legal() -> list[Move]:
    """Return the moves that the writer can send ahead."""
    game = Game.at(Edition.named("ravensburger-2000"), position(100, to_move="purple", purple=115, red=47, green=140))
    return list(game.moves_ahead("red"))


def meant_by(lines: Sequence[str]) -> str:
    if courtesy := courtesy_in(lines):
        return "thanks" if courtesy is Courtesy.THANKS else "refused"
    return "asked" if suggest([line for line in lines if not is_unwanted(line)], legal()) else "refused"


def understood(found: Examination) -> str:
    """Return the notation of the move that is played, "held", "asked", "thanks" or "refused"."""
    reading = found.reading
    parsed = parse(reading.lines, reading.subject)
    if reading.problem is not None:
        return "refused"
    if not parsed.commands:
        return meant_by(reading.lines)
    meant = {resolve(command.move, legal()) for command in parsed.commands if command.move}
    moves = [move.notation for move in meant if isinstance(move, Play)]
    if moves and {"cancel", "stop", "no"} & {command.name for command in parsed.commands}:
        return "asked"
    if len(moves) != len(meant) or not moves:
        return "refused"  # one of them is not legal, or is not clear
    found = doubt(parsed.free, moves, legal(), People("Vera", OTHERS), can_move={"red"})
    if len(moves) > 1 or (found is not None and not found.is_unknown):
        return "asked"
    return moves[0] if found is None else "held"


def spelled(text: str) -> str:
    return unicodedata.normalize("NFKC", text).lower()


@pytest.mark.parametrize("sample", samples(), ids=str)
def test_a_mail_is_read_as_it_was_meant(sample: Sample):
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
        assert understood(found) in (*sample.obeyed, "held")


@pytest.mark.parametrize(("title", "text", "became"), CASES, ids=[f"{case[2]}: {case[0]}" for case in CASES])
def test_a_mail_is_played_asked_about_or_refused(title: str, text: str, became: str):
    raw = f"From: {WRITER}\nMessage-ID: <people@mail>\nContent-Type: text/plain; charset=utf-8\n\n{text}\n"
    meant = understood(examined(raw.replace("\n", "\r\n").encode()))
    assert meant == ("red taxi 46" if became == "played" else became)


@pytest.mark.parametrize(("title", "text", "became"), PHRASINGS, ids=[f"{case[2]}: {case[0]}" for case in PHRASINGS])
def test_a_mail_in_other_words_is_asked_about_refused_or_thanks(title: str, text: str, became: str):
    assert understood(examined(phrasings.raw(text))) == became


PAIR = Game.at(
    Edition.named("ravensburger-2000"), position(86, to_move="purple", purple=26, red=29, green=34, yellow=50)
)
OF_PAIR = [*PAIR.moves_ahead("green"), *PAIR.moves_ahead("yellow")]


@pytest.mark.parametrize("title", phrasings.PAIRS)
def test_moves_of_two_pawns_are_understood(title: str):
    text, played = phrasings.PAIRS[title]
    reading = examined(phrasings.raw(text)).reading
    parsed = parse(reading.lines, reading.subject)
    meant = []
    for words in (command.move for command in parsed.commands if command.move):
        choices = [resolve(choice, OF_PAIR) for choice in (replace(words, otherwise=()), *words.otherwise)]
        meant.append(" or else ".join(move.notation for move in choices if isinstance(move, Play)))
    is_one_each = all(meant) and len({move.split()[0] for move in meant if move}) == len(meant)
    people, pawns = People("Cleo"), {"green", "yellow"}
    is_played = is_one_each and doubt(parsed.free, meant, OF_PAIR, people, can_move=pawns) is None
    assert (meant if is_played else []) == played
