"""Wishes in plain words, in mails without a command: "can I have two more days?".

What only tells is told, as if its command had been sent, and mail is stopped at once. Anything else is asked first.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from server.application.people.accounts.blocks import names_known_to
from server.house_rules import draws
from server.language import grammar, lexicon
from server.language.forms import Command, Trait, names_with
from server.language.lexicon import folded
from server.language.matching import named, suggest, suggest_several
from server.language.moves import PAWN_WORDS
from server.language.talk import has, speaks_against, takes_back
from server.language.wishes import Wish, wishes
from server.mail.commands import holding, questions, yes
from server.mail.commands.handlers import HANDLERS, DoCommand
from server.mail.commands.moves import AboutMoves, pawns_by_name
from server.mail.commands.reply import Reply
from server.mail.commands.request import Request
from server.mail.commands.time import Vote

_CERTAIN = 0.75  # the likeness from which on a mail with the words of a move is told what it wishes to know
_PLAIN = 0.78  # the likeness from which on mail is stopped without being asked
_TELLING = names_with(Trait.HARMLESS)
_AT_ONCE = _TELLING | {"stop"}
_DRAW = re.compile(rf"\b(?:{lexicon.alternatives(lexicon.words('commands', 'draw'))})\b")


def with_undo(request: Request, parsed: grammar.Parsed) -> grammar.Parsed:
    """Return a mail that plainly takes back moves that are sent ahead, and names no others, with a CANCEL."""
    queued = [notation for pawn, notation in request.queue().items() if pawn in request.seat.pawns]
    is_answer = not isinstance(yes.open_here(request), AboutMoves | None)
    if parsed.commands or not queued or not request.is_proved or is_answer or _may_stop_moves(request):
        return parsed
    lines = yes.own_lines(request)
    others = {word for word, pawn in PAWN_WORDS.items() if pawn not in request.seat.pawns}
    is_of_them = suggest(lines, request.legal_moves()) in (None, *queued)
    is_taken_back = any(takes_back(line, others | pawns_by_name(request).keys()) for line in lines)
    line = " ".join(lines)
    return replace(parsed, commands=(Command("cancel", line),), unread=()) if is_of_them and is_taken_back else parsed


def with_block(request: Request, parsed: grammar.Parsed) -> grammar.Parsed:
    """Return a mail of one line, BLOCK or UNBLOCK and exactly the name of somebody the player has met, as a command."""
    lines = list(filter(str.strip, yes.own_lines(request)))
    if parsed.commands or len(lines) != 1 or not request.is_proved:
        return parsed
    word, name = grammar.keyword_of(lines[0])
    if word not in ("block", "unblock") or name.casefold() not in map(str.casefold, names_known_to(request.player)):
        return parsed
    return replace(parsed, commands=(Command(word, lines[0], text=name),), unread=())


def with_wish(request: Request, parsed: grammar.Parsed) -> grammar.Parsed:
    """Return a mail without a command with the one that its words wish for, if that is done without being asked."""
    if parsed.commands or request.reading.problem is not None:
        return parsed
    lines = yes.own_lines(request)
    wish = _wish_of(request, lines)
    command = _command(request, wish) if wish else None
    if wish is None or command is None or not (command.name in _AT_ONCE or _asks_for_itself(request, command)):
        return parsed
    is_only_asking = command.name in _TELLING and not any(map(speaks_against, lines))
    if not is_only_asking and _may_stop_moves(request):
        return parsed
    if wish.likeness < _CERTAIN and yes.open_here(request) is not None:
        return parsed  # it may be meant as an answer
    if command.name not in _TELLING and (request.token is None or (command.name == "stop" and wish.likeness < _PLAIN)):
        return parsed
    return replace(parsed, commands=(replace(command, line=" ".join(lines)),), unread=())


def _may_stop_moves(request: Request) -> bool:
    """Return True if a mail may be meant as a no to moves that wait, or that have waited."""
    return isinstance(questions.open_at(request.token), holding.HeldMoves) or bool(holding.waiting(request))


def question_about(request: Request, lines: Sequence[str]) -> Reply | None:
    """Return the question whether a mail means the command that its words wish for; None if they wish for none.

    What answers a vote is about that vote: "can you make it two days?".

    Raises:
        Problem: that command cannot be done.
    """
    question = yes.open_here(request)
    if isinstance(question, Vote):
        return None
    wish = _wish_of(request, lines) if request.token is not None else None
    if question is not None and wish is not None and wish.likeness < _CERTAIN:
        return None  # it may be meant as an answer
    command = _command(request, wish) if wish else None
    return None if command is None else _asked_whether(request, command)


def _asked_whether(request: Request, command: Command) -> Reply:
    outcome = HANDLERS[command.name](request, command)  # it decides, and nobody writes that
    if isinstance(outcome, Reply) and _asks_for_itself(request, command):
        return outcome
    return DoCommand(command.line).asked(request)


def _asks_for_itself(request: Request, command: Command) -> bool:
    """Return True if a command ends the game for the player, so that they are asked once more."""
    is_draw = command.name == "draw" and request.game.status == "running"
    return command.name == "resign" or (is_draw and draws.would_end(request.game, request.player.id))


def _wish_of(request: Request, lines: Sequence[str]) -> Wish | None:
    """Return the likeliest wish of a mail, if it is sure; a mail that may name a move, or doubts one, has none."""
    wish = next(iter(wishes(lines)), None)
    if wish is None or not wish.is_sure or (wish.line == "DRAW" and any(map(_may_decline, lines))):
        return None
    if wish.line == "REMATCH" and request.game.status != "over":
        return None
    is_certain = wish.likeness >= _CERTAIN and wish.line.partition(" ")[0].lower() in _TELLING
    if not is_certain and _may_be_about_moves(request, lines):
        return None
    return wish


def _may_decline(line: str) -> bool:
    """Return True if `line` may say no to what it names, ask others about it, or state a condition."""
    text = _DRAW.sub("", folded(line))  # "nul" alone takes something back
    return "?" in text or speaks_against(text) or has(text, "no", "not", "telling")


def _may_be_about_moves(request: Request, lines: Sequence[str]) -> bool:
    if isinstance(questions.open_at(request.token), AboutMoves) and any(map(speaks_against, lines)):
        return True
    legal = request.legal_moves()
    return bool(suggest(lines, legal) or suggest_several(lines, legal) or named(lines, legal))


def _command(request: Request, wish: Wish) -> Command | None:
    """Return the command of a wish: a seat is left before the start, and in a running game given up."""
    is_open = request.game.status == "open"
    line = {"LEAVE": "LEAVE" if is_open else "RESIGN", "RESIGN": "LEAVE" if is_open else "RESIGN"}.get(wish.line)
    return grammar.parse_line(line or wish.line)
