"""Lengths of time as people write them, in the languages that are read: "3 days", "um zwei Wochen", "a day more"."""

import re
from collections.abc import Mapping
from functools import cache

from server.language import lexicon
from server.language.lexicon import folded
from server.language.numbers import in_digits

_DURATION = {"m": "PT{}M", "h": "PT{}H", "d": "P{}D", "w": "P{}W"}
_PARTS = re.compile(r"[a-z]+|[0-9]+")
_NUMBER = re.compile("[0-9]{1,4}")
_GAPS = re.compile(r"[\s-]+")
_MOST_WORDS = 8


def read_span(text: str) -> str | None:
    """Return a length of time as an ISO 8601 duration, such as P3D; None if `text` is anything else."""
    said = folded(text)
    units, more = _units(), lexicon.words("time", "more")
    words = _PARTS.findall(said)
    if len(words) > _MOST_WORDS or _GAPS.sub("", said) != "".join(words):
        return None
    while words[1:] and words[0] in lexicon.words("time", "before") and words[1] not in units:
        words.pop(0)
    unit = next((i for i, word in enumerate(words) if word in units), None)
    if unit is None or not more.issuperset(words[unit + 1 :]):
        return None
    number = _number([word for word in words[:unit] if word not in more])
    return _DURATION[units[words[unit]]].format(number) if number else None


@cache
def _units() -> Mapping[str, str]:
    return {word: unit for unit in _DURATION for word in lexicon.entries("time", unit)}


def _number(words: list[str]) -> str | None:
    """Return in digits the number that the words are, else None; an article is 1."""
    digits = ["1"] if len(words) == 1 and words[0] in lexicon.words("time", "one") else in_digits(words)
    is_number = len(digits) == 1 and _NUMBER.fullmatch(digits[0]) is not None
    return digits[0] if is_number else None
