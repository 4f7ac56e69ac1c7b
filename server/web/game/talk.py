"""Talk by a form: a message to the team or to all, and mails of messages."""

from flask import Response, request

from server.application.errors import Problem
from server.application.news import talk
from server.web import visitors
from server.web.game.page import refused, shown_again


def say(game_id: str) -> Response:
    """Send a message, and show the game again."""
    player = visitors.signed_in()
    try:
        to = request.form.get("to", "")
        if to not in ("team", "all"):
            raise Problem("form", "Choose whom to write to: the team, or all.")
        talk.write(game_id, player, to, request.form.get("text", ""))
    except Problem as problem:
        return refused(game_id, player, problem)
    return shown_again(game_id)


def mute(game_id: str) -> Response:
    """Stop the mails of messages in this game, or begin them again."""
    player = visitors.signed_in()
    try:
        talk.mute(game_id, player, request.form.get("muted") == "yes")
    except Problem as problem:
        return refused(game_id, player, problem)
    return shown_again(game_id)
