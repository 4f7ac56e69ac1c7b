"""The lines of a mail of which nothing came: the answer quotes them, so that nothing is dropped without a word."""

from collections.abc import Iterable, Sequence

from server.mail.commands import moves
from server.mail.commands.misunderstood import MOST_UNKNOWN_WORDS
from server.mail.commands.reply import Position, Reply, UnclearError, combined, reply_from_template
from server.mail.language import grammar
from server.mail.language.prose import names_move, stays
from server.mail.writing import sentences

MOST = 8  # lines that an answer quotes; the others are counted


def remark_if_done(parsed: grammar.Parsed) -> Reply:
    """Return the remark on the lines that were not read, of a mail whose commands were done.

    Of lines that are no command those are quoted that may have been meant as one, and not what people write by the way.
    """
    unread = [line for line in parsed.unread if _may_be_meant(line)]
    return _remark(unread, below=[command.line for command in parsed.later])


def refusal_with_remark(reply: Reply, parsed: grammar.Parsed) -> Reply:
    """Return a refusal of a whole mail with the remark on its lines."""
    return combined([reply, remark_if_nothing_done(parsed, reply.texts)])


def question_with_remark(unclear: UnclearError, parsed: grammar.Parsed) -> Reply:
    """Return the question about a mail with the remark on those of its lines that the question does not quote."""
    asked = unclear.reply
    return combined([asked, remark_if_nothing_done(parsed, asked.texts, are_moves_told=unclear.are_moves_told)])


def remark_if_nothing_done(parsed: grammar.Parsed, said: Sequence[str], *, are_moves_told: bool = False) -> Reply:
    """Return the remark on all lines of a mail of which nothing was done, but for those that `said` quotes.

    `are_moves_told`: the answer names the moves of the mail in their notation already. A command that is the only line
    of its mail is not quoted either: the player knows which was meant.
    """
    told = {"move"} if are_moves_told else set()
    commands = [command.line for command in parsed.commands if command.name not in told]
    commands += [command.line for command in parsed.later]
    if len(commands) + len(parsed.unread) == 1 and not are_moves_told:
        commands = []
    text = " ".join(said)
    return _remark(_not_in(text, parsed.unread), undone=_not_in(text, dict.fromkeys(commands)))


def _not_in(text: str, lines: Iterable[str]) -> list[str]:
    return [line for line in lines if sentences.quoted(moves.shortened(line)) not in text]


def _may_be_meant(line: str) -> bool:
    """Return True if a line may be meant as a command: it names a pawn or a station, or begins like a command."""
    keyword, rest = grammar.keyword_of(line)
    return names_move(line) or stays(line) or bool(keyword and len(rest.split(" ")) <= MOST_UNKNOWN_WORDS)


def _remark(unread: Sequence[str], *, undone: Sequence[str] = (), below: Sequence[str] = ()) -> Reply:
    if not (unread or undone or below):
        return Reply()
    named = {"unread": _quoted(unread), "undone": _quoted(undone), "below": _quoted(below)}
    return reply_from_template("lines_unread", **named).at(Position.REMARK)


def _quoted(lines: Sequence[str]) -> list[str]:
    """Return the first lines in quotation marks, and how many more there are."""
    more = len(lines) - MOST
    rest = [f"{sentences.number(more)} more"] if more > 0 else []
    return [*(sentences.quoted(moves.shortened(line)) for line in lines[:MOST]), *rest]
