"""Mails in the words of people, against the whole server: never a move that was not meant, and nobody left alone."""

import pytest
from sqlalchemy import select

from server.models import MailAnswer, Outgoing, QueuedMove, ReplyToken, session, transaction
from tests.mail.phrasings import ASKED, HELD, PAIRS, PLAYED, UNANSWERED, UNPLAYED, raw
from tests.mail.samples import WRITER
from tests.mail.test_samples import Desk, desk, shared_desk
from tests.scenes import pairs
from tests.table import Person, Playing, Table

__all__ = ["desk", "shared_desk"]  # fixtures
# What all of them mean is in tests/mail/examination/test_examine.py, and in tests/language/test_phrasings.py of
# those that are played; so one in five is sent in every run, of those that are not played.
EACH = 5
PUT_TO_THEM = ("Nothing was done yet", 'Understood: "red taxi 46". I play it')  # asked about, or held until they say no
TABLES = {"played": PLAYED, "asked": {**ASKED, **HELD}, "unplayed": UNPLAYED, "unanswered": UNANSWERED}
CASES = [
    pytest.param(title, text, became, id=f"{became}: {title}", marks=() if is_sent else pytest.mark.campaign)
    for became, table in (
        ("played", PLAYED),
        ("asked", {**ASKED, **HELD}),
        ("unplayed", UNPLAYED),
        ("unanswered", UNANSWERED),
    )
    for number, (title, text) in enumerate(table.items())
    for is_sent in [became != "played" and number % EACH == 0]
]


@pytest.mark.parametrize(("title", "text", "became"), CASES)
def test_words_are_understood_as_they_are_meant(desk: Desk, title: str, text: str, became: str):
    if became == "unanswered":
        desk.take(raw("taxi 46"), WRITER, "now")
        desk.table.post.sent.clear()
    desk.take(raw(text), WRITER, "now")
    said = [" ".join(answer.get_content().split()) for answer in desk.answers]
    assert desk.ahead == (["red taxi 46"] if became in ("played", "unanswered") else []), said
    assert len(said) == (became != "unanswered"), said
    is_put_to_them = any(words in text for text in said for words in PUT_TO_THEM)
    assert became == "unplayed" or is_put_to_them == (became == "asked"), said


@pytest.fixture(scope="module")
def two_pawns(tmp_path_factory: pytest.TempPathFactory) -> Playing:
    game = pairs(Table(tmp_path_factory.mktemp("pairs"), sandbox="1", min_turn="PT1S"))
    game.table.tick()
    return game


def queued(game: Playing) -> list[str]:
    with game.table.app.app_context():
        rows = session.scalars(select(QueuedMove).order_by(QueuedMove.pawn)).all()
        return [" or else ".join([row.notation, *(row.otherwise or ())]) for row in rows]


def forget(game: Playing, person: Person) -> None:
    with game.table.app.app_context(), transaction():
        for row in (*session.query(QueuedMove), *session.query(MailAnswer)):
            session.delete(row)
        session.query(ReplyToken).update({"question": None})
        session.query(Outgoing).filter(Outgoing.kind.in_(("answer", "advice"))).delete()


SENT = ("a sentence for both", "or else for one", "a condition for one", "both to one station, illegal")


@pytest.mark.parametrize(
    "title", [pytest.param(title, marks=() if title in SENT else pytest.mark.campaign) for title in PAIRS]
)
def test_moves_of_two_pawns_are_understood(two_pawns: Playing, title: str):
    text, moves = PAIRS[title]
    cleo = two_pawns.people[2]
    turn = next(mail for mail in cleo.mails if "Reply-To" in mail and "Green" in mail["Subject"])
    before = len(cleo.mails)
    cleo.reply(text, to=turn)
    two_pawns.table.tick()
    said = [" ".join(mail.get_body(("plain",)).get_content().split()) for mail in cleo.mails[before:]]
    found = queued(two_pawns)
    forget(two_pawns, cleo)
    assert found == moves, said
    assert len(said) == 1
