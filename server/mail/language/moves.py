"""The loose forms of moves, and which legal move one of them means.

`MoveWords` holds what the words say and no more: a pawn or a ticket may be missing. `resolve` finds the move among the
legal ones; between two that fit it never chooses.
"""

import re
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from itertools import islice
from typing import Protocol

from server.mail.reading.normalise import bare

PAWNS = ("mr_x", "purple", "red", "green", "yellow", "blue")
TICKETS = {
    "taxi": "taxi", "t": "taxi", "cab": "taxi",
    "bus": "bus", "b": "bus",
    "underground": "underground", "u": "underground", "tube": "underground",
    "metro": "underground", "subway": "underground",
    "black": "black", "x": "black", "boat": "black", "ferry": "black",
}  # fmt: skip

STATION_DIGITS = 3
"""The most digits of a station: a longer number is a year, or something else that nobody moves to."""

Leg = tuple[str | None, int]
"""A ticket, or None if the words name none, and a station."""


class LegalMove(Protocol):
    """A move as the engine lists it: `str()` is its canonical notation."""

    @property
    def pawn(self) -> str:
        """The pawn that moves."""
        ...

    @property
    def double(self) -> bool:
        """True for a double move."""
        ...


@dataclass(frozen=True)
class MoveWords:
    """A move in the player's words."""

    legs: tuple[Leg, ...]  # two of a double move
    pawn: str | None = None
    double: bool = False
    surface: tuple[tuple[str, str], ...] | None = None  # pawn and the ticket he takes from it

    def canonical(self) -> str | None:
        """Return the notation of the move, without a pawn where none is named.

        None if a ticket is missing. Mr. X's moves carry no pawn.
        """
        if any(ticket is None for ticket, _ in self.legs):
            return None
        pawn = [] if self.pawn in (None, "mr_x") else [str(self.pawn)]
        words = [*pawn, *["double"] * self.double]
        words += [f"{ticket} {station}" for ticket, station in self.legs]
        return " ".join(words) + self.surfacing()

    def surfacing(self) -> str:
        """Return the end of the notation that says he shows himself; empty if he does not."""
        if self.surface is None:
            return ""
        return " surface" + "".join(f" {pawn}:{ticket}" for pawn, ticket in self.surface)


@dataclass(frozen=True)
class Play:
    """The one move that the words mean."""

    pawn: str
    notation: str


@dataclass(frozen=True)
class Ambiguous:
    """The moves, more than one, that fit the words: the notation of each, in the engine's order."""

    notations: tuple[str, ...]


@dataclass(frozen=True)
class NotLegal:
    """The result that no legal move fits. `notation` is the move asked for, for the engine to give the reason.

    None where the words do not name a whole move ("46" without a ticket).
    """

    notation: str | None


Resolution = Play | Ambiguous | NotLegal


def is_station(text: str) -> bool:
    """Return True if `text` can be the number of a station, on any board."""
    return len(text) <= STATION_DIGITS and _DIGITS.fullmatch(text) is not None


def may_be_move(words: Iterable[str]) -> bool:
    """Return False if no move has all these words, each of lower-case letters alone."""
    return _WORDS.issuperset(words)


def may_end_in_move(last: str, words: Iterable[str]) -> bool:
    """Return False if no line with these `words`, as in `may_be_move`, and `last` behind its last blank ends in a move.

    The last word of a move is a number, except in "46 by taxi", "taxi 46 surface red:bus" and "taxi 46 please".
    """
    return any(map(str.isdigit, last)) or not any(map(str.isalpha, last)) or not _LAST.isdisjoint(words)


def parse_move(line: str) -> MoveWords | None:
    """Return the move that the whole of `line` is, None if anything is left over.

    A number is a move by itself, after "go" or "move", or after a pawn, but not in "to 46": so do
    sentences end.
    """
    if bare(line).startswith(_MARKS):  # a mark in front of what somebody else wrote, for all one can tell
        return None
    words = _Words(line)
    words.skip("please")
    pawn = words.take(PAWNS)
    verb = words.skip("move", "take", "go")
    double = words.take(("double",)) is not None
    if double:
        words.skip("move", "ticket")
        words.skip("take", "go")
    dangling = not (pawn or verb or double) and words.next == "to"
    legs = [_take_leg(words)]
    if double:
        words.skip("then", "and")
        legs.append(_take_leg(words))
    surface = _take_surfacing(words)
    words.skip("please", "pls", "thanks")
    found = [leg for leg in legs if leg is not None]
    if words.next or len(found) < len(legs) or (dangling and found[0][0] is None):
        return None
    return MoveWords(tuple(found), pawn, double, surface)


