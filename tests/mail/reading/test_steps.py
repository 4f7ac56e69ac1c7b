"""The matcher that counts its steps finds what `re` finds, in each way that an expression can be written."""

import re
import warnings
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.mail.reading.steps import Matcher, TooManySteps, spans

pytestmark = pytest.mark.long
WAYS = ("search", "match", "fullmatch")
LIMIT = 1_000_000
CHARACTERS = "abB \n_é1İſkK"
ATOMS = [
    *"abBkſé_", r"\n", ".", "[ab]", "[^a]", "[^ab\n]", "[a-cé]", r"\w", r"\W", r"\d", r"\s", "^", "$", r"\b", r"\B",
    r"\A", r"\Z", "",
]  # fmt: skip
REPEATS = ["*", "+", "?", "*?", "+?", "??", "{1,2}", "{2}", "{0,2}?", "{1,}?", "*+", "++", "?+", "{1,2}+"]
GROUPS = ["", "?:", "?=", "?!", "?>", "?<=", "?<!", "?i:", "?s:", "?m:", "?-i:", "?a:"]
FLAGS = [0, re.I, re.M, re.S, re.A, re.I | re.A, re.I | re.M | re.S]


def larger(smaller: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Return the expressions that are made of smaller ones."""
    return st.one_of(
        st.lists(smaller, min_size=1, max_size=3).map("".join),
        st.lists(smaller, min_size=2, max_size=3).map(lambda ways: f"(?:{'|'.join(ways)})"),
        st.builds(lambda body, repeat: f"(?:{body}){repeat}", smaller, st.sampled_from(REPEATS)),
        st.builds(lambda kind, body: f"({kind}{body})", st.sampled_from(GROUPS), smaller),
        smaller.map(lambda body: f"({body})\\1"),
        smaller.map(lambda body: f"({body})?(?(1)a|b)"),
    )


def compiled(expression: Any, flags: int) -> re.Pattern[Any] | None:
    """Return the expression as `re` compiles it, None if it is none."""
    with warnings.catch_warnings(action="ignore"):
        try:
            return re.compile(expression, flags)
        except (re.error, ValueError):
            return None


def assert_finds_the_same(pattern: re.Pattern[Any], text: Any) -> None:
    matcher = Matcher(pattern)
    for way in WAYS:
        assert getattr(matcher, way)(text, LIMIT).spans == spans(getattr(pattern, way)(text)), way


@settings(max_examples=500)
@given(
    st.recursive(st.sampled_from(ATOMS), larger, max_leaves=8),
    st.sampled_from(FLAGS),
    st.text(CHARACTERS, max_size=7),
    st.booleans(),
)
def test_it_finds_what_re_finds(expression: str, flags: int, text: str, is_bytes: bool):
    if is_bytes:
        pattern = compiled(expression.encode("latin-1", "replace"), flags)
        found: Any = text.encode("latin-1", "replace")
    else:
        pattern, found = compiled(expression, flags), text
    if pattern is not None:
        assert_finds_the_same(pattern, found)


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (r"(a|ab)(c|bcd)(d*)", "abcd"),
        (r"(?:(a)|b)*", "ab"),
        (r"(a*)*", "aab"),
        (r"(a*?)*?b", "aab"),
        (r"(?:a*+)a", "aaa"),
        (r"(?>ab|a)c", "ac"),
        (r"(?:ab?){2}+b", "abab"),
        (r"(?<=\s)x(?!y)", "x xy x"),
        (r"(?<!ab)c", "abc c"),
        (r"(?P<q>['\"]).*?(?P=q)", 'say \'a"b\' and "c"'),
        (r"(<)?\w+(?(1)>|$)", "<a b> <c>"),
        (r"(?m)^\w+$", "a b\ncd\n"),
        (r"(?x) a  \  b  # a blank", "xa b"),
        (r"(?i)straße|ſ", "STRAßE S"),
        (r"(?i:A)b", "ab aB"),
        (r"(?s).+\n.", "a\nb\nc"),
        (r"\bx\B", "x xx"),
        (rb"(?i)[^\W\d]+:", b"1 Ab\xe9:c: Ab:"),
        (r"$^", ""),
    ],
)
def test_it_finds_what_re_finds_with(expression: Any, text: Any):
    assert_finds_the_same(re.compile(expression), text)


@pytest.mark.parametrize(
    ("way", "expression", "text", "steps"),
    [
        ("match", "abc", "abd", 3),  # a, b, and c that is none
        ("match", "abc", "abc", 4),  # and the end
        ("match", "a*b", "aaac", 1 + 3 + 2 * 3 + 1),  # the repeat, what it takes, each given back, and b four times
        ("match", "a*+b", "aaac", 1 + 3 + 1),  # nothing is given back
        ("match", "a*?b", "aab", 1 + 3 + 2 + 1),  # the repeat, b three times, a twice, the end
        ("match", "ab|cd|ae", "ae", 1 + 3 + 2 + 2 + 1),  # a branch of three, two of which begin with a
        ("search", "ab", "aaab", 2 * 2 + 3),
    ],
)
def test_a_step_is_a_node_or_a_character_that_is_tried(way: str, expression: str, text: str, steps: int):
    assert getattr(Matcher(re.compile(expression)), way)(text, LIMIT).steps == steps


def test_it_stops_at_its_limit():
    matcher = Matcher(re.compile("(?:a+)+b"))
    with pytest.raises(TooManySteps):
        matcher.match("a" * 40, 10_000)
