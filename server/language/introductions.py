"""Lines about the pawn of somebody else: those that introduce a move, and those that ask for one.

The words are data, as `lexicon.folded` returns them.
"""

import re
from collections.abc import Mapping
from functools import partial

from server.language import lexicon
from server.language.lexicon import folded
from server.language.moves import ARTICLES, BY, PAWN_WORDS, THEN, TO, VERBS
from server.language.normalise import plain

_of = partial(lexicon.words, "move")
_PLEASE = _of("please", "you")
_OF_INTRODUCTIONS = _of("should", "moving", "owning", "owners", "verbs_at_the_end", "for") | VERBS | TO | BY
_OF_INTRODUCTIONS |= ARTICLES | THEN | _PLEASE
_OF_OWNERS = _of("owners")  # below a move only these: "Blue plays next" is talk there
_ASKING = _of("should") | _PLEASE
_BEFORE_NAME = _of("please", "and") | lexicon.words("talk", "greetings") | lexicon.words("answers", "but")
_FIRST_PERSON = _of("subjects", "my") | lexicon.words("counted", "self")
_MR_X = re.compile(r"\bmr\.?[ _]?x\b")
_WORD = re.compile(r"[a-z_]+(?:'[a-z]+)?|\d+")
_NAME = re.compile(r"[^\W\d_]+")
_OWNER = re.compile(r"'s?$")


def introduced_pawn(line: str, *, is_above: bool = True) -> str | None:
    """Return the pawn that the move beside `line` is said to be of: "Purple should take", "for Purple:", "Purple"."""
    words, around = _words(line), _OF_INTRODUCTIONS if is_above else _OF_OWNERS
    pawns = {PAWN_WORDS[word] for word in words if word in PAWN_WORDS}
    is_whole = all(word in PAWN_WORDS or word in around for word in words)
    return pawns.pop() if is_whole and len(pawns) == 1 and not line.rstrip().endswith("?") else None


def with_pawns(line: str, names: Mapping[str, str]) -> str:
    """Return `line` with the pawns of other players in the place of their `names`, in lower case."""
    return _NAME.sub(lambda found: names.get(found[0], found[0]), folded(plain(line)))


def names_only_pawn(line: str) -> bool:
    """Return True if `line` is the name of a pawn and nothing else."""
    words = _words(line)
    return len(words) == 1 and words[0] in PAWN_WORDS


def asked_pawn(line: str) -> str | None:
    """Return the pawn that `line` asks to do something, and of which alone it speaks: "Blue, please go to 58"."""
    words = _words(line)
    while words and words[0] in _BEFORE_NAME:
        words.pop(0)
    named = {PAWN_WORDS[word] for word in words if word in PAWN_WORDS}
    is_asked = len(words) > 1 and words[0] in PAWN_WORDS and words[1] in _ASKING
    return named.pop() if is_asked and len(named) == 1 and _FIRST_PERSON.isdisjoint(words) else None


def _words(line: str) -> list[str]:
    return [_OWNER.sub("", word) for word in _WORD.findall(_MR_X.sub("mr_x", folded(plain(line))))]
