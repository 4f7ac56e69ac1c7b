"""Reading takes time that grows with the length of a mail and no faster, whatever stands in it."""

import ast
import gc
import importlib
import inspect
import re
import time
from collections.abc import Callable, Iterator
from functools import partial
from statistics import median
from types import ModuleType
from typing import Any

import pytest

from server.mail.examination.examine import examine
from server.mail.language.grammar import parse
from server.mail.language.matching import suggest
from server.mail.reading.quoting import LONGEST_TEXT, MARKER
from server.mail.trust.mail import Handover
from tests.mail.reading.fuzzing import DNS, LEGAL, NOW
from tests.mail.reading.patterns import baits
from tests.mail.reading.shapes import ADDRESS, AUTHOR, SHAPES

pytestmark = pytest.mark.long
MODULES = (
    "reading.message", "reading.headers", "reading.mime", "reading.html", "reading.charsets", "reading.quoting",
    "reading.quoting_words", "reading.automatic", "reading.automatic_words", "reading.normalise", "trust.bounces",
    "trust.alignment", "trust.authentication", "trust.dkim", "trust.dmarc", "trust.mail", "trust.spf", "trust.upstream",
    "language.grammar", "language.forms", "language.matching", "language.moves", "language.dates",
    "examination.examine",
)  # fmt: skip
DOUBLED = 2.6  # times as long for twice as much, at most
TRIES = 7
FLOOR = 0.004  # seconds; below it a clock says little
LONGEST, LONGEST_OF_CAMPAIGN = 8_000, 64_000  # characters that an expression is tried on
SLOWEST = 1.0  # seconds of processor for a mail of a megabyte
# What is only asked of a few hundred characters; longer baits would say nothing of the reader.
SHORT = {("reading.quoting", "_OPENING"): LONGEST_TEXT}


def grows(small: Callable[[], object], large: Callable[[], object], floor: float = FLOOR) -> float:
    """Return how many times as long `large` takes as `small`, which is half of it; 0 where both take next to nothing.

    A busy machine is slower for a while, so one ratio says little; the median of several is that of the work.
    """
    second = _seconds(large)
    if second < floor:
        return 0.0
    factor = second / min(_seconds(small), _seconds(small))
    if factor < DOUBLED:
        return factor
    return median(_seconds(large) / _seconds(small) for _ in range(TRIES))


def _seconds(work: Callable[[], object]) -> float:
    gc.disable()
    try:
        begin = time.process_time()
        work()
        return max(time.process_time() - begin, 1e-6)
    finally:
        gc.enable()


# Patterns -------------------------------------------------------------------------------------------


def module(name: str) -> ModuleType:
    return importlib.import_module(f"server.mail.{name}")


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
    tree = ast.parse(inspect.getsource(module(name)))
    attributes = (node for node in ast.walk(tree) if isinstance(node, ast.Attribute))
    named = {node.attr for node in attributes if ast.unparse(node.value) == place} - {"pattern"}
    # In all other ways the expression is looked for at each place, as by `search`.
    return {way if way in ("match", "fullmatch") else "search" for way in named} or {"search", "match", "fullmatch"}


@pytest.mark.parametrize("most", [LONGEST, pytest.param(LONGEST_OF_CAMPAIGN, marks=pytest.mark.campaign)])
@pytest.mark.parametrize("name", MODULES)
def test_no_expression_takes_longer_than_its_text_is_long(name: str, most: int):
    slow = []
    for place, pattern in patterns(name):
        longest = SHORT.get((name, place), most)
        for way in uses(name, place):
            slow += [(place, way, *found) for found in slow_on(pattern, getattr(pattern, way), longest)]
    assert not slow


def slow_on(pattern: re.Pattern[Any], find: Callable[[Any], object], longest: int) -> Iterator[tuple[Any, float]]:
    """Return the baits of up to `longest` characters on which `find` takes too long, and how fast that grows."""
    for bait in baits(pattern):
        for size in (longest // 64, longest // 8, longest):  # what grows fast is told by few characters
            if (factor := grows(partial(find, bait(size // 2)), partial(find, bait(size)))) > DOUBLED:
                yield bait(40), factor
                break


def test_every_expression_of_the_reader_is_among_them():
    """None is written where it is used: nobody would find it there."""
    for name in MODULES:
        for function in ast.walk(ast.parse(inspect.getsource(module(name)))):
            if isinstance(function, ast.FunctionDef) and function.name != "_matching":
                calls = [node.func for node in ast.walk(function) if isinstance(node, ast.Call)]
                assert not [call for call in calls if ast.unparse(call).startswith("re.")], (name, function.name)
    assert {place for place, _ in patterns("language.grammar")} >= {"_PIN", "_REPLY_PREFIX"}
    assert {place for place, _ in patterns("language.forms")} >= {"COMMANDS"}


@pytest.mark.parametrize("expression", [r"a[a-z]*b", r"(?:q|text-decoration[\w-]*\s*:[^;]*line)", r"\s+$", r"b\s*\s*c"])
def test_an_expression_that_takes_longer_is_found(expression: str):
    pattern = re.compile(expression)
    assert next(slow_on(pattern, pattern.search, LONGEST), None)


# Whole mails ----------------------------------------------------------------------------------------


def all_of(raw: bytes) -> None:
    """Do what is done with the bytes of a mail before anybody decides about it."""
    sender = "" if b"Return-Path: <>" in raw[:500] else AUTHOR
    handover = Handover(sender, "198.41.0.4", ADDRESS)
    ask = lambda domain: DNS.for_mail_from(domain, NOW, lambda: 0)  # noqa: E731
    reading = examine(raw, handover, ask, marker=MARKER, authserv_id="mx.play.example.org").reading
    parse(reading.lines, reading.subject)
    suggest(reading.lines, LEGAL)


# What was once slow, and a few of all others; a campaign takes all.
KNOWN = ("style of text-decoration", "style of text-decoration:", "short header lines", "header lines of one name")
FEW = sorted({*KNOWN, *list(SHAPES)[::30]})


def check_shape(name: str) -> None:
    # Of a header more than 64 KB is not looked at: twice 31 KB are less.
    small, large, largest = (partial(all_of, SHAPES[name](size)) for size in (31_000, 62_000, 990_000))
    assert grows(small, large, floor=0.03) <= DOUBLED
    assert _seconds(largest) < SLOWEST


@pytest.mark.parametrize("name", FEW)
def test_a_mail_of_one_shape_takes_no_longer_than_it_is_long(name: str):
    check_shape(name)


@pytest.mark.campaign
@pytest.mark.parametrize("name", SHAPES)
def test_a_mail_of_any_shape_takes_no_longer_than_it_is_long(name: str):
    check_shape(name)
