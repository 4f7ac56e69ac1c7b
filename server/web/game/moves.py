"""Moves by a form: played or queued, a double move in two steps, and taken back; and the board as a picture."""

from flask import Response, request

from server import engine
from server.application.decisions.submission import RequestedMove
from server.application.errors import Problem
from server.application.game.access import visible
from server.application.play import pictures, submission
from server.web import visitors
from server.web.game.page import refused, second_leg, shown_again


def board(game_id: str) -> Response:
    """Return the board of a game as a picture, as the visitor may see it."""
    player = visitors.visitor()
    game = visible(game_id, player)
    return Response(pictures.svg(game, player), mimetype="image/svg+xml", headers={"Cache-Control": "no-store"})


def move(game_id: str) -> Response:
    """Play or queue the chosen move, and show the game again."""
    player = visitors.signed_in()
    try:
        submission.submit(game_id, player, _requested_move, {})
    except Problem as problem:
        return refused(game_id, player, problem)
    return shown_again(game_id)


def begin_double(game_id: str) -> Response:
    """Show the second legs that can follow the chosen move; nothing is played yet."""
    player = visitors.signed_in()
    try:
        return second_leg(game_id, player, _first_leg())
    except Problem as problem:
        return refused(game_id, player, problem)


def take_back(game_id: str) -> Response:
    """Take back the visitor's queued moves, or that of one pawn, and show the game again."""
    submission.take_back(game_id, visitors.signed_in(), request.form.get("pawn") or None)
    return shown_again(game_id)


def _requested_move() -> RequestedMove:
    turn = request.form.get("turn", "")
    if not (turn.isascii() and turn.isdigit() and len(turn) < 10):
        raise Problem("form", "turn: the number of the turn for which the move is meant.")
    return RequestedMove(_notation() + _surfacing(), int(turn))


def _notation() -> str:
    notation = request.form.get("move", "")
    if not notation:
        raise Problem("form", "Choose a move first.")
    return notation


def _surfacing() -> str:
    """Return what stands behind the notation of a move after which Mr. X shows himself of his own accord."""
    if not request.form.get("surface"):
        return ""
    taken = [(pawn, request.form.get(f"take-{pawn}")) for pawn in engine.DETECTIVES]
    return " surface" + "".join(f" {pawn}:{ticket}" for pawn, ticket in taken if ticket)


def _first_leg() -> engine.Leg:
    try:
        move = engine.Move.parse(_notation())
    except engine.Unreadable as error:
        raise Problem("form", str(error)) from None
    return move.legs[0]
