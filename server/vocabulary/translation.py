"""The language of the reader. English stands in the code, the others in catalogues of gettext in `server/locale`.

A sentence is whole, with its values in braces: `gettext("{who} is to move.", who=name)`. The language belongs to the
thread that runs. It is that of the reader, and not that of the player who caused what is told.
"""

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from gettext import GNUTranslations, NullTranslations
from pathlib import Path

ENGLISH = "en"
LOCALE = Path(__file__).parent.parent / "locale"
_language = ContextVar("language", default=ENGLISH)
_log = logging.getLogger(__name__)


@cache
def catalogues() -> dict[str, NullTranslations]:
    """Return the catalogue of each language, by its code, English first."""
    found: dict[str, NullTranslations] = {ENGLISH: NullTranslations()}
    for path in sorted(LOCALE.glob("*/LC_MESSAGES/messages.mo")):
        with path.open("rb") as file:
            found[path.parts[-3]] = catalogue = GNUTranslations(file)
        catalogue.add_fallback(_Missing())
    return found


def languages() -> dict[str, str]:
    """Return the languages of mails and pages: `{"en": "English", "de": "Deutsch"}`."""
    return {code: catalogue.pgettext("this language", "English") for code, catalogue in catalogues().items()}


def current() -> str:
    """Return the code of the language in which sentences are made now."""
    return _language.get()


def speak(language: str) -> None:
    """Make sentences in a language from now on; in English if there is no such language."""
    _language.set(language if language in catalogues() else ENGLISH)


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Make sentences in a language as long as this context is open."""
    before = current()
    speak(language)
    try:
        yield
    finally:
        _language.set(before)


def gettext(message: str, /, **values: object) -> str:
    """Return a sentence in the current language, with its values."""
    if not message:
        return ""  # whose translation is the head of the catalogue
    return filled(_catalogue().gettext(message), message, values)


def pgettext(context: str, message: str, /, **values: object) -> str:
    """Return words that are translated otherwise in another context, which is the role that they have in a sentence."""
    return filled(_catalogue().pgettext(context, message), message, values)


def ngettext(one: str, many: str, n: int, /, **values: object) -> str:
    """Return a sentence about `n` things; `n` is one of its values, if it is not given as a word."""
    english = one if n == 1 else many
    return filled(_catalogue().ngettext(one, many, n), english, {"n": n} | values)


def npgettext(context: str, one: str, many: str, n: int, /, **values: object) -> str:
    """Return words about `n` things in a context."""
    english = one if n == 1 else many
    return filled(_catalogue().npgettext(context, one, many, n), english, {"n": n} | values)


def gettext_noop(message: str) -> str:
    """Return a sentence as it is: it is found for the catalogues here, and translated where it is shown."""
    return message


def pgettext_noop(context: str, message: str) -> str:  # noqa: ARG001 the context is read off the call
    """Return words as they are; see `gettext_noop`."""
    return message


def filled(translation: str, english: str, values: Mapping[str, object]) -> str:
    """Return a translation with its values; the English sentence if the translation has others."""
    if not values:
        return translation
    try:
        return translation.format_map(values)
    except (KeyError, IndexError, ValueError):
        report(english)
        return english.format_map(values)


@cache
def report(english: str) -> None:
    """Write into the log, once, that the translation of a sentence is missing or wrong."""
    _log.warning("This sentence has no translation that fits, and is shown in English: %s", english)


def _catalogue() -> NullTranslations:
    return catalogues()[_language.get()]


class _Missing(NullTranslations):
    """A catalogue that is asked for the sentences which another one lacks."""

    def gettext(self, message: str) -> str:
        report(message)
        return message

    def pgettext(self, context: str, message: str) -> str:
        return self.gettext(message)

    def ngettext(self, one: str, many: str, n: int) -> str:
        return self.gettext(one if n == 1 else many)

    def npgettext(self, context: str, one: str, many: str, n: int) -> str:
        return self.gettext(one if n == 1 else many)
