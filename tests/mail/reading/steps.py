"""A matcher of regular expressions that finds what `re` finds and counts its steps: how long it takes, without a clock.

It backtracks over the tree of `re._parser` as the matcher in CPython does. A step is a node that is tried, each
alternative of a branch, each character that a repeat of single characters takes, and each that it gives back. Which
characters a node fits is asked of `re`, so flags and classes mean what they mean there.
"""

import _sre
import re
from collections.abc import Callable
from dataclasses import dataclass
from re import _compiler, _constants, _parser  # type: ignore[attr-defined]
from typing import Any

_REPEATS = (_constants.MAX_REPEAT, _constants.MIN_REPEAT, _constants.POSSESSIVE_REPEAT)
_SINGLE = (_constants.LITERAL, _constants.NOT_LITERAL, _constants.ANY, _constants.IN)
(
    _CHARACTER, _BRANCH, _GREEDY, _LAZY, _MORE, _MARK, _AT, _ENTER, _UNTIL, _LOOK, _ATOMIC, _EACH, _AGAIN, _IF, _FAIL,
    _END,
) = range(16)  # fmt: skip
# A node of the program is [what it does, what it needs for that, the node behind it].
Node = list[Any]
Marks = tuple[int | None, ...]


class TooManySteps(Exception):
    """The limit of steps is passed."""


@dataclass(frozen=True)
class Found:
    """The spans that were found, and the number of steps until then."""

    spans: tuple[tuple[int, int], ...] | None
    """Those of the whole match and of each group, (-1, -1) for a group without a match; None if nothing matches."""
    steps: int


def spans(match: "re.Match[Any] | None") -> tuple[tuple[int, int], ...] | None:
    """Return what `re` found in the form of `Found.spans`."""
    return None if match is None else tuple(match.span(group) for group in range(match.re.groups + 1))


