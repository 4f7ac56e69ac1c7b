"""Retractions: what else in a mail speaks against WAIT, CLAIM or LEAVE, be it another command or a free line."""

from itertools import chain

from server.language.forms import COMMANDS
from server.language.grammar import Parsed
from server.language.prose import FreeLine, objection

# Commands, each with those that contradict it.
_OPPOSITES = {form.name: form.against for form in COMMANDS if form.against}


def retraction(parsed: Parsed) -> tuple[str, FreeLine] | None:
    """Return the first such command of a mail, and the line that speaks against it; None if nothing does."""
    answer = next((command for command in parsed.commands if command.name in _OPPOSITES), None)
    if answer is None:
        return None
    others = [(command, False) for command in (*parsed.commands, *parsed.later)]
    others += [(parsed.subject, True)] if parsed.subject else []
    against = (
        FreeLine(each.line, is_subject=is_subject)
        for each, is_subject in others
        if each.name in _OPPOSITES[answer.name]
    )
    found = objection(parsed.free, (), ())
    first = next(chain(against, [found.line] if found else []), None)
    return (answer.line, first) if first else None
