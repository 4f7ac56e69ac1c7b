"""Moves among other words of the same line: friendly words, an introduction, other sentences, a pawn that stays."""

import re
from dataclasses import dataclass
from itertools import islice

from server.language import lexicon
from server.language.lexicon import folded
from server.language.moves import (
    PAWN_LETTERS,
    PAWN_WORDS,
    TICKETS,
    TO,
    MoveWords,
    has_number,
    is_barred,
    may_be_move,
    parse_moves,
)
from server.language.normalise import LONGEST, bare, plain
from server.language.numbers import value_of
from server.language.prose import asks_without_mark, may_tell_of_something_else, without_staying
from server.language.talk import NO_PICTURES, Weight, weigh


@dataclass(frozen=True)
class Embedded:
    """The moves of a line that says more, the words that they are, and what it says before and behind them."""

    moves: tuple[MoveWords, ...]
    said: str
    before: tuple[str, ...]
    behind: tuple[str, ...]

    @property
    def rest(self) -> tuple[str, ...]:
        """Return the words beside the moves, which may speak against them."""
        return (*self.before, *self.behind)


def embedded_moves(line: str) -> Embedded | None:
    """Return the moves that stand in sentences of their own in `line`; None if there are none, or none for certain.

    Each must name a ticket or a pawn: "The 46. Bus!" has no move. A move in quotation marks, or beside words that may
    be about a move of somebody else or about another time, is not read.
    """
    text = plain(line)
    if '"' in text or len(line) > LONGEST or not NO_PICTURES.isdisjoint(text) or not may_be_embedded(text):
        return None
    pieces = _pieces(text)
    if len(pieces) == 1 and not _ASIDE.search(text):  # there is nothing beside the moves
        return None
    read = [(piece, *_read_piece(piece)) for piece in pieces]
    moves = tuple(move for _, found, _ in read for move in found)
    said = " ".join(piece.removesuffix(beside).rstrip(" -(,") for piece, found, beside in read if found)
    first = next((i for i, (_, found, _) in enumerate(read) if found), 0)
    before = tuple(piece for piece, _, _ in read[:first])
    behind = tuple(beside if found else piece for piece, found, beside in read[first:] if beside or not found)
    rest = (*before, *behind)
    if not moves or not rest or _is_about_others(rest) or any(map(may_tell_of_something_else, rest)):
        return None
    return Embedded(moves, said, before, behind)


def beside_staying(line: str) -> Embedded | None:
    """Return the moves of a line that also says of a pawn that it stays: "P to 133, Yellow stays"."""
    moved, staying = without_staying(line) if len(line) <= LONGEST_COMMAND else ("", "")
    moves = moves_of(moved) if staying else ()
    return Embedded(moves, moved, (), (staying,)) if moves else None


def may_be_embedded(line: str) -> bool:
    """Return False for most lines that have no move among other sentences, by their marks and letters alone."""
    if not (_DIGIT.search(line) and (not line.isascii() or _INNER.search(line))):
        return False
    return not _NAMING.isdisjoint(_LETTERS.findall(folded(line)))


def moves_of(line: str) -> tuple[MoveWords, ...]:
    """Return the moves that make up the whole of `line`; a look at its letters rules out most lines."""
    text = folded(plain(line))
    if text.isascii():
        letters = _LETTERS.findall(text)
        if not (_DIGIT.search(text) and may_be_move(letters)) and not has_number(letters):
            return ()
    return parse_moves(line)


def moves_among_talk(line: str) -> tuple[MoveWords, ...]:
    """Return the moves of a line that has words around them which say nothing: "Ciao a tutti, taxi 46, grazie"."""
    words = plain(line).split(" ")
    if not may_be_among_talk(line) or len(words) > _MOST_WORDS or not NO_WHOLE.isdisjoint(line) or is_barred(line):
        return ()
    may_begin = [_may_begin(word, " ".join(words[:begin])) for begin, word in enumerate(words)]
    may_name_a_station = [not word.isascii() or may_have_number(word) for word in words]
    letters = map(_LETTERS.findall, map(folded, words))
    may_be_in_move = [may_be_move(said) or any(map(value_of, said)) for said in letters]
    for length in range(len(words) - 1, 1, -1):
        for begin, end in enumerate(range(length, len(words) + 1)):
            if not (may_begin[begin] and all(may_be_in_move[begin:end]) and any(may_name_a_station[begin:end])):
                continue
            moves = _named(moves_of(" ".join(words[begin:end])))
            beside = (" ".join(words[:begin]), " ".join(words[end:]))
            if moves and all(map(_says_nothing, beside)):
                # "Hello Ada, could purple take the taxi to 46" is no talk to Ada Could.
                return () if asks_without_mark(line) else moves
    return ()


def _may_begin(word: str, before: str) -> bool:
    """Return False for a word with which the end of a sentence begins that was wrapped: "to 46", "46 by taxi".

    And for one that belongs to the praise right before it: "Great move, red taxi 46!".
    """
    is_praised = before[-1:].isalpha() and not _OF_OTHERS.isdisjoint(_LETTERS.findall(folded(word)))
    return word.lower() not in TO and not word[0].isdigit() and not is_praised


