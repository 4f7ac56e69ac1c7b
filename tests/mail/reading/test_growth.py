"""Reading takes steps that grow with the length of a mail and no faster, whatever stands in it."""

import ast
import importlib
import inspect
import re
import sys
from collections.abc import Collection, Iterator
from functools import cache
from math import inf
from types import ModuleType
from typing import Any

import pytest

from server.language.grammar import parse
from server.language.matching import suggest
from server.mail.examination.examine import examine
from server.mail.reading.quoting import MARKER
from server.mail.trust.mail import Handover
from tests.mail.reading.fuzzing import DNS, LEGAL, NOW
from tests.mail.reading.patterns import Bait, baits
from tests.mail.reading.shapes import ADDRESS, AUTHOR, SHAPES
from tests.mail.reading.steps import Matcher, TooManySteps, spans
from tests.profiles import IS_CAMPAIGN

pytestmark = pytest.mark.long
MODULES = (
    "mail.reading.message", "mail.reading.headers", "mail.reading.mime", "mail.reading.html", "mail.reading.charsets",
    "mail.reading.quoting", "language.lexicon", "mail.reading.automatic", "language.normalise", "mail.reading.bounces",
    "mail.trust.bounce_reports",
    "mail.trust.alignment", "mail.trust.authentication", "mail.trust.dkim", "mail.trust.mail",
    "language.grammar", "language.embedded", "language.forms", "language.matching", "language.moves", "language.dates",
    "language.introductions", "language.other_numbers", "language.phrases", "language.prose", "language.spans",
    "language.talk", "language.answers", "mail.examination.examine",
)  # fmt: skip
LONG = ("language.prose",)  # with many long expressions, which only a campaign tries
# Functions that compile: for a module that names its tables, or of the words of the files when they are first needed.
COMPILES = ("_matching", "pattern", "_pattern", "_absent", "_last_letters", "alternatives", "_as_pattern")
# Characters that an expression is tried on first, then twice and four times as many. No repeat of ours ends above 200.
SIZE, SIZE_OF_CAMPAIGN = 210, 2_000
DOUBLED = 2.1  # times as many steps for twice as much, at most
MOST_STEPS = 750  # for each character; none of ours takes two thirds of them
EIGHTFOLD = 12  # times the steps for a mail eight times as long, at most; growing with the square it would be 64
FEWEST = 8  # times that the unit of a bait is repeated, at least


# Patterns -------------------------------------------------------------------------------------------


def module(name: str) -> ModuleType:
    return importlib.import_module(f"server.{name}")


def patterns(name: str) -> Iterator[tuple[str, re.Pattern[Any]]]:
    """Return the expressions that a module has, in tables and behind functions too."""
    for place, value in vars(module(name)).items():
        for pattern in _within(value, 6):
            yield place, pattern


def _within(value: Any, depth: int) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif depth:
        for part in _parts(value):
            yield from _within(part, depth - 1)


def _parts(value: Any) -> Any:
    if isinstance(value, tuple | list | frozenset):
        return value
    if isinstance(value, dict):
        return value.values()
    if inspect.isfunction(value):
        return [cell.cell_contents for cell in value.__closure__ or ()]
    if hasattr(value, "__dataclass_fields__") and not isinstance(value, type):
        return [getattr(value, name) for name in value.__dataclass_fields__]
    return ()


def uses(name: str, place: str) -> set[str]:
    """Return how a module uses the expression of that name; every way where that is not told in it."""
    named = {attribute for value, attribute in attributes(name) if value == place} - {"pattern"}
    # In all other ways the expression is looked for at each place, as by `search`.
    return {way if way in ("match", "fullmatch") else "search" for way in named} or {"search", "match", "fullmatch"}


@cache
def attributes(name: str) -> list[tuple[str, str]]:
    """Return each attribute that a module asks for, behind what it is asked of."""
    found = (node for node in ast.walk(ast.parse(inspect.getsource(module(name)))) if isinstance(node, ast.Attribute))
    return [(ast.unparse(node.value), node.attr) for node in found]


@pytest.mark.parametrize("size", [SIZE, pytest.param(SIZE_OF_CAMPAIGN, marks=pytest.mark.campaign)])
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.campaign] if name in LONG else []) for name in MODULES]
)
def test_no_expression_takes_more_steps_than_its_text_is_long(name: str, size: int):
    ways = {(pattern, way): place for place, pattern in patterns(name) for way in uses(name, place)}
    # `search` begins with the steps of `match`.
    tried = [(pattern, way) for pattern, way in ways if way != "match" or (pattern, "search") not in ways]
    assert not [(ways[it], it[1], bait) for it in tried if (bait := slow_on(*it, size))]