class Matcher:
    """Does what a compiled expression does, and counts."""

    def __init__(self, pattern: re.Pattern[Any]) -> None:
        is_bytes = isinstance(pattern.pattern, bytes)
        tree = _parser.parse(pattern.pattern, pattern.flags & ~re.UNICODE if is_bytes else pattern.flags)
        self._program = _Program(is_bytes).of(tree, pattern.flags, [_END, None, None])
        self._groups = pattern.groups
        self._text: Any = ""
        self._left = 0

    def match(self, text: Any, limit: int) -> Found:
        """Match at the beginning. Raises: `TooManySteps`."""
        return self._find(text, limit, range(1), is_whole=False)

    def fullmatch(self, text: Any, limit: int) -> Found:
        """Match the whole text. Raises: `TooManySteps`."""
        return self._find(text, limit, range(1), is_whole=True)

    def search(self, text: Any, limit: int) -> Found:
        """Match at the first place where that succeeds. Raises: `TooManySteps`."""
        return self._find(text, limit, range(len(text) + 1), is_whole=False)

    def _find(self, text: Any, limit: int, starts: range, *, is_whole: bool) -> Found:
        self._text, self._left = text, limit
        none: Marks = (None,) * (2 * self._groups)
        for start in starts:
            if found := self._run(self._program, start, none, is_whole=is_whole):
                end, marks = found
                groups = (_span(marks, group) for group in range(self._groups))
                return Found(((start, end), *groups), limit - self._left)
        return Found(None, limit - self._left)

    def _run(self, node: Node, at: int, marks: Marks, *, is_whole: bool = False) -> tuple[int, Marks] | None:  # noqa: PLR0912
        """Follow the program from a node on; return where it ends, and the marks of groups."""
        text, left = self._text, self._left
        end = len(text)
        loop: Any = None  # (how often its body has matched, where it last began, the loop around it)
        untried: list[Any] = []  # (node, place, marks, loop, how many characters can still be given back)
        while True:
            left -= 1
            if left < 0:
                raise TooManySteps
            does, needs, node_behind = node
            fits = True
            if does == _CHARACTER:
                fits = at < end and needs[text[at]]
                at += 1
            elif does == _BRANCH:
                alternatives = needs[text[at] if at < end else None]
                left -= needs.count
                untried += [(other, at, marks, loop, 0) for other in alternatives[:0:-1]]
                if alternatives:
                    node = alternatives[0]
                    continue
                fits = False
            elif does == _GREEDY:
                run, least = needs
                if ran := run(text, at):
                    taken = ran.end() - at
                    left -= taken
                    at += taken
                    if taken > least:
                        untried.append((node_behind, at, marks, loop, taken - least))
                else:
                    left -= min(least, end - at)
                    fits = False
            elif does == _LAZY:
                run, most, more = needs
                if ran := run(text, at):
                    taken = ran.end() - at
                    left -= taken
                    at += taken
                    if most > taken:
                        untried.append(([_MORE, (more, most - taken), node_behind], at, marks, loop, 0))
                else:
                    fits = False
            elif does == _MORE:
                more, most = needs
                fits = at < end and more[text[at]]
                at += 1
                if fits and most > 1:
                    untried.append(([_MORE, (more, most - 1), node_behind], at, marks, loop, 0))
            elif does == _MARK:
                marks = (*marks[:needs], at, *marks[needs + 1 :])
            elif does == _AT:
                fits = needs(text, at) is not None
            elif does == _ENTER:
                loop = (-1, None, loop)
            elif does == _UNTIL:
                body, least, most, is_lazy = needs
                count, last, around = loop
                count += 1
                if count < least:
                    loop = (count, last, around)
                    node = body
                    continue
                inside = (body, at, marks, (count, at, around), 0)
                if count >= most or at == last:  # a body that matched nothing is not tried again
                    loop = around
                elif is_lazy:
                    untried.append(inside)
                    loop = around
                else:
                    untried.append((node_behind, at, marks, around, 0))
                    node, loop = body, inside[3]
                    continue
            elif does == _LOOK:
                body, back, is_wanted = needs
                self._left = left
                seen = self._run(body, at - back, marks) if at >= back else None
                left = self._left
                fits = (seen is not None) is is_wanted
                if seen and is_wanted:
                    marks = seen[1]
            elif does == _ATOMIC:
                self._left = left
                if seen := self._run(needs, at, marks):
                    at, marks = seen
                left = self._left
                fits = seen is not None
            elif does == _EACH:
                body, least, most = needs
                self._left = left
                count, fits = 0, True
                while count < most and (seen := self._run(body, at, marks)):
                    is_empty = seen[0] == at
                    at, marks = seen
                    count += 1
                    if is_empty and count >= least:
                        break
                left = self._left
                fits = count >= least
            elif does == _AGAIN:
                group, lower = needs
                first, last = _span(marks, group)
                fits = first >= 0 and lower(text[first:last]) == lower(text[at : at + last - first])
                left -= max(last - first, 0)
                at += last - first
            elif does == _IF:
                group, then = needs
                if _span(marks, group) >= (0, 0):
                    node = then
                    continue
            elif does == _END and (not is_whole or at == end):
                self._left = left
                return at, marks
            else:
                fits = False
            if fits:
                node = node_behind
            elif untried:
                node, at, marks, loop, more = untried.pop()
                if more:
                    at -= 1
                    left -= 1
                    if more > 1:
                        untried.append((node, at, marks, loop, more - 1))
            else:
                self._left = left
                return None


def _span(marks: Marks, group: int) -> tuple[int, int]:
    first, last = marks[2 * group : 2 * group + 2]
    return (-1, -1) if first is None or last is None else (first, last)


class _Fits(dict[Any, bool]):
    """Whether a character fits a node, as `re` says."""

    def __init__(self, single: re.Pattern[Any]) -> None:
        self._single = single

    def __missing__(self, character: Any) -> bool:
        fits = self._single.match(character if isinstance(character, str) else bytes([character])) is not None
        self[character] = fits
        return fits


class _Alternatives(dict[Any, list[Node]]):
    """The alternatives of a branch that can begin with a character, or at the end of the text, which is None."""

    def __init__(self, nodes: list[Node]) -> None:
        self._nodes = nodes
        self.count = len(nodes)

    def __missing__(self, character: Any) -> list[Node]:
        fitting = [node for node in self._nodes if self._can_begin(node, character)]
        self[character] = fitting
        return fitting

    @staticmethod
    def _can_begin(node: Node, character: Any) -> bool:
        return node[0] != _CHARACTER or (character is not None and node[1][character])


