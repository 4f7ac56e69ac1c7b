"""A yes or a no in other words: "Yes, with pleasure", "Ja, gerne", "not this time"."""

import re
from collections.abc import Collection

from server.mail.language.prose import is_closing
from server.mail.language.words import COURTESIES, NO, NO_ALONE, YES, YES_ALONE, folded
from server.mail.reading.normalise import bare

_BETWEEN = re.compile(r" ?[,.!;:] ?| and ")
_LONGEST = 80  # characters
_LAST_WORDS = {phrase.split()[-1] for phrase in (*YES, *NO, *YES_ALONE, *NO_ALONE, *COURTESIES)}
_LAST_LETTERS = {re.findall("[a-z]+", word)[-1] for word in _LAST_WORDS}


def answer_in(line: str) -> str | None:
    """Return "yes" or "no" if the whole of `line` says so, with nothing else but words of politeness."""
    text = bare(line)
    if len(text) > _LONGEST:
        return None
    first, *others = _BETWEEN.split(folded(text))
    if not first:  # a mark before the line, as of a quote
        return None
    meanings = {_meaning(part) for part in (first, *others) if part}
    answers = meanings - {""}
    return answers.pop() if len(answers) == 1 and None not in meanings else None


def may_be_answer(words: Collection[str]) -> bool:
    """Return False if no line that ends in a yes or a no has these words, each of lower-case letters alone."""
    return not _LAST_LETTERS.isdisjoint(words)


def _meaning(part: str) -> str | None:
    """Return "yes" or "no", empty for a word of politeness, or None for anything else."""
    if part in YES or part in YES_ALONE:
        return "yes"
    if part in NO or part in NO_ALONE:
        return "no"
    if part in COURTESIES or is_closing(part):
        return ""
    first, _, rest = part.partition(" ")
    if rest and first in YES | NO | COURTESIES and (behind := _meaning(rest)) is not None:
        own = _meaning(first) or ""
        return own if behind in ("", own) else behind if not own else None
    return None
