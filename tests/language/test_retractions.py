"""An answer that the mail itself speaks against, by its other lines or by its subject."""

from server.language.answers import read_answer
from server.language.grammar import parse
from server.language.retractions import retraction

# Below a yes.
AGAINST_YES = (
    "no wait, sorry, I meant the other one", "No wait, sorry, ignore that", "maybe", "if Blue agrees",
    "oder doch lieber nicht", "Moment, das war ein Versehen, bitte ignorieren", "non, attendez, je me suis trompé",
    "attendez, je ne sais pas", "espera, me he equivocado", "wacht, toch maar niet", "❌", "no wait, I am not sure",
    "well, ok then no", "I told Ben no and so it is", "No, that was somebody else", "I meant taxi 116", "taxi 116",
    "bus 102 looks nicer",
)  # fmt: skip
AGREEING = (
    "YES, thanks! See you tonight", "YES\n\nthanks! See you tonight", "Yes please, sounds fun!",
    "Yes please\nsounds fun!", "Ja, gerne\n\nViele Grüße\nBen", "Oui\n\nBonne soirée à tous !",
    "Yes, count me in.\n\nAnna", "Ja, gerne",
)  # fmt: skip
REFUSING = ("NO\n\nsorry, maybe next time", "NO\n\nsee you", "Not this time", "No, thank you.", "NO\n\nSorry!")
UNSETTLED = (
    "NO\n\nsorry, I meant yes", "NO\n\nwell, ok then yes", "NO\n\noh well, yes then", "NO\n\nI said yes to Cleo",
    "NO\nYES", "YES\nNO", "Nein\n\nJa", "NO\nHello!\nYES", "YES but not sure", "Ja, aber nicht ganz sicher\n\nBen",
    "Hello,\n\noui, mais peut-être pas", "I am not sure\n\nYES", "Who else is playing?", "Yes, but not before Friday",
    "I am not sure", "Nein\n\nMoment, ich meine ja",
)  # fmt: skip


def read(text: str) -> str | None:
    return read_answer(text.splitlines())


def test_words_below_a_yes_take_it_back():
    for words in AGAINST_YES:
        assert read(f"YES\r\n\r\n{words}") != "yes", words


def test_friendly_words_around_an_answer_do_no_harm():
    assert {text: read(text) for text in AGREEING} == dict.fromkeys(AGREEING, "yes")
    assert {text: read(text) for text in REFUSING} == dict.fromkeys(REFUSING, "no")


def test_the_other_answer_a_doubt_or_a_condition_beside_one_settles_nothing():
    assert {text: read(text) for text in UNSETTLED} == dict.fromkeys(UNSETTLED)


def test_another_command_or_a_line_that_takes_back_speaks_against_wait_claim_and_leave():
    for text in ("WAIT\nCLAIM", "CLAIM\nNO", "LEAVE\nNO", "WAIT\n\nno wait, ignore that", "LEAVE\n\nmaybe"):
        first, *_, last = text.splitlines()
        found = retraction(parse(text.splitlines()))
        assert found is not None
        assert (found[0], found[1].text) == (first, last), text
    assert retraction(parse(["LEAVE", "", "Sorry, everybody!"])) is None
    found = retraction(parse(["LEAVE"], "NO"))
    assert found is not None
    assert (found[0], found[1].text, found[1].is_subject) == ("LEAVE", "NO", True)
    assert retraction(parse(["taxi 115", "", "no wait"])) is None
