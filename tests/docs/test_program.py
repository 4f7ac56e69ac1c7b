"""Tests that the pages show the program as it is: its commands, its endpoints and its systemd unit."""

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from server.cli import main
from tests.docs.pages import PATHS, ROOT, codes, page
from tests.table import Table

# Commands


def usages(command: click.Command, words: str) -> Iterator[str]:
    """Yield the usage of every command, such as `player add NAME EMAIL`, with its required options."""
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
        # A placeholder such as "$TOKEN" or "..." is not for the parser.
        words = shlex.split(shown.partition("  ")[0].partition(" #")[0])
        command: click.Command = main
        while isinstance(command, click.Group) and words:
            assert words[0] in command.commands, f"{path}: blackticket {shown}"
            command = command.commands[words.pop(0)]
        known = {option for parameter in command.params for option in parameter.opts} | {"--help"}
        assert {word for word in words if word.startswith("--")} <= known, f"{path}: blackticket {shown}"


# REST


PLACEHOLDER = re.compile("<(?:[a-z]+:)?([a-z_]+)>")


def endpoints(table: Table) -> set[str]:
    found = set()
    for rule in table.app.url_map.iter_rules():
        if rule.endpoint.startswith("pages."):  # for people: docs/browser.md
            continue
        path = PLACEHOLDER.sub(r"{\1}", rule.rule)
        found |= {f"{method} {path}" for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}}
    return found


def test_every_endpoint_is_documented_and_no_other(table: Table) -> None:
    assert set(codes("docs/endpoints.md", "endpoint")) == endpoints(table)


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


# Paths and addresses of one machine or network


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
