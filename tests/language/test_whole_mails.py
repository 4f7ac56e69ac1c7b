"""A whole mail: its subject, its lines, and what is below them."""

import pytest

from server.language.answers import answer_in, read_answer
from server.language.grammar import parse
from server.language.lexicon import folded
from tests.language.subjects import is_command_subject
from tests.language.test_grammar import words


def names(text: str, subject: str = "") -> list[str]:
    return [command.line for command in parse(text.split("\n"), subject).commands]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("taxi 46", ["taxi 46"]),
        ("Hello,\nI am late.\n\ntaxi 46\n\nVera", ["taxi 46"]),
        ("red taxi 46\n\nyellow bus 58\nSTATUS\nThanks\nRESIGN", ["red taxi 46", "yellow bus 58", "STATUS"]),
        ("taxi 46\nVera\nbus 58", ["taxi 46"]),
        ("hello", []),
        ("", []),
    ],
)
def test_commands_stand_together_and_the_first_other_line_ends_them(text: str, expected: list[str]) -> None:
    assert names(text) == expected


def test_a_command_after_the_end_is_told_but_not_obeyed() -> None:
    parsed = parse(["taxi 46", "no wait", "bus 34"])
    assert [command.line for command in parsed.commands] == ["taxi 46"]
    assert [command.line for command in parsed.later] == ["bus 34"]


def test_the_end_of_a_wrapped_sentence_is_no_command() -> None:
    wrapped = "I have thought about it for a long time now and believe we should cover"
    assert names(f"{wrapped}\n46") == []
    assert names(f"{wrapped}\n\ntaxi 46") == ["taxi 46"]
    assert names("I believe we should move:\ntaxi 46") == ["taxi 46"]
    assert names("Here is what I decided after a long time and two cups of strong tea:\ntaxi 46") == ["taxi 46"]


def test_a_number_alone_is_a_move_in_the_first_line_only() -> None:
    assert names("\n46\nVera") == ["46"]
    assert names("I will think about it tonight.\nBob\n32") == []
    assert names("STATUS\n46") == ["STATUS"]


def test_a_long_say_that_was_wrapped_is_put_together_again() -> None:
    first = "SAY I can cover 100 from there, and somebody should keep an eye on the"
    parsed = parse([first, "river steps tonight.", "taxi 46", "See you"])
    assert [command.name for command in parsed.commands] == ["say", "move"]
    assert parsed.commands[0].text.endswith("an eye on the river steps tonight.")


def test_a_short_say_ends_with_its_line() -> None:
    assert [command.text for command in parse(["SAY hello", "Vera"]).commands] == ["hello"]
    assert [command.name for command in parse(["SAY ALL", "", "STOP"]).commands] == ["stop"], "nothing is said"


@pytest.mark.parametrize(
    "subject",
    ["taxi 46", "Re: taxi 46", "RE: AW: Fwd: taxi 46", "Re[2]: taxi 46", "[Foggy Thames] taxi 46", "Re：taxi 46"],
)
def test_the_subject_counts_when_the_text_has_no_command(subject: str) -> None:
    parsed = parse(["hello"], subject)
    assert (parsed.from_subject, [command.move for command in parsed.commands]) == (True, [words("taxi 46")])


def test_a_move_in_the_subject_speaks_against_another_in_the_text() -> None:
    parsed = parse(["bus 82"], "taxi 46")
    assert names("bus 82", "taxi 46") == ["bus 82"]
    assert [(line.legs, line.is_above) for line in parsed.free] == [((("taxi", 46),), True)]


@pytest.mark.parametrize(
    "subject",
    [
        "cancel that", "Re: forget my move", "AW: doch nicht", "NO", "Maybe bus 58", "RESIGN", "STOP", "abmelden",
        "Nein",
        "[EXTERNAL] cancel that", "bus 58 would be better", "Fwd: Re: ignore my mail", "leave", "undo",
    ],
)  # fmt: skip
def test_a_subject_that_takes_back_doubts_or_ends_speaks_against_a_move_in_the_text(subject: str) -> None:
    (line,) = parse(["taxi 46"], subject).free
    assert (line.speaks_against, line.is_subject, line.is_above) == (True, True, True)


