"""Answers as people write them, in six languages and seven small files: what each says to what was asked."""

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from server.language import lexicon
from server.language.answers import answer_in, read_answer

TABLE = tomllib.loads((Path(__file__).parent / "data/answers.toml").read_text("utf-8"))
NAMES = {"yes": "yes", "no": "no", "neither": None}
# Questions to which some words are an answer that say nothing to others.
TOPICS = {name: {"play_on": "no"} for name in ("pause", "more_time", "draw", "resign")} | {"wait": {"waiting": "yes"}}
TO_BOTH = (
    "Yes, both of them please", "yes both", "Ja, beide bitte", "Oui, les deux", "sí, los dos",
    "Ja, allebei graag", "yes, both of them",
)  # fmt: skip


def written(group: dict[str, str]) -> Iterator[tuple[list[str], str | None]]:
    """The lines of each mail of a group, and what it says."""
    for name, text in group.items():
        yield from (([part.strip() for part in line.split(" / ")], NAMES[name]) for line in text.split("\n") if line)


@pytest.mark.parametrize("kind", ["any", *(name for name in TABLE if name != "any")])
@pytest.mark.parametrize("language", TABLE["any"])
def test_answers_to_each_kind_of_question_are_read_as_they_are_meant(kind: str, language: str):
    """To any question the same words say the same; those of a kind are tried once, with English."""
    of_kind = TABLE[kind] if kind != "any" and language == "en" else {}
    is_plain = kind == "resign"
    for lines, said in [*written(of_kind), *(() if is_plain else written(TABLE["any"][language]))]:
        assert read_answer(lines, topic=TOPICS.get(kind), is_plain=is_plain) == said, lines


@pytest.mark.parametrize("language", TABLE["any"])
def test_what_cannot_be_undone_takes_a_plain_yes_and_any_no_is_a_no(language: str):
    for lines, said in written(TABLE["any"][language]):
        read = read_answer(lines, is_plain=True)
        assert read == said or (read is None and said == "yes") or (read == "no" and said is None), lines
    assert read_answer(["Yes please", "", "Cheers,", "Ada"], is_plain=True) == "yes"
    assert [read_answer([words], is_plain=True) for words in ("👍", "ok", "sounds good", "Yes, if Ben does")] == [
        None
    ] * 4


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ne", None), ("Ne, děkuji", "no"), ("nai, ne", "yes"), ("no", "no"), ("No, dobrze", "yes"), ("No tak", "yes"),
        ("si", "yes"), ("si Ben veut", None), ("sí, si Ben quiere", None), ("Nej tak", "no"), ("nie", "no"),
        ("I'm in hospital until Friday", None), ("fine weather here", None), ("Ben says yes", None), ('"yes"', None),
        ("Thanks!", None), ("agreed?", None), ("Right, where were we", None), ("All the best, my friend", None),
        ("Yes, two days", None), ("Yes, make it two days", None), ("Yes! 👎", None), ("ok 🤔", None),
        ("No problem", "yes"),
    ],
)  # fmt: skip
def test_what_is_yes_in_one_language_and_no_in_another_or_said_by_the_way_settles_nothing(text: str, said: str | None):
    assert read_answer([text]) == said


@pytest.mark.parametrize("kind", ["agree", "refuse", "yes", "no"])
def test_every_entry_of_the_files_is_read_as_what_it_says(kind: str):
    said = {"agree": "yes", "yes": "yes", "refuse": "no", "no": "no"}[kind]
    entries = {entry for found in lexicon.by_language("answers", kind).values() for entry in found}
    assert {entry for entry in entries if read_answer([entry]) != said} <= {"ne"}  # it is yes in Greek


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Rather not, otherwise we never end", "no"),
        ("liever niet hoor, anders raak ik de draad kwijt", "no"),
        ("Rather not, unless Ben wants it", None),
        ("Not this time, but count me in", None),
        ("Not for me. Happy to, though", None),
        ("Me apunto!! Qué ganas!", "yes"),
        ("What a long pause!", None),
        ("Good grief no.", "no"),
        ("Ben says no", None),
        ("Ben sagt nein", None),
        ("Karl zegt nee", None),
        ("Sure! Haven't played this since school", "yes"),
        ("Sure. Not three days though", None),
        ("Ok. Not today", None),
        ("No. I don't mind", None),
        ("ok x me va benissimo cosi respiro", "yes"),
        ("Ich bin nicht dagegen", "yes"),
        ("not against it", "yes"),
        ("non sono contraria", "yes"),
    ],
)
def test_a_reason_or_a_story_behind_an_answer_does_not_turn_it(text: str, said: str | None):
    assert read_answer([text]) == said


def test_a_yes_to_two_things_is_none_to_one():
    one = {"both": "condition"}
    assert [text for text in TO_BOTH if read_answer([text]) != "yes" or read_answer([text], topic=one)] == []
    assert read_answer(["yes, all of them"]) == read_answer(["Yes, no problem at all"], topic=one) == "yes"


def test_a_line_is_a_command_only_with_a_plain_yes_or_no():
    assert [answer_in(line) for line in ("Yes please!", "Ja, danke", "no thanks", "NO.")] == ["yes", "yes", "no", "no"]
    assert [
        line for line in ("ok", "sure", "right", "exactly", "play it", "👍", "not this time") if answer_in(line)
    ] == []
