"""The language of the reader. English stands in the code, the others in catalogues of gettext in `server/locale`.

A sentence is whole, with its values in braces: `gettext("{who} is to move.", who=name)`. The language belongs to the
thread that runs. It is that of the reader, and not that of the player who caused what is told.
"""

import logging
import struct
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from gettext import GNUTranslations, NullTranslations
from pathlib import Path
from typing import TypeVar

ENGLISH = "en"
LOCALE = Path(__file__).parent.parent / "locale"
_spoken: ContextVar[tuple[str, NullTranslations]] = ContextVar("language", default=(ENGLISH, NullTranslations()))
_log = logging.getLogger(__name__)
_Words = TypeVar("_Words")


@cache
def catalogues() -> dict[str, NullTranslations]:
    """Return the catalogue of each language, by its code, English first."""
    found: dict[str, NullTranslations] = {ENGLISH: NullTranslations()}
    for path in sorted(LOCALE.glob("*/LC_MESSAGES/messages.mo")):
        try:
            with path.open("rb") as file:
                catalogue = GNUTranslations(file)
        except (OSError, ValueError, struct.error) as error:
            _log.error("%s cannot be read, so its language is not offered: %s", path, error)
            continue
        catalogue.add_fallback(_Missing())
        found[path.parts[-3]] = catalogue
    return found


def languages() -> dict[str, str]:
    """Return the languages of mails and pages: `{"en": "English", "de": "Deutsch"}`."""
    return {code: catalogue.pgettext("this language", "English") for code, catalogue in catalogues().items()}


def current() -> str:
    """Return the code of the language in which sentences are made now."""
    return _spoken.get()[0]


def catalogue() -> NullTranslations:
    return _spoken.get()[1]


def speak(language: str) -> None:
    """Make sentences in a language from now on; in English if there is no such language."""
    known = language if language in catalogues() else ENGLISH
    _spoken.set((known, catalogues()[known]))


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Make sentences in a language as long as this context is open."""
    before = _spoken.get()
    speak(language)
    try:
        yield
    finally:
        _spoken.set(before)


@cache
def _looked_up(catalogue: NullTranslations, name: str, *words: str) -> str:
    """Return what this function of a catalogue returns."""
    return str(getattr(catalogue, name)(*words))


def gettext(message: str, /, **values: object) -> str:
    """Return a sentence in the current language, with its values."""
    if not message:
        return ""  # whose translation is the head of the catalogue
    translation = _looked_up(_spoken.get()[1], "gettext", message)
    return filled(translation, message, values) if values else translation


def pgettext(context: str, message: str, /, **values: object) -> str:
    """Return words that are translated otherwise in another context, which is the role that they have in a sentence."""
    translation = _looked_up(_spoken.get()[1], "pgettext", context, message)
    return filled(translation, message, values) if values else translation


def ngettext(one: str, many: str, n: int, /, **values: object) -> str:
    """Return a sentence about `n` things; `n` is one of its values, if it is not given as a word."""
    english = one if n == 1 else many
    return filled(_spoken.get()[1].ngettext(one, many, n), english, {"n": n} | values)


def npgettext(context: str, one: str, many: str, n: int, /, **values: object) -> str:
    """Return words about `n` things in a context."""
    english = one if n == 1 else many
    return filled(_spoken.get()[1].npgettext(context, one, many, n), english, {"n": n} | values)


def gettext_noop(words: _Words) -> _Words:
    """Return a sentence, or a table of sentences, as it is: it is found here, and translated where it is shown."""
    return words


def pgettext_noop(context: str, words: _Words) -> _Words:  # noqa: ARG001 the context is read off the call
    """Return words, or a table of words, as they are; see `gettext_noop`."""
    return words


def filled(text: str, english: str, values: Mapping[str, object], fill: Callable[..., str] = str.format_map) -> str:
    """Return a translation with its values, as `fill` puts them in; the English sentence if it has others."""
    try:
        return fill(text, values)
    except (AttributeError, LookupError, TypeError, ValueError):
        report(english)
        return fill(english, values)


@cache
def report(english: str) -> None:
    """Write into the log, once, that the translation of a sentence is missing or wrong."""
    _log.warning("This sentence has no translation that fits, and is shown in English: %s", english)


class _Missing(NullTranslations):
    """The English sentences for those that a catalogue lacks, each reported once."""

    def gettext(self, message: str) -> str:
        report(message)
        return message

    def pgettext(self, context: str, message: str) -> str:
        return self.gettext(message)

    def ngettext(self, one: str, many: str, n: int) -> str:
        return self.gettext(one if n == 1 else many)

    def npgettext(self, context: str, one: str, many: str, n: int) -> str:
        return self.gettext(one if n == 1 else many)
