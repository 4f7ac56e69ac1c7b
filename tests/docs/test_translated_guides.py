"""A guide in another language says the same as the English one, and its links and examples are right."""

import re

import pytest

from server.language.forms import COMMANDS
from server.language.grammar import commands_of
from server.vocabulary.translation import ENGLISH, languages, speaking
from server.web import guides
from tests.docs.pages import PATHS, page, rows

TRANSLATED = [path for path in PATHS if re.fullmatch(r"docs/[a-z]{2}/[a-z-]+\.md", path)]
BEGINS = {"de": "Für "}
SENT = {"de": "schick"}  # the heading of the table of commands
ARGUMENTS = ("", "46", "taxi 46", "zone UTC", "2 Tage", "heute", "ben@example.org")


def english(path: str) -> str:
    return re.sub(r"docs/[a-z]{2}/", "docs/", path)


def shape(path: str) -> list[str]:
    """Return the ranks of headings, rows, items and code of a page in their order, but not its sentences."""
    parts: list[str] = []
    is_code = False
    for line in page(path).splitlines():
        is_fence = line.startswith("```")
        if is_code or is_fence:
            parts.append(re.sub(r" *# .*|^(?:NEW|NEU) |\b(?:with|mit) ", "", line))
        elif found := re.match(r"#+ |\* |\|(?=.*\| )", line):
            parts.append(found[0])
        is_code = is_code != is_fence
    return parts


def test_each_folder_is_of_a_language_of_the_pages() -> None:
    assert {path.split("/")[1] for path in TRANSLATED} <= languages().keys() - {ENGLISH}


@pytest.mark.parametrize("path", TRANSLATED)
def test_a_guide_has_the_headings_tables_items_and_code_of_the_english_one(path: str) -> None:
    assert shape(path) == shape(english(path))
    assert page(path).splitlines()[2].startswith(BEGINS[path.split("/")[1]])


@pytest.mark.parametrize("language", languages())
def test_every_link_of_a_guide_leads_to_an_anchor_in_every_language(language: str) -> None:
    with speaking(language):
        shown = {name: guides.guide(name).html for name in guides.names()}
    anchors = {name: set(re.findall(r' id="([^"]+)"', html)) for name, html in shown.items()}
    links = [(name, link) for name, html in shown.items() for link in re.findall(r'href="([^":/]+)"', html)]
    for name, link in links:
        target, _, anchor = link.partition("#")
        assert target == "reference" or not anchor or anchor in anchors[target or name], (name, link)


@pytest.mark.parametrize("language", SENT)
def test_the_table_of_commands_is_that_of_the_mail_that_answers_help(language: str) -> None:
    with speaking(language):
        expected = [[f"`{form.syntax}`", form.help] for form in COMMANDS]
    assert rows(f"docs/{language}/mail.md", SENT[language]) == expected


@pytest.mark.parametrize("path", [path for path in TRANSLATED if path.endswith(("/mail.md", "/how-to-play.md"))])
def test_every_move_and_command_that_a_guide_shows_is_read(path: str) -> None:
    shown = re.findall(r"(?<!\[)`((?:[A-ZÄÖÜ]{2,}|[a-zäöü]+ taxi \d|taxi \d|schwarz \d|\dx)[^`]*)`", page(path))
    assert len(shown) > 3
    for said in shown:
        assert any(commands_of(f"{said} {argument}".strip()) for argument in ARGUMENTS), said
