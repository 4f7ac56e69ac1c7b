"""The options of the form: those of the edition, and any that the host changes."""

from typing import Any

from server.engine import Edition
from server.engine.tickets import PLAIN
from server.web import forms
from server.wording.options import ABOUT

# What only a program sets: these make another edition of it.
LEFT_OUT = ("board", "players", "pawns", "start_cards")
TICKETS = {"detective_tickets": PLAIN, "mr_x_tickets": (*PLAIN, "double")}
_WORDS: dict[str, Any] = {"True": True, "False": False, "none": None}


def offered() -> list[str]:
    """Return the names of the options on the form, those with few values first."""
    names = [name for name in ABOUT if name not in LEFT_OUT]
    return sorted(names, key=lambda name: not ABOUT[name].values)


def chosen(edition: Edition) -> dict[str, Any]:
    """Return the options that the form changes, as the engine reads them; a wrong value is the engine's to refuse."""
    found: dict[str, Any] = {}
    for name in offered():
        if name in TICKETS:
            held = {kind: _number(text) for kind in TICKETS[name] if (text := forms.text(f"{name}.{kind}"))}
            if held:
                found[name] = held
        elif text := forms.text(name):
            found[name] = _windows(text) if name == "surfacing" else _WORDS.get(text, _number(text))
    return {name: value for name, value in found.items() if value != edition.option(name)}


def _number(text: str) -> Any:
    number = forms.number(text, 5)
    return text if number is None else number


def _windows(text: str) -> list[Any]:
    words = text.replace(",", " ").split()
    return [] if words == ["none"] else [_number(word) for word in words]