def resolve(words: MoveWords, legal: Sequence[LegalMove]) -> Resolution:
    """Return the legal move that `words` mean.

    Surfacing of one's own will is never in the list; it is added as the player wrote it, and
    whether it may be is for the engine to say.
    """
    fitting = [(move.pawn, str(move) + words.surfacing()) for move in legal if _fits(words, move)]
    if not fitting:
        return NotLegal(_asked_for(words, legal))
    if len(fitting) > 1:
        return Ambiguous(tuple(notation for _, notation in fitting))
    return Play(*fitting[0])


def suggest(lines: Iterable[str], legal: Sequence[LegalMove]) -> str | None:
    """Return the notation of the one legal move that the player's words name, else None.

    For lines that are no command: "I take the taxi to 46 please", "taxii 46", "taxi 4 6". It is
    something to ask about, never to be played at once.
    """
    hints = [_hint(line) for line in islice(lines, _MAX_HINT_LINES)]
    named = {str(move) for hint in hints if hint.legs for move in legal if hint.names(move)}
    return named.pop() if len(named) == 1 else None


# Words ----------------------------------------------------------------------------------------

# The letters between the numbers and marks of a move, see `parse_move`; `mr_x` is two words here.
_WORDS = frozenset((
    "please", "pls", "thanks", "move", "take", "go", "double", "ticket", "then", "and", "by", "to", "station",
    "surface", *(part for word in (*PAWNS, *TICKETS) for part in word.split("_")),
))  # fmt: skip
_LAST = frozenset(("by", "surface", "please", "pls", "thanks"))
_DIGITS = re.compile("[0-9]+")
_MR_X = re.compile(r"\bmr\.?[ _]?x\b")
_TWICE = re.compile(r"\b2 ?x\b(?! ?\d)")
_BETWEEN_DIGITS = re.compile(r"(?<=\d)[-.,:](?=\d)")
_MARKS = ("=", ";", ":", ",", ".", "#", "->")
_SEPARATORS = re.compile(r"[-=]>|[-.,;:#=→()]+")
_LETTERS_AND_DIGITS = re.compile(r"(?<=[a-z])(?=\d)|(?<=\d)(?=[a-z])")


def _split(line: str) -> list[str]:
    """Return the words of `line` in lower case; letters and digits never share one."""
    text = bare(line).lower()
    text = _MR_X.sub("mr_x", text)
    text = _TWICE.sub("double", text)
    text = _BETWEEN_DIGITS.sub("/", text)  # no separator: "4.6" is not two numbers
    text = _SEPARATORS.sub(" ", text)
    return _LETTERS_AND_DIGITS.sub(" ", text).split()


class _Words:
    """The words of a line, taken one by one from the front."""

    def __init__(self, line: str) -> None:
        self._left = _split(line)[::-1]

    @property
    def next(self) -> str:
        """The next word, empty at the end."""
        return self._left[-1] if self._left else ""

    def take(self, known: Container[str]) -> str | None:
        """Take the next word if it is one of `known`."""
        return self._left.pop() if self.next and self.next in known else None

    def skip(self, *known: str) -> bool:
        return self.take(known) is not None

    def take_pair(self, known: Container[str], then: Container[str]) -> tuple[str, str] | None:
        """Take the next two words if they are one of `known` and one of `then`."""
        pair = self._left[:-3:-1]
        if len(pair) < 2 or pair[0] not in known or pair[1] not in then:
            return None
        return self._left.pop(), self._left.pop()

    def take_station(self) -> int | None:
        self.skip("station")
        return int(self._left.pop()) if is_station(self.next) else None


