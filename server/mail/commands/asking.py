"""Questions about the game, and HELP."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from server.application.game import practice
from server.application.game.state import edition_of
from server.application.game.waiting import is_awaited
from server.application.mail import deliveries, mail_frequency
from server.engine import BoardView
from server.house_rules.votes import open_motions
from server.language import forms
from server.language.lexicon import folded
from server.language.moves import PAWN_WORDS, TICKETS, split_words
from server.language.talk import Courtesy
from server.mail.commands import holding, questions, time
from server.mail.commands import reply as replies
from server.mail.commands.moves import example_of
from server.mail.commands.reply import Handler, Mark, Position, Reply, reply_from_template
from server.mail.commands.request import Request
from server.mail.writing import seating, sentences
from server.vocabulary.translation import gettext, gettext_noop, pgettext
from server.vocabulary.words import typed
from server.wording import board_text
from server.wording.deliveries import kind_in_words
from server.wording.practice import likeliest

MOST_MAILS = 5  # of those that STATUS lists


def status(request: Request, command: forms.Command) -> Reply:
    """STATUS: how the game stands, what is open, and what became of the mails about it.

    A question for the tickets of one kind is answered first.
    """
    player, game = request.player, request.game
    mail = mail_frequency.frequency_of(player, game.id)
    reply = reply_from_template(
        "status",
        Mark.STATUS,
        game=game,
        mail=mail,
        is_off_here=mail == mail_frequency.OFF != player.mail,
        mails=deliveries.mails_to(player, limit=MOST_MAILS, game=game),
        moment=lambda at: sentences.short_moment(datetime.fromisoformat(at), player.zone),
        kind_in_words=kind_in_words,
    )
    opened = _open_questions(request).blocks if game.status == "running" else ()
    told = (
        *_tickets_left(request, command.line).blocks,
        *holding.told_by_status(request).blocks,
        *opened,
        *reply.at(Position.BELOW).blocks,
    )
    return replace(reply, blocks=told)


def _tickets_left(request: Request, line: str) -> Reply:
    """Return the reply that tells how many tickets are left of the kind that `line` names, as "Bustickets"."""
    words = split_words(line)
    named = {TICKETS[name] for word in words for name in TICKETS if len(name) > _LETTER and word.startswith(name)}
    if len(named) != 1 or request.game.status == "open":
        return Reply()
    (ticket,), pawns = named, [PAWN_WORDS[word] for word in words if word in PAWN_WORDS] or request.seat.pawns
    known = request.view()["pawns"]
    left = [(sentences.pawn_name(pawn), known[pawn]["tickets"].get(ticket)) for pawn in pawns if pawn in known]
    return reply_from_template("tickets_left", heading=gettext(_TICKETS_LEFT[ticket]), left=left)


_LETTER = 2  # letters of the longest short form of a ticket
_TICKETS_LEFT = gettext_noop({
    "taxi": "Taxi tickets left:", "bus": "Bus tickets left:", "underground": "Underground tickets left:",
    "black": "Black tickets left:",
})  # fmt: skip


def _open_questions(request: Request) -> Reply:
    """Return the reply that tells of votes that are open, and of offers of a draw."""
    game, seat = request.game, request.seat
    offering = [other for other in game.seats if other.wants_draw and other.player_id]
    return reply_from_template(
        "status_open",
        votes=[time.vote_in_words(request, motion) for motion in open_motions(game)],
        draws=[
            pgettext("offers a draw", "you") if other.number == seat.number else seating.player_of(game, other.pawns)
            for other in offering
        ],
        offers_draw=seat in offering,
    )


def legal(request: Request, _command: forms.Command) -> Reply:
    """LEGAL: the situation below the answer lists the moves."""
    is_running = request.game.status == "running"
    return reply_from_template("legal", is_running=is_running, may_double=any(m.double for m in request.legal_moves()))


def board(request: Request, command: forms.Command) -> Reply:
    """BOARD: what is around stations, or around the player's pawns."""
    of_game, view = edition_of(request.game).board, request.view()
    if not command.stations:
        is_about_him = _IS_ABOUT_MR_X.search(folded(command.line)) is not None
        return _board_reply(**_surroundings(request, view), about_him=is_about_him, with_hint=True)
    return _board_reply(stations=board_text.described(of_game, view, command.stations))


