"""Comparison of names by their looks, after UTS 39 (Unicode Security Mechanisms).

A reader cannot tell two names with one skeleton apart: "Ben", "BEN", "Ben" with a Cyrillic letter. The table of
characters that look alike is that of `confusable_homoglyphs`.
"""

import hashlib
import json
import re
import unicodedata
from functools import cache
from importlib.resources import files

# Letters and symbols that are invisible, though their category says otherwise (Hangul fillers, the empty Braille cell).
_EMPTY = frozenset("\u115f\u1160\u2800\u3164\uffa0")
# Marks that are invisible: the grapheme joiner, Khmer and Mongolian ones, and the variation selectors.
_SILENT = re.compile("[\u034f\u17b4\u17b5\u180b-\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")
# Combining classes of marks that make a letter another one: nukta, the dots of shin and sin. Each letter may have one.
_OF_THE_LETTER = (7, 24, 25)
_ALIKE = str.maketrans("i", "l")  # "I" and "l" look alike, and "I" is "i" where case does not count


def is_visible(name: str) -> bool:
    """Return True if `name` has a letter or digit that can be seen."""
    return _letters(name) > 0


def most_marks(name: str) -> int:
    """Return how many marks stand at most above, below or around one letter of `name`, which is in NFC.

    Spacing marks, such as the vowel signs of Hindi, do not count, as they grow to the side and hide no other line.
    """
    most = marks = 0
    is_other_letter = False
    for character in name:
        if unicodedata.category(character) not in ("Mn", "Me"):
            marks, is_other_letter = 0, False
        elif unicodedata.combining(character) in _OF_THE_LETTER and not is_other_letter:
            is_other_letter = True
        else:
            marks += 1
            most = max(most, marks)
    return most


def first_ligature(name: str) -> str | None:
    """Return the first character of `name` that stands for several letters or digits, such as U+FB01 for "fi"."""
    return next((one for one in name if _letters(unicodedata.normalize("NFKC", one)) > 1), None)


def skeleton(name: str) -> str:
    """Return what `name` looks like: names that could be taken for each other have one skeleton.

    Case, spaces and punctuation do not count. A name of nothing but symbols is its own skeleton.
    """
    return "".join(skeleton_words(name)) or unicodedata.normalize("NFKC", name)


def skeleton_words(name: str) -> list[str]:
    """Return the skeletons of the words of `name`, which are divided by spaces and punctuation."""
    shown = _SILENT.sub("", unicodedata.normalize("NFD", unicodedata.normalize("NFKC", name)))
    mapped = "".join(map(_prototype, shown))
    # Folding the case makes letters that the table knows in one case only, so both are looked up.
    folded = "".join(map(_prototype, unicodedata.normalize("NFD", mapped.casefold()))).casefold().translate(_ALIKE)
    return "".join(letter if _counts(letter) else " " for letter in folded).split()


def digest(name: str) -> str:
    """Return a hash of the skeleton of `name`, of one length whatever the name."""
    return hashlib.sha256(skeleton(name).encode()).hexdigest()


def _letters(text: str) -> int:
    """Return how many letters and digits of `text` can be seen."""
    return sum(unicodedata.category(letter)[0] in "LN" and letter not in _EMPTY for letter in text)


def _counts(letter: str) -> bool:
    return unicodedata.category(letter)[0] in "LNM" and letter not in _EMPTY


def _prototype(letter: str) -> str:
    """Return the character, or the characters, that stand for all that look like `letter`."""
    return _prototypes().get(letter, letter)


@cache
def _prototypes() -> dict[str, str]:
    """Return the prototypes of all characters that have another.

    The library lists for a character those it can be confused with: for most the one prototype of UTS 39, and for a
    prototype all that have it. Of a pair, in which each has the other alone, the first in order of Unicode is taken.
    Only this small table is kept: what the library keeps takes ten times the memory.
    """
    text = files("confusable_homoglyphs").joinpath("confusables.json").read_text(encoding="utf-8")
    alike = json.loads(text, object_hook=_without_name)
    only = {letter: others[0] for letter, others in alike.items() if len(others) == 1}
    found = {}
    for letter, other in only.items():
        is_pair = len(other) == 1 and only.get(other) == letter
        found[letter] = min(letter, other) if is_pair else other
    return {letter: prototype for letter, prototype in found.items() if letter != prototype}


def _without_name(entry: dict[str, object]) -> object:
    """Return only the character of an entry, which halves the memory that reading the table needs."""
    return entry["c"] if isinstance(entry.get("c"), str) else entry
