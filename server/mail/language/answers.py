"""A yes or a no in other words: "Yes, with pleasure", "Ja, gerne", "not this time"."""

import re
from collections.abc import Collection

from server.mail.language.prose import is_closing
from server.mail.language.words import ALL, BOTH, COURTESIES, NO, NO_ALONE, PLEASE, YES, YES_ALONE, folded
from server.mail.reading.normalise import bare

_BETWEEN = re.compile(r" ?[,.!;:] ?| and ")
_SMILEY = re.compile(r"[ ,.!]*(?:[:;]-?[)(DPp]|\^\^)[ .!]*$")
_LONGEST = 80  # characters
_LAST_WORDS = {phrase.split()[-1] for phrase in (*YES, *NO, *YES_ALONE, *NO_ALONE, *COURTESIES, *ALL, *BOTH)}
_LAST_LETTERS = {re.findall("[a-z]+", word)[-1] for word in _LAST_WORDS}


def answer_in(line: str) -> str | None:
    """Return "yes" or "no" if the whole of `line` says so, with nothing else but words of politeness."""
    text = bare(line)
    if len(text) > _LONGEST:
        return None
    text = _SMILEY.sub("", text)
    first, *others = _BETWEEN.split(folded(text))
    if not first:  # a mark before the line, as of a quote
        return None
    meanings = {_meaning(part) for part in (first, *others) if part}
    answers = meanings - {""}
    if not answers and None not in meanings and not PLEASE.isdisjoint(text.lower().split()) and is_to_several(text):
        return "yes"  # "Both please"
    return answers.pop() if len(answers) == 1 and None not in meanings else None


def is_to_several(line: str) -> bool:
    """Return True if `line`, which is a yes, is one to several things: "Yes, both of them please"."""
    return not (BOTH | ALL).isdisjoint(_parts(line))


def is_to_both(line: str) -> bool:
    """Return True if `line`, which is a yes, is one to two things: "Both please"."""
    return not BOTH.isdisjoint(_parts(line))


def _parts(line: str) -> list[str]:
    return [_without(part, YES) for part in _BETWEEN.split(folded(bare(line)))]


def _without(part: str, first: Collection[str] = ()) -> str:
    """Return a part of an answer without words of politeness around it, nor those of `first` before it."""
    words = part.split(" ")
    while words[:1] and (words[0] in first or words[0] in _POLITE):
        words.pop(0)
    while words[-1:] and words[-1] in _POLITE:
        words.pop()
    return " ".join(words)


_POLITE = COURTESIES | PLEASE


def may_be_answer(words: Collection[str]) -> bool:
    """Return False if no line that ends in a yes or a no has these words, each of lower-case letters alone."""
    return not _LAST_LETTERS.isdisjoint(words)


def _meaning(part: str) -> str | None:
    """Return "yes" or "no", empty for a word of politeness, or None for anything else."""
    if part in YES or part in YES_ALONE:
        return "yes"
    if part in NO or part in NO_ALONE:
        return "no"
    if part in COURTESIES or _without(part) in BOTH | ALL or is_closing(part):
        return ""
    first, _, rest = part.partition(" ")
    if rest and first in YES | NO | COURTESIES and (behind := _meaning(rest)) is not None:
        own = _meaning(first) or ""
        return own if behind in ("", own) else behind if not own else None
    return None
