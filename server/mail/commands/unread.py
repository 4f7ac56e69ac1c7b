"""The lines of a mail of which nothing came: the answer quotes them, so that nothing is dropped without a word.

A mail without a command gets what could be sent instead.
"""

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import replace

from server import engine
from server.engine import Edition
from server.language import forms, grammar
from server.language.forms import Trait
from server.language.moves import DOUBLE, split_words
from server.language.normalise import bare, quotable
from server.language.prose import names_move, stays
from server.language.wishes import Wish, wishes
from server.mail.commands import moves
from server.mail.commands.reply import Block, Mark, Position, Reply, UnclearError, combined, reply_from_template
from server.mail.commands.request import Request
from server.mail.writing import sentences
from server.vocabulary.durations import parse_length, say_length
from server.vocabulary.translation import ENGLISH, current, gettext
from server.vocabulary.words import typed
from server.wording.times import days_typed

MOST = 8  # lines that an answer quotes; the others are counted
MOST_UNKNOWN_WORDS = 4  # behind a command; more are prose
LONGEST_READ = 300  # characters of a mail that was not understood, in the answer to it
LEAST_LIKENESS = 0.3  # of a command that an answer names, to what was not understood


def remark_if_done(parsed: grammar.Parsed, said: Sequence[str] = ()) -> Reply:
    """Return the remark on the lines that were not read, of a mail whose commands were done.

    Of lines that are no command those are quoted that may have been meant as one, and not what people write by the way,
    nor what `said` quotes already.
    """
    # Those that name a pawn or a station, or begin like a command.
    meant = [line for line in parsed.unread if names_move(line) or stays(line) or may_be_command(line)]
    return _remark(_not_in(" ".join(said), meant), below=[command.line for command in parsed.later])


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


def may_be_command(line: str) -> bool:
    """Return True if a line begins like a command, with few words behind it."""
    keyword, rest = grammar.keyword_of(line)
    return bool(keyword) and len(rest.split(" ")) <= MOST_UNKNOWN_WORDS


def _remark(unread: Sequence[str], *, undone: Sequence[str] = (), below: Sequence[str] = ()) -> Reply:
    if not (unread or undone or below):
        return Reply()
    named = {"unread": _quoted(unread), "undone": _quoted(undone), "below": _quoted(below)}
    return reply_from_template("lines_unread", **named).at(Position.REMARK)


def _quoted(lines: Sequence[str]) -> list[str]:
    """Return the first lines in quotation marks, and how many more there are."""
    more = len(lines) - MOST
    rest = [gettext("{n} more", n=sentences.number(more))] if more > 0 else []
    return [*(sentences.quoted(moves.shortened(line)) for line in lines[:MOST]), *rest]


# A mail without a command -----------------------------------------------------------------------


def misunderstood(lines: Sequence[str], request: Request | None = None) -> Reply:
    """Return the reply to a mail without a command: the likeliest commands, and an example beside the legal moves.

    `request` is None for a mail about no game.
    """
    legal = request.legal_moves() if request and request.game.turn else []
    choices = _choices(legal, request) if request else []
    example = moves.example_of(legal[0]) if choices else ""
    is_staying = bool(choices) and any(map(stays, lines))
    words = {word for line in lines for word in split_words(line)}
    unknown = _unknown_word(lines)
    reply = reply_from_template(
        "no_command",
        Mark.REFERENCE,
        is_empty=not quoted_as_read(lines),
        is_explained=bool(unknown) and len(lines) == 1,
        likeliest=_likeliest(lines, are_moves_listed=bool(choices)),
        example=example,
        choices=choices,
        is_staying=is_staying,
        double="" if words.isdisjoint(DOUBLE) else sentences.double_example(legal),
        has_placeholder=bool(example) and "nn" in words,
    )
    return replace(reply, blocks=(*unknown, *reply.blocks))


def _likeliest(lines: Sequence[str], *, are_moves_listed: bool) -> Sequence[tuple[str, str]]:
    """Return the two commands that the words of a mail are most like, each as it is written, with what it does.

    Not LEGAL if the answer lists the moves itself.
    """
    likely = [_form(wish) for wish in wishes(lines) if wish.likeness >= LEAST_LIKENESS]
    return [(command, what) for command, what in likely if not (are_moves_listed and command == "LEGAL")][:2]


def _form(wish: Wish) -> tuple[str, str]:
    """Return a command and what it does; as a form if something is missing in the wish."""
    command = grammar.parse_line(wish.line)
    keyword = wish.line.partition(" ")[0].lower()
    name = command.name if command else next(form.name for form in forms.COMMANDS if form.keyword == keyword)
    form = next(form for form in forms.COMMANDS if form.name == name)
    return (as_typed(wish.line) if command and wish.is_sure else form.syntax), form.brief


def as_typed(line: str) -> str:
    """Return the line of a command, one of a wish, as its reader would type it."""
    command = grammar.parse_line(line)
    if command is None or current() == ENGLISH:
        return line
    behind = command.text or " ".join(map(str, command.stations))
    if command.name == "away":
        behind = days_typed(behind)
    else:
        try:
            behind = say_length(parse_length(behind))
        except ValueError:
            behind = typed(behind)
    return f"{forms.word_of(command.name)} {behind}".rstrip()


def _choices(legal: Sequence[engine.Move], request: Request) -> list[tuple[str, list[str]]]:
    """Return the heading and the items of the list of each pawn's moves, in the words of a turn mail."""
    is_only, known = len(request.seat.pawns) == 1, request.view()["pawns"] if legal else {}
    found = []
    for pawn in dict.fromkeys(move.pawn for move in legal):
        facts = known[pawn]
        by_ticket = sentences.choices([move for move in legal if move.pawn == pawn], facts["tickets"])
        heading = sentences.heading_of_choices(pawn, facts["station"], is_only=is_only)
        found.append((heading, [choice.line for choice in by_ticket]))
    return found


def quoted_as_read(lines: Sequence[str], most: int = LONGEST_READ) -> str:
    """Return the lines of a mail as the server read them, in quotation marks; empty if they have no words."""
    said = " ".join(map(quotable, lines))
    words = textwrap.shorten(said, most, placeholder=" …")
    return sentences.quoted(words) if words else ""


def _unknown_word(lines: Sequence[str]) -> tuple[Block, ...]:
    """Return what can follow the command that a line begins with, if it is no prose; nothing where there is none.

    A command in capitals, as mails write it, is meant as one however much follows it.
    """
    for line in lines:
        keyword, rest = grammar.keyword_of(line)
        is_meant = len(rest.split(" ")) <= MOST_UNKNOWN_WORDS or bare(line).split(" ")[0].isupper()
        if keyword and is_meant:
            meant = [form for form in forms.COMMANDS if form.keyword == keyword]
            unknown = sentences.quoted(textwrap.shorten(rest, LONGEST_READ, placeholder=" …")) if rest else ""
            word, choices = forms.word_of(meant[0].name), _choices_behind(keyword)
            facts = {"keyword": word, "rest": unknown, "forms": meant, "choices": choices}
            return reply_from_template("unknown_word", **facts).blocks
    return ()


def _choices_behind(name: str) -> str:
    """Return the editions or the detectives of which one may follow the command of this name, as a sentence."""
    if name in forms.names_with(Trait.EDITIONS):
        return gettext("The editions are {editions}.", editions=sentences.join(list(map(typed, Edition.names()))))
    if name in forms.names_with(Trait.DETECTIVES):
        return gettext("The detectives are {pawns}.", pawns=sentences.pawn_names(engine.DETECTIVES))
    return ""
