"""A seat of a game that runs or is over: cover, resigning and a rematch, by forms."""

from flask import Response, make_response, redirect, request, url_for

from server.application.errors import Problem
from server.application.game.access import seat_of, visible
from server.application.game.cover import name_cover
from server.application.seats import rematches, substitution
from server.web import visitors
from server.web.game.page import refused, shown_again
from server.web.problems import page
from server.wording.seats import seat_label


def cover(game_id: str) -> Response:
    """Name the teammate who may move for the player, or nobody, and show the game again."""
    player = visitors.signed_in()
    try:
        number = request.form.get("seat", "")
        seat_of(visible(game_id, player), player)
        name_cover(game_id, player, _number(number) if number else None)
    except Problem as problem:
        return refused(game_id, player, problem)
    return shown_again(game_id)


def resign(game_id: str) -> Response:
    """Ask whether the player wants to resign; a POST does it."""
    player = visitors.signed_in()
    game = visible(game_id, player)
    try:
        seat = seat_of(game, player)
        if request.method != "POST":
            ends = substitution.ends_game(game, seat)
            return page("resign", game=game, role=seat_label(seat), is_mr_x=seat.role == "mr_x", is_last=ends)
        substitution.resign(game_id, player)
    except Problem as problem:
        return refused(game_id, player, problem)
    return _shown_if_visible(game_id)


def rematch(game_id: str) -> Response:
    """Open the rematch of the game, or find the one that is open, and show it."""
    player = visitors.with_address()
    try:
        following = rematches.rematch(game_id, player)
    except Problem as problem:
        return refused(game_id, player, problem)
    return shown_again(following.id)


def _shown_if_visible(game_id: str) -> Response:
    """Lead to the game, or to the player's games if they may not see it any more."""
    try:
        visible(game_id, visitors.visitor())
    except Problem:
        return make_response(redirect(url_for("pages.me"), 303))
    return shown_again(game_id)


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 3):
        raise Problem("form", "Choose a player.")
    return int(text)
