"""Wishes in plain words: the command that fits them is found by the examples in the files of languages."""

from functools import reduce
from pathlib import Path

import pytest

from server.language import lexicon
from server.language.wishes import wishes

DATA = Path(__file__).parent / "data"
# As different people write them, by language, with the command that fits.
WISHES = {
    "en": (
        ("We'll be in Cornwall from 3 May to 10 May, no chance of playing", "AWAY 3 May to 10 May"),
        ("Any chance of two more days? Work is crazy", "EXTEND 2 days"),
        ("I'm afraid this isn't for me, can somebody else play my detective?", "LEAVE"),
        ("How many bus tickets have I got left?", "STATUS"),
        ("What's the quickest way from 45 to 100?", "BOARD 45 100"),
        ("Could you ask Ben whether he wants to join us?", "INVITE Ben"),
    ),
    "de": (
        ("Bin vom 3. bis 10. Mai im Urlaub", "AWAY 3 May to 10 May"),
        ("Ich brauche leider noch zwei Tage", "EXTEND 2 days"),
        ("Ich bekomme zu viele Mails von euch", "SET mail daily 18:00"),
        ("Wer ist gerade dran?", "STATUS"),
        ("Wo wurde Mr. X zuletzt gesehen?", "LOG"),
        ("Ich würde gern erstmal gegen den Computer spielen", "PLAY"),
    ),
    "fr": (
        ("Je serai absent du 3 au 10 mai", "AWAY 3 May to 10 May"),
        ("Il me faudrait un jour de plus", "EXTEND 1 day"),
        ("Je n'ai plus envie de jouer, je m'arrête là", "RESIGN"),
        ("C'est à qui de jouer ?", "STATUS"),
        ("Où est-ce que je peux aller maintenant ?", "LEGAL"),
        ("On pourrait faire une pause d'une semaine ?", "PAUSE 1 week"),
    ),
    "es": (
        ("Estaré de viaje del 3 al 10 de mayo", "AWAY 3 May to 10 May"),
        ("Necesito un poco más de tiempo", "EXTEND 1 day"),
        ("No me mandéis más correos", "STOP"),
        ("¿Cuántos billetes de taxi me quedan?", "STATUS"),
        ("¿Cómo se llega de la 45 a la 100?", "BOARD 45 100"),
        ("No entiendo nada, ¿qué tengo que hacer?", "HELP"),
    ),
    "nl": (
        ("Ik ben van 3 tot 10 mei op vakantie", "AWAY 3 May to 10 May"),
        ("Kan iemand anders mijn plek overnemen?", "LEAVE"),
        ("Mag ik nog een dagje extra?", "EXTEND 1 day"),
        ("Wat kan ik nu doen?", "LEGAL"),
        ("Zullen we even pauzeren?", "PAUSE"),
        ("Ik krijg veel te veel mailtjes", "SET mail daily 18:00"),
    ),
    "it": (
        ("Dal 3 al 10 maggio sono in vacanza", "AWAY 3 May to 10 May"),
        ("Basta mail per favore", "STOP"),
        ("A chi tocca?", "STATUS"),
        ("Dove è stato visto l'ultima volta?", "LOG"),
        ("Posso invitare Ben?", "INVITE Ben"),
        ("Come si comincia?", "HELP"),
    ),
}


CASES = [(words, command) for rows in WISHES.values() for words, command in rows]


@pytest.mark.parametrize(("words", "command"), CASES)
def test_a_wish_is_for_the_command_that_fits(words: str, command: str):
    wish = wishes([words])[0]
    assert wish.line == command
    assert wish.is_sure


@pytest.mark.parametrize("file", ["neither", "talk"])
def test_talk_is_hardly_ever_a_wish(file: str):
    lines = (DATA / f"{file}.txt").read_text("utf-8").splitlines()
    sure = [line for line in lines if line and any(wish.is_sure for wish in wishes([line]))]
    assert len(sure) <= len(lines) // 20, sure
    assert not [line for line in lines if any(wish.is_sure and wish.line == "STOP" for wish in wishes([line]))]


@pytest.mark.parametrize("command", lexicon.examples("wishes"))
def test_each_example_is_nearest_to_its_own_command(command: str):
    values = {"{station}": "45", "{name}": "Zoltan", "{span}": "3 days", "{pawn}": "red", "{day}": "24.12."}
    for sentences in lexicon.examples("wishes")[command].values():
        for sentence in sentences:
            filled = reduce(lambda text, place: text.replace(place, values[place]), values, sentence)
            nearest = wishes([filled])[0]
            assert nearest.is_sure, filled
            assert nearest.line.split()[0] == command.split(maxsplit=1)[0], (filled, nearest)


@pytest.mark.parametrize(
    ("words", "command"),
    [
        ("I'm away from 24.12. to 2.1.", "AWAY 24.12. to 2.1."),
        ("I'm away from 2026-12-24 to 2027-01-02", "AWAY 2026-12-24 to 2027-01-02"),
        ("I'm away from the 3rd of May to the 10th of May", "AWAY 3 May to 10 May"),
        ("I am away from May 3rd to May 10th", "AWAY 3 May to 10 May"),
        ("I am away on Friday", "AWAY Friday"),
        ("Can't play until Monday, sorry, I'm on holiday", "AWAY today to Monday"),
        ("not available from 23 Nov to 7 Dec", "AWAY 23 Nov to 7 Dec"),
        ("Bin nicht erreichbar vom 23.11. bis 7.12.", "AWAY 23.11. to 7.12."),
        ("I'm away, back on Monday 30 November", "AWAY today back 30 Nov"),
        ("Bin erst am 7.12. wieder da", "AWAY today back 7.12."),
        ("Je suis absente, de retour le 30 novembre", "AWAY today back 30 Nov"),
        ("Again please", "REMATCH"),
        ("nochmal, diesmal als Mr. X", "REMATCH"),
        ("Can you invite ben@example.org?", "INVITE ben@example.org"),
        ("Hi all,\n\nI need two weeks more.\n\nThanks\nBen", "EXTEND 2 weeks"),
    ],
)
def test_days_lengths_and_names_are_put_into_the_command(words: str, command: str):
    assert wishes(words.split("\n"))[0].line == command


def test_a_wish_that_lacks_something_is_not_sure():
    assert not wishes(["I am away from to"])[0].is_sure


def test_a_long_mail_wishes_nothing():
    assert wishes(["can I have more time please. " * 30]) == ()
    assert wishes(["x" * 20_000]) == ()
