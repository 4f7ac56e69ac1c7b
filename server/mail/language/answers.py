"""A yes or a no in other words: "Yes, with pleasure", "Ja, gerne", "not this time"."""

import re
from collections.abc import Callable, Collection

from server.mail.language.prose import has_no, is_closing, speaks_against
from server.mail.language.words import (
    ALL,
    BOTH,
    BUT,
    COURTESIES,
    LESS,
    NO,
    NO_ALONE,
    NO_BEHIND,
    PLEASE,
    YES,
    YES_ALONE,
    folded,
)
from server.mail.reading.normalise import bare, plain

_BETWEEN = re.compile(r" ?[,.!;:] ?| and ")
_SMILEY = re.compile(r"[ ,.!]*(?:[:;]-?[)(DPp]|\^\^)[ .!]*$")
_LONGEST = 80  # characters
_SIGNED = re.compile(r"(.{2,60}?) ?(?:[.,!;:]|[–—-](?= )){1,3} ?([^.,!;:–—]{2,60})\.?")
_HEDGED = re.compile(r"\W{0,3}([^\W\d_]{2,6})\b[ ,.;:!–—-]+(.+)")
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
    if _BEHIND_NO in meanings:
        meanings = meanings - {_BEHIND_NO} if "no" in meanings else {None}
    answers = meanings - {""}
    if not answers and None not in meanings and not PLEASE.isdisjoint(text.lower().split()) and is_to_several(text):
        return "yes"  # "Both please"
    return answers.pop() if len(answers) == 1 and None not in meanings else None


def unsigned(line: str, author: str, is_move: Callable[[str], bool] = lambda _: False) -> str:
    """Return an answer or a move without the name of its author behind it, as "Yes. Gus"; another line as it stands."""
    found = _SIGNED.fullmatch(plain(line)) if len(line) <= _LONGEST else None
    if found is None or not author or (answer_in(found[1]) is None and not is_move(found[1])):
        return line
    is_name = {*folded(found[2]).split()} <= {*folded(author).split()} and answer_in(found[2]) is None
    return found[1] if is_name else line


def hedged_yes(line: str) -> tuple[str, str] | None:
    """Return the yes that `line` begins with and the rest of it, which speaks against that: "YES but not sure"."""
    found = _HEDGED.fullmatch(plain(line))
    if found is None or folded(found[1]) not in YES or found[1].lower() == "si":  # which is an "if"
        return None
    first, *rest = re.findall(r"[a-z]+", folded(found[2])) or [""]
    is_less = first in BUT and not LESS.isdisjoint(rest)
    return (found[1], found[2]) if is_less or speaks_against(found[2]) or has_no(found[2]) else None


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
_BEHIND_NO = "not"  # the meaning of what is a no only behind another


def may_be_answer(words: Collection[str]) -> bool:
    """Return False if no line that ends in a yes or a no has these words, each of lower-case letters alone."""
    return not _LAST_LETTERS.isdisjoint(words)


def _meaning(part: str) -> str | None:
    """Return "yes" or "no", `_BEHIND_NO`, empty for a word of politeness, or None for anything else."""
    if part in YES or part in YES_ALONE:
        return "yes"
    if part in NO or part in NO_ALONE:
        return "no"
    if part in NO_BEHIND:
        return _BEHIND_NO
    if part in COURTESIES or _without(part) in BOTH | ALL or is_closing(part):
        return ""
    first, _, rest = part.partition(" ")
    if rest and first in YES | NO | COURTESIES and (behind := _meaning(rest)) is not None:
        return _together(_meaning(first) or "", behind)
    return None


def _together(own: str, behind: str) -> str | None:
    """Return the meaning of a word with that of what stands behind it; None if they contradict each other."""
    if behind == _BEHIND_NO:
        return {"no": "no", "": _BEHIND_NO}.get(own)
    return own if behind in ("", own) else behind if not own else None