class _Program:
    """Makes nodes from the tree of an expression, from its end to its beginning."""

    def __init__(self, is_bytes: bool) -> None:
        self._is_bytes = is_bytes

    def of(self, sequence: Any, flags: int, behind: Node) -> Node:
        """Return the first node of a sequence, which goes on with the node `behind` it."""
        for operator, argument in reversed(list(sequence)):
            behind = self._node(operator, argument, flags, behind)
        return behind

    def _node(self, operator: Any, argument: Any, flags: int, behind: Node) -> Node:  # noqa: PLR0911
        if operator in _SINGLE:
            return [_CHARACTER, _Fits(self._compiled([(operator, argument)], flags)), behind]
        if operator is _constants.BRANCH:
            return [_BRANCH, _Alternatives([self.of(way, flags, behind) for way in argument[1]]), None]
        if operator in _REPEATS:
            return self._repeat(operator, argument, flags, behind)
        if operator is _constants.SUBPATTERN:
            group, added, taken, body = argument
            flags = _compiler._combine_flags(flags, added, taken)
            if group is None:
                return self.of(body, flags, behind)
            return [_MARK, 2 * group - 2, self.of(body, flags, [_MARK, 2 * group - 1, behind])]
        if operator is _constants.ATOMIC_GROUP:
            return [_ATOMIC, self._alone(argument, flags), behind]
        if operator in (_constants.ASSERT, _constants.ASSERT_NOT):
            direction, body = argument
            back = body.getwidth()[0] if direction < 0 else 0
            return [_LOOK, (self._alone(body, flags), back, operator is _constants.ASSERT), behind]
        if operator is _constants.AT:
            return [_AT, self._compiled([(operator, argument)], flags).match, behind]
        if operator is _constants.GROUPREF:
            return [_AGAIN, (argument - 1, self._lower(flags)), behind]
        if operator is _constants.GROUPREF_EXISTS:
            group, then, otherwise = argument
            return [_IF, (group - 1, self.of(then, flags, behind)), self.of(otherwise or [], flags, behind)]
        assert operator is _constants.FAILURE, operator
        return [_FAIL, None, None]

    def _alone(self, sequence: Any, flags: int) -> Node:
        return self.of(sequence, flags, [_END, None, None])

    def _repeat(self, operator: Any, argument: Any, flags: int, behind: Node) -> Node:
        least, most, body = argument
        is_lazy = operator is _constants.MIN_REPEAT
        if single := _single(body):
            count = (least, least if is_lazy else most)
            run = self._compiled(
                [(_constants.MAX_REPEAT, (*count, _parser.SubPattern(body.state, [single])))], flags
            ).match
            if is_lazy:
                return [_LAZY, (run, most, _Fits(self._compiled([single], flags))), behind]
            # What is possessive gives nothing back.
            return [_GREEDY, (run, least if operator is _constants.MAX_REPEAT else most), behind]
        if operator is _constants.POSSESSIVE_REPEAT:
            return [_EACH, (self._alone(body, flags), least, most), behind]
        until: Node = [_UNTIL, None, behind]
        until[1] = (self.of(body, flags, until), least, most, is_lazy)
        return [_ENTER, None, until]

    def _compiled(self, nodes: list[Any], flags: int) -> re.Pattern[Any]:
        state = _parser.State()
        state.flags = flags
        compiled: re.Pattern[Any] = _compiler.compile(_parser.SubPattern(state, nodes), flags)
        return compiled

    def _lower(self, flags: int) -> Callable[[Any], Any]:
        """Return how the text of a group is compared with its repetition."""
        if not flags & re.IGNORECASE:
            return lambda text: text
        lower = _sre.unicode_tolower if flags & re.UNICODE else _sre.ascii_tolower
        return lambda text: [lower(character if self._is_bytes else ord(character)) for character in text]


def _single(body: Any) -> Any:
    """Return the node of a repeat of single characters, None for a repeat of more."""
    while len(body) == 1 and body[0][0] is _constants.SUBPATTERN and body[0][1][:3] == (None, 0, 0):
        body = body[0][1][3]
    return body[0] if len(body) == 1 and body[0][0] in _SINGLE else None
