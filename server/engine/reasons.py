"""Reasons for which the engine refuses something: a code, and an English sentence that can be translated."""

from __future__ import annotations


class Or(tuple[object, ...]):
    """Values of a reason of which one is meant; those of any other tuple are all meant."""

    __slots__ = ()


class Reason:
    """Why something is refused.

    template: the English sentence, with its values in braces; it may leave some of them out
    values: some of their names say what they are: `who`, `pawn` and `pawns` pawns, the last two as one types them;
        `ticket`, `lines`, `kinds` and `card` kinds of tickets; `reason` a sentence that follows; `choices` right values
    """

    def __init__(self, code: str, template: str, /, **values: object) -> None:
        self.code, self.template, self.values = code, template, values

    def __str__(self) -> str:
        return self.template.format_map({name: _english(name, value) for name, value in self.values.items()})


def _english(name: str, value: object) -> str:
    if name in ("pawns", "choices") and isinstance(value, tuple):
        return " or ".join(value)
    if isinstance(value, tuple) and value:
        *first, last = (_english(name, each) for each in value)
        return f"{', '.join(first)} {'or' if isinstance(value, Or) else 'and'} {last}" if first else last
    if name == "who":
        return "Mr. X" if value == "mr_x" else str(value).capitalize()
    return f"{value} ticket" if name == "card" else str(value)
