"""Wishes in plain words, such as "can I have two more days?": which commands they are most like.

Each file of a language has sentences that people write, by the command that fits. A sentence is as like one of them as
the words that both have weigh, of all that either has; a word that stands with few commands weighs most. Days, lengths
of time, stations and names are taken out first, and put into the command.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from server.language import lexicon
from server.language.dates import UNITS
from server.language.lexicon import folded
from server.language.moves import is_station
from server.language.normalise import plain
from server.language.spans import read_span
from server.language.talk import is_small_talk

SURE = 0.55  # from this likeness on, a wish is taken for what it is like
_MOST = 600  # characters; who writes more tells something, and wishes nothing
_MOST_SENTENCES = 8
_SENTENCE = re.compile(r"(?<=[^\d\s][.!?…;])\s+|\n")  # "3. May" is one
_TOKEN = re.compile(
    r"(?P<address>[^\s,<>\"@]+@[^\s,<>\"@]+\w)|(?P<date>\d{4}-\d{1,2}-\d{1,2}|\d{1,2}\.\d{1,2}\.(?:\d{4})?)"
    r"|(?P<place>\{\w+\})|(?P<number>\d+)|(?P<word>[^\W\d_]+)"
)
_MR_X = re.compile(r"\bmr[._ ]{0,2}x\b", re.IGNORECASE)
_LENGTH = re.compile(r"PT?(\d+)([MHDW])")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "June", "July", "Aug", "Sept", "Oct", "Nov", "Dec")
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MOST_OF_SPAN = 5  # words
_SHORTEST_WEEKDAY = 5  # letters: "sun" and "mar" are other words
_SMALL = 0.25  # the weight of a small word
_OF_PLACE = 1.5  # the weight of a day, a length, a station, a name
_OTHER = 0.3  # the part of its weight with which a word counts that only one of two sentences has
_UNKNOWN = 0.12  # the weight of a word that is in no sentence
_MUST = 0.5  # the part of the content of an example that has to be there


class Wish(NamedTuple):
    """A command that a mail may ask for, as a line, and from 0 to 1 how like a wish for it the mail is.

    A line with "{" in it lacks what has to be said with that command.
    """

    line: str
    likeness: float

    @property
    def is_sure(self) -> bool:
        """Return True if the command can be done or asked about."""
        return self.likeness >= SURE and "{" not in self.line


def wishes(lines: Iterable[str]) -> Sequence[Wish]:
    """Return the commands that the words of a mail are like, the likeliest first, each command once."""
    said = [_MR_X.sub("mrx", line) for line in map(plain, lines) if line]
    if sum(map(len, said)) > _MOST:
        return ()
    parts = [part for part in _SENTENCE.split("\n".join(said)) if part.strip()]
    sentences = [part for part in parts if not is_small_talk(part)] or parts
    found = [wish for sentence in sentences[:_MOST_SENTENCES] for wish in _wishes_of(sentence)]
    best: dict[str, Wish] = {}
    for wish in sorted(found, key=lambda wish: -wish.likeness):
        best.setdefault(wish.line.partition(" ")[0], wish)
    return tuple(best.values())


def _wishes_of(sentence: str) -> Iterable[Wish]:
    for language in _examples():
        said = _read(sentence, language)
        near = _near(said, language)
        words = frozenset().union(*near.values())
        for example in _examples()[language]:
            if example.places or not words.isdisjoint(example.words):  # others have nothing in common
                yield _compared(said, example, near, language)


# Sentences ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Sentence:
    """A sentence: its words, folded; what stands in places of it by their kind; and what it is an example of."""

    words: frozenset[str]
    places: Mapping[str, Sequence[str]]
    names: Sequence[str] = ()
    command: str = ""


def _read(sentence: str, language: str) -> _Sentence:
    """Return a sentence with days, lengths and stations taken out."""
    tokens = [(match.lastgroup or "", match[0]) for match in _TOKEN.finditer(sentence)]
    places: dict[str, list[str]] = {}
    for take in (_take_spans, _take_days, _take_stations, _take_pawns):
        tokens = take(tokens, places, language)
    names = [text for kind, text in tokens if kind == "address"]
    words = [(i, text) for i, (kind, text) in enumerate(tokens) if kind == "word"]
    names += [text for i, text in words if i and text[0].isupper() and folded(text) not in _weights(language)]
    names += [text for i, text in words if not i and text[0].isupper() and folded(text) not in _weights(language)]
    for kind, text in tokens:
        if kind == "place":
            places.setdefault(text, []).append(text)
    return _Sentence(frozenset(folded(text) for _, text in words), places, names)


Tokens = list[tuple[str, str]]


def _take_spans(tokens: Tokens, places: dict[str, list[str]], _language: str) -> Tokens:
    """Take lengths of time out, each as "2 days"."""
    found: Tokens = []
    i = 0
    while i < len(tokens):
        for length in range(2, _MOST_OF_SPAN + 1):
            part = tokens[i : i + length]
            is_text = len(part) == length and all(kind in ("word", "number") for kind, _ in part)
            is_text = is_text and folded(part[0][1]) not in _around_spans()
            span = read_span(" ".join(text for _, text in part)) if is_text else None
            if span and (match := _LENGTH.fullmatch(span)):
                plural = "" if match[1] == "1" else "s"
                places.setdefault("{span}", []).append(f"{match[1]} {UNITS[match[2]]}{plural}")
                found += [token for token in part if folded(token[1]) in lexicon.words("time", "more")]
                i += length
                break
        else:
            found.append(tokens[i])
            i += 1
    return found


@cache
def _around_spans() -> frozenset[str]:
    """Return the words that may begin a length of time and say no part of it: "for two days"."""
    return (lexicon.words("time", "before") | lexicon.words("time", "more")) - lexicon.words("time", "one")


def _take_days(tokens: Tokens, places: dict[str, list[str]], language: str) -> Tokens:
    """Take days out, each as "3 May"; one without a month is in that of the day behind it."""
    taken: set[int] = set()
    days: list[str] = []
    month, at = "", len(tokens)  # of the day behind
    for i in range(len(tokens) - 1, -1, -1):
        kind, text = tokens[i]
        before, behind = (_number_beside(tokens, i, step, taken) for step in (-1, 1))
        word = folded(text)
        if kind == "word" and word in _days(language) and i + 1 in taken and _days(language)[word] in _WEEKDAYS:
            taken.add(i)  # the weekday of a date
        elif kind == "date" or (kind == "word" and word in _days(language)):
            days.append(text if kind == "date" else _days(language)[word])
            taken.add(i)
        elif kind == "word" and word in _months() and (number := before if behind is None else behind) is not None:
            month, at = _months()[word], min(i, number)
            days.append(f"{int(tokens[number][1])} {month}")
            taken |= set(range(min(i, number), max(i, number) + 1))
        elif kind == "number" and i not in taken and month and at - i <= _BETWEEN_DAYS and 0 < int(text[:3]) <= 31:
            days.append(f"{int(text)} {month}")
            taken.add(i)
    if days:
        places["{day}"] = days[::-1]
    return [token for i, token in enumerate(tokens) if i not in taken]


_BETWEEN_DAYS = 4  # words, of two days of which only the second names its month
_TO_MONTH = 3  # words, from the number of a day to its month: "3 de mayo", "3rd of May"


def _number_beside(tokens: Tokens, at: int, step: int, taken: set[int]) -> int | None:
    """Return where the number of a day stands before or behind a month."""
    for i in range(at + step, at + (_TO_MONTH + 1) * step, step):
        if not 0 <= i < len(tokens) or i in taken or tokens[i][0] not in ("word", "number"):
            return None
        if tokens[i][0] == "number":
            return i if len(tokens[i][1]) <= 2 and 0 < int(tokens[i][1]) <= 31 else None
        if step == 1 or len(tokens[i][1]) > 2:
            return None
    return None


def _take_stations(tokens: Tokens, places: dict[str, list[str]], _language: str) -> Tokens:
    for kind, text in tokens:
        if kind == "number" and len(text) <= 3 and is_station(text):
            places.setdefault("{station}", []).append(str(int(text)))
    return [token for token in tokens if token[0] != "number"]


def _take_pawns(tokens: Tokens, places: dict[str, list[str]], _language: str) -> Tokens:
    pawns = lexicon.table("pawns")
    for kind, text in tokens:
        if kind == "word" and folded(text) in pawns:
            places.setdefault("{pawn}", []).append(pawns[folded(text)])
    return tokens


@cache
def _months() -> Mapping[str, str]:
    """Return the English names of the months by those in all languages: each names twelve, and then short ones."""
    found: dict[str, str] = {}
    for words in lexicon.by_language("counted", "months").values():
        found |= _in_order(words, _MONTHS)
    return found


@cache
def _days(language: str) -> Mapping[str, str]:
    """Return the English names of weekdays, of today and tomorrow, by those in a language."""
    days = _in_order(lexicon.by_language("counted", "weekdays").get(language, ()), _WEEKDAYS)
    found = {word: day for word, day in days.items() if len(word) >= _SHORTEST_WEEKDAY}
    for day in ("today", "tomorrow"):
        found |= dict.fromkeys(lexicon.by_language("time", day).get(language, ()), day)
    return found


def _in_order(words: Sequence[str], names: Sequence[str]) -> Mapping[str, str]:
    whole = dict(zip(words, names, strict=False))
    short = {word: name for word in words[len(names) :] for other, name in whole.items() if other.startswith(word)}
    return short | whole


# Likeness ----------------------------------------------------------------------------------------


@cache
def _examples() -> Mapping[str, Sequence[_Sentence]]:
    """Return the examples of each language; whole lines that are a command are examples of it too."""
    found: dict[str, list[_Sentence]] = {}
    for command, by_language in lexicon.examples("wishes").items():
        lines = lexicon.by_language("commands", command.lower())
        for language, sentences in by_language.items():
            for sentence in (*sentences, *lines.get(language, ())):
                tokens = _TOKEN.findall(_MR_X.sub("mrx", sentence))
                places: dict[str, list[str]] = {}
                for _, _, place, _, _ in tokens:
                    if place:
                        places.setdefault(place, []).append(place)
                words = frozenset(folded(word) for *_, word in tokens if word)
                found.setdefault(language, []).append(_Sentence(words, places, command=command))
    return found


@cache
def _weights(language: str) -> Mapping[str, float]:
    """Return the weight of each word of the examples of a language: high if it stands with few commands."""
    commands: dict[str, set[str]] = {}
    for example in _examples()[language]:
        for word in example.words:
            commands.setdefault(word, set()).add(example.command.partition(" ")[0])
    small = {word for name in _SMALL_WORDS for word in lexicon.by_language("move", name).get(language, ())}
    return {
        word: _SMALL if word in small else max(_SMALL, 1.5 - 0.5 * math.log2(len(those)))
        for word, those in commands.items()
    }


_SMALL_WORDS = ("to", "by", "for", "and", "articles", "articles_of_tickets", "subjects", "my", "will", "please")


def _compared(said: _Sentence, example: _Sentence, near: Mapping[str, Mapping[str, float]], language: str) -> Wish:
    """Return the command of an example, and how like the example a sentence is, of which `near` has the words."""
    weights = _weights(language)
    line, is_filled, places = _filled(said, example)
    shares: dict[str, float] = {}
    beside = 0.0
    for known in near.values():
        common_words = known.keys() & example.words
        shares |= {word: max(known[word], shares.get(word, 0)) for word in common_words}
        if not common_words:
            beside += _OTHER * max(weights[word] for word in known) if known else _UNKNOWN
    common = sum(weights[word] * share for word, share in shares.items()) + _OF_PLACE * places
    missing = sum(weights[word] * (1 - shares.get(word, 0)) for word in example.words)
    missing += 0 if is_filled else _OF_PLACE
    for place, found in said.places.items():
        more = found[len(example.places.get(place, ())) :] if place != "{pawn}" else ()
        beside += sum(_OF_PLACE * (1 if place == "{day}" and day != "today" else _OTHER) for day in more)
    content = {word: weights[word] for word in example.words if weights[word] > _SMALL}
    is_about_it = sum(weight * shares.get(word, 0) for word, weight in content.items()) >= _MUST * sum(content.values())
    likeness = common / (common + missing + beside) if common else 0.0
    return Wish(line, likeness if is_about_it else likeness / 2)


def _near(said: _Sentence, language: str) -> Mapping[str, Mapping[str, float]]:
    """Return for each word of a sentence those of the examples that it is: 1 for itself, less for one that is alike."""
    weights, beginnings = _weights(language), _beginnings(language)
    return {
        word: {word: 1.0}
        if word in weights
        else {other: _ALIKE for other in beginnings.get(word[:_SHORTEST], ()) if _is_alike(word, other)}
        for word in said.words
    }


@cache
def _beginnings(language: str) -> Mapping[str, Sequence[str]]:
    found: dict[str, list[str]] = {}
    for word in _weights(language):
        found.setdefault(word[:_SHORTEST], []).append(word)
    return found


_ALIKE, _SHORTEST = 0.8, 4  # the part of its weight with which a form of a word counts; letters of the shortest


def _filled(said: _Sentence, example: _Sentence) -> tuple[str, bool, int]:
    """Return the command of an example with what the sentence has, if it has all, and how many places were filled."""
    line, places = example.command, 0
    for place, asked in example.places.items():
        values = said.names if place == "{name}" else said.places.get(place, ())
        if len(values) < len(asked):
            return line, False, 0
        for value in values[: len(asked)]:
            line = line.replace(place, value, 1)
            places += 1
    return line, True, places


def _is_alike(one: str, other: str) -> bool:
    """Return True for two forms of one word: they begin alike, and differ in the last letters."""
    common = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return common >= _SHORTEST and common >= 0.7 * max(len(one), len(other))