@pytest.mark.parametrize(
    "subject",
    [
        "", "my move", "Zug", "Re: Mein Zug", "mon coup", "Round 3", "Scotland Yard", "Re: Black Ticket",
        "(no subject)",
        "Re: (kein Betreff)", "<sans objet>", "sin asunto", "geen onderwerp", "my move, no rush", "move 3 of 22",
        "Re: [Foggy Thames] Round 3: do you wait for Mr. X?", "AW: [No, wait!] Round 3: Red, your move",
        "[Maybe [not] taxi 62] The game is over: cancel", "Antwoord: [Stop that] Round 3: Red, your move by Tue 24 Nov",
        "Re: [Foggy Thames] Round 3, Red: which move do you mean?",
    ],
)  # fmt: skip
def test_an_ordinary_subject_and_ours_speak_against_no_move(subject: str) -> None:
    assert parse(["taxi 46"], subject).free == ()


@pytest.mark.parametrize(
    ("subject", "text"), [("wait", "WAIT"), ("CANCEL", "CANCEL"), ("No", "NO"), ("leave", "leave")]
)
def test_a_subject_that_says_the_same_as_the_text_is_not_against_it(subject: str, text: str) -> None:
    assert parse([text], subject).free == ()


def test_the_subject_does_not_count_when_the_text_has_one() -> None:
    assert names("bus 58", "taxi 46") == ["bus 58"]


@pytest.mark.parametrize(
    "subject",
    [
        "[Foggy Thames] Turn 20: Red, your move by Tue 24 Nov 18:00 London",
        "Re: [Foggy Thames] Turn 20: Red, your move by Tue 24 Nov 18:00 London",
        "AW: [taxi 46] Turn 20",
        "Re: [SY g12] Turn 5: Blue took bus 58 (your move)",
    ],
)
def test_no_subject_of_ours_is_a_command(subject: str) -> None:
    assert not is_command_subject(subject)


@pytest.mark.parametrize(
    ("line", "answer"), [("yes please :-)", "yes"), ("Ja, gerne ;)", "yes"), ("no, thanks :(", "no")]
)
def test_a_smiley_behind_an_answer_is_no_other_word(line: str, answer: str):
    assert answer_in(line) == answer


AUTHOR = "Gus Nott van Dijk Jürgen Zoé María José Joost Ann Lee Red"


SIGNED = """
Yes. Gus | yes
YES, Gus. | yes
Yes please! Gus van Dijk | yes
Ja. Jürgen | yes
Oui, merci. Zoé | yes
Sí. María José | yes
Ja graag - Joost | yes
Yes. Thanks, Ann Lee | yes
Yes. Red | yes
YES. GUS | yes
No. Gus | no
Nein, danke. Jürgen | no
NO, rather not | no
No, better not. Gus | no
Nein, lieber nicht | no
Non, plutôt pas | no
No, mejor no | no
Nee, liever niet | no
no thanks, maybe next time | no
Yes. Taxi |
Yes. But |
Yes, Monday |
Ja. Morgen |
Ja. Vorsicht |
Ja. Denkste |
Yes. Ask Ben |
Yes, Station Forty |
YES. WHY |
Yes. No |
Yes, rather not |
rather not | no
lieber nicht | no
Hello. Gus |
""".strip().splitlines()


@pytest.mark.parametrize("case", SIGNED)
def test_the_author_s_name_behind_an_answer_is_a_signature_and_a_refusal_in_other_words_belongs_to_its_no(case: str):
    line, answer = case.split(" |")
    assert read_answer([line], folded(AUTHOR).split(), is_plain=True) == (answer.strip() or None)
