"""The page of the rules for players says the same as the mail that answers RULES."""

import re

import pytest

from server.engine import USUAL, Edition
from server.wording.glossary import GLOSSARY
from server.wording.rules import Rule, differences, edition_title, rules
from tests.docs.pages import page

BASE = Edition.named(USUAL)
OPTIONS = {"voluntary_surfacing": True, "cut_off": True, "deduction": False, "team_talk": "open"}


def table(heading: str) -> list[list[str]]:
    (chapter,) = [
        part for part in re.split("^## ", page("docs/how-to-play.md"), flags=re.M) if part.startswith(heading)
    ]
    return [line.strip("| ").split(" | ") for line in chapter.splitlines() if line.startswith("| ")][1:]


def as_rows(told: list[Rule]) -> list[list[str]]:
    return [[rule.title, rule.text] for rule in told]


def test_the_usual_game_is_told_in_full():
    assert table(f"The usual game: {edition_title(USUAL)}") == as_rows(rules(BASE))


@pytest.mark.parametrize("name", [name for name in Edition.names() if name != USUAL])
def test_of_every_other_edition_the_page_tells_what_differs(name: str):
    assert table(edition_title(name)) == as_rows(differences(Edition.named(name), BASE))


def test_the_options_that_no_edition_has_are_told():
    told = [rule for name, value in OPTIONS.items() for rule in differences(BASE.with_options(**{name: value}), BASE)]
    assert table("Options that a host can set") == as_rows(told)


def test_the_page_has_the_glossary():
    assert table("Glossary") == [list(entry) for entry in GLOSSARY]
