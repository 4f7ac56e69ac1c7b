"""The documentation names what the code has: nothing is missing in it, and nothing in it is made up."""

import importlib.util
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import click
import pytest

from server.application.errors import CATALOGUE
from server.cli import main
from server.engine import Edition, Game
from server.mail.commands.table import _HANDLERS
from server.mail.language.grammar import COMMANDS, parse_line
from server.mail.language.moves import TICKETS
from server.settings import NOT_GIVEN, PREFIX, SECRETS, Settings
from tests.conftest import Table
from tests.test_layers import FLOORS

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("deploy/*")])
PATHS = [str(page.relative_to(ROOT)) for page in PAGES]


def page(path: str) -> str:
    return (ROOT / path).read_text()


def rows(path: str, first: str) -> list[list[str]]:
    """The cells of the table of `path` whose first heading is `first`."""
    lines = iter(page(path).splitlines())
    next(line for line in lines if line.startswith(f"| {first} |"))
    next(lines)
    table = []
    for line in lines:
        if not line.startswith("|"):
            break
        table.append([cell.strip() for cell in line.strip("| ").split(" | ")])
    return table


def codes(path: str, first: str) -> list[str]:
    """The first column of a table, without its backticks."""
    return [row[0].strip("`") for row in rows(path, first)]


# Settings


def test_every_setting_is_documented_and_no_other() -> None:
    names = [field.name.upper() for field in fields(Settings)]
    assert codes("docs/settings.md", "setting") == [name for name in names if name not in NOT_GIVEN]


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


# Commands


def usages(command: click.Command, words: str) -> Iterator[str]:
    """`player add NAME EMAIL` of every command, with the options that it cannot do without."""
    if isinstance(command, click.Group):
        for name, inner in command.commands.items():
            yield from usages(inner, f"{words} {name}")
        return
    given = [p.make_metavar(click.Context(command)) for p in command.params if isinstance(p, click.Argument)]
    needed = [p for p in command.params if isinstance(p, click.Option) and p.required]
    yield " ".join([words, *given, *(f"{option.opts[0]} TEXT" for option in needed)])


def test_every_command_is_documented_and_no_other() -> None:
    assert sorted(codes("docs/commands.md", "command")) == sorted(usages(main, "blackticket"))


@pytest.mark.parametrize("path", PATHS)
def test_commands_and_options_that_a_page_shows_are_there(path: str) -> None:
    code = re.findall(r"```.*?```|`[^`\n]+`|^Exec.*$", page(path), re.DOTALL | re.MULTILINE)
    for shown in re.findall(r"(?:^|[`/\s(])blackticket ([a-z][^`\n|);]*)", "\n".join(code)):
        # What stands in place of something else, such as "$TOKEN" or "...", is not for the parser.
        words = shlex.split(shown.partition("  ")[0].partition(" #")[0])
        command: click.Command = main
        while isinstance(command, click.Group) and words:
            assert words[0] in command.commands, f"{path}: blackticket {shown}"
            command = command.commands[words.pop(0)]
        known = {option for parameter in command.params for option in parameter.opts} | {"--help"}
        assert {word for word in words if word.startswith("--")} <= known, f"{path}: blackticket {shown}"


@pytest.mark.parametrize("path", PATHS)
def test_targets_of_make_that_a_page_shows_are_there(path: str) -> None:
    targets = set(re.findall(r"^([a-z]+):", page("Makefile"), re.MULTILINE))
    assert set(re.findall(r"[`\n]make ([a-z]+)", page(path))) <= targets


# REST


PLACEHOLDER = re.compile("<(?:[a-z]+:)?([a-z_]+)>")


def endpoints(table: Table) -> set[str]:
    found = set()
    for rule in table.app.url_map.iter_rules():
        path = PLACEHOLDER.sub(r"{\1}", rule.rule)
        found |= {f"{method} {path}" for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}}
    return found


def test_every_endpoint_is_documented_and_no_other(table: Table) -> None:
    assert set(codes("docs/api.md", "endpoint")) == endpoints(table)


def test_every_problem_type_is_documented_with_its_status_and_title_and_no_other() -> None:
    told = [(row[0].strip("`"), int(row[1]), row[2]) for row in rows("docs/api.md", "type")]
    assert told == [(code, entry.status, entry.title) for code, entry in CATALOGUE.items()]


def test_every_edition_is_documented_and_no_other() -> None:
    assert codes("docs/api.md", "edition") == list(Edition.names())


# Mail


def test_every_mail_command_is_documented_as_the_grammar_has_it_and_no_other() -> None:
    obeyed = {"move", *_HANDLERS}
    expected = [[f"`{form.syntax}`", form.help, "yes" if form.name in obeyed else "not yet"] for form in COMMANDS]
    assert rows("docs/mail.md", "send") == expected, "\n".join(f"| {' | '.join(row)} |" for row in expected)


def test_every_kind_of_mail_is_documented_and_no_other() -> None:
    kinds = {folder.name for folder in (ROOT / "templates" / "mail").iterdir() if folder.is_dir()}
    assert set(codes("docs/mail.md", "mail")) == kinds


