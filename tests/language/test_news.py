"""Excuses and news of one's life beside a move: they leave no doubt, unless they may be about the move."""

from pathlib import Path

from server.language.doubts import People, doubt
from server.language.grammar import parse
from server.language.prose import Objection
from server.language.talk import language_of
from tests.language.test_grammar import Legal

LEGAL = [Legal("red", f"red taxi {station}") for station in (34, 46, 62)]
PEOPLE = People("Vera", {"ben": "purple", "dan": "green"})
NO_NEWS = (Path(__file__).parent / "data/no_news.txt").read_text("utf-8").splitlines()
NEWS = (
    "Long drive home in the rain, traffic was awful.", "Kids in bed, wine poured.",
    "Yesterday I was in bed with the flu and a fever.", "Zwei Stunden Stau auf der Autobahn im Regen.",
    "Entschuldigt die Versp\u00e4tung, die Heizung ist kaputt.", "Une panne d'\u00e9lectricit\u00e9 et plus de wifi.",
    "Estuve en casa con gripe y fiebre.", "Wat een week, de trein had twee uur vertraging.",
    "Scusate il ritardo, il treno e poi il traffico.",
)  # fmt: skip


def doubted(line: str) -> Objection | None:
    free = parse(["taxi 46", "", line], author="Vera").free
    return doubt(free, ["red taxi 46"], LEGAL, PEOPLE, can_move={"red"})


def test_news_of_ones_life_leaves_no_doubt():
    assert [line for line in NEWS if doubted(line)] == []


def test_news_that_may_be_about_the_move_does():
    assert [line for line in NO_NEWS if not doubted(line)] == []


def test_news_with_another_player_a_ticket_or_a_station_in_it_does():
    for words in ("with Ben", "by bus", "at 62"):
        assert doubted(f"Long drive home in the rain, traffic was awful {words}"), words


def test_a_plain_word_of_the_language_of_the_mail_is_no_condition_of_another():
    words = "Hier ist viel los, als wir kamen war es so kalt"
    assert language_of([words]) == "de"
    found = doubted(words)  # "als" is an "if" in Dutch
    assert found is not None
    assert found.is_unknown
    found = doubted("Hier is het koud, als jullie komen is er koffie")
    assert found is not None
    assert found.line.speaks_against
