"""The reasons of the engine, said in the language of the reader."""

from server import engine
from server.engine.reasons import Or, Reason
from server.vocabulary.translation import ENGLISH, current, gettext
from server.vocabulary.words import card, join, line_name, pawn_name, used

_WORDS = {
    "who": pawn_name, "pawn": pawn_name, "pawns": pawn_name,
    "ticket": used, "lines": used, "kinds": line_name, "card": card,
}  # fmt: skip


def sentence_of(error: engine.EngineError) -> str:
    """Return why the engine refused something; in English where the reason is one for programs alone."""
    return str(error) if current() == ENGLISH else _said("", error.reason)


def _said(name: str, value: object) -> str:
    if isinstance(value, Reason):
        return gettext(value.template, **{each: _said(each, its) for each, its in value.values.items()})
    if isinstance(value, tuple):
        return join([_said(name, each) for each in value], "or" if isinstance(value, Or) else "and") if value else ""
    return _WORDS.get(name, str)(str(value))
