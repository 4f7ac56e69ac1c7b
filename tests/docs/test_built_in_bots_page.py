"""Tests of the page on the built-in bots: its example runs, and it names every bot."""

import doctest
from pathlib import Path

import pytest

from server import bots

PAGE = Path(__file__).parents[2] / "docs/built-in-bots.md"


def test_the_example_of_the_page_runs():
    results = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert results.attempted > 5
    assert results.failed == 0


@pytest.mark.parametrize("name", bots.BOTS)
def test_the_page_names_every_bot(name):
    assert f"**{name}**" in PAGE.read_text()
