"""Signatures of players: the lines that end one mail of theirs after the other are no words of theirs.

Of such lines keyed hashes are kept, of the newest few, each with the number of mails that it stood in.
"""

from dataclasses import replace
from itertools import takewhile

from server.language.answers import read_answer
from server.language.grammar import commands_of
from server.language.normalise import plain
from server.language.prose import names_move, names_ticket
from server.language.talk import speaks_against
from server.mail.commands.request import Request
from server.models import Player
from server.runtime import runtime

MAILS = 2  # earlier ones in which a line has stood word for word that is of a signature
MOST_LINES, MOST_KEPT = 6, 12  # of one mail that are looked at, and of a player
LEAST_OF_NOTICE = 10  # words of a line that speaks against something and is a notice all the same


def without_signature(request: Request) -> Request:
    """Return a proven mail without the lines at its end that ended two earlier ones, and count those that end it.

    One line of the mail is left at least.
    """
    lines, player = request.reading.lines, request.player
    filled = [i for i, line in enumerate(lines) if plain(line)][1:]
    known = player.closing_lines or {}
    last = takewhile(lambda i: _may_be_of_signature(lines[i]), filled[: -MOST_LINES - 1 : -1])
    ends = [(i, _mark(player, lines[i])) for i in last]
    counted = {mark: known.get(mark, 0) + 1 for _, mark in ends if known.get(mark, 0) <= MAILS}
    if counted:
        kept = {mark: count for mark, count in known.items() if mark not in counted} | counted
        player.closing_lines = dict(list(kept.items())[-MOST_KEPT:])
    signed = list(takewhile(lambda end: known.get(end[1], 0) >= MAILS, ends))
    return replace(request, reading=replace(request.reading, lines=lines[: signed[-1][0]])) if signed else request


def _may_be_of_signature(line: str) -> bool:
    """Return False for a move, a command and an answer, for what names a move, and for a word against one."""
    if commands_of(line) or read_answer([line]) or names_move(line, is_signature=True):
        return False
    return not speaks_against(line) or (len(line.split()) >= LEAST_OF_NOTICE and not names_ticket(line))


def _mark(player: Player, line: str) -> str:
    return runtime().keyring.fingerprint(f"closing\0{player.id}\0{plain(line)}".encode(errors="replace"))[:16]
