"""The sentences of mails, for templates and answers: those shared with pages, and words of others in quotation marks.

A mail is read by eye or by ear, and a program may wrap it once more. No line, nor any part of one after that, may read
as a command: a list of stations never ends a paragraph with a bare number, and the word that begins talk by mail is
not used.
"""

import re
import textwrap
import unicodedata
from collections.abc import Iterable
from typing import NamedTuple

from server.language import lexicon
from server.language.grammar import TALK_WORDS, is_command_line
from server.language.normalise import plain
from server.vocabulary.labels import LABELS, NO, YES
from server.vocabulary.translation import gettext, pgettext, pgettext_noop
from server.vocabulary.words import counted, in_marks, join, marks, number, pawn_name, pawn_names, typed
from server.wording.events import happenings, majority, motion
from server.wording.rules import edition_title
from server.wording.situation import (
    are_tickets_told,
    choices,
    double_example,
    heading_of_choices,
    moved_this_round,
    mr_x_holds,
    next_surfacing,
    own_tickets,
    places,
    result,
    short_log,
    stand,
    state,
    travel_log,
)
from server.wording.times import moment, short_moment

_TYPED = {YES: pgettext_noop("typed", "YES"), NO: pgettext_noop("typed", "NO")}
PRESSED = "\ue002"  # in the text of a mail: between the parts of a `Press`, of which a link is made
QUOTED_WIDTH = 50  # with its marks less than the 56 columns of the narrowest mail program


class Press(NamedTuple):
    """An answer with a link: what the link is called, the label of its page, and the words that it writes."""

    shown: str
    label: str
    words: str


def quoted(words: str) -> str:
    """Return what a person chose, such as a name, in quotation marks.

    A mail program may break a line within it. The marks keep its pieces from reading as commands, except for one that
    begins with the word for talk; that word gets an apostrophe.
    """
    first, *rest = words.split(" ")
    return in_marks(" ".join([first, *(f"'{word}" if _TALK.match(plain(word)) else word for word in rest)]))


def is_in_marks(line: str) -> bool:
    """Return True if a line is in quotation marks."""
    opening, closing = marks()
    return line.startswith(opening) and line.endswith(closing)


def press(*answers: str | Press) -> str:
    """Return answers as lines, behind which the mail has links: labels, or what else is shown for one."""
    pressed = (
        each if isinstance(each, Press) else Press(gettext(each), each, pgettext("typed", _TYPED[LABELS[each]]))
        for each in answers
    )
    return "\n".join(f" - {PRESSED.join(each)}" for each in pressed)


def each_quoted(words: Iterable[str]) -> list[str]:
    """Return each of these in quotation marks, see `quoted`."""
    return [quoted(each) for each in words]


def moves_quoted(notations: Iterable[str]) -> list[str]:
    """Return moves in quotation marks, each as its reader would type it."""
    return each_quoted(map(typed, notations))


def called(name: str, role: str) -> str:
    """Return a player as `Ben (Red and Green)`; a name that could be read as a command stands in quotation marks."""
    words = name.split(" ")
    pieces = (" ".join(words[i:j]) for i in range(len(words)) for j in range(i + 1, len(words) + 1))
    is_plain = not any(is_command_line(text) for piece in pieces for text in (piece, f"{piece} ({role}) writes."))
    return f"{name if is_plain and _NAME.fullmatch(name) else quoted(name)} ({role})"


# Letters, and what stands between them in names.
_NAME = re.compile(r"[^\W\d_]+(?:[ '’.-]{1,2}[^\W\d_]+)*\.?")


def quoted_lines(words: str, *, begins: bool = True) -> str:
    """Return a longer text as lines that are quoted each, and too short for a mail program to break.

    Lines of the text stay lines; empty ones are left out.

    Quotation marks within it become single ones, or a reader could not tell where the words end. A mail program that
    joins the lines of a paragraph breaks it at the 56th column at the earliest, so the first line of one needs only its
    marks; `begins` says that the text begins a paragraph.
    """
    # Letters of East Asia take two columns each.
    is_wide = any(unicodedata.east_asian_width(letter) in "FW" for letter in words)
    width = QUOTED_WIDTH // 2 if is_wide else QUOTED_WIDTH
    for mark in {'"', *marks()}:
        words = words.replace(mark, "'")
    lines = [line for part in words.splitlines() for line in textwrap.wrap(part, width)]
    first = [*map(in_marks if begins else quoted, lines[:1])]
    return "\n".join([*first, *map(quoted, lines[1:])])


def reason(sentence: str) -> str:
    """Return the reason for a refusal so that it can stand in a mail, without the word that begins talk."""
    talk = rf"(?<!{re.escape(marks()[0])}){_TALK.pattern}"
    return re.sub(talk, lambda word: "Tell" if word[0][0].isupper() else "tell", sentence)


_TALK = re.compile(rf"\b(?:(?i:say)|{lexicon.alternatives(TALK_WORDS)})\b")
