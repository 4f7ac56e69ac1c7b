"""Excuses, and news of their life, with which people come to a move: they say nothing about it.

A sentence is news only if it has words of life, nothing that may be about a move, and hardly a word that no file knows.
"""

import re
from collections.abc import Collection, Sequence

from server.language.phrases import matches, split
from server.language.talk import AGAINST_MOVES, SMALL, Weight, is_plain_talk, sentences, uncovered, vocabulary, weigh

_NEVER = {*AGAINST_MOVES, "no", "not", "telling"}  # of whatever language
_KINDS = ("life", "people", "words")
_SHORTEST, _LEAST = 5, 2  # words of a sentence, and of them those of life and of people
_CLAUSE = re.compile("[,;:]")


def is_news(line: str, names: Collection[str], others: Collection[str], language: str) -> bool:
    """Return True if `line` tells of the life of its writer, and nothing in it may be about a move.

    language: that of the mail; "" if it is not clear
    others: the names of the other players, folded; `names` are those of all
    """
    return language != "" and all(
        weigh(sentence, names, kinds=SMALL, language=language) is Weight.HARMLESS
        or _tells_of_life(sentence, names, others, language)
        for sentence in sentences(line)
    )


def _tells_of_life(sentence: str, names: Collection[str], others: Collection[str], language: str) -> bool:
    words = split(sentence)
    own = _own(words, language)
    is_long = len(words) >= _SHORTEST and len(own["life"] | own["people"]) >= _LEAST
    if not is_long or "?" in sentence or not set(words).isdisjoint(others) or _is_barred(words, language):
        return False
    return all(
        weigh(clause, names, kinds=SMALL, language=language) is Weight.HARMLESS or _is_of_life(split(clause), language)
        for clause in _CLAUSE.split(sentence)
    )


def _is_of_life(words: Sequence[str], language: str) -> bool:
    """Return True if words of life prevail in a part of a sentence.

    Beside somebody who may have had a hand in the move there are more of them, or all words are known from talk.
    """
    own = _own(words, language)
    life, people = own["life"], own["people"]
    if not life or 2 * len(life | people) >= len(words):
        return bool(life)
    if people and len(life) <= _LEAST and not vocabulary(language, "talk", "move").issuperset(words):
        return False
    unknown = sum(word not in vocabulary(language) for word in words)
    return unknown <= max(1, len(life) - 1)


def _own(words: Sequence[str], language: str) -> dict[str, set[int]]:
    """Return where words of life, of people and of talk in a language stand among these."""
    found = matches(words)
    return {kind: {m.begin for m in found if (m.kind, m.language) == (kind, language)} for kind in _KINDS}


def _is_barred(words: Sequence[str], language: str) -> bool:
    """Return True if one of these may be about a move; plain words such as "yesterday" tell of nothing else here."""
    plain = _own(words, language)["words"]
    return any(
        (match.kind in _NEVER or (match.kind in ("later", "mind") and match.language == language))
        and not is_plain_talk(match, words, language)
        and not (match.kind == "telling" and match.begin in plain)
        for match in uncovered(matches(words))
    )
