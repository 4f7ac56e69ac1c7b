"""A seat of a game that runs or is over: cover, resigning and a rematch, by forms."""

from flask import Response, make_response, redirect, request, url_for

from server.application.game.look import look
from server.application.game.situations import act
from server.application.lobby import rematches
from server.house_rules.resignation import ends_game, give_up
from server.house_rules.submission import name_cover
from server.models import Player
from server.web import forms
from server.web.game.answers import shown_again, shows_refusals
from server.web.problems import page
from server.wording.seats import seat_label


@shows_refusals
def cover(game_id: str, player: Player) -> None:
    """Name the teammate who may move for the player, or nobody, and show the game again."""
    number = request.form.get("seat", "")
    look(game_id, player).seat_of_player(player.id)
    act(game_id, player, name_cover, forms.seat("seat") if number else None)


@shows_refusals
def resign(game_id: str, player: Player) -> Response:
    """Ask whether the player wants to resign; a POST does it, and leads to the game if they have a seat in it still."""
    game = look(game_id, player)
    seat = game.seat_of_player(player.id)
    if request.method != "POST":
        ends = ends_game(game.seats, seat)
        return page("resign", game=game, role=seat_label(seat), is_mr_x=seat.role == "mr_x", is_last=ends)
    has_seat = act(game_id, player, give_up).game.seat_held_by(player.id) is not None
    return shown_again(game_id) if has_seat else make_response(redirect(url_for("pages.me", resigned=game_id), 303))


@shows_refusals
def rematch(game_id: str, player: Player) -> Response:
    """Seat the player in the rematch of the game, which the first who asks opens, and show it."""
    return shown_again(rematches.rematch(game_id, player).id)
