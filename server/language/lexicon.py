"""The words of the languages that mails are read in: a file of data for each, in the folder `languages`.

`languages/en.toml` says what each table is for. Words are returned as `folded` returns text. Whoever adds a language
adds a file there, and samples to the tests.
"""

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from pathlib import Path

from server.vocabulary import translation

_ALIKE = 0.85  # "englisch" is English, and "Dutch" is not Deutsch
FOLDER = Path(__file__).with_name("languages")
# Letters that are none with an accent: these have no parts of which one could be left out.
_LETTERS = str.maketrans({"ß": "ss", "ł": "l", "ø": "o", "æ": "ae", "œ": "oe", "ı": "i", "đ": "d", "ς": "σ", "’": "'"})
_ACCENTS = re.compile("[\u0300-\u036f]+")
_DIVIDER = re.compile(r"[,\n]")


_File = Mapping[str, Mapping[str, str]]


def folded(text: str) -> str:
    """Return `text` in lower case and without accents."""
    if text.isascii():
        return text.lower()
    bare = _ACCENTS.sub("", unicodedata.normalize("NFD", text.lower()))
    return unicodedata.normalize("NFC", bare).translate(_LETTERS)


def language_like(text: str) -> str:
    """Return the code of the language of mails and pages that `text` names, such as "Deutsch", or else `text`."""
    offered = translation.languages().items()
    named = {folded(name): code for code, own in offered for name in (code, own, _files()[code]["language"]["name"])}
    alike = get_close_matches(folded(text), named, 1, _ALIKE)
    return named[alike[0]] if alike else text


def by_language(*path: str) -> Mapping[str, Sequence[str]]:
    """Return the words and phrases at a place such as "talk", "greetings", by the language, for those that have any."""
    found = {language: _entries(_text_at(file, path)) for language, file in _files().items()}
    return {language: entries for language, entries in found.items() if entries}


def entries(*path: str) -> Sequence[str]:
    """Return the words and phrases at a place of all files, in their order."""
    return tuple(dict.fromkeys(entry for found in by_language(*path).values() for entry in found))


def texts(language: str, sections: Sequence[str]) -> Iterable[str]:
    """Yield the tables of some sections of a language, folded, each as one text."""
    file = _files()[language]
    yield from (folded(text) for section in sections for text in file.get(section, {}).values())


@cache
def words(section: str, *names: str) -> frozenset[str]:
    """Return the words and phrases under these names of a section, of all files."""
    return frozenset(entry for name in names for entry in entries(section, name))


@cache
def table(section: str) -> Mapping[str, str]:
    """Return the name under which each word of a section stands, but for words that two names have."""
    names = {name for file in _files().values() for name in file.get(section, ())}
    found: dict[str, set[str]] = {}
    for name in sorted(names):
        for word in entries(section, name):
            found.setdefault(word, set()).add(name)
    return {word: next(iter(of)) for word, of in found.items() if len(of) == 1}


@cache
def examples(section: str) -> Mapping[str, Mapping[str, Sequence[str]]]:
    """Return the sentences under each name of a section, one a line, as they are written, by name and language."""
    found: dict[str, dict[str, Sequence[str]]] = {}
    for language, file in _files().items():
        for name, text in file.get(section, {}).items():
            found.setdefault(name, {})[language] = [line for line in text.split("\n") if line]
    return found


def alternatives(found: Iterable[str]) -> str:
    """Return a pattern that matches one of these words and phrases, with any blanks in them, the longest first."""
    return "|".join(re.escape(entry) for entry in sorted(found, key=lambda entry: (-len(entry), entry))) or "(?!)"


def pattern(*path: str) -> str:
    """Return a pattern that matches one of the phrases at a place of all files, in text that is folded.

    A blank in them may be a hyphen or nothing; {text} is anything, {number} digits, and {name} up to three words.
    """
    return "|".join(map(_as_pattern, sorted(entries(*path), key=lambda entry: (-len(entry), entry)))) or "(?!)"


def _as_pattern(entry: str) -> str:
    text = re.escape(entry.removesuffix("-")).replace(r"\ ", "[ -]?")
    text = (
        text.replace(r"\{text\}", ".{1,200}")
        .replace(r"\{number\}", r"\d+")
        .replace(r"\{name\}[ -]?", r"(?:[\w']+ ){0,3}")
    )
    is_whole = entry[-1].isalnum() and entry[-1] < _FIRST_WITHOUT_BLANKS  # beyond, no blank ends a word
    return rf"{text}\b" if is_whole else text


_FIRST_WITHOUT_BLANKS = "\u0590"


def _entries(text: str) -> Sequence[str]:
    said = (" ".join(entry.split()) for entry in _DIVIDER.split(text))
    return tuple(folded(entry) for entry in said if entry)


def _text_at(file: _File, path: Sequence[str]) -> str:
    section, name = path
    return file[section].get(name, "") if section in file else ""


@cache
def _files() -> Mapping[str, _File]:
    """Return the tables of each file, English first, and the others in the order of their names."""
    paths = sorted(FOLDER.glob("*.toml"), key=lambda path: (path.stem != "en", path.stem))
    read = {path.stem: tomllib.loads(path.read_text("utf-8")) for path in paths}
    return {name: {**file, "language": {"name": file["language"]}} for name, file in read.items()}
