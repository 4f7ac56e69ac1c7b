"""Talk by a form: a message to the team or to all, and mails of messages."""

from flask import request

from server.application.play import talk
from server.models import Player
from server.vocabulary.errors import refusal
from server.vocabulary.translation import gettext
from server.web import forms
from server.web.game.answers import shows_refusals

MOST_DIGITS = 9  # of the number of a message


@shows_refusals
def say(game_id: str, player: Player) -> None:
    """Send a message, and show the game again."""
    is_quick = "take" in request.form
    to = "team" if is_quick else request.form.get("to", "")
    if to not in ("team", "all"):
        raise refusal("form", "Choose whom to write to: the team, or all.")
    after = forms.number(request.form.get("after", ""), MOST_DIGITS)
    talk.write(game_id, player, to, _quick_words() if is_quick else request.form.get("text", ""), after)


def _quick_words() -> str:
    """Return what a detective says of the station chosen at the board: `I take 126`, of several pawns `… with Red`.

    It is theirs, in their language, as all talk is.
    """
    station, pawn = request.form.get("move", "").rpartition(" ")[2], request.form["take"]
    if not station.isdecimal():
        raise refusal("form", "Choose a station first.")
    if pawn:
        return gettext("I take {station} with {pawn}", station=station, pawn=pawn)
    return gettext("I take {station}", station=station)


@shows_refusals
def mute(game_id: str, player: Player) -> None:
    """Stop the mails of messages in this game, or begin them again."""
    talk.mute(game_id, player, request.form.get("muted") == "yes")
