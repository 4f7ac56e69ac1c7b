"""Numbers in words, up to 199, in the languages that are read; words are as `lexicon.folded` returns them."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from server.language import lexicon

_BY_TWENTY = (60, 80)  # "soixante-dix", "quatre-vingt-onze"


def in_digits(words: Sequence[str]) -> list[str]:
    """Return `words` with numbers such as "forty six" and "zweiundsechzig" in digits."""
    found: list[str] = []
    last = 0  # what was added last to the number that `found` ends in; 0 if it ends in none
    for i, word in enumerate(words):
        value = _values().get(word)
        if (
            value is None
            and last
            and word in lexicon.words("move", "and")
            and words[i + 1 : i + 2]
            and words[i + 1] in _values()
        ):
            continue
        if value and last == 4 and value == 20:  # "quatre-vingt"
            found[-1], last = str(int(found[-1]) + 76), 80
        elif value and last == 1 and value == 100:  # "one hundred"
            found[-1], last = "100", 100
        elif value and last and value < _room_behind(last):
            found[-1], last = str(int(found[-1]) + value), value
        else:
            found.append(str(value) if value else word)
            last = value or 0
    return found


def value_of(word: str) -> int | None:
    """Return the value of a number that is one word; None if it is none."""
    return _values().get(word)


def _room_behind(last: int) -> int:
    """Return the number below which a number is that can be added behind `last`."""
    if last in _BY_TWENTY:
        return 20
    return 100 if last == 100 else 10 if last >= 10 and last % 10 == 0 else 0


@cache
def _values() -> Mapping[str, int]:
    spelt = (entry.partition(" = ") for entry in lexicon.entries("numbers", "spellings"))
    values = {word: int(number) for word, _, number in spelt} | dict.fromkeys(
        lexicon.entries("numbers", "hundred"), 100
    )
    ones, tens = lexicon.by_language("numbers", "ones"), lexicon.by_language("numbers", "tens")
    for language in ones:
        of_tens = _numbered(tens[language], 20, 10)
        values |= _numbered(ones[language], 1, 1) | of_tens
        for unit, one in enumerate(ones[language][:9], 1):  # "trentaquattro", "trentotto"
            values |= {f"{ten[:-1] if one[0] in 'uo' else ten}{one}": of_tens[ten] + unit for ten in of_tens}
    for language, (between,) in lexicon.by_language("numbers", "between").items():  # "zweiundsechzig"
        (one,) = lexicon.by_language("numbers", "one_in_front")[language]
        units = enumerate([one, *ones[language][1:9]], 1)
        of_tens = _numbered(tens[language], 20, 10)
        values |= {f"{unit}{between}{ten}": of_tens[ten] + number for number, unit in units for ten in of_tens}
    for language, (twenty,) in lexicon.by_language("numbers", "twenty_in_front").items():  # "veintidos"
        values |= {f"{twenty}{one}": 20 + number for number, one in enumerate(ones[language][:9], 1)}
    hundreds = lexicon.entries("numbers", "hundred")
    glued = {
        f"{hundred}{word}": 100 + number for hundred in hundreds for word, number in values.items() if number < 100
    }
    return glued | values


def _numbered(words: Iterable[str], first: int, step: int) -> dict[str, int]:
    return {word: first + number * step for number, word in enumerate(words)}
