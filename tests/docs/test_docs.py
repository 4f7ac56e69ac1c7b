"""Tests that the pages list everything the code has, and nothing else, and that they read well."""

import importlib.util
import re
from pathlib import Path

import pytest

from server.engine import Edition, Game
from server.language.forms import COMMANDS
from server.language.grammar import parse_line
from server.language.lexicon import folded
from server.language.moves import TICKETS
from server.mail.commands.handlers import HANDLERS
from server.settings import PREFIX, READERS, SECRETS, Settings
from server.vocabulary.errors import CATALOGUE
from tests.docs.pages import PATHS, ROOT, codes, page, rows
from tests.test_layers import LAYERS

# Settings


def test_every_setting_is_documented_and_no_other() -> None:
    assert codes("docs/settings.md", "setting") == [*READERS]


def test_every_setting_that_may_be_kept_in_a_file_is_named() -> None:
    assert set(re.findall(r"`([A-Z_]+)_FILE`", page("docs/settings.md"))) == set(SECRETS)


def test_the_defaults_in_the_settings_table_are_those_of_the_code(tmp_path: Path) -> None:
    told = {row[0].strip("`"): row[1].strip("`") for row in rows("docs/settings.md", "setting")}
    written = {
        "HTTP_LISTEN": "http_listen", "MAIL_LISTEN": "mail_listen", "MAIL_DOMAIN": "mail_domain",
        "TICK_SECONDS": "tick_seconds", "MIN_TURN": "min_turn", "SANDBOX": "sandbox", "DEV_MAIL": "dev_mail",
        "PLAY_ADDRESS": "play_address", "REPLY_ADDRESS": "reply_address", "RATE_LIMIT": "rate_limit",
    }  # fmt: skip
    defaults = Settings.from_environ({}, tmp_path)
    given = Settings.from_environ({PREFIX + name: told[name] for name in written}, tmp_path)
    assert {n: getattr(given, a) for n, a in written.items()} == {n: getattr(defaults, a) for n, a in written.items()}


def test_targets_of_make_that_a_page_shows_are_there() -> None:
    targets = set(re.findall(r"^([a-z]+):", page("Makefile"), re.MULTILINE))
    shown = [(path, target) for path in PATHS for target in re.findall(r"[`\n]make ([a-z]+)", page(path))]
    assert [(path, target) for path, target in shown if target not in targets] == []


# REST


def test_every_problem_type_is_documented_with_its_status_and_title_and_no_other() -> None:
    told = [(row[0].strip("`"), int(row[1]), row[2]) for row in rows("docs/endpoints.md", "type")]
    assert told == [(code, entry.status, entry.title) for code, entry in CATALOGUE.items()]


def test_every_edition_is_documented_and_no_other() -> None:
    assert codes("docs/api.md", "edition") == list(Edition.names())


# Mail


def test_every_mail_command_is_documented_as_the_grammar_has_it_and_no_other() -> None:
    assert {form.name for form in COMMANDS} <= {"move", *HANDLERS}
    expected = [[f"`{form.syntax}`", form.help] for form in COMMANDS]
    assert rows("docs/mail.md", "send") == expected, "\n".join(f"| {' | '.join(row)} |" for row in expected)


def test_every_kind_of_mail_is_documented_and_no_other() -> None:
    kinds = {folder.name for folder in (ROOT / "templates" / "mail").iterdir() if folder.is_dir()}
    assert set(codes("docs/mail-reference.md", "mail")) == kinds


@pytest.mark.parametrize("path", [path for path in PATHS if re.fullmatch(r"docs/(../)?mail\.md", path)])
def test_every_way_to_write_a_move_that_the_page_shows_is_read_as_one(path: str) -> None:
    section = re.split("^## ", page(path), flags=re.MULTILINE)[2]
    shown = [form for line in section.splitlines() if " · " in line for form in re.findall("`([^`]+)`", line)]
    assert len(shown) == 9
    for form in shown:
        command = parse_line(form)
        assert command is not None, form
        assert command.move is not None, form
        assert command.move.legs[0][1] == 46, form


