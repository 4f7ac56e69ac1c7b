"""Languages that are English in other letters, so that a test sees the words that nobody could translate.

Mails are read with such letters as with those of a keyboard, so that games can be played in it.
"""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from gettext import NullTranslations
from html.parser import HTMLParser
from unittest import mock

from server.drawing import picture
from server.drawing.city import city
from server.engine import Board
from server.vocabulary.translation import catalogues

CODE = "xx"
ALPHABETS = {CODE: (0xFF21, 0xFF41), "xb": (0x1D400, 0x1D41A), "xs": (0x1D5A0, 0x1D5BA)}  # wide; bold; without serifs
_KEPT = re.compile(r"(\{\w*\}|%\(\w+\)s|%%|<[^>]+>|&\w+;)")  # values, and what is HTML
_LETTERS = {
    code: {ord(first) + n: begin + n for first, begin in zip("Aa", alphabet, strict=True) for n in range(26)}
    for code, alphabet in ALPHABETS.items()
}
_SHOWN_ATTRIBUTES = ("alt", "title", "placeholder", "aria-label", "aria-description", "data-says", "data-then")


class Pseudo(NullTranslations):
    """A catalogue that has each sentence in the letters of a language."""

    def __init__(self, code: str) -> None:
        super().__init__()
        self._letters = _LETTERS[code]

    def gettext(self, message: str) -> str:
        return "".join(part if i % 2 else part.translate(self._letters) for i, part in enumerate(_KEPT.split(message)))

    def pgettext(self, context: str, message: str) -> str:
        return self.gettext(message)

    def ngettext(self, one: str, many: str, n: int) -> str:
        return self.gettext(one if n == 1 else many)

    def npgettext(self, context: str, one: str, many: str, n: int) -> str:
        return self.gettext(one if n == 1 else many)


@contextmanager
def offered(*codes: str) -> Iterator[None]:
    """Offer these languages, or that of wide letters, as long as this context is open."""
    added = {code: Pseudo(code) for code in codes or (CODE,)}
    catalogues().update(added)
    try:
        yield
    finally:
        for code in added:
            del catalogues()[code]


def untranslated(text: str) -> list[str]:
    """Return the words of a text that are in the letters of English."""
    return re.findall("[A-Za-zÄÖÜäöüß]{2,}", text)


def untranslated_in(html: str) -> list[str]:
    """Return the words of a page that are in the letters of English, those that are read out among them."""
    return untranslated(words_in(html))


def words_in(html: str) -> str:
    """Return the text of a page or the HTML of a mail, and what of it is read out, such as the words for pictures."""
    page = _Page()
    page.feed(html)
    return "\n".join(("".join(page.texts), *page.attributes))


def undrawn(drawings: Iterable[str]) -> set[str]:
    """Return the words and the letters of pawns that are drawn in those of English, but for names."""
    words = {word for drawn in drawings for word in re.findall("[A-Za-z]+", words_in(drawn))}
    return words - {"BLACK", "TICKET", "Black", "Ticket", *on_boards()}


@cache
def on_boards() -> set[str]:
    """Return the words that are on the boards themselves: names of a city."""
    cities = filter(None, map(city, map(Board.named, Board.names())))
    drawn = " ".join(line for each in cities for name in each.names for line in name.lines).upper()
    return set(re.findall("[A-Z]+", drawn))


@contextmanager
def drawings() -> Iterator[list[str]]:
    """Yield the drawings that become PNGs as long as this context is open, but for those that are kept."""
    made: list[str] = []
    draw = picture.png

    def png(drawn: str, width: int = picture.PNG_WIDTH) -> bytes:
        made.append(drawn)
        return draw(drawn, width)

    with mock.patch.object(picture, "png", png):
        yield made


def of_others(text: str, code: str) -> list[str]:
    """Return the letters of a text that are in the alphabet of another of these languages than one's own."""
    others = {chr(letter) for other, letters in _LETTERS.items() if other != code for letter in letters.values()}
    return sorted(others & set(text))


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.attributes: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._hidden += tag in ("script", "style", "code")
        self.attributes += [value for name, value in attrs if value and name in _SHOWN_ATTRIBUTES]
        self.texts.append(" ")

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in ("script", "style", "code")
        self.texts.append(" ")

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.texts.append(data)
