"""The page about the house is true: its example runs, and it names every player."""

import doctest
from pathlib import Path

import pytest

from server import bots

PAGE = Path(__file__).parents[2] / "docs/built-in-bots.md"


def test_the_example_of_the_page_runs():
    results = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert results.attempted > 5
    assert results.failed == 0


@pytest.mark.parametrize("name", bots.PLAYERS)
def test_the_page_names_every_player(name):
    assert f"**{name}**" in PAGE.read_text()
