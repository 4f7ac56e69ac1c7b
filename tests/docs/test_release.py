"""A release: its version is in pyproject.toml, what it changes in the changelog, and its database with the tests."""

import re
import tomllib
from datetime import date
from itertools import pairwise

from tests.docs.pages import ROOT, page

VERSION = tomllib.loads(page("pyproject.toml"))["project"]["version"]
HEADINGS = re.findall(r"^## (.*)$", page("CHANGELOG.md"), re.MULTILINE)
RELEASES = [heading for heading in HEADINGS if heading != "Unreleased"]


def numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def test_a_heading_of_the_changelog_is_a_version_with_its_day_and_the_newest_comes_first():
    assert "Unreleased" not in HEADINGS[1:]
    days = []
    for heading in RELEASES:
        version, day = re.fullmatch(r"(\d+\.\d+\.\d+) - (\d{4}-\d\d-\d\d)", heading).groups()  # type: ignore[union-attr]
        days.append((numbers(version), date.fromisoformat(day)))
    assert all(newer[0] > older[0] and newer[1] >= older[1] for newer, older in pairwise(days))


def test_the_version_is_that_of_the_newest_release_or_of_the_next():
    newest = RELEASES[0].split()[0] if RELEASES else "0.0.0"
    assert numbers(VERSION) >= numbers(newest)
    assert HEADINGS[0] == "Unreleased" or newest == VERSION


def test_no_module_says_which_version_it_is():
    modules = (path for folder in ("server", "blackticket") for path in (ROOT / folder).rglob("*.py"))
    assert [path.name for path in modules if f'"{VERSION}"' in path.read_text()] == []
