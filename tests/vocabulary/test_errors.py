"""An error has the same words wherever it comes from."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from server.vocabulary.errors import Problem

SERVER = Path(__file__).parents[2] / "server"


@cache
def raised() -> tuple[tuple[str, ast.Call], ...]:
    """Return each place where a `Problem` or a `ClockError` is made, with the call."""
    named = ("Problem(", "ClockError(")
    return tuple(
        (f"{path.name}:{node.lineno}", node)
        for path in SERVER.rglob("*.py")
        if any(name in path.read_text() for name in named)  # parsing all files takes long
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and f"{ast.unparse(node.func)}(" in named
    )


def _texts(call: ast.Call) -> Iterator[str]:
    """Yield the texts that a call is given, as they are written in the code."""
    yield from (ast.unparse(text) for text in call.args if isinstance(text, ast.JoinedStr | ast.Constant))


def test_whatever_was_asked_too_often_says_when_it_may_be_asked_again():
    often = [(place, {word.arg for word in call.keywords}) for place, call in raised() if "'too-many'" in _texts(call)]
    assert len(often) > 3
    assert [place for place, facts in often if "retry_after" not in facts] == []


def test_the_field_that_an_error_is_about_stands_beside_its_sentence():
    """An edge that tells people would have to cut it out of the sentence."""
    sentences = [(place, text) for place, call in raised() for text in _texts(call)]
    assert len(sentences) > 200
    assert [(place, text) for place, text in sentences if re.match(r"f?[\"'][\w.]+: ", text)] == []


def test_programs_are_told_the_field_and_people_what_to_do():
    problem = Problem("form", "choose mail or page.", field="station")
    assert (problem.field, problem.sentence, problem.in_words) == (
        "station", "station: choose mail or page.", "Choose mail or page.",
    )  # fmt: skip
