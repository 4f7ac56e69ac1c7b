"""Every file of a language goes through the same facts."""

import re
import tomllib

import pytest

from server.language import lexicon
from server.language.forms import COMMANDS

FOLDER = lexicon.FOLDER
WHOLE = ("en", "de", "fr", "es", "nl", "it")
FILES = {path.stem: tomllib.loads(path.read_text("utf-8")) for path in FOLDER.glob("*.toml") if path.stem != "programs"}
NAMED_IN_ENGLISH = ("wishes", "numbers", "commands", "commands_with", "behind_commands")
PLACEHOLDERS = {"station", "ticket", "pawn", "name", "number", "day", "span", "text"}


@pytest.mark.parametrize("language", FILES)
def test_a_file_has_tickets_yes_no_thanks_and_words_against(language: str):
    for path in (
        *(("tickets", ticket) for ticket in ("taxi", "bus", "underground", "black")),
        *(("answers", name) for name in ("yes", "no", "agree")),
        *(("talk", name) for name in ("greetings", "closings", "thanks")),
        *(("against", name) for name in ("back", "doubt", "condition", "choice")),
    ):
        assert lexicon.by_language(*path).get(language), path


@pytest.mark.parametrize("language", FILES)
def test_a_file_has_only_tables_that_the_english_one_explains(language: str):
    for section, names in FILES[language].items():
        assert section in FILES["en"], section
        if isinstance(names, dict) and section not in NAMED_IN_ENGLISH:
            assert names.keys() <= FILES["en"][section].keys(), section


@pytest.mark.parametrize("language", WHOLE)
def test_a_whole_language_has_every_table(language: str):
    assert FILES["en"].keys() == FILES[language].keys()
    assert FILES["en"]["counted"].keys() == FILES[language]["counted"].keys()


@pytest.mark.parametrize("language", FILES)
def test_words_are_no_patterns_but_for_the_placeholders(language: str):
    text = (FOLDER / f"{language}.toml").read_text("utf-8")
    values = "\n".join(line for line in text.splitlines() if not line.startswith(("#", "[")))
    assert not re.search(r"[\\()|*^$+]", values.replace("a+", ""))
    assert set(re.findall(r"\{(\w*)\}", values)) <= PLACEHOLDERS


@pytest.mark.parametrize("language", FILES)
def test_wishes_and_names_are_those_of_commands(language: str):
    keywords = {form.keyword for form in COMMANDS}
    for section in ("commands", "commands_with"):
        assert FILES[language].get(section, {}).keys() <= keywords
    assert {name.split(" ")[0].lower() for name in FILES[language].get("wishes", {})} <= keywords


def test_a_word_that_two_files_read_otherwise_is_neither():
    assert lexicon.table("tickets").keys().isdisjoint(lexicon.table("pawns"))
