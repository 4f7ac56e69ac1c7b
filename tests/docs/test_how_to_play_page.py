"""The page of the rules for players says the same as the mail that answers RULES, in every language that it is in."""

import re
from collections.abc import Iterator

import pytest

from server.engine import USUAL, Edition
from server.vocabulary.translation import ENGLISH, current, gettext, speaking
from server.wording.glossary import GLOSSARY
from server.wording.rules import Rule, differences, edition_title, rules
from tests.docs.pages import PATHS, page

BASE = Edition.named(USUAL)
OPTIONS = {"voluntary_surfacing": True, "cut_off": True, "deduction": False, "team_talk": "open"}
PAGES = {path.split("/")[1]: path for path in PATHS if re.fullmatch("docs/../how-to-play.md", path)}
PAGES[ENGLISH] = "docs/how-to-play.md"


@pytest.fixture(autouse=True, params=PAGES)
def _language(request: pytest.FixtureRequest) -> Iterator[None]:
    with speaking(request.param):
        yield


def tables() -> list[tuple[str, list[list[str]]]]:
    """Return the heading of each chapter with a table, and its rows."""
    chapters = [chapter.splitlines() for chapter in re.split("^## ", page(PAGES[current()]), flags=re.M)]
    told = [(heading, [line for line in lines if line.startswith("| ")][1:]) for heading, *lines in chapters]
    return [(heading, [row.strip("| ").split(" | ") for row in rows]) for heading, rows in told if rows]


def table(heading: str) -> list[list[str]]:
    """Return the rows of the chapter whose heading ends so."""
    (found,) = [rows for said, rows in tables() if said.endswith(heading)]
    return found


def as_rows(told: list[Rule]) -> list[list[str]]:
    return [[rule.title, rule.text] for rule in told]


def test_the_usual_game_is_told_in_full():
    assert table(f": {edition_title(USUAL)}") == as_rows(rules(BASE))


@pytest.mark.parametrize("name", [name for name in Edition.names() if name != USUAL])
def test_of_every_other_edition_the_page_tells_what_differs(name: str):
    assert table(edition_title(name)) == as_rows(differences(Edition.named(name), BASE))


def test_the_options_that_no_edition_has_are_told():
    told = [rule for name, value in OPTIONS.items() for rule in differences(BASE.with_options(**{name: value}), BASE)]
    assert tables()[-2][1] == as_rows(told)


def test_the_page_has_the_glossary():
    assert tables()[-1][1] == [[gettext(word), gettext(meaning)] for word, meaning in GLOSSARY]
