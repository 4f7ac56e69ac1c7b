"""Questions about the game, and HELP."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from server.application.game.state import edition_of
from server.application.mail import deliveries, mail_frequency
from server.engine import BoardView
from server.house_rules.votes import open_motions
from server.mail.commands import reply as replies
from server.mail.commands import time
from server.mail.commands.reply import Handler, Reply, Says, reply_from_template
from server.mail.commands.request import Request
from server.mail.language import forms
from server.mail.language.words import folded
from server.mail.writing import context, sentences
from server.wording import board_text
from server.wording.deliveries import kind_in_words

MOST_MAILS = 5  # of those that STATUS lists


def status(request: Request, _command: forms.Command) -> Reply:
    """STATUS: how the game stands, what is open, and what became of the mails about it."""
    player, game = request.player, request.game
    mail = mail_frequency.of(player, game.id)
    reply = reply_from_template(
        "status",
        Says.NO_BOARD,
        game=game,
        mail=mail,
        is_off_here=mail == mail_frequency.OFF != player.mail,
        mails=deliveries.of(player, limit=MOST_MAILS, game=game),
        moment=lambda at: sentences.short_moment(datetime.fromisoformat(at), player.zone),
        kind_in_words=kind_in_words,
    )
    opened = _open_questions(request) if game.status == "running" else Reply()
    on_page = (*opened.paragraphs, *reply.on_page)
    return replace(reply, paragraphs=opened.paragraphs, below=reply.paragraphs, on_page=on_page)


def _open_questions(request: Request) -> Reply:
    """Return the reply that tells of votes that are open, and of offers of a draw."""
    game, seat = request.game, request.seat
    offering = [other for other in game.seats if other.wants_draw and other.player_id]
    return reply_from_template(
        "status_open",
        votes=[time.vote_in_words(request, motion) for motion in open_motions(game)],
        draws=["you" if other.number == seat.number else context.player_of(game, other.pawns) for other in offering],
        offers_draw=seat in offering,
    )


def legal(request: Request, _command: forms.Command) -> Reply:
    """LEGAL: the situation below the answer lists the moves."""
    return reply_from_template("legal", may_double=any(move.double for move in request.legal_moves()))


def board(request: Request, command: forms.Command) -> Reply:
    """BOARD: what is around stations, or around the player's pawns."""
    of_game, view = edition_of(request.game).board, request.view()
    if not command.stations:
        is_about_him = _IS_ABOUT_MR_X.search(folded(command.line)) is not None
        return _board_reply(**_surroundings(request, view), about_him=is_about_him, with_hint=True)
    return _board_reply(stations=board_text.described(of_game, view, command.stations))


def _board_reply(**facts: Any) -> Reply:
    return replace(reply_from_template("board", **facts), on_page=reply_from_template("board_on_page").paragraphs)


_IS_ABOUT_MR_X = re.compile(r"\bx\b")  # "where is Mr. X?" is a form of BOARD


def _surroundings(request: Request, view: BoardView) -> dict[str, Any]:
    """Return what lies around the player's pawns and, for a detective, where Mr. X was seen and all places of his."""
    board, own = edition_of(request.game).board, request.seat.pawns
    around: dict[str, Any] = {"stations": board_text.around(board, view, own)}
    if request.seat.role == "mr_x" or not around["stations"]:
        return around
    seen = board_text.last_seen(board, view, own)
    return around | {"seen": seen, "places": sentences.places(view, in_full=True)}


def send_help(request: Request, command: forms.Command) -> Reply:
    """HELP, or HELP ALL."""
    if not command.text.strip("? "):
        return replies.help_now(request)
    return help_with_all([pawn for seat in request.game.seats if seat.role == "detective" for pawn in seat.pawns])


def help_with_all(pawns: Sequence[str] = ()) -> Reply:
    """Return the reply to HELP ALL, with every command. Examples name one of the `pawns`, if the game is known."""
    pawn = "red" if "red" in pawns or not pawns else pawns[0]
    return reply_from_template(
        "help_all",
        forms=[replace(form, syntax=re.sub(r"\bred\b", pawn, form.syntax)) for form in forms.COMMANDS],
        pawn=pawn,
    )


HANDLERS: dict[str, Handler] = {"status": status, "legal": legal, "board": board, "help": send_help}
