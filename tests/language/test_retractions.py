"""An answer that the mail itself speaks against, by its other lines or by its subject."""

from server.language.grammar import parse
from server.language.retractions import Retraction, retraction
from tests.language.test_doubts import LEGAL

# Below a yes.
RETRACTIONS = (
    "no wait, sorry, I meant the other one",
    "No wait, sorry, ignore that",
    "maybe",
    "if Blue agrees",
    "oder doch lieber nicht",
    "Moment, das war ein Versehen, bitte ignorieren",
    "non, attendez, je me suis trompé",
    "attendez, je ne sais pas",
    "espera, me he equivocado",
    "wacht, toch maar niet",
    "❌",
    "no wait, I am not sure",
    "well, ok then no",
    "I told Ben no and so it is",
    "No, that was somebody else",
)
HARMLESS = (
    "YES, thanks! See you tonight",
    "YES\n\nthanks! See you tonight",
    "Yes please, sounds fun!",
    "Yes please\nsounds fun!",
    "Hello all,\n\nYES\n\nGood luck everyone, and see you on Monday 23!\n\nBen",
    "Ja, gerne\n\nViele Grüße\nBen",
    "Oui\n\nBonne soirée à tous !",
    "NO\n\nsorry, maybe next time",
    "Non\n\npas si tu es en retard",
    "NO\n\nsee you",
)
# An answer, and what has the other answer in it.
OTHER_ANSWERS = (
    ("NO", "sorry, I meant yes"), ("NO", "well, ok then yes"), ("Nein", "ach doch, ja"), ("NO", "oh well, yes then"),
    ("NO", "I said yes to Cleo"), ("No", "pensándolo bien, sí"), ("Ja", "ach, eher nein als das"),
)  # fmt: skip
CONTRADICTIONS = (
    "NO\nYES", "YES\nNO", "Nein\n\nJa", "YES\n\nHello!\n\nNO", "NO\nHello!\nYES", "YES\nCANCEL", "YES\nSTOP",
    "WAIT\nCLAIM", "CLAIM\nNO", "LEAVE\nNO",
)  # fmt: skip
PLAYED = ["purple taxi 115"]


def found(text: str, subject: str = "") -> Retraction | None:
    return retraction(parse(text.splitlines(), subject), PLAYED, LEGAL)


def test_words_below_a_yes_take_it_back():
    for words in RETRACTIONS:
        assert found(f"YES\r\n\r\n{words}") == Retraction("YES", words), words


def test_words_above_a_yes_count_as_well():
    assert found("I am not sure\n\nYES") == Retraction("YES", "I am not sure", is_above=True)


def test_friendly_words_around_an_answer_do_no_harm():
    assert {text: against for text in HARMLESS if (against := found(text))} == {}


def test_another_station_speaks_against_a_yes_to_a_move():
    for words in ("I meant taxi 116", "taxi 116", "bus 102 looks nicer"):
        text = f"YES\n\nHello,\n\n{words}"
        assert found(text) == Retraction("YES", words), words
    assert found("YES\n\nHello,\n\ntaxi 115") is None, "the move that is asked about"


def test_a_line_with_the_other_answer_in_it_speaks_against_one():
    for answer, words in OTHER_ANSWERS:
        assert found(f"{answer}\n\n{words}") == Retraction(answer, words), words


def test_answers_that_contradict_each_other_are_found_wherever_they_stand():
    for text in CONTRADICTIONS:
        first, *_, last = text.splitlines()
        assert found(text) == Retraction(first, last), text


def test_an_answer_in_the_subject_contradicts_the_other_in_the_text():
    for subject, text in (("NO", "YES"), ("Yes", "No"), ("Re: Nein", "Ja, gerne"), ("STOP", "YES")):
        assert found(text, subject) == Retraction(text, subject.removeprefix("Re: "), is_subject=True), subject
    assert found("YES", "Re: doch nicht") == Retraction("YES", "doch nicht", is_above=True, is_subject=True)
    assert found("YES", "Yes") is None


def test_a_doubt_on_the_line_of_a_yes_speaks_against_it():
    for text, answer in (
        ("YES but not sure", "YES"), ("Ja, aber nicht ganz sicher\n\nBen", "Ja"),
        ("Hello,\n\noui, mais peut-être pas", "oui"),
    ):  # fmt: skip
        against = found(text)
        assert against is not None, text
        assert against.answer == answer, text


def test_a_mail_without_an_answer_has_nothing_to_take_back():
    assert found("taxi 115\n\nno wait") is None


def test_an_answer_in_ones_own_words_is_one_unless_it_is_taken_back():
    for text, answer in (
        ("Yes please, sounds fun!", "yes"), ("Yes, count me in.\n\nAnna", "yes"), ("Ja, gerne", "yes"),
        ("Not this time", "no"), ("No, thank you.", "no"), ("Who else is playing?", None),
        ("Yes, but not before Friday", None), ("I am not sure", None),
        ("YES\n\nno wait, sorry, ignore that", None), ("NO\nYES", None),
        ("Nein\n\nMoment, ich meine ja", None),
        ("NO\n\nSorry, maybe next time!", "no"), ("YES\n\nThanks! See you tonight", "yes"),
    ):  # fmt: skip
        parsed = parse(text.splitlines())
        names = [command.name for command in parsed.commands]
        assert (names[0] if names and retraction(parsed) is None else None) == answer, text
