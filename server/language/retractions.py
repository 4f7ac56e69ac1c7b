"""Retractions: what else in a mail speaks against WAIT, CLAIM or LEAVE, be it another command or a free line."""

from dataclasses import dataclass

from server.language.forms import COMMANDS
from server.language.grammar import Parsed
from server.language.prose import objection

# Commands, each with those that contradict it.
_OPPOSITES = {form.name: form.against for form in COMMANDS if form.against}


@dataclass(frozen=True)
class Retraction:
    """A command and the line that speaks against it, each as it was written."""

    answer: str
    against: str
    is_above: bool = False
    is_subject: bool = False


def retraction(parsed: Parsed) -> Retraction | None:
    """Return what speaks against the first such command of a mail; None if nothing does, or if it has none."""
    answer = next((command for command in parsed.commands if command.name in _OPPOSITES), None)
    if answer is None:
        return None
    opposites = _OPPOSITES[answer.name]
    for command in (*parsed.commands, *parsed.later):
        if command.name in opposites:
            return Retraction(answer.line, command.line)
    if parsed.subject is not None and parsed.subject.name in opposites:
        return Retraction(answer.line, parsed.subject.line, is_subject=True)
    found = objection(parsed.free, (), ())
    return Retraction(answer.line, found.line.text, found.line.is_above, found.line.is_subject) if found else None