def test_every_way_to_write_a_move_that_the_page_shows_is_read_as_one() -> None:
    section = re.split("^## ", page("docs/mail.md"), flags=re.MULTILINE)[2]
    shown = [form for line in section.splitlines() if " · " in line for form in re.findall("`([^`]+)`", line)]
    assert len(shown) == 9
    for form in shown:
        command = parse_line(form)
        assert command is not None, form
        assert command.move is not None, form
        assert command.move.legs[0][1] == 46, form


@pytest.mark.parametrize("word", TICKETS)
def test_every_word_for_a_ticket_is_on_the_page(word: str) -> None:
    assert f"`{word}`" in page("docs/mail.md")


# Architecture


def test_the_picture_of_the_rooms_is_that_of_the_table_of_layers() -> None:
    picture = re.findall(
        r"^([\w. ]+)\|", page("docs/architecture.md").partition("```text\n")[2].partition("```")[0], re.M
    )
    shown = [room for line in picture for room in line.split()]
    assert shown == [room for line in reversed(FLOORS.strip().splitlines()) for room in line.split()]


# The systemd unit


def test_systemd_takes_the_unit(tmp_path: Path) -> None:
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("systemd-analyze not installed: apt-get install systemd")
    unit = tmp_path / "blackticket.service"
    program = str(Path(sys.executable).with_name("blackticket"))
    unit.write_text(page("deploy/blackticket.service").replace("/opt/blackticket/.venv/bin/blackticket", program))
    told = subprocess.run([analyze, "verify", str(unit)], capture_output=True, text=True, check=False, timeout=60)
    assert (told.returncode, told.stderr) == (0, "")


# Pictures and links


def test_the_picture_is_what_its_script_draws_from_its_game() -> None:
    folder = ROOT / "docs" / "images"
    spec = importlib.util.spec_from_file_location("draw", folder / "draw.py")
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    assert (folder / "board.svg").read_text() == script.draw(Game.replay((folder / "game.txt").read_text()))


@pytest.mark.parametrize("path", [path for path in PATHS if path.endswith(".md")])
def test_what_a_page_links_to_is_there(path: str) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", page(path)):
        if not target.startswith(("http:", "https:")):
            assert ((ROOT / path).parent / target).exists(), f"{path}: {target}"


# The tables of commands and kinds of mail are compared with the code's own words.
HARD_WORDS = re.compile(r"\b(whoever|besides|anew|by itself|by himself|the house|custody)\b", re.IGNORECASE)


@pytest.mark.parametrize("path", [path for path in PATHS if path.endswith(".md") and path != "CHANGELOG.md"])
def test_a_page_is_in_plain_words(path: str) -> None:
    said = [line for line in page(path).splitlines() if not line.startswith("| `")]
    assert not [line for line in said if HARD_WORDS.search(line)]


@pytest.mark.parametrize("path", [path for path in PATHS if path.endswith(".md") and path != "CHANGELOG.md"])
def test_every_file_of_the_repository_that_a_page_names_is_there(path: str) -> None:
    for named in re.findall(r"`((?:server|tests|templates|examples|deploy|docs)/[\w/.-]*)`", page(path)):
        assert (ROOT / named).exists(), f"{path}: {named}"


@pytest.mark.parametrize("path", [path for path in PATHS if re.fullmatch(r"docs/[a-z-]+\.md", path)])
def test_a_page_says_first_whom_it_is_for(path: str) -> None:
    title, empty, first, *_ = page(path).splitlines()
    assert title.startswith("# ")
    assert not empty
    assert first.startswith("For "), first


@pytest.mark.parametrize("path", [path for path in PATHS if "/decisions/" in path])
def test_a_decision_is_a_page_at_most_and_begins_with_its_number_and_title(path: str) -> None:
    text = page(path)
    number, title = re.match(r"# (\d{4}) (.+)", text).groups()  # type: ignore[union-attr]
    assert Path(path).name.startswith(f"{number}-")
    assert title
    assert len(text.splitlines()) <= 60


# What belongs to one machine or one network


def files() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if listed.returncode:
        pytest.skip("not a checkout of the repository: use git clone, not an archive")
    return [path for name in listed.stdout.split("\0") if name and (path := ROOT / name).is_file()]


REGISTRY = re.compile(
    r"pypi\.|pythonhosted\.|npmjs\.|//[\w.-]*(?:artifactory|nexus)|/simpl[e]/|--(?:extra-)?index-url[ =]"
)
MACHINE = re.compile(r"(?<![\w.}~-])/(?:work|root|home|Users|tmp)/[\w.]|[A-Z]:\\\\?Users")


@pytest.mark.parametrize("pattern", [REGISTRY, MACHINE], ids=["registry", "machine"])
def test_no_file_holds_the_address_of_a_package_registry_or_a_path_of_one_machine(pattern: re.Pattern[str]) -> None:
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()[:80]}"
        for path in files()
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1)
        if pattern.search(line)
    ]
    assert found == []


@pytest.mark.parametrize(
    ("pattern", "line"),
    [
        (REGISTRY, "--index-" + "url https://packages.example.org/x"),
        (REGISTRY, "https://files.python" + "hosted.org/packages/a.whl"),
        (MACHINE, "open('/wor" + "k/main/x')"),
        (MACHINE, "/hom" + "e/ada/blackticket"),
    ],
)
def test_such_an_address_or_path_would_be_found(pattern: re.Pattern[str], line: str) -> None:
    assert pattern.search(line)
