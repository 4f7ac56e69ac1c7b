"""The seats of a game that has not started: taking one, inviting, leaving, and the start."""

from collections.abc import Callable
from typing import Any

from flask import Response, make_response, redirect, request, url_for

from server.application.errors import Problem
from server.application.game.access import visible
from server.application.seats import hosting, lobby, starting
from server.models import Player
from server.web import forms, visitors
from server.web.game.lobby import about, seats_in_words
from server.web.game.page import refused, shown_again
from server.web.problems import page

NO_GAME = "There is no game with that code. Look at the code again, or ask the host for the link."


def join(game_id: str) -> Response:
    """Ask whether to take a seat of the game; a POST takes one, with the code of a private game."""
    player = visitors.with_address()
    code = request.values.get("code")
    game = visible(game_id, player, code=code)
    known: dict[str, Any] = {"game": game, "code": code, "seats": seats_in_words(game, player), "about": about(game)}
    if request.method != "POST":
        return page("join", **known, role="", wrong={})
    role = forms.text("role")
    try:
        lobby.join(game_id, player, code=code, role=role or None)
    except Problem as problem:
        return page("join", problem, **known, role=role, wrong={"role": problem.sentence})
    return shown_again(game_id)


def enter_code() -> Response:
    """Lead to the page on which the game with the code that was typed is joined."""
    code = forms.text("code").lower().removeprefix("#")
    try:
        game = lobby.with_code(code, visitors.with_address())
    except Problem as problem:
        if problem.code != "not-found":
            raise
        return page("code_of_game", problem, code=forms.text("code"), wrong={"code": NO_GAME})
    return make_response(redirect(url_for("pages.join", game_id=game.id, code=code), 303))


def invite(game_id: str, seat: int) -> Response:
    """Put somebody on an open seat: a bot, or the player or reader of an address who gets an invitation."""
    bot, who = forms.text("bot"), forms.text("who")
    return _do(game_id, lambda player: lobby.invite(game_id, player, seat, {"bot": bot} if bot else {"invite": who}))


def clear(game_id: str, seat: int) -> Response:
    """Take somebody off a seat, or withdraw the invitation to it."""
    return _do(game_id, lambda player: lobby.leave(game_id, player, seat))


def leave(game_id: str) -> Response:
    """Give the visitor's seat back, or decline an invitation; a private game is not theirs to see after that."""
    player = visitors.signed_in()
    try:
        lobby.leave(game_id, player)
    except Problem as problem:
        return refused(game_id, player, problem)
    return forms.led_to("me")


def publish(game_id: str) -> Response:
    """Let anybody watch the game and take an open seat."""
    return _do(game_id, lambda player: lobby.publish(game_id, player))


def hand_over(game_id: str) -> Response:
    """Make the player of a seat the host."""
    number = forms.text("seat")
    seat = int(number) if number.isascii() and number.isdigit() and len(number) == 1 else 0
    return _do(game_id, lambda player: hosting.hand_over(game_id, player, seat))


def start(game_id: str) -> Response:
    """Start the game, and show it again."""
    return _do(game_id, lambda player: starting.start(game_id, player))


def _do(game_id: str, act: Callable[[Player], object]) -> Response:
    """Do something for the visitor, and show the game again, or with what was wrong."""
    player = visitors.signed_in()
    try:
        act(player)
    except Problem as problem:
        return refused(game_id, player, problem)
    return shown_again(game_id)