@cache
def slow_on(pattern: re.Pattern[Any], way: str, size: int) -> Bait | None:
    """Return a bait on which the steps grow faster than the text, if there is one.

    The steps for twice as much text are at most twice as many, or else those that the next doubling adds are at most
    twice those that this one added: a repeat of at most 200 takes longer and longer up to 200 characters.
    """
    matcher = Matcher(pattern)
    for bait in baits(pattern):
        times = max((size - len(bait.before)) // len(bait.unit), 1)
        # Most show on a short text that they do not grow; a campaign takes the long one of each.
        few = times if IS_CAMPAIGN else min(times, max(size // 4 // len(bait.unit), FEWEST))
        if grows(pattern, matcher, way, bait, few) and (few == times or grows(pattern, matcher, way, bait, times)):
            return bait
    return None


def grows(pattern: re.Pattern[Any], matcher: Matcher, way: str, bait: Bait, times: int) -> bool:
    once = steps_of(pattern, matcher, way, bait(times))
    twice = steps_of(pattern, matcher, way, bait(2 * times)) if once < inf else inf
    return twice == inf or (
        twice > DOUBLED * once and steps_of(pattern, matcher, way, bait(4 * times)) - twice > DOUBLED * (twice - once)
    )


def steps_of(pattern: re.Pattern[Any], matcher: Matcher, way: str, text: Any) -> float:
    """Return the steps that it takes to find what `re` finds; infinity for more than MOST_STEPS for each character."""
    try:
        found = getattr(matcher, way)(text, MOST_STEPS * len(text))
    except TooManySteps:
        return inf
    assert found.spans == spans(getattr(pattern, way)(text))
    return found.steps


def test_every_expression_of_the_reader_is_among_them():
    """None is written where it is used: nobody would find it there."""
    for name in MODULES:
        for function in ast.walk(ast.parse(inspect.getsource(module(name)))):
            if isinstance(function, ast.FunctionDef) and function.name not in COMPILES:
                calls = [node.func for node in ast.walk(function) if isinstance(node, ast.Call)]
                assert not [call for call in calls if ast.unparse(call).startswith("re.")], (name, function.name)
    assert {place for place, _ in patterns("language.grammar")} >= {"_PIN", "_REPLY_PREFIX"}
    assert {place for place, _ in patterns("language.forms")} >= {"COMMANDS"}


@pytest.mark.parametrize(
    ("way", "expression"),
    [
        ("search", r"a[a-z]*b"),
        ("search", r"(?:q|text-decoration[\w-]*\s*:[^;]*line)"),
        ("search", r"\s+$"),
        ("search", r"b\s*\s*c"),
        ("search", r"<[^>]*>"),
        ("search", r"(?:a|b)+c"),
        ("search", r"(?=a+b)a"),
        ("search", r"a+?b"),
        ("search", r"(a+)\1b"),
        ("search", r"a++b"),
        ("search", rb"(?i)x(?:\s|\w)*:"),
        ("match", r"\s*\s*x"),
        ("match", r".*,.*,x"),
        ("match", r"(?:a+)+b"),
        ("fullmatch", r"[a-z]*[a-z0-9]*"),
        ("fullmatch", r"(?:a|aa)+"),
        ("fullmatch", r"(?:\w+\s?)*:"),
    ],
)
def test_an_expression_that_takes_more_steps_is_found(way: str, expression: Any):
    assert slow_on(re.compile(expression), way, SIZE)


@pytest.mark.parametrize(
    ("way", "expression"),
    [
        ("search", r"a[a-z]{0,200}b"),
        ("search", r"(?:a|b){1,60}c"),
        ("match", r"(?:.*\])?\s*x"),
        ("match", r"[a-z]*\d"),
        ("fullmatch", r"(?:\w+\s)*"),
        ("fullmatch", r"[a-z]*+[a-z0-9]*"),
    ],
)
def test_an_expression_that_takes_no_more_steps_is_not_found(way: str, expression: str):
    assert not slow_on(re.compile(expression), way, SIZE)


# Whole mails ----------------------------------------------------------------------------------------


def all_of(raw: bytes) -> None:
    """Do what is done with the bytes of a mail before anybody decides about it."""
    sender = "" if b"Return-Path: <>" in raw[:500] else AUTHOR
    handover = Handover(sender, ADDRESS)
    ask = lambda domain: DNS.for_mail_from(domain, NOW, lambda: 0)  # noqa: E731
    reading = examine(raw, handover, ask, marker=MARKER, authserv_id="mx.play.example.org").reading
    parse(reading.lines, reading.subject)
    suggest(reading.lines, LEGAL)


# What was once slow, and a few of all others; a campaign takes all.
KNOWN = ("style of text-decoration", "style of text-decoration:", "short header lines", "header lines of one name")
FEW = sorted({*KNOWN, *list(SHAPES)[::180]})


def is_in_proportion(name: str) -> bool:
    """Return True if a long mail of a shape takes no more steps than it is longer than a short one."""
    short, long = (steps_in_python(SHAPES[name](size)) for size in (7_750, 62_000))
    return long < EIGHTFOLD * short


def steps_in_python(raw: bytes) -> int:
    """Return how many lines of Python are run for a mail; what its expressions do is counted above."""
    steps = 0

    def count(*_: Any) -> Any:
        nonlocal steps
        steps += 1
        return count

    all_of(raw)  # what is only made once is there now
    before = sys.gettrace()
    sys.settrace(count)
    try:
        all_of(raw)
    finally:
        sys.settrace(before)
    return steps


@pytest.mark.parametrize("shapes", [FEW, pytest.param(SHAPES, marks=pytest.mark.campaign)], ids=["few", "all"])
def test_a_mail_of_one_shape_takes_no_more_steps_than_it_is_long(shapes: Collection[str]):
    assert [name for name in shapes if not is_in_proportion(name)] == []
