"""Moves among other words of the same line: friendly words, an introduction, other sentences, a pawn that stays."""

import re
from dataclasses import dataclass
from itertools import islice

from server.mail.language.courtesies import courtesy_in
from server.mail.language.courtesy_words import GREETINGS, OTHERS, THANKS
from server.mail.language.moves import TICKETS, MoveWords, may_be_move, parse_moves
from server.mail.language.prose import may_tell_of_something_else, without_staying
from server.mail.language.prose_words import NO_PICTURES
from server.mail.language.words import ABBREVIATIONS, INTRODUCTIONS, PAWN_LETTERS, PAWN_WORDS, TO, folded
from server.mail.reading.normalise import LONGEST, bare, plain


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
    read = [(piece, *_read_piece(piece)) for piece in _pieces(text)]
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
    if line.isascii() and not (_DIGIT.search(line) and may_be_move(_LETTERS.findall(line.lower()))):
        return ()
    return parse_moves(line)


def moves_among_courtesies(line: str) -> tuple[MoveWords, ...]:
    """Return the moves of a line that has friendly words before or behind them: "taxi 46, good luck everyone!"."""
    if not _may_be_among_courtesies(folded(line)):
        return ()
    text = plain(line)
    for end in islice((mark.end() for mark in _MARK.finditer(text)), _MOST_MARKS):
        before, after = text[:end].rstrip(" ,.!;-:("), text[end:]
        for courteous, said in ((after, before), (before, after)):
            moves = moves_of(said) if courteous.strip() and courtesy_in([courteous]) else ()
            if moves and not moves[0].is_number:
                return moves
    return ()


def introduced_moves(line: str) -> tuple[MoveWords, ...]:
    """Return the moves of a line that introduces them: "Here is my final answer: taxi 46"."""
    before, colon, after = plain(line).rpartition(": ")
    words = _WORD.findall(_ROUND.sub("", folded(before)))
    if not (colon and before and _INTRODUCING.issuperset(words)):
        return ()
    return _named(moves_of(after))


# Sentences ------------------------------------------------------------------------------------

LONGEST_COMMAND = 200  # characters of one that is not free text
_LETTERS, _DIGIT = re.compile("[a-z]+"), re.compile("[0-9]")
_WORD = re.compile(r"[a-z0-9']+")
_INTRODUCING = INTRODUCTIONS | GREETINGS
_ROUND = re.compile(r"\b(round|turn|runde|tour|manche|ronda|turno|beurt|ronde) \d+\b")
_NAMING = frozenset((*TICKETS, *PAWN_WORDS, *PAWN_LETTERS))
_PICTURE = "[\u2600-\u27bf\U0001f000-\U0001faff]"
# Marks within a line, as between a move and other words.
_INNER = re.compile(r"[.!?;)(DP,] \S|\S - \S| \(")
# The marks that end a sentence, with a smiley behind them, or a picture.
_END = re.compile(rf"(?:(?<=[^\W_][\w)]) ?[.!?]+\)?(?: [:;]-?[)(DP])?|{_PICTURE}\ufe0f?) (?=\S)")
# Behind a move: a dash, parentheses, or a comma and words with which a mail may end.
_ENDINGS = "see sorry back talk speak hope let's off regards fingers hopefully hoffentlich bis lg à hasta tot groetjes"
_ASIDE = re.compile(rf" - (?=\S)| (?=\((?!tickets|\d))|, (?=(?:{'|'.join(_ENDINGS.split())})\b)", re.IGNORECASE)
_MR_X = re.compile(r"\bmr\.? ?x\b", re.IGNORECASE)


def _pieces(text: str) -> list[str]:
    """Return the sentences of a text, each with the mark that ends it; "Nr. 46" and "Mr. X" end none."""
    names = {dot for name in _MR_X.finditer(text) for dot in range(*name.span())}
    found, begin = [], 0
    for end in _END.finditer(text):
        word = text[begin : end.start()].rpartition(" ")[2]
        if end.start() not in names and folded(word) not in ABBREVIATIONS:
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
    return _named(moves_of(text) or moves_among_courtesies(text)) or introduced_moves(text)


def _named(moves: tuple[MoveWords, ...]) -> tuple[MoveWords, ...]:
    """Return moves that each name a ticket or a pawn, else none."""
    return moves if all(move.pawn is not None or move.legs[0][0] is not None for move in moves) else ()


# Friendly words -------------------------------------------------------------------------------


def _may_be_among_courtesies(line: str) -> bool:
    """Return False for most lines that are no move among friendly words, by their letters alone."""
    words = _LETTERS.findall(line.lower())
    if COURTEOUS.isdisjoint(words) or not _OF_OTHERS.isdisjoint(words) or not _DIGIT.search(line):
        return False
    return may_be_move(word for word in words if word not in _OF_COURTESIES)


def _is_about_others(rest: tuple[str, ...]) -> bool:
    """Return True if a short sentence may be praise of a move of somebody else, as "What a move!"."""
    words = [_LETTERS.findall(folded(bare(piece))) for piece in rest]
    return any(len(said) <= _MOST_OF_PRAISE and not _OF_OTHERS.isdisjoint(said) for said in words)


COURTEOUS = THANKS | GREETINGS
_OF_COURTESIES = COURTEOUS | OTHERS
# "Great move, red taxi 46!" may well be about the move of somebody else.
_OF_OTHERS = frozenset(
    ("move", "moves", "zug", "zuge", "coup", "coups", "jugada", "jugadas", "zet", "zetten", "played", "gespielt")
)
_MOST_OF_PRAISE = 6  # words
_MARK = re.compile(r"(?<![.,!;:])[.,!;:]+ |\d (?=[-(:;])")
_MOST_MARKS = 4
