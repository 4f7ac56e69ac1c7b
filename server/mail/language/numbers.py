"""Numbers in words, up to 199, in the languages that are read; words are as `words.folded` returns them."""

from collections.abc import Iterable, Sequence

_ONE_TO_NINETEEN = (
    (
        "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
        " eighteen nineteen"
    ),
    (
        "eins zwei drei vier funf sechs sieben acht neun zehn elf zwolf dreizehn vierzehn funfzehn sechzehn siebzehn"
        " achtzehn neunzehn"
    ),
    "un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize",
    (
        "uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciseis diecisiete"
        " dieciocho diecinueve"
    ),
    (
        "een twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien zeventien"
        " achttien negentien"
    ),
)
_TENS = (
    "twenty thirty forty fifty sixty seventy eighty ninety",
    "zwanzig dreissig vierzig funfzig sechzig siebzig achtzig neunzig",
    "vingt trente quarante cinquante soixante septante huitante nonante",
    "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa",
    "twintig dertig veertig vijftig zestig zeventig tachtig negentig",
)
_OTHERS = {"fourty": 40, "ninty": 90, "eighty": 80, "quatrevingt": 80, "quatrevingts": 80}
_HUNDRED = ("hundred", "hundert", "einhundert", "cent", "ciento", "cien", "honderd", "eenhonderd")
_AND = frozenset(("and", "und", "et", "y", "en"))
_BY_TWENTY = (60, 80)  # "soixante-dix", "quatre-vingt-onze"


def in_digits(words: Sequence[str]) -> list[str]:
    """Return `words` with numbers such as "forty six" and "zweiundsechzig" in digits."""
    found: list[str] = []
    last = 0  # what was added last to the number that `found` ends in; 0 if it ends in none
    for i, word in enumerate(words):
        value = _VALUES.get(word)
        if value is None and last and word in _AND and words[i + 1 : i + 2] and words[i + 1] in _VALUES:
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
    return _VALUES.get(word)


def _room_behind(last: int) -> int:
    """Return the number below which a number is that can be added behind `last`."""
    if last in _BY_TWENTY:
        return 20
    return 100 if last == 100 else 10 if last >= 10 and last % 10 == 0 else 0


def _values() -> dict[str, int]:
    values = dict(_OTHERS) | dict.fromkeys(_HUNDRED, 100)
    for row in _ONE_TO_NINETEEN:
        values |= _numbered(row.split(), 1, 1)
    for row in _TENS:
        values |= _numbered(row.split(), 20, 10)
    for units, joined, tens in ((1, "und", 1), (4, "en", 4)):
        ones = ["ein" if units == 1 else "een", *_ONE_TO_NINETEEN[units].split()[1:9]]
        for ten, of_ten in _numbered(_TENS[tens].split(), 20, 10).items():
            values |= {f"{one}{joined}{ten}": of_ten + number for number, one in enumerate(ones, 1)}
    values |= {f"veinti{one}": 20 + number for number, one in enumerate(_ONE_TO_NINETEEN[3].split()[:9], 1)}
    glued = {
        f"{hundred}{word}": 100 + number for hundred in _HUNDRED for word, number in values.items() if number < 100
    }
    return glued | values


def _numbered(words: Iterable[str], first: int, step: int) -> dict[str, int]:
    return {word: first + number * step for number, word in enumerate(words)}


_VALUES = _values()