def _take_leg(words: _Words) -> Leg | None:
    """Take "taxi to 46", "by taxi to 46", "46 by taxi" or "46"."""
    by = words.skip("by")
    if ticket := words.take(TICKETS):
        words.skip("ticket")
        words.skip("to")
        station = words.take_station()
        return None if station is None else (TICKETS[ticket], station)
    words.skip("to")
    station = words.take_station()
    if by or station is None:
        return None
    if not words.skip("by"):
        return (None, station)
    ticket = words.take(TICKETS)
    return (TICKETS[ticket], station) if ticket else None


def _take_surfacing(words: _Words) -> tuple[tuple[str, str], ...] | None:
    """Take "surface" and the pawns with the tickets taken from them; what does not fit is left."""
    if not words.skip("surface"):
        return None
    takings: dict[str, str] = {}
    while words.next not in takings and (pair := words.take_pair(PAWNS[1:], TICKETS)):
        takings[pair[0]] = TICKETS[pair[1]]
    return tuple(takings.items())


# Which move -----------------------------------------------------------------------------------


def _fits(words: MoveWords, move: LegalMove) -> bool:
    if words.pawn not in (None, move.pawn) or words.double != move.double:
        return False  # before the notation is made: there are hundreds of double moves
    return all(map(_leg_fits, words.legs, _read(str(move))))


def _leg_fits(said: Leg, legal: Leg) -> bool:
    return said[1] == legal[1] and said[0] in (None, legal[0])


def _read(notation: str) -> tuple[tuple[str, int], ...]:
    """Return the tickets and stations of a canonical notation."""
    words = [word for word in notation.split() if word not in (*PAWNS, "double")]
    return tuple(zip(words[::2], map(int, words[1::2]), strict=True))


def _asked_for(words: MoveWords, legal: Sequence[LegalMove]) -> str | None:
    pawns = {move.pawn for move in legal}
    pawn = words.pawn or (pawns.pop() if len(pawns) == 1 else None)
    return replace(words, pawn=pawn).canonical()


# Which move the words may mean ----------------------------------------------------------------

_MAX_HINT_LINES = 20
_MAX_HINT_WORDS = 40
_LONG_TICKETS = [word for word in TICKETS if len(word) > 2]


@dataclass(frozen=True)
class _Hint:
    """The pawns that one line of prose names, and the stations with the tickets beside them."""

    pawns: frozenset[str]
    double: bool
    legs: tuple[Leg, ...]

    def names(self, move: LegalMove) -> bool:
        if move.double != self.double or (self.pawns and move.pawn not in self.pawns):
            return False
        said = iter(self.legs)
        return all(any(_leg_fits(hint, leg) for hint in said) for leg in _read(str(move)))


def _hint(line: str) -> _Hint:
    words = [_known(word) for word in _split(line)[:_MAX_HINT_WORDS]]
    tickets = {TICKETS[word] for word in words if word in TICKETS}
    short = len(words) < 5 or not {"go", "move", "take"}.isdisjoint(words)
    legs: list[Leg] = []
    for i, word in enumerate(words):
        for number in _numbers(words, i):
            beside = _beside(words, i) if word.isdigit() else None
            if beside or (short and not tickets):
                legs.append((beside, number))
    return _Hint(frozenset(PAWNS) & frozenset(words), "double" in words, tuple(legs))


def _known(word: str) -> str:
    """Return the ticket that a misspelt `word` looks like, else `word` itself."""
    if word in TICKETS or len(word) < 4:
        return word
    return next(iter(get_close_matches(word, _LONG_TICKETS, n=1, cutoff=0.8)), word)


def _numbers(words: list[str], i: int) -> list[int]:
    """Return the stations that the digits at `i` may be: "4 6" is 4 or 46."""
    digits = [word for word in words[i : i + 2] if word.isdigit()]
    if not words[i].isdigit():
        return []
    joined = ["".join(digits)] if len(digits) > 1 else []
    return [int(text) for text in (words[i], *joined) if is_station(text)]


def _beside(words: list[str], i: int) -> str | None:
    """Return the ticket of the number at `i`: the last one before it, else the next one after it."""
    before = [word for word in words[:i] if word in TICKETS]
    after = [word for word in words[i:] if word in TICKETS]
    ticket = before[-1] if before else after[0] if after else None
    return TICKETS[ticket] if ticket else None