def _says_nothing(text: str) -> bool:
    """Return True for words beside a move that say nothing, and are not about a move of somebody else."""
    is_talk = weigh(text) is Weight.HARMLESS and _OF_OTHERS.isdisjoint(_LETTERS.findall(folded(text)))
    return is_talk or (text.endswith(":") and is_introduction(text))


def may_be_among_talk(line: str) -> bool:
    """Return False for a line that has no ticket and no pawn with a number."""
    return may_have_number(line) and (not line.isascii() or not _NAMING.isdisjoint(_LETTERS.findall(folded(line))))


def may_have_number(text: str) -> bool:
    """Return True if a text has digits, or a word for a number that can be a station's."""
    return _DIGIT.search(text) is not None or has_number(_LETTERS.findall(folded(text)))


NO_WHOLE = NO_PICTURES | {"?", '"'}
_MOST_WORDS = 25


def introduced_moves(line: str) -> tuple[MoveWords, ...]:
    """Return the moves of a line that introduces them: "Here is my final answer: taxi 46"."""
    before, _, after = plain(line).rpartition(": ")
    return _named(moves_of(after)) if is_introduction(before) else ()


def is_introduction(line: str) -> bool:
    """Return True if `line` introduces a move of the writer's on a line of its own: "Here is my final answer:"."""
    words = _WORD.findall(_ROUND.sub("", folded(plain(line))))
    return bool(words) and _INTRODUCING.issuperset(words)


# Sentences ------------------------------------------------------------------------------------

LONGEST_COMMAND = 200  # characters of one that is not free text
_LETTERS, _DIGIT = re.compile("[a-z]+"), re.compile("[0-9]")
_WORD = re.compile(r"[a-z0-9']+")
_INTRODUCING = frozenset(
    word
    for phrase in lexicon.words("move", "introductions") | lexicon.words("talk", "greetings")
    for word in phrase.split()
)
_ROUND = re.compile(rf"\b(?:{lexicon.alternatives(lexicon.words('counted', 'turns'))}) \d+\b")
_NAMING = frozenset((*TICKETS, *PAWN_WORDS, *PAWN_LETTERS))
_PICTURE = "[\u2600-\u27bf\U0001f000-\U0001faff]"
# Marks within a line, as between a move and other words.
_INNER = re.compile(r"[.!?;)(DP,] \S|\S --? \S| \(")
# The marks that end a sentence, with a smiley behind them, or a picture.
_END = re.compile(rf"(?:(?<=[\w'][\w)]) ?[.!?]+\)?(?: [:;]-?[)(DP])?|{_PICTURE}\ufe0f?) (?=\S)")
# Behind a move: a dash, parentheses, or a comma and words with which a mail may end.
_ASIDES = lexicon.alternatives(lexicon.words("move", "asides"))
_ASIDE = re.compile(rf" --? (?=\S)| (?=\((?!tickets|\d))|, (?=(?:{_ASIDES})\b)", re.IGNORECASE)
_MR_X = re.compile(r"\bmr\.? ?x\b", re.IGNORECASE)


def _pieces(text: str) -> list[str]:
    """Return the sentences of a text, each with the mark that ends it; "Nr. 46" and "Mr. X" end none."""
    names = {dot for name in _MR_X.finditer(text) for dot in range(*name.span())}
    found, begin = [], 0
    for end in _END.finditer(text):
        word = text[begin : end.start()].rpartition(" ")[2]
        if end.start() not in names and folded(word) not in lexicon.words("move", "abbreviations"):
            found.append(text[begin : end.end()].strip())
            begin = end.end()
    return [*found, text[begin:]]


def _read_piece(piece: str) -> tuple[tuple[MoveWords, ...], str]:
    """Return the moves of a sentence, and the words behind them: after a dash, in parentheses, or a goodbye."""
    if "?" in piece:
        return (), ""
    if moves := _moves_in(piece):
        return moves, ""
    for mark in islice(_ASIDE.finditer(piece), _MOST_MARKS):
        if moves := _moves_in(piece[: mark.start()]):
            return moves, piece[mark.end() :]
    return (), ""


def _moves_in(text: str) -> tuple[MoveWords, ...]:
    """Return the moves that a text is, also with friendly words around them or behind an introduction."""
    if text.partition(" ")[0].lower() in TO:  # "to 46 by taxi" ends a sentence
        return ()
    return _named(moves_of(text) or moves_among_talk(text)) or introduced_moves(text)


def _named(moves: tuple[MoveWords, ...]) -> tuple[MoveWords, ...]:
    """Return moves that each name a ticket or a pawn, else none."""
    return moves if all(move.pawn is not None or move.legs[0][0] is not None for move in moves) else ()


# Friendly words -------------------------------------------------------------------------------


def _is_about_others(rest: tuple[str, ...]) -> bool:
    """Return True if a short sentence may be praise of a move of somebody else, as "What a move!"."""
    words = [_LETTERS.findall(folded(bare(piece))) for piece in rest]
    return any(len(said) <= _MOST_OF_PRAISE and not _OF_OTHERS.isdisjoint(said) for said in words)


# "Great move, red taxi 46!" may well be about the move of somebody else.
_OF_OTHERS = lexicon.words("against", "moves_of_others")
_MOST_OF_PRAISE = 6  # words
_MOST_MARKS = 4