def test_every_word_for_a_ticket_is_on_the_page() -> None:
    text = folded(page("docs/mail-reference.md"))
    assert [word for word in TICKETS if f"`{word}`" not in text] == []


# Architecture


def test_the_layers_on_the_page_are_those_of_the_table() -> None:
    table = page("docs/architecture.md").partition("## The layers")[2].partition("```text\n")[2].partition("```")[0]
    shown = [layer for line in re.findall(r"^([\w. ]+)\|", table, re.M) for layer in line.split()]
    assert shown == [layer for line in reversed(LAYERS.strip().splitlines()) for layer in line.split()]


def test_the_architecture_fits_on_two_pages_and_begins_with_a_picture() -> None:
    lines = page("docs/architecture.md").splitlines()
    assert len(lines) <= 125
    assert "```text" in lines[:8]


def test_each_room_of_the_picture_is_a_layer() -> None:
    picture = page("docs/architecture.md").partition("```text\n")[2].partition("```")[0]
    rooms = {"http", "api", "web", "mail", "worker", "application", "house_rules", "engine", "models"}
    assert rooms <= set(re.findall(r"\w+", picture))
    assert rooms <= set(LAYERS.split())


# Pictures and links


def test_the_picture_in_each_language_is_what_its_script_draws_from_its_game() -> None:
    folder = ROOT / "docs" / "images"
    spec = importlib.util.spec_from_file_location("draw", folder / "draw.py")
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    game = Game.replay((folder / "game.txt").read_text())
    assert {path.name for path in script.PATHS.values()} == {path.name for path in folder.glob("*.svg")}
    for language, path in script.PATHS.items():
        assert path.read_text() == script.draw(game, language)


PAGES = [path for path in PATHS if path.endswith(".md")]
GUIDES = [path for path in PATHS if re.fullmatch(r"docs/[a-z-]+\.md", path)]


def test_what_a_page_links_to_is_there() -> None:
    links = [(path, target) for path in PAGES for target in re.findall(r"\]\(([^)#]+)\)", page(path))]
    own = [(path, target) for path, target in links if not target.startswith(("http:", "https:"))]
    assert [(path, target) for path, target in own if not ((ROOT / path).parent / target).exists()] == []


def test_the_readme_leads_to_every_page() -> None:
    assert [path for path in GUIDES if f"]({path})" not in page("README.md").partition("\n## All pages\n")[2]] == []


# The tables of commands and kinds of mail are compared with the code's own words.
HARD_WORDS = re.compile(r"\b(whoever|besides|anew|by itself|by himself|the house|custody)\b", re.IGNORECASE)


OF_TODAY = [path for path in PAGES if path != "CHANGELOG.md"]


def test_a_page_is_in_plain_words() -> None:
    said = [(path, line) for path in OF_TODAY for line in page(path).splitlines() if not line.startswith("| `")]
    assert [(path, line) for path, line in said if HARD_WORDS.search(line)] == []


def test_every_file_of_the_repository_that_a_page_names_is_there() -> None:
    names = re.compile(r"`((?:server|tests|templates|examples|deploy|docs)/[\w/.-]*)`")
    named = [(path, name) for path in OF_TODAY for name in names.findall(page(path))]
    assert [(path, name) for path, name in named if not (ROOT / name).exists()] == []


@pytest.mark.parametrize("path", GUIDES)
def test_a_page_says_first_whom_it_is_for(path: str) -> None:
    title, empty, first, *_ = page(path).splitlines()
    assert title.startswith("# ")
    assert not empty
    assert first.startswith("For "), first


@pytest.mark.parametrize("path", [path for path in PATHS if "/decisions/" in path])
def test_a_decision_is_half_a_page_and_begins_with_its_number_and_title(path: str) -> None:
    text = page(path)
    number, title = re.match(r"# (\d{4}) (.+)", text).groups()  # type: ignore[union-attr]
    assert Path(path).name.startswith(f"{number}-")
    assert title
    assert len(text.split()) <= 300
