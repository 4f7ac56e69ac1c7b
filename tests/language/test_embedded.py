"""Moves among other words of the same line: which are read, and what of the line may speak against them."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from server.language import embedded, grammar
from server.language.grammar import is_command_line, parse

# A line, the move that is read in it, and the words that may speak against that.
READ = """
Sorry, exam week! Bus to 58. Back at school. | bus 58 | Sorry, exam week! / Back at school.
Taxi to 46 - written on the ferry | taxi 46 | written on the ferry
taxi 46 (nearest to the bridge) | taxi 46 | (nearest to the bridge)
Ok, taxi 46 then, see you in the loft | taxi 46 | see you in the loft
Long story... taxi 46. :-) Bye! | taxi 46 | Long story... / Bye!
Ich nehme dann mal das Taxi nach 46. Es geht los, Leute! | taxi 46 | Es geht los, Leute!
Je suis en retard. Taxi 46 ! Vite ! | taxi 46 | Je suis en retard. / Vite !
Maybe he is in the park? Taxi 46. | taxi 46 | Maybe he is in the park?
"""
WHOLE = """
Here is my final answer: taxi 46 | taxi 46
Guten Abend, anbei mein Zug: Taxi 46 | taxi 46
Pour ce tour : taxi 46 | taxi 46
Ok, taxi 46 then, see you in the pub | taxi 46
Mr. X is near. Red taxi 46. | red taxi 46
ma certo, taxi 46, con piacere | taxi 46
Rot fährt mit dem Taxi von 47 nach 46 | red taxi 46
taxi a cuarenta y seis | taxi 46
"""
NONE = """
Ben: taxi 46
Ben's move: taxi 46
For example: taxi 46
Great move! Red taxi 46!
Ben wrote "I am ill. Taxi 46. Good luck." today
I live at number 46. By bus.
e.g. taxi 46
Taxi 46? Is that wise?
RESIGN. Taxi 46.
❌ taxi 46. Bye
🙅 taxi 46. Bye
You know what would be dumb? Taxi to 46. Way too obvious.
I talked to Cleo on the phone. Taxi to 46. That was her idea.
What Mr. X would do in our place. Taxi to 46. Easy to see.
Remember the last game. Taxi to 46. Then we lost.
Wir haben gestern gespielt. Taxi nach 46. Gut war das nicht.
Le plan de Ben. Taxi vers 46.
Ни за что. Taxi 46.
Taxi nach 46. Nie im Leben.
Taxi vers 46. Jamais de la vie.
"""
# What speaks against the move of its line, which is read and asked about.
AGAINST = """
Taxi to 46. LOL no way
Taxi to 46. Over my dead body.
Taxi 46. Yeah, right.
"""
OF_ANOTHER = """
This would be for Blue. Taxi 46.
Das soll Blau machen. Taxi 46.
Bleu devrait faire ceci. Taxi 46.
"""


def rows(table: str) -> list[list[str]]:
    return [line.split(" | ") for line in table.strip().splitlines()]


def read(*lines: str) -> tuple[list[str | None], list[str]]:
    parsed = parse(lines)
    moves = [command.move.canonical() for command in parsed.commands if command.move]
    return moves, [line.text for line in parsed.free]


@pytest.mark.parametrize(("line", "move", "rest"), rows(READ))
def test_a_sentence_of_a_line_can_be_a_move_and_the_others_may_speak_against_it(line: str, move: str, rest: str):
    assert read(line) == ([move], rest.split(" / "))
    assert is_command_line(line)


def test_what_people_say_beside_their_move_speaks_against_it_only_if_it_doubts():
    against = [line for line, *_ in rows(READ) if any(free.speaks_against for free in parse([line]).free)]
    assert [line.partition(" ")[0] for line in against] == ["Maybe"]
    assert [line for (line,) in rows(AGAINST) if not _is_asked_about(line)] == []


def _is_asked_about(line: str) -> bool:
    parsed = parse([line])
    return bool(parsed.commands) and any(free.speaks_against for free in parsed.free)


def test_words_can_introduce_a_move_of_the_writer():
    assert [read(line) for line, _ in rows(WHOLE)] == [([move], []) for _, move in rows(WHOLE)]


def test_no_move_is_read_among_words_that_may_be_about_something_else():
    assert [line for (line,) in rows(NONE) if read(line)[0] or is_command_line(line)] == []


def test_a_sentence_before_a_move_can_say_that_it_is_one_of_another_pawn():
    for (line,) in rows(OF_ANOTHER):
        assert [free.introduces for free in parse([line]).free] == ["blue"], line


def test_a_paragraph_that_was_wrapped_is_read_as_one_line():
    wrapped = ["After a long talk with my neighbour I am sure. I am going to take the taxi", "to 46. Bye for now!"]
    assert read(*wrapped)[0] == ["taxi 46"]


def test_other_words_of_a_line_do_not_end_the_commands():
    moves, beside = read("Green bus 46, back at noon.", "yellow taxi 38")
    assert (moves, beside) == (["green bus 46", "yellow taxi 38"], ["back at noon."])


def seen(function: Callable[..., Any], act: Callable[[], object]) -> list[str]:
    """Return the lines that a function is asked about while something is done."""
    lines: list[str] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code is function.__code__:
            lines.append(frame.f_locals["line"])

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        act()
    finally:
        sys.setprofile(before)
    return lines


def tries(line: str) -> int:
    """Return how many parts of a line with talk in it are tried as a move."""
    return len(seen(embedded.moves_of, lambda: embedded.moves_among_talk(line)))


def test_of_a_line_no_part_with_a_word_of_talk_is_tried_as_a_move():
    talk = [" ".join(["lovely weather"] * n) for n in (1, 2, 5)]
    assert [tries(f"{words} taxi 46 {words}") for words in talk] == [1, 1, 1]
    assert [tries(f"{words} taxi 46 is what they told me") for words in talk] == [2, 2, 2]


def test_a_line_of_words_of_moves_is_tried_in_parts_up_to_its_longest_and_no_further():
    assert 0 < tries(" ".join(["taxi 46", *["hello"] * 23])) <= 300
    assert tries(" ".join(["taxi 46", *["hello"] * 24])) == 0


def test_whether_a_line_only_looks_is_asked_where_it_has_a_move():
    mail = ["Hello Ada,", "the weather is lovely, no rain for 46 days", "", "taxi 46, lovely weather", "See you, Ben"]
    assert set(seen(grammar.only_looks, lambda: parse(mail))) == {"taxi 46, lovely weather"}
