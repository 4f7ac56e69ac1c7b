"""Mails of friendly words alone: a greeting, thanks or praise, which ask for nothing."""

import re
from collections.abc import Sequence
from enum import Enum

from server.mail.language.courtesy_words import GREETINGS, OTHERS, THANKS
from server.mail.language.prose import is_closing
from server.mail.language.prose_words import NO_PICTURES
from server.mail.language.words import NO, PAWN_WORDS, STATION_NOUNS, TICKET_WORDS, YES, folded
from server.mail.reading.normalise import bare, plain

_LONGEST = 400  # characters
_SENTENCE = re.compile(r"[.!,;:()\n-]+(?: |$)|[!.…]+|\n")
_WORD = re.compile(r"[a-z][a-z'-]*")
_NO_WORD = re.compile(r"[?\d@/]")
_PRAISE = THANKS - {"good"}  # "good morning"
_IS_NAME = re.compile(r"[^\W\d_]+(?:[.'-][^\W\d_]*)*")
_VOCABULARY = {*PAWN_WORDS, *TICKET_WORDS, *STATION_NOUNS, *YES, *NO, "stays", "stay"} - set("btux")


class Courtesy(Enum):
    """The friendly words of a mail: GREETING where there are no thanks and no praise."""

    GREETING = "greeting"
    THANKS = "thanks"


def courtesy_in(lines: Sequence[str]) -> Courtesy | None:
    """Return the kind of friendly words that `lines` are; None if anything else is among them."""
    said = [line for line in lines if plain(line)]
    if sum(map(len, said)) > _LONGEST or not said:
        return None
    kinds = {_kind(line, is_last=line is said[-1] and len(said) > 1) for line in said}
    if None in kinds:
        return None
    return Courtesy.THANKS if Courtesy.THANKS in kinds else Courtesy.GREETING if Courtesy.GREETING in kinds else None


def is_small_talk(line: str, *, is_last: bool = False) -> bool:
    """Return True if `line` is a greeting, thanks, the end of a letter or, where it ends the mail, a name."""
    return _kind(line, is_last=is_last) is not None or (is_last and _is_name(bare(line)))


def _is_name(text: str) -> bool:
    words = folded(text).split()
    return 0 < len(words) <= 2 and all(map(_IS_NAME.fullmatch, words)) and not _VOCABULARY.issuperset(words)


def _kind(line: str, *, is_last: bool) -> Courtesy | str | None:
    """Return the kind of friendly words of a line; empty for a closing or a name, None for anything else."""
    text = bare(line)
    if not text:
        return Courtesy.THANKS if _is_kind_picture(line) else None
    if _NO_WORD.search(text):
        return None
    kinds = [_kind_of(sentence) for sentence in _SENTENCE.split(text) if sentence.strip()]
    if None not in kinds:
        return Courtesy.THANKS if Courtesy.THANKS in kinds else Courtesy.GREETING if Courtesy.GREETING in kinds else ""
    is_name = is_last and text.istitle() and len(text.split()) <= 2
    return "" if is_name or is_closing(line) else None


def _kind_of(sentence: str) -> Courtesy | str | None:
    words = _WORD.findall(folded(sentence))
    if _PRAISE.isdisjoint(words) and not GREETINGS.isdisjoint(words):
        names = [word for word in words if word not in GREETINGS | OTHERS | THANKS]
        return Courtesy.GREETING if len(names) <= 1 and len(words) <= 4 else None
    if not THANKS.isdisjoint(words) and set(words) <= THANKS | GREETINGS | OTHERS:
        return Courtesy.THANKS
    return "" if set(words) <= OTHERS and len(words) <= 2 else None


def _is_kind_picture(line: str) -> bool:
    return not plain(line).isascii() and NO_PICTURES.isdisjoint(line)
