"""The phrases of the language files that stand in a sentence: which, and where.

A sentence is a list of words, as `split` returns it. Each letter of a script without blanks counts as a word.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import NamedTuple

from server.language import lexicon
from server.language.numbers import value_of

_WITHOUT_BLANKS = "\u3040-\u30ff\u3400-\u9fff"
_WORD = re.compile(rf"mr_x|[{_WITHOUT_BLANKS}]|[^\W\d_{_WITHOUT_BLANKS}]+|\d+")
_OF_PHRASE = re.compile(rf"\{{\w+\}}|(?:{_WORD.pattern})(?:-(?![^\W\d_]))?")
_MOST_OF_NAME = 2  # words
_NOTHING: Mapping[str, "_Node"] = MappingProxyType({})


class Match(NamedTuple):
    """A phrase in a sentence: from which word to before which, under which name of its file, and of which language."""

    begin: int
    end: int
    kind: str
    language: str


def split(text: str) -> list[str]:
    """Return the words of a text that is folded."""
    return _WORD.findall(text)


def matches(words: Sequence[str]) -> list[Match]:
    """Return the phrases of all files in a sentence; they may overlap."""
    return [match for begin in range(len(words)) for match in matches_at(words, begin)]


def matches_at(words: Sequence[str], begin: int) -> list[Match]:
    """Return the phrases that begin at a word of a sentence."""
    found: list[Match] = []
    open_nodes = [(begin, _root())]
    while open_nodes:
        end, node = open_nodes.pop()
        found += (Match(begin, end, kind, language) for kind, language in node.phrases)
        if end < len(words):
            open_nodes += _next(node, words, end)
    return found


class _Node:
    """A place in the tree of phrases: what can follow, and the phrases that end here.

    There are some 12,000. Most have one of these, so each is made when something is added to it.
    """

    __slots__ = ("phrases", "places", "stems", "words")

    def __init__(self) -> None:
        self.words: Mapping[str, _Node] = _NOTHING
        self.stems: Mapping[str, _Node] = _NOTHING
        self.places: Mapping[str, _Node] = _NOTHING
        self.phrases: tuple[tuple[str, str], ...] = ()

    def add(self, phrase: Iterable[str], ends: tuple[str, str]) -> None:
        node = self
        for word in phrase:
            if word.startswith("{"):
                node = node.child("places", word.strip("{}"))
            elif word.endswith("-"):
                node = node.child("stems", word.removesuffix("-"))
            else:
                node = node.child("words", word)
        if ends not in node.phrases:
            node.phrases += (ends,)

    def child(self, name: str, word: str) -> "_Node":
        following: dict[str, _Node] = getattr(self, name) or {}
        setattr(self, name, following)
        return following.setdefault(word, _Node())


def _next(node: _Node, words: Sequence[str], at: int) -> list[tuple[int, _Node]]:
    word = words[at]
    found = [(at + 1, node.words[word])] if word in node.words else []
    if node.stems:
        found += ((at + 1, node.stems[word[:n]]) for n in range(1, len(word) + 1) if word[:n] in node.stems)
    for place, child in node.places.items():
        if place == "name":
            ends = range(at + 1, min(at + _MOST_OF_NAME, len(words)) + 1)
            found += ((end, child) for end in ends if all(map(_may_be_name, words[at:end])))
        elif word in _of_place(place) or (place in ("station", "number") and (word.isdigit() or value_of(word))):
            found.append((at + 1, child))
    return found


AGAINST_MOVES = ("back", "undo", "doubt", "condition", "choice")
AGAINST = (*AGAINST_MOVES, "not", "telling")
KINDS = (
    *(("talk", name) for name in ("greetings", "closings", "thanks", "words", "phrases", "life", "people")),
    *(("against", name) for name in (*AGAINST, "later", "mind")),
    *(("answers", name) for name in ("yes", "no", "agree", "refuse", "beside", "both", "all", "but")),
    *(("answers", name) for name in ("topic", "waiting", "play_on")),
    ("programs", "disclaimers"),
    ("move", "please"),
)
"""Where in a file the phrases stand that are looked for; the second name is the kind of a match."""


@cache
def _root() -> _Node:
    root = _Node()
    for section, kind in KINDS:
        for language, entries in lexicon.by_language(section, kind).items():
            ends = (kind, language)
            for entry in entries:
                root.add(_OF_PHRASE.findall(entry), ends)
    for language, sentences in lexicon.examples("talk").get("questions", {}).items():
        ends = ("questions", language)
        for sentence in sentences:
            root.add(split(lexicon.folded(sentence)), ends)
    return root


@cache
def _of_place(place: str) -> frozenset[str]:
    if place == "ticket":
        return frozenset(word for word in lexicon.table("tickets") if len(word) > 1)
    if place == "pawn":
        return frozenset(lexicon.table("pawns"))
    return lexicon.words("counted", "weekdays") if place == "day" else frozenset()


def _may_be_name(word: str) -> bool:
    return word.isalpha() and word not in _no_names() and not any(word.startswith(stem) for stem in _stems_against())


@cache
def _no_names() -> frozenset[str]:
    places = [("against", name) for name in AGAINST]
    places += [("answers", name) for name in ("yes", "no", "but")]
    found = {entry for place in places for entry in lexicon.words(*place) if entry.isalpha()}
    return frozenset(found.union(lexicon.table("tickets"), lexicon.table("pawns"), lexicon.words("move", "verbs")))


@cache
def _stems_against() -> tuple[str, ...]:
    places = [("against", name) for name in AGAINST_MOVES]
    return tuple(sorted({entry[:-1] for place in places for entry in lexicon.words(*place) if entry[-1] == "-"}))
