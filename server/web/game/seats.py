"""The seats of a game that has not started: taking one, and the start."""

from flask import Response, request

from server.application.errors import Problem
from server.application.game.access import visible
from server.application.seats import lobby, starting
from server.web import visitors
from server.web.game.page import refused, seats_in_words, shown_again
from server.web.problems import page


def join(game_id: str) -> Response:
    """Ask whether to take a seat of the game; a POST takes one, with the code of a private game."""
    player = visitors.with_address()
    code = request.values.get("code")
    game = visible(game_id, player, code=code)
    seats = seats_in_words(game)
    if request.method != "POST":
        return page("join", game=game, code=code, seats=seats)
    try:
        lobby.join(game_id, player, code=code, role=request.form.get("role") or None)
    except Problem as problem:
        return page("join", problem, game=game, code=code, seats=seats)
    return shown_again(game_id)


def start(game_id: str) -> Response:
    """Start the game, and show it again."""
    player = visitors.signed_in()
    try:
        starting.start(game_id, player)
    except Problem as problem:
        return refused(game_id, player, problem)
    return shown_again(game_id)
