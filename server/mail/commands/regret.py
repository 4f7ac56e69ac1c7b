"""Regret: a mail that takes back a move which is made. The answer says that the move stands."""

from collections.abc import Sequence

from server.application.game.state import edition_of
from server.language import grammar
from server.language.doubts import mover
from server.language.talk import has, speaks_against
from server.mail.commands import questions
from server.mail.commands import reply as replies
from server.mail.commands.holding import HeldMoves
from server.mail.commands.reply import Reply, reply_from_template
from server.mail.commands.request import Request
from server.mail.writing import sentences
from server.vocabulary.translation import gettext

_TAKING_BACK = {"cancel", "no"}


def answer(request: Request, parsed: grammar.Parsed) -> Reply | None:
    """Return the reply to a mail that regrets a move of this round or the last; None for any other.

    Only where nothing is open and nothing waits that the mail could be about, and no pawn of the player can move now.
    """
    question = questions.open_at(request.token)
    is_any_open = question is not None and not (isinstance(question, HeldMoves) and question.is_over(request))
    if request.token is None or request.game.status != "running" or is_any_open:
        return None
    moved = set(sentences.moved_this_round(request.view()))
    if not moved.issuperset(request.seat.pawns) or not moved.isdisjoint(request.queue()):
        return None
    names = {command.name for command in parsed.commands}
    lines = grammar.own_words(request.reading.lines, request.reading.subject)
    is_against = any(speaks_against(line) and has(line, "back", "undo", "no") for line in lines)
    is_taken_back = names <= _TAKING_BACK if names else is_against
    if not is_taken_back:
        return None
    this_round = request.game.round or 0
    told = {"round": this_round + 1, "is_last": this_round == edition_of(request.game).option("max_rounds")}
    whole, public = (
        reply_from_template("made_already", moves=moves, **told)
        for moves in (sentences.moves_quoted(_made(request)), [gettext("Your move")])
    )
    return replies.with_public_words(whole, public)


def _made(request: Request) -> Sequence[str]:
    """Return the last move of each of the player's pawns."""
    history = request.view()["history"]
    return [next(move for move in reversed(history) if mover(move) == pawn) for pawn in request.seat.pawns]