def _board_reply(**facts: Any) -> Reply:
    return replies.with_public_words(reply_from_template("board", **facts), reply_from_template("board_on_page"))


_IS_ABOUT_MR_X = re.compile(r"\bx\b")  # "where is Mr. X?" is a form of BOARD


def _surroundings(request: Request, view: BoardView) -> dict[str, Any]:
    """Return what lies around the player's pawns and, for a detective, where Mr. X was seen and all places of his."""
    board, own = edition_of(request.game).board, request.seat.pawns
    around: dict[str, Any] = {"stations": board_text.around(board, view, own)}
    if request.seat.role == "mr_x" or not around["stations"]:
        return around
    seen = board_text.last_seen(board, view, own)
    return around | {"seen": seen, "places": sentences.places(view, in_full=True)}


def hint(request: Request, _command: forms.Command) -> Reply:
    """HINT: where Mr. X may be, for a person who hunts a bot."""
    sentence = likeliest(practice.hint(request.game, request.player))
    return reply_from_template("hint", Mark.REFERENCE, sentence=sentence)


def send_help(request: Request, command: forms.Command) -> Reply:
    """HELP, or HELP ALL."""
    if not command.text.strip("? "):
        return help_now(request)
    return help_with_all([pawn for seat in request.game.seats if seat.role == "detective" for pawn in seat.pawns])


def help_with_all(pawns: Sequence[str] = ()) -> Reply:
    """Return the reply to HELP ALL, with every command. Examples name one of the `pawns`, if the game is known."""
    pawn = typed("red" if "red" in pawns or not pawns else pawns[0])
    named = [(re.sub(rf"\b{typed('red')}\b", pawn, form.syntax), form.help) for form in forms.COMMANDS]
    return reply_from_template("help_all", forms=named, pawn=pawn)


def help_now(request: Request) -> Reply:
    """Return the reply to HELP: what the player can send now, and the commands that are needed most."""
    game, seat = request.game, request.seat
    has_left = game.status == "running" and seat.player_id != request.player.id
    moves = request.legal_moves() if game.status == "running" and not has_left else []
    return reply_from_template(
        "help",
        status="left" if has_left else game.status,
        is_invited=seat.player_id is None,
        is_host=game.host_id == request.player.id,
        is_full=all(seat.is_taken for seat in game.seats),
        role=seat.role,
        is_against_bots=game.is_against_bots(seat),
        example=example_of(moves[0]) if moves else "",
    )


def courteous(request: Request, courtesy: Courtesy) -> Reply | None:
    """Return the reply to a mail of friendly words alone; None for thanks to which nobody expects an answer.

    Somebody who greets, or who is waited for, is told how things stand.
    """
    is_invited = request.game.status == "open" and request.seat.player_id is None
    question = questions.open_at(request.token)
    if courtesy is Courtesy.THANKS and isinstance(question, holding.HeldMoves):
        return None
    if is_invited or question is not None:
        return help_now(request)
    if courtesy is Courtesy.THANKS and not _is_awaited(request):
        return None
    is_thanks = courtesy is Courtesy.THANKS
    return reply_from_template("courteous", is_thanks=is_thanks, is_awaited=_is_awaited(request))


def _is_awaited(request: Request) -> bool:
    """Return True if the player is the one to move, and has not sent all moves ahead."""
    if not is_awaited(request.game, request.seat):
        return False
    return any(move.pawn not in request.queue() for move in request.legal_moves())


HANDLERS: dict[str, Handler] = {"status": status, "legal": legal, "board": board, "hint": hint, "help": send_help}
