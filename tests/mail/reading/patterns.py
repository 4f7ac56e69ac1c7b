"""Strings on which a regular expression could take long, made from the expression."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import islice
from operator import add
from re import _compiler, _constants, _parser  # type: ignore[attr-defined]
from typing import Any

_CHARACTERS = "ax0 A-:;.,<>@()[]\"'`*_=/\n\t\r+?!#|~é年😀"
_REPEATS = (_constants.MAX_REPEAT, _constants.MIN_REPEAT, _constants.POSSESSIVE_REPEAT)
_LOOKS = (_constants.ASSERT, _constants.ASSERT_NOT)
MOST = 120  # strings of one expression


@dataclass(frozen=True)
class Bait:
    """A text of any length: what stands once in front, what is repeated behind it, and what ends it."""

    before: str
    unit: str
    end: str
    is_bytes: bool

    def __call__(self, times: int) -> Any:
        """Return the text with that many times what is repeated."""
        text = self.before + self.unit * times + self.end
        return text.encode("latin-1", "replace") if self.is_bytes else text


def baits(pattern: re.Pattern[Any]) -> Iterator[Bait]:
    """Return baits for an expression: beginnings of each alternative, again and again, and long runs within it."""
    is_bytes = isinstance(pattern.pattern, bytes)
    flags = pattern.flags & ~re.UNICODE if is_bytes else pattern.flags
    tree = _parser.parse(pattern.pattern, flags)
    units = dict.fromkeys(_beginnings(tree, tree.state, flags, is_bytes=is_bytes))
    for before, unit in islice((pair for pair in units if pair[1]), MOST):
        for end in ("", "\0"):  # of what goes on for long without fitting in the end, too
            yield Bait(before, unit, end, is_bytes)


def _beginnings(
    sequence: Any, state: Any, flags: int, *, is_bytes: bool, before: str = ""
) -> Iterator[tuple[str, str]]:
    """Return pairs: what stands once in front, and what is repeated behind it."""
    read = before
    for number, node in enumerate(sequence):
        operator, argument = node
        for inner in _inside(operator, argument):
            yield from _beginnings(inner, state, flags, is_bytes=is_bytes, before=read)
        sample = _sample([node], state, flags, is_bytes)
        if operator in _REPEATS:
            yield read, _sample(argument[2], state, flags, is_bytes)
        read += sample
        if operator is not _constants.LITERAL or number + 1 == len(sequence) or sequence[number + 1][0] is not operator:
            yield "", read  # not in the middle of a word


def _inside(operator: Any, argument: Any) -> Sequence[Any]:
    if operator is _constants.BRANCH:
        return argument[1]
    if operator is _constants.SUBPATTERN:
        return [argument[3]]
    if operator in _REPEATS:
        return [argument[2]]
    return [argument[1]] if operator in _LOOKS else []


def _sample(sequence: Any, state: Any, flags: int, is_bytes: bool) -> str:
    """Return a string that the sequence of nodes matches, as far as that is easily told."""
    return reduce(add, (_one(node, state, flags, is_bytes) for node in sequence), "")


def _one(node: Any, state: Any, flags: int, is_bytes: bool) -> str:
    operator, argument = node
    if operator is _constants.LITERAL:
        return chr(argument)
    if operator is _constants.BRANCH:
        return _sample(argument[1][0], state, flags, is_bytes)
    if operator is _constants.SUBPATTERN:
        return _sample(argument[3], state, flags, is_bytes)
    if operator in _REPEATS:
        return _sample(argument[2], state, flags, is_bytes) * max(argument[0], 1)
    if operator in (_constants.IN, _constants.NOT_LITERAL, _constants.ANY):
        single = _compiler.compile(_parser.SubPattern(state, [node]), flags)
        fits = (c for c in _CHARACTERS if single.fullmatch(c.encode("latin-1", "replace") if is_bytes else c))
        return next(fits, "")
    return ""
