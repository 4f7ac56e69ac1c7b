"""The seats of a game that has not started: taking one, inviting, leaving, and the start."""

from typing import Any

from flask import Response, make_response, redirect, request, url_for

from server.application.decisions.standing import Standing
from server.application.errors import Problem
from server.application.game import projection
from server.application.game.look import look
from server.application.seats import hosting, lobby, opening, starting
from server.models import Player
from server.web import forms, visitors
from server.web.game.answers import shown_again, shows_refusals
from server.web.game.lobby import about, seats_to_fill
from server.web.problems import page

NO_GAME = "There is no game with that code. Look at the code again, or ask the host for the link."


def join(game_id: str) -> Response:
    """Ask whether to take a seat of the game; a POST takes one, with the code of a private game."""
    player = visitors.with_address()
    code = request.values.get("code")
    game = look(game_id, player, code=code)
    known: dict[str, Any] = {
        "game": game,
        "code": code,
        "seats": seats_to_fill(game, player),
        "about": about(game),
        "is_seated": projection.own_seat(game, player) is not None,
        "has_room": _has_room(game),
    }
    if request.method != "POST":
        return page("join", **known, role="", wrong={})
    role = forms.text("role")
    try:
        lobby.join(game_id, player, code=code, role=role or None)
    except Problem as problem:
        return page("join", problem, **known, role=role, wrong={"role": problem.sentence})
    return shown_again(game_id)


def _has_room(game: Standing) -> bool:
    """Return True if a seat can be taken: before the start one without a holder, later one that is offered."""
    if game.status == "open":
        return not all(seat.is_taken for seat in game.seats)
    return game.status == "running" and any(seat.is_offered for seat in game.seats)


def enter_code() -> Response:
    """Lead to the page on which the game with the code that was typed is joined."""
    code = forms.code().lower().removeprefix("#")
    try:
        game = lobby.with_code(code, visitors.with_address())
    except Problem as problem:
        if problem.code != "not-found":
            raise
        return page("code_of_game", problem, code=forms.text("code"), wrong={"code": NO_GAME})
    return make_response(redirect(url_for("pages.join", game_id=game.id, code=code), 303))


@shows_refusals
def invite(game_id: str, player: Player, seat: int) -> Response:
    """Put somebody on an open seat: a bot, or the player or reader of an address who gets an invitation."""
    bot, who = forms.text("bot"), forms.text("who")
    lobby.invite(game_id, player, seat, opening.read_guest(bot) if bot else {"invite": who})
    return shown_again(game_id)


@shows_refusals
def clear(game_id: str, player: Player, seat: int) -> Response:
    """Take somebody off a seat, or withdraw the invitation to it."""
    lobby.leave(game_id, player, seat)
    return shown_again(game_id)


@shows_refusals
def leave(game_id: str, player: Player) -> Response:
    """Give the visitor's seat back, or decline an invitation; a private game is not theirs to see after that."""
    lobby.leave(game_id, player)
    return forms.led_to("me")


@shows_refusals
def publish(game_id: str, player: Player) -> Response:
    """Let anybody watch the game and take an open seat."""
    lobby.publish(game_id, player)
    return shown_again(game_id)


@shows_refusals
def hand_over(game_id: str, player: Player) -> Response:
    """Make the player of a seat the host."""
    hosting.hand_over(game_id, player, forms.seat("seat"))
    return shown_again(game_id)


@shows_refusals
def start(game_id: str, player: Player) -> Response:
    """Start the game, and show it again."""
    starting.start(game_id, player)
    return shown_again(game_id)
