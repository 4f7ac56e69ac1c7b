"""Moves by a form: played or queued, with second choices, a double move in two steps, and taken back."""

from flask import Response, request

from server import engine
from server.application.game.look import look
from server.application.game.situations import act
from server.house_rules import queue
from server.house_rules.holding import place_or_hold
from server.house_rules.reasons import sentence_of
from server.house_rules.submission import RequestedMove, check_turn
from server.models import Player
from server.runtime import runtime
from server.vocabulary.errors import Problem, refusal
from server.vocabulary.preferences import ALWAYS
from server.web import forms
from server.web.game.answers import shows_refusals
from server.web.game.choices import SECOND_CHOICES
from server.web.game.page import second_leg

MOST_DIGITS = 9  # of the number of a turn


@shows_refusals
def move(game_id: str, player: Player) -> None:
    """Play, queue or hold the chosen move, and show the game again."""
    longest = runtime().settings.hold if player.hold == ALWAYS else None
    act(game_id, player, place_or_hold, _requested_move, longest)


@shows_refusals
def begin_double(game_id: str, player: Player) -> Response:
    """Show the second legs that can follow the chosen move; nothing is played yet."""
    game = look(game_id, player)
    game.check_running("there is nothing to move")
    check_turn(_turn(), game.turn)
    return second_leg(game_id, player, _first_leg())


@shows_refusals
def take_back(game_id: str, player: Player) -> None:
    """Take back the visitor's queued and held moves, or that of one pawn, and show the game again."""
    act(game_id, player, queue.take_back, request.form.get("pawn") or None)


def _requested_move() -> RequestedMove:
    """Return the chosen move, which others may have overtaken in this round before the page could hear of it."""
    turn = _turn()
    second_choices = tuple(notation for name in SECOND_CHOICES if (notation := forms.text(name)))
    return RequestedMove(_notation() + _surfacing(), turn, for_round=True, otherwise=second_choices)


def _turn() -> int:
    turn = forms.number(request.form.get("turn", ""), MOST_DIGITS)
    if turn is None:
        raise refusal("form", "the number of the turn for which the move is meant.", field="turn")
    return turn


def _notation() -> str:
    notation = request.form.get("move", "")
    if not notation:
        raise refusal("form", "Choose a move first.")
    return notation


def _surfacing() -> str:
    """Return the words of a notation that say which tickets Mr. X takes for showing himself, if he chooses to."""
    if not request.form.get("surface"):
        return ""
    taken = [(pawn, request.form.get(f"take-{pawn}")) for pawn in engine.DETECTIVES]
    return " surface" + "".join(f" {pawn}:{ticket}" for pawn, ticket in taken if ticket)


def _first_leg() -> engine.Leg:
    try:
        move = engine.Move.parse(_notation())
    except engine.Unreadable as error:
        raise Problem("form", sentence_of(error)) from None
    return move.legs[0]
