"""Lengths of time as people write them, in five languages: "3 days", "um zwei Wochen", "a day more"."""

import re

from server.mail.language.numbers import in_digits
from server.mail.language.words import folded

_DURATION = {"m": "PT{}M", "h": "PT{}H", "d": "P{}D", "w": "P{}W"}
_UNITS = {
    "m": "m min mins minute minutes minuten minuto minutos minuut",
    "h": "h hour hours hrs stunde stunden std heure heures hora horas uur uren",
    "d": "d day days tag tage tagen jour jours dia dias dag dagen",
    "w": "w week weeks wk woche wochen semaine semaines semana semanas weken",
}
_UNIT_OF = {word: unit for unit, words in _UNITS.items() for word in words.split()}
_ONE = {"a", "an", "another", "ein", "eine", "einen", "un", "une", "una"}
_BEFORE = {"by", "for", "um", "fur", "noch", "pendant", "de", "por", "durante", "voor", "met"}
_MORE = {"more", "extra", "longer", "mehr", "weitere", "langer", "plus", "de", "supplementaires", "mas", "meer"}
_PARTS = re.compile(r"[a-z]+|[0-9]+")
_NUMBER = re.compile("[0-9]{1,4}")
_GAPS = re.compile(r"[\s-]+")
_MOST_WORDS = 8


def read_span(text: str) -> str | None:
    """Return a length of time as an ISO 8601 duration, such as P3D; None if `text` is anything else."""
    said = folded(text)
    words = _PARTS.findall(said)
    if len(words) > _MOST_WORDS or _GAPS.sub("", said) != "".join(words):
        return None
    while words[1:] and words[0] in _BEFORE and words[1] not in _UNIT_OF:
        words.pop(0)
    unit = next((i for i, word in enumerate(words) if word in _UNIT_OF), None)
    if unit is None or not _MORE.issuperset(words[unit + 1 :]):
        return None
    number = _number([word for word in words[:unit] if word not in _MORE])
    return _DURATION[_UNIT_OF[words[unit]]].format(number) if number else None


def _number(words: list[str]) -> str | None:
    """Return in digits the number that the words are, else None; an article is 1."""
    digits = ["1"] if len(words) == 1 and words[0] in _ONE else in_digits(words)
    is_number = len(digits) == 1 and _NUMBER.fullmatch(digits[0]) is not None
    return digits[0] if is_number else None
