"""The options of the form: those of the edition, and any that the host changes."""

from collections.abc import Mapping

from server.engine import Edition, OptionError
from server.engine.ticket_kinds import PLAIN
from server.house_rules.reasons import sentence_of
from server.vocabulary.translation import gettext, gettext_noop
from server.web import forms
from server.wording.options import ABOUT

# What only a program sets: these make another edition of it.
LEFT_OUT = ("board", "players", "pawns", "start_cards")
MOST = 1000  # moves or rounds
TICKETS = {"detective_tickets": PLAIN, "mr_x_tickets": (*PLAIN, "double")}
_WORDS: dict[str, object] = {"True": True, "False": False, "none": None}
# What to write in a field whose value was refused; the engine's sentences are for programs.
_IN_WORDS = gettext_noop({
    **dict.fromkeys(TICKETS, gettext_noop("Write whole numbers, or leave fields empty for the edition's.")),
    "black": "Write a whole number; Mr. X needs a ticket for his first move.",
    "surfacing": "Write moves that the travel log has room for, such as 3, 8, 13; or none.",
    "log_windows": "Write a whole number from 1 to {most}, with room for the moves on which Mr. X shows his station.",
    "max_rounds": "Write a whole number from 1 to {most}; or none.",
})  # fmt: skip
# The same where values are right one by one and wrong together.
_AT_ODDS = gettext_noop({
    "mr_x_tickets": "Leave Mr. X a ticket for his first move, and the fields empty if he has as many as he needs.",
})  # fmt: skip


def in_words(error: OptionError) -> str:
    """Return what to write in the field that was refused, or the engine's sentence where that is plain enough."""
    known = _IN_WORDS | (_AT_ODDS if error.code == "options-at-odds" else {})
    return gettext(known[error.option], most=MOST) if error.option in known else sentence_of(error)


def offered() -> list[str]:
    """Return the names of the options on the form, those with few values first."""
    names = [name for name in ABOUT if name not in LEFT_OUT]
    return sorted(names, key=lambda name: not ABOUT[name].values)


def chosen(given: Mapping[str, str], edition: Edition) -> dict[str, object]:
    """Return the options that the form with these fields changes, as the engine reads them.

    A wrong value is the engine's to refuse.
    """
    found: dict[str, object] = {}
    for name in offered():
        if name in TICKETS:
            held = {kind: _number(text) for kind in TICKETS[name] if (text := given.get(f"{name}.{kind}"))}
            if held:
                found[name] = held
        elif text := given.get(name):
            found[name] = _windows(text) if name == "surfacing" else _WORDS.get(text, _number(text))
    return {name: value for name, value in found.items() if value != edition.option(name)}


def _number(text: str) -> int | str:
    number = forms.number(text, 5)
    return text if number is None else number


def _windows(text: str) -> list[int | str]:
    words = text.replace(",", " ").split()
    return [] if words == ["none"] else [_number(word) for word in words]
