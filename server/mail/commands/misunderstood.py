"""The reply to a mail without a command: what was read, and what could be sent instead."""

import textwrap
from collections.abc import Sequence
from dataclasses import replace

from server import engine
from server.engine import Edition
from server.mail.commands.reply import Block, Reply, reply_from_template
from server.mail.commands.request import Request
from server.mail.language import forms, grammar
from server.mail.language.courtesies import is_small_talk
from server.mail.language.forms import Trait
from server.mail.language.moves import split_words
from server.mail.language.prose import stays
from server.mail.language.words import DOUBLE
from server.mail.reading.normalise import bare, plain, quotable
from server.mail.writing import sentences

MOST_UNKNOWN_WORDS = 4  # behind a command; more are prose
LONGEST_READ = 300  # characters of a mail that was not understood, in the answer to it


def misunderstood(lines: Sequence[str], request: Request | None = None) -> Reply:
    """Return the reply to a mail without a command: what was read, and an example beside the legal moves.

    It quotes `lines` as the server read them: in plain characters, in the order in which they were sent, without
    greetings, thanks and the like unless there is nothing else.
    `request` is None for a mail about no game.
    """
    moves = request.legal_moves() if request and request.game.turn else []
    choices = _choices(moves, request) if request else []
    example = example_of(moves[0]) if choices else ""
    is_staying = bool(choices) and any(map(stays, lines))
    words = {word for line in lines for word in split_words(line)}
    unknown = _unknown_word(lines)
    reply = reply_from_template(
        "no_command",
        read=quoted_as_read(_without_small_talk(lines) or lines),
        is_explained=bool(unknown) and len(lines) == 1,
        example=example,
        choices=choices,
        is_staying=is_staying,
        double="" if words.isdisjoint(DOUBLE) else sentences.double_example(moves),
        has_placeholder=bool(example) and "nn" in words,
    )
    return replace(reply, blocks=(*unknown, *reply.blocks), is_reference=True)


def example_of(move: engine.Move) -> str:
    """Return the form of a move, which cannot be played by itself."""
    ticket = move.legs[0].ticket
    return f"{ticket} NN" if move.pawn == "mr_x" else f"{move.pawn} {ticket} NN"


def _choices(moves: Sequence[engine.Move], request: Request) -> list[tuple[str, list[str]]]:
    """Return the heading and the items of the list of each pawn's moves, in the words of a turn mail."""
    is_only, known = len(request.seat.pawns) == 1, request.view()["pawns"] if moves else {}
    found = []
    for pawn in dict.fromkeys(move.pawn for move in moves):
        facts = known[pawn]
        by_ticket = sentences.choices([move for move in moves if move.pawn == pawn], facts["tickets"])
        heading = sentences.heading_of_choices(pawn, facts["station"], is_only=is_only)
        found.append((heading, [choice.line for choice in by_ticket]))
    return found


def quoted_as_read(lines: Sequence[str]) -> str:
    """Return the lines of a mail as the server read them, in quotation marks; empty if they have no words."""
    said = " ".join(map(quotable, lines))
    words = textwrap.shorten(said, LONGEST_READ, placeholder=" …")
    return sentences.quoted(words) if words else ""


def _without_small_talk(lines: Sequence[str]) -> list[str]:
    said = [line for line in lines if plain(line)]
    return [line for line in said if not is_small_talk(line, is_last=line is said[-1])]


def _unknown_word(lines: Sequence[str]) -> tuple[Block, ...]:
    """Return what can follow the command that a line begins with, if it is no prose; nothing where there is none.

    A command in capitals, as mails write it, is meant as one however much follows it.
    """
    for line in lines:
        keyword, rest = grammar.keyword_of(line)
        is_meant = len(rest.split(" ")) <= MOST_UNKNOWN_WORDS or bare(line).startswith(keyword)
        if keyword and is_meant:
            meant = [form for form in forms.COMMANDS if form.keyword == keyword.lower()]
            unknown = sentences.quoted(textwrap.shorten(rest, LONGEST_READ, placeholder=" …")) if rest else ""
            facts = {"keyword": keyword, "rest": unknown, "forms": meant, "choices": _CHOICES.get(keyword.lower(), "")}
            return reply_from_template("unknown_word", **facts).blocks
    return ()


_EDITIONS = f"The editions are {sentences.join(Edition.names())}."
_DETECTIVES = f"The detectives are {sentences.pawn_names(engine.DETECTIVES)}."
_CHOICES = dict.fromkeys(forms.names_with(Trait.EDITIONS), _EDITIONS) | dict.fromkeys(
    forms.names_with(Trait.DETECTIVES), _DETECTIVES
)
