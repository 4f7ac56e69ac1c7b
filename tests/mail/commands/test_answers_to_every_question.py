"""Each kind of question by mail, answered in six languages: what settles nothing gets it again, and then it is settled.

Which words say what is in `tests/language/test_answers.py`, of which these mails are a part.
"""

import textwrap
from collections.abc import Callable

import pytest

from server.mail.reading.quoting import MARKER, own_lines
from tests.language.test_answers import TABLE
from tests.mail.commands.test_dispatch import answer
from tests.scenes import hunt, mail_only_to, text_of
from tests.table import Playing, Table, again

LANGUAGES = ("en", "de", "fr", "es", "nl", "it")


@pytest.fixture
def hunted(table: Table) -> Playing:
    return again(table, _hunted)


def _hunted(table: Table) -> Playing:
    game = hunt(table)
    mail_only_to(table, "Ben", "Cleo")
    return game


def vote(game: Playing) -> None:
    game.people[0].post(f"{game.path}/votes", {"kind": "pause", "length": "P3D"})
    game.table.tick()


def draw(game: Playing) -> None:
    game.people[0].post(f"{game.path}/draw")
    game.table.tick()


def seat(game: Playing) -> None:
    ada, ben = game.people[:2]
    seats = [{"role": "mr_x", "player": ada.id}, {"role": "detective", "player": ben.id}]
    ada.post("/games", {"edition": "condensed", "seats": seats})
    game.table.tick()


def elsewhere(game: Playing) -> None:
    game.people[1].reply("bus 102", sender="ben@phone.example")
    game.table.tick()


def mailed(text: str) -> Callable[[Playing], None]:
    def asks(game: Playing) -> None:
        answer(game.people[1], text)

    return asks


# What asks, a part of the question, what a yes does, and what a no does.
ASKED = [
    (vote, "asks to pause the game", "You have voted to pause", "You have voted not to pause"),
    (draw, "A draw is offered by", "You agree to the draw", "nothing of that was done"),
    (seat, "A seat is kept for you", "You have taken the seat", "You have declined"),
    (elsewhere, "Was it you", "You can now play from", "nothing of that was done"),
    (mailed('Greg says "taxt 115"'), "did you mean", "Understood and played", "nothing of that was done"),
    (mailed("Ricevo troppe mail"), "did you mean", "gathered into one a day", "nothing of that was done"),
    (mailed("RESIGN"), "Do you want to give the game up?", "You have given the game up", "You keep your seat"),
]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("said", ["yes", "no"])
@pytest.mark.parametrize("kind", range(len(ASKED)))
def test_a_question_is_asked_again_until_it_is_answered_in_ones_own_words(
    hunted: Playing, kind: int, said: str, language: str
):
    asks, question, done, dropped = ASKED[kind]
    ben, words = hunted.people[1], TABLE["any"][language]
    asks(hunted)
    at = (7 * kind + 3 * LANGUAGES.index(language)) % 20
    unsettled, settled = (words[name].strip().split("\n") for name in ("neither", said))
    is_plain = question.startswith("Do you want") and said == "yes"
    told = answer(ben, unsettled[at])
    assert question in told, unsettled[at]
    assert "You can go" not in told
    text = settled[0] if is_plain else settled[at]
    assert (done if said == "yes" else dropped) in answer(ben, text.replace(" / ", "\n")), text


@pytest.mark.parametrize("kind", range(len(ASKED)))
def test_a_question_that_is_quoted_whole_without_marks_answers_nothing(hunted: Playing, kind: int):
    ASKED[kind][0](hunted)
    lines = text_of(hunted.people[1].mails[-1]).splitlines()
    for width in range(56, 101):
        wrapped = [piece for line in lines for piece in textwrap.wrap(line, width) or [""]]
        assert own_lines(wrapped, MARKER) == (), width
