"""Signatures of players: the lines that end one mail of theirs after the other are no words of theirs.

Of such lines keyed hashes are kept, of the newest few, each with the number of mails that it stood in.
"""

from dataclasses import replace
from itertools import islice

from server.language.answers import answer_in
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
    filled = [i for i, line in enumerate(lines) if plain(line)]
    known = player.closing_lines or {}
    ends: list[tuple[int, str]] = []
    for i in islice(reversed(filled[1:]), MOST_LINES):
        if not _may_be_of_signature(lines[i]):
            break
        ends.append((i, _mark(player, lines[i])))
    counted = {mark: known.get(mark, 0) + 1 for _, mark in ends if known.get(mark, 0) <= MAILS}
    if counted:
        kept = {mark: count for mark, count in known.items() if mark not in counted} | counted
        player.closing_lines = dict(list(kept.items())[-MOST_KEPT:])
    begin = next((i for i, mark in ends if known.get(mark, 0) < MAILS), None)
    left = [i for i, _ in ends if begin is None or i > begin]
    return replace(request, reading=replace(request.reading, lines=lines[: min(left)])) if left else request


def _may_be_of_signature(line: str) -> bool:
    """Return False for a move, a command and an answer, for what names a move, and for a word against one."""
    if commands_of(line) or answer_in(line, is_asked=True) or names_move(line, is_signature=True):
        return False
    return not speaks_against(line) or (len(line.split()) >= LEAST_OF_NOTICE and not names_ticket(line))


def _mark(player: Player, line: str) -> str:
    return runtime().keyring.fingerprint(f"closing\0{player.id}\0{plain(line)}".encode(errors="replace"))[:16]
