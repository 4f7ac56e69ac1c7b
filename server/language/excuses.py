"""Excuses, and news of their life, with which people come to a move: they say nothing about it.

A sentence is news only if it has words of life, and nothing that may be about a move. What stands above a move cannot
be about one that is made; below it, hardly a word may be unknown, and nobody else may have had a hand in it.
"""

import re
from collections.abc import Collection, Sequence

from server.language.phrases import AGAINST, matches, split
from server.language.talk import SMALL, Weight, is_plain_talk, sentences, uncovered, vocabulary, weigh

_NEVER = {*AGAINST, "no"}  # of whatever language
_SHORT = 6  # words of a clause that says nothing of life, above a move
_CLAUSE = re.compile("[,;:]")


def is_news(line: str, names: Collection[str], others: Collection[str], language: str, *, is_above: bool) -> bool:
    """Return True if `line` tells of the life of its writer, and nothing in it may be about a move.

    language: that of the mail; "" if it is not clear
    others: the names of the other players, folded; `names` are those of all
    """
    return language != "" and all(
        weigh(sentence, names, kinds=SMALL, language=language) is Weight.HARMLESS
        or _tells_of_life(sentence, names, others, language, is_above=is_above)
        for sentence in sentences(line)
    )


def _tells_of_life(
    sentence: str, names: Collection[str], others: Collection[str], language: str, *, is_above: bool
) -> bool:
    words = split(sentence)
    if "?" in sentence or not set(words).isdisjoint(others) or _is_barred(words, language):
        return False
    return bool(_own(words, language, "life", "people")) and all(
        weigh(clause, names, kinds=SMALL, language=language) is Weight.HARMLESS
        or _is_of_life(split(clause), language, is_above=is_above)
        for clause in _CLAUSE.split(sentence)
    )


def _is_of_life(words: Sequence[str], language: str, *, is_above: bool) -> bool:
    """Return True for a clause with words of life, and above a move also for one of other people, or a short one."""
    people = _own(words, language, "people")
    if is_above:
        return len(words) <= _SHORT or bool(people | _own(words, language, "life"))
    unknown = sum(word not in vocabulary(language) for word in words)
    return unknown <= 1 and not people and bool(_own(words, language, "life"))


def _own(words: Sequence[str], language: str, *kinds: str) -> set[int]:
    """Return where words of these kinds in a language stand among these."""
    return {match.begin for match in matches(words) if match.kind in kinds and match.language == language}


def _is_barred(words: Sequence[str], language: str) -> bool:
    """Return True if one of these may be about a move; plain words such as "yesterday" tell of nothing else here."""
    plain = _own(words, language, "words")
    return any(
        (match.kind in _NEVER or (match.kind in ("later", "mind") and match.language == language))
        and not is_plain_talk(match, words, language)
        and not (match.kind == "telling" and match.begin in plain)
        for match in uncovered(matches(words))
    )
