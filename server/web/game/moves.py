"""Moves by a form: played or queued, and taken back; and the board as a picture."""

from flask import Response, request

from server.application.decisions.submission import RequestedMove
from server.application.errors import Problem
from server.application.game.access import visible
from server.application.play import pictures, submission
from server.web import visitors
from server.web.game.page import refused, shown_again


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


def take_back(game_id: str) -> Response:
    """Take back the visitor's queued moves, and show the game again."""
    submission.take_back(game_id, visitors.signed_in())
    return shown_again(game_id)


def _requested_move() -> RequestedMove:
    turn = request.form.get("turn", "")
    if not (turn.isascii() and turn.isdigit() and len(turn) < 10):
        raise Problem("form", "turn: the number of the turn for which the move is meant.")
    notation = request.form.get("move", "")
    if not notation:
        raise Problem("form", "Choose a move first.")
    return RequestedMove(notation, int(turn))
