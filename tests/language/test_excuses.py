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


# Above a move too, these put it off, or say that somebody else decides.
PUTS_OFF = (
    "Give me until the kids are in bed and the dishes are done.", "My wife wants a word about it, dinner first.",
    "As soon as the baby is asleep and the kitchen clean you get the real thing.", "Kids in bed, but no decision yet.",
    "Written with a fever in bed on a delayed train, so take it with a pinch of salt.", "Dinner with Ben, his idea.",
    "Mit Fieber im Bett geschrieben, also Vorsicht damit.", "Erst die Kinder ins Bett, dann der richtige Zug.",
    "Warten wir, bis die Kinder im Bett sind.", "Je couche les enfants et je reviens sur ce coup.",
    "Con fiebre en la cama, tomadlo con pinzas.", "Met koorts in bed, neem het met een korrel zout.",
    "Metto a letto i bambini, poi decidiamo.", "Home from work, who plays my seat for me?",
)  # fmt: skip


def doubted(line: str, *, is_above: bool = False) -> Objection | None:
    lines = [line, "", "taxi 46"] if is_above else ["taxi 46", "", line]
    return doubt(parse(lines).free, ["red taxi 46"], LEGAL, PEOPLE, can_move={"red"})


def test_news_of_ones_life_leaves_no_doubt():
    assert [line for line in NEWS if doubted(line) or doubted(line, is_above=True)] == []


def test_news_below_a_move_that_may_be_about_it_does():
    assert [line for line in NO_NEWS if not doubted(line)] == []


def test_news_above_a_move_that_puts_it_off_does():
    assert [line for line in PUTS_OFF if not doubted(line, is_above=True)] == []


def test_above_a_move_what_happened_before_leaves_none():
    for line in ("Kids asleep at last, tea is brewed.", "Les petits dorment, le vin est servi."):
        assert doubted(line, is_above=True) is None, line


def test_news_with_another_player_a_ticket_or_a_station_in_it_does():
    for words in ("with Ben", "by bus", "at 62"):
        assert doubted(f"Long drive home in the rain, traffic was awful {words}"), words


def test_a_plain_word_of_the_language_of_the_mail_is_no_condition_of_another():
    words = "Hier ist viel los, als wir kamen war der Keller leer"
    assert language_of([words]) == "de"
    found = doubted(words)  # "als" is an "if" in Dutch
    assert found is not None
    assert found.is_unknown
    found = doubted("Hier is het koud, als jullie komen is er koffie")
    assert found is not None
    assert found.line.speaks_against
