"""Matching of a player's words with the legal moves: `resolve` for a line that is a move, `suggest` for any other.

Between two moves that fit neither ever chooses.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from itertools import islice
from typing import Protocol

from server.language import lexicon
from server.language.moves import DOUBLE, PAWN_WORDS, TICKETS, VERBS, Leg, MoveWords, is_station, legs_of, split_words
from server.language.normalise import plain
from server.language.numbers import in_digits


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


def suggest_several(lines: Iterable[str], legal: Sequence[LegalMove]) -> tuple[str, ...]:
    """Return the notations of the legal moves that the words name, one for each of several pawns.

    The words behind the name of a pawn, up to the next name, are about that pawn. Nothing is returned unless they name
    one move for each pawn, and no other station.
    """
    text = " ".join(islice(lines, _MAX_HINT_LINES))
    parts = _by_pawn(text)
    found = [suggest([part], [move for move in legal if move.pawn == pawn]) for pawn, part in parts]
    stations = [word for word in in_digits(split_words(_HINT_MARKS.sub(" ", plain(text)))) if is_station(word)]
    moves = tuple(move for move in found if move is not None)
    is_whole = len({pawn for pawn, _ in parts}) == len(parts) == len(moves) == len(stations) > 1
    return moves if is_whole else ()


def named(lines: Iterable[str], legal: Sequence[LegalMove]) -> tuple[str, ...]:
    """Return the notations of the legal moves of one pawn to the stations that words name, if those are several."""
    text = _HINT_MARKS.sub(" ", plain(" ".join(islice(lines, _MAX_HINT_LINES))))
    words = in_digits(split_words(text))[:_MAX_HINT_WORDS]
    stations = dict.fromkeys(int(word) for word in words if is_station(word))
    found = []
    for station in stations:
        tickets = {_beside(words, i) for i, word in enumerate(words) if word == str(station)}
        to = [move for move in legal if not move.double and [leg[1] for leg in legs_of(str(move))] == [station]]
        found.append([move for move in to if legs_of(str(move))[0][0] in tickets] or to)
    moves = [move for of_station in found for move in of_station]
    is_clear = all(found) and len({move.pawn for move in moves}) == 1 and len(stations) > 1
    return tuple(map(str, moves)) if is_clear and len(moves) <= _MOST_NAMED else ()


_MOST_NAMED = 6  # moves


def chosen(lines: Iterable[str], asked: Sequence[str], legal: Sequence[str]) -> tuple[str, ...]:
    """Return the notation of the legal move that words choose of those `asked` about, by its station alone: "53".

    Nothing is returned if the words name no station or several, or if several moves go there.
    """
    said = {word for line in islice(lines, _MAX_HINT_LINES) for word in split_words(plain(line)) if is_station(word)}
    if len(said) != 1 or said.isdisjoint(word for text in asked for word in split_words(plain(text))):
        return ()
    fitting = [notation for notation in legal if [word for word in notation.split() if is_station(word)] == [*said]]
    among = [notation for notation in fitting if notation in asked] or fitting
    return tuple(among) if len(among) == 1 else ()


def meant_instead(lines: Iterable[str], held: Collection[str], legal: Sequence[LegalMove]) -> tuple[str, ...]:
    """Return the notations of the legal moves that words may mean in the place of those that are `held`: one or more.

    They name one station at most that no held move leads to, or a ticket to one that a held move leads to.
    """
    said = list(islice(lines, _MAX_HINT_LINES))
    pawns, taken = (
        {notation.split()[0] for notation in held},
        {station for each in held for _, station in legs_of(each)},
    )
    others = [move for move in legal if str(move) not in held and (move.pawn in pawns or move.pawn == "mr_x")]
    words = [word for line in said for word in in_digits(split_words(_HINT_MARKS.sub(" ", plain(line))))]
    stations = {int(word) for word in words if is_station(word)} - taken
    if len(stations) > 1:
        return ()
    if stations:
        others = [move for move in others if [station for _, station in legs_of(str(move))] == [*stations]]
    elif not any(word in TICKETS for word in words):
        return ()
    if one := suggest(said, others):
        return (one,)
    is_bare = stations and not any(_known(word) in TICKETS for word in words)
    return tuple(map(str, others)) if is_bare else ()


def _by_pawn(text: str) -> list[tuple[str, str]]:
    """Return each pawn that a text names, with the words from there to the next."""
    words = split_words(_HINT_MARKS.sub(" ", plain(text)))[:_MAX_HINT_WORDS]
    starts = [i for i, word in enumerate(words) if word in PAWN_WORDS]
    ends = [*starts[1:], len(words)]
    return [(PAWN_WORDS[words[i]], " ".join(words[i:end])) for i, end in zip(starts, ends, strict=False)]


# Which move -----------------------------------------------------------------------------------


def _fits(words: MoveWords, move: LegalMove) -> bool:
    if words.pawn not in (None, move.pawn) or words.double != move.double:
        return False  # before the notation is made: there are hundreds of double moves
    return all(map(_leg_fits, words.legs, legs_of(str(move))))


def _leg_fits(said: Leg, legal: Leg) -> bool:
    return said[1] == legal[1] and said[0] in (None, legal[0])


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
        return all(any(_leg_fits(hint, leg) for hint in said) for leg in legs_of(str(move)))


def _hint(line: str) -> _Hint:
    said = in_digits(split_words(_HINT_MARKS.sub(" ", plain(line))))
    words = [_known(word) for word in said[:_MAX_HINT_WORDS]]
    tickets = {TICKETS[word] for word in words if word in TICKETS}
    short = len(words) < 5 or not VERBS.isdisjoint(words)
    legs: list[Leg] = []
    for i, word in enumerate(words):
        for number in _numbers(words, i):
            beside = _beside(words, i) if word.isdigit() else None
            if beside or (short and not tickets):
                legs.append((beside, number))
    pawns = frozenset(PAWN_WORDS[word] for word in words if word in PAWN_WORDS)
    return _Hint(pawns, not DOUBLE.isdisjoint(words), tuple(legs))


_HINT_MARKS = re.compile(r"[\"'*_~?!<>\[\]{}`|]+|\bx\b(?=\])")


def _known(word: str) -> str:
    """Return the ticket that a misspelt `word` looks like, else `word` itself."""
    if word in TICKETS or len(word) < 4 or word in lexicon.words("move", "no_tickets"):
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
