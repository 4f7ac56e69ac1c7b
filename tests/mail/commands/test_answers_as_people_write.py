"""Answers in people's own words: to a question about a move, to one about the end, and after a move is made."""

import pytest

from server.language.answers import read_answer
from server.language.grammar import parse_line
from tests.mail.commands.test_dispatch import answer, history
from tests.mail.commands.test_retracted_answers import hunted, is_playing
from tests.table import Playing

__all__ = ["hunted"]  # a fixture
YES = (
    "ok", "right", "exactly", "go ahead", "play it", "👍", "y", "I did", "Yes I did mean that", "genau", "c'est ça",
    "exacto", "dat klopt", "proprio quella", "isso mesmo", "dokładnie", "stämmer", "přesně", "aynen", "ακριβώς",
    "その通りです",
)  # fmt: skip
DOUBTED = 'Greg says "taxt 115"'  # it names a move, and may tell of another's
NO = ("wrong", "not that one", "👎", "das meinte ich nicht", "pas ça", "eso no", "die niet", "non quella")
REGRETS = ("Oops, I meant taxi 116", "undo", "wait no", "Mist, ich meinte 116", "annulez !", "me he equivocado")
MACHINES = (
    'Liked "You play Purple: purple taxi 115"', "👍\n\nBen Baker reacted via Gmail", "Gelesen: Your turn",
    'Ben a aimé "purple taxi 115"', "Ben reacted 🎉 to: I will play purple taxi 115",
    "Ben hat mit 😂 über Gmail reagiert",
)  # fmt: skip


def test_a_question_about_a_move_is_answered_in_any_words_for_yes_and_no(hunted: Playing):
    ben = hunted.people[1]
    for words in ("wrong", "👎", "das meinte ich nicht"):
        assert "did you mean" in answer(ben, DOUBTED), words
        assert "nothing of that was done" in answer(ben, words), words
    assert history(hunted) == ["black ?"]
    assert 'did you mean "purple taxi 115"?' in answer(ben, DOUBTED)
    assert 'Understood and played: "purple taxi 115".' in answer(ben, "Exactly, thanks!\n\nBen")


def test_each_word_for_yes_is_one_to_that_question_and_no_command_elsewhere():

    assert {words: read_answer([words]) for words in YES} == dict.fromkeys(YES, "yes")
    assert {words: read_answer([words]) for words in NO} == dict.fromkeys(NO, "no")
    assert [words for words in ("ok", "right", "exactly", "play it", "👍", "genau") if parse_line(words)] == []


def test_the_signature_of_an_office_below_a_yes_says_nothing():
    office = ["", "Kind regards,", "", "Oscar Office", "Senior Purchasing Manager | Corp Ltd | T +44 20 7946 0123"]
    assert read_answer(["Yes, that is correct.", *office]) == "yes"
    assert read_answer(["wrong", *office]) == "no"
    assert read_answer(["Yes, that is correct.", *office, "but only if Greg agrees"]) is None


@pytest.mark.parametrize(
    "text",
    [
        "FYI: taxi 115", "I would like to move to 115.", "Ich würde gern taxi nach 115 nehmen",
        "Hi,\n\nsorry for the late reply, I was in a meeting. Taxi 115.",
        "Dear all,\n\nplease find my move below:\n\ntaxi 115",
    ],
)  # fmt: skip
def test_a_move_in_polite_words_is_played(hunted: Playing, text: str):
    assert 'Understood and played: "purple taxi 115".' in answer(hunted.people[1], text)


def test_what_settles_nothing_gets_the_question_once_more_and_then_the_word_to_write(hunted: Playing):
    ben = hunted.people[1]
    answer(ben, DOUBTED)
    first, second = answer(ben, "The weather is nicer in Spain"), answer(ben, "The weather is nicer in Kent")
    for said in (first, second):
        assert "does not settle it" in said
        assert 'did you mean "purple taxi 115"?' in said
    assert ["Write the word YES or the word NO" in said for said in (first, second)] == [False, True]


def test_what_ends_the_game_takes_a_plain_yes(hunted: Playing):
    ben = hunted.people[1]
    answer(ben, "RESIGN")
    for words in ("sounds good", "👍", "ok"):
        assert "Do you want to give the game up?" in answer(ben, words), words
        assert is_playing(hunted), words
    assert "You have given the game up" in answer(ben, "Yes, I resign")


def test_two_stations_where_no_line_is_a_move_are_both_named_in_the_question(hunted: Playing):
    ben = hunted.people[1]
    assert 'You name "purple taxi 115" and "purple taxi 126": which one?' in answer(ben, "115 or 126")
    assert history(hunted) == ["black ?"]


def test_whoever_regrets_a_move_hears_that_it_stands(hunted: Playing):
    ben = hunted.people[1]
    answer(ben, "taxi 115")
    for words in REGRETS:
        assert '"purple taxi 115" is made and stands. You move again in round' in answer(ben, words), words
    assert len(history(hunted)) == 2


def test_what_machines_send_is_no_answer(hunted: Playing):
    ben = hunted.people[1]
    before = len(ben.mails)
    for words in MACHINES:
        ben.reply(words)
        hunted.table.tick()
    assert len(ben.mails) == before
    assert history(hunted) == ["black ?"]


def test_a_paragraph_that_ends_in_a_colon_above_a_quote_is_no_word_of_its_sender(hunted: Playing):
    ben = hunted.people[1]
    assert "did you mean" in answer(ben, DOUBTED)
    answer(ben, "YES\n\nOn Monday it was written:\n> Did you mean that?")
    assert "purple taxi 115" in history(hunted)


def test_a_condition_is_one_in_such_a_paragraph_too(hunted: Playing):
    answer(hunted.people[1], "taxi 115\n\nbut only if Cleo stays:\n> Your move")
    assert "purple taxi 115" not in history(hunted)
