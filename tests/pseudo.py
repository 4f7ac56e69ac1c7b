"""A language that is English in wide letters, so that a test sees the words that nobody could translate.

Mails are read with such letters as with those of a keyboard, so that games can be played in it.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from gettext import NullTranslations
from html.parser import HTMLParser

from server.vocabulary.translation import catalogues

CODE = "xx"
_KEPT = re.compile(r"(\{\w*\}|%\(\w+\)s|%%|<[^>]+>|&\w+;)")  # values, and what is HTML
_WIDE = {code: code + 0xFEE0 for code in (*range(ord("A"), ord("Z") + 1), *range(ord("a"), ord("z") + 1))}
_SHOWN_ATTRIBUTES = ("alt", "title", "placeholder", "aria-label", "aria-description", "data-says", "data-then")


class Pseudo(NullTranslations):
    """A catalogue that has each sentence in wide letters."""

    def gettext(self, message: str) -> str:
        return "".join(part if i % 2 else part.translate(_WIDE) for i, part in enumerate(_KEPT.split(message)))

    def pgettext(self, context: str, message: str) -> str:
        return self.gettext(message)

    def ngettext(self, one: str, many: str, n: int) -> str:
        return self.gettext(one if n == 1 else many)

    def npgettext(self, context: str, one: str, many: str, n: int) -> str:
        return self.gettext(one if n == 1 else many)


@contextmanager
def offered() -> Iterator[None]:
    """Offer the language as long as this context is open."""
    catalogues()[CODE] = Pseudo()
    try:
        yield
    finally:
        del catalogues()[CODE]


def untranslated(text: str) -> list[str]:
    """Return the words of a text that are not in wide letters."""
    return re.findall("[A-Za-zÄÖÜäöüß]{2,}", text)


def untranslated_in(html: str) -> list[str]:
    """Return the words of a page that are not in wide letters, those that are read out among them."""
    page = _Page()
    page.feed(html)
    return [word for text in ("".join(page.texts), *page.attributes) for word in untranslated(text)]


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
