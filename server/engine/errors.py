"""Errors for a move, an option, a position or a record.

Every error has a `code`, a slug that never changes, and reads as one plain sentence that says what
was wrong and what would be right. A sentence about a detective's move is made of public facts only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from server.engine.reasons import Reason


class Notated(Protocol):
    """A move in a list of legal ones. `Move` is one; its module raises these errors, so this one cannot import it."""

    def to_json(self) -> Mapping[str, object]: ...


def shown(value: object, longest: int = 60) -> str:
    """Return a value as an error names it: true and false as in JSON, cut short, and never raising an error."""
    if isinstance(value, bool):
        return str(value).lower()
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # a number or a nesting too long to print
        return f"this {type(value).__name__}"
    return text if len(text) <= longest else f"{text[:longest]}..."


class EngineError(ValueError):
    """Base of all the engine's errors. `code` is a stable slug; `reason` is a mere text if it is for programs."""

    def __init__(self, reason: Reason | str, code: str) -> None:
        super().__init__(str(reason))
        self.reason = reason
        self.code = code


class MoveError(EngineError):
    """A move that the engine refuses. The three grades below say why."""


class Unreadable(MoveError):
    """The text or the JSON is no move at all. `text` is the input."""

    def __init__(self, text: str, sentence: str, code: str = "unreadable") -> None:
        super().__init__(sentence, code)
        self.text = text


class OutOfTurn(MoveError):
    """A move of a pawn that is not to move now."""

    def __init__(self, template: str, **values: object) -> None:
        super().__init__(Reason("not-your-turn", template, **values), "not-your-turn")


class Illegal(MoveError):
    """A move of the right pawn that the rules forbid. `legal` lists the moves that pawn may play."""

    def __init__(self, reason: Reason, legal: Sequence[Notated] = ()) -> None:
        super().__init__(reason, reason.code)
        self.legal = list(legal)


class OptionError(EngineError):
    """An unknown edition or option, a wrong value, options that contradict each other, or too many people.

    `option` names the option at fault ("edition" when it is the edition's name).
    """

    def __init__(self, reason: Reason | str, option: str) -> None:
        super().__init__(reason, reason.code if isinstance(reason, Reason) else "bad-option")
        self.option = option


class PositionError(EngineError):
    """An impossible position, or impossible starts. `where` is the place, like "detectives[1].station"."""

    def __init__(self, sentence: str, where: str, code: str = "bad-position") -> None:
        super().__init__(sentence, code)
        self.where = where


class RecordError(EngineError):
    """A game record that cannot be replayed. `line` counts from 1; 0 if there is none."""

    def __init__(self, sentence: str, line: int = 0, code: str = "bad-record") -> None:
        super().__init__(sentence, code)
        self.line = line
