"""Signatures of players: the lines that end one mail of theirs after the other are no words of theirs.

Of such lines keyed hashes are kept, of the newest few, each with the number of mails that it stood in.
"""

from dataclasses import replace
from itertools import dropwhile, takewhile

from server.language import grammar
from server.language.answers import answer_in, read_answer
from server.language.lexicon import folded
from server.language.normalise import plain
from server.language.prose import names_move
from server.language.talk import is_closing, may_sign, speaks_against
from server.mail.commands.request import Request
from server.models import Player
from server.runtime import runtime

MAILS = 2  # earlier ones in which a line has stood word for word that is of a signature
MOST_LINES, MOST_KEPT = 6, 12  # of one mail that are looked at, and of a player


def without_signature(request: Request, parsed: grammar.Parsed) -> Request:
    """Return a proven mail without the lines at its end that ended two earlier ones, and count those that end it.

    One line of the mail is left at least. A line that says something is one only below the name that begins a
    signature, and counts in mails without a move.
    """
    lines, player = request.reading.lines, request.player
    filled = [i for i, line in enumerate(lines) if plain(line)][1:]
    known = player.closing_lines or {}
    last = takewhile(lambda i: not _is_command(lines[i]), filled[: -MOST_LINES - 1 : -1])
    ends = [(i, _mark(player, lines[i])) for i in last]
    has_move = any(command.name == "move" for command in parsed.commands)
    counted = {
        mark: known.get(mark, 0) + 1
        for i, mark in ends
        if known.get(mark, 0) <= MAILS and not (has_move and _says_something(lines[i]))
    }
    if counted:
        kept = {mark: count for mark, count in known.items() if mark not in counted} | counted
        player.closing_lines = dict(list(kept.items())[-MOST_KEPT:])
    seen = [i for i, _ in takewhile(lambda end: known.get(end[1], 0) >= MAILS, ends)]
    first = next(dropwhile(lambda i: not _begins(player, lines[i]), reversed(seen)), None)
    return request if first is None else replace(request, reading=replace(request.reading, lines=lines[:first]))


def _is_command(line: str) -> bool:
    return bool(grammar.commands_of(line)) or answer_in(line) is not None


def _says_something(line: str) -> bool:
    """Return True for what names a move, and for an answer, or a word against one, among other words."""
    return speaks_against(line) or bool(read_answer([line])) or names_move(line, is_signature=True)


def _begins(player: Player, line: str) -> bool:
    """Return True for a line with which a signature begins: a name, a greeting, or what says nothing."""
    first = next(iter(folded(plain(line)).replace(",", " ").split()), "")
    return first in folded(player.name).split() or is_closing(line) or may_sign(line) or not _says_something(line)


def _mark(player: Player, line: str) -> str:
    return runtime().keyring.fingerprint(f"closing\0{player.id}\0{plain(line)}".encode(errors="replace"))[:16]
