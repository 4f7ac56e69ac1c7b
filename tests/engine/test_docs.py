"""Tests of the engine's pages: their examples run, their lists are complete, and the tests they name exist."""

import doctest
import re
from pathlib import Path

from server.engine import Edition

ROOT = Path(__file__).parents[2]
ENGINE = (ROOT / "docs/engine.md").read_text()
RULES = (ROOT / "docs/rules.md").read_text()


def test_the_examples_of_the_engine_page_run():
    results = doctest.testfile(str(ROOT / "docs/engine.md"), module_relative=False, encoding="utf-8")
    assert results.attempted > 20
    assert results.failed == 0


def test_the_engine_page_names_every_option():
    for option in Edition.named("condensed").options:
        assert f"`{option}`" in ENGINE


def test_the_engine_page_names_every_reason_code():
    source = (ROOT / "server/engine/refusals.py").read_text()
    codes = set(re.findall(r'"([a-z]+(?:-[a-z]+)+|stay|occupied)",\s', source))
    assert len(codes) > 15
    for code in codes:
        assert f"`{code}`" in ENGINE


def test_every_test_the_list_of_rules_names_exists():
    named = re.findall(r"`(test_\w+)::(test_\w+)`", RULES)
    assert len(named) > 60
    for file, test in named:
        source = (ROOT / f"tests/engine/{file}.py").read_text()
        assert re.search(rf"^def {test}\(", source, re.MULTILINE), f"{file}::{test}"


def test_every_line_of_the_list_of_rules_names_a_test():
    rules, _, _of_the_board = RULES.partition("## Where the shapes of the board come from")
    rows = [line for line in rules.splitlines() if line.startswith("| ") and "says" not in line]
    assert rows
    for row in rows:
        assert "::test_" in row, row
