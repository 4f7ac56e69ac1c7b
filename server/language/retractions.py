"""Retractions: what else in a mail speaks against an answer, be it another answer or a free line, as with moves."""

from collections.abc import Sequence
from dataclasses import dataclass

from server.language.answers import hedged_yes
from server.language.forms import COMMANDS
from server.language.grammar import Parsed
from server.language.matching import LegalMove
from server.language.prose import FreeLine, has_no, has_yes, objection

# Answers, each with the commands that contradict it.
_OPPOSITES = {form.name: form.against for form in COMMANDS if form.against}


@dataclass(frozen=True)
class Retraction:
    """An answer and the line that speaks against it, each as it was written."""

    answer: str
    against: str
    is_above: bool = False
    is_subject: bool = False


def retraction(parsed: Parsed, played: Sequence[str] = (), legal: Sequence[LegalMove] = ()) -> Retraction | None:
    """Return what speaks against the first answer of a mail; None if nothing does, or if it has no answer.

    In a mail without any command a line such as "YES but not sure" is an answer that speaks against itself.
    `played` are the moves that the answer would make, and `legal` those that the player could send instead.
    """
    answer = next((command for command in parsed.commands if command.name in _OPPOSITES), None)
    if answer is None:
        hedged = next(filter(None, map(hedged_yes, parsed.unread)), None) if not parsed.commands else None
        return Retraction(*hedged) if hedged else None
    opposites = _OPPOSITES[answer.name]
    for command in (*parsed.commands, *parsed.later):
        if command.name in opposites:
            return Retraction(answer.line, command.line)
    if parsed.subject is not None and parsed.subject.name in opposites:
        return Retraction(answer.line, parsed.subject.line, is_subject=True)
    line = _against(answer.name, parsed.free, played, legal)
    return Retraction(answer.line, line.text, line.is_above, line.is_subject) if line else None


def _against(
    answer: str, free: Sequence[FreeLine], played: Sequence[str], legal: Sequence[LegalMove]
) -> FreeLine | None:
    """Return the free line that speaks against an answer, None if there is none."""
    if answer == "no":
        # Who declines is sorry, and says "maybe next time": only a line that has a yes in it is against that.
        return next((line for line in free if has_yes(line.text)), None)
    if found := objection(free, played, legal):
        return found.line
    return next((line for line in free if answer == "yes" and has_no(line.text)), None)
