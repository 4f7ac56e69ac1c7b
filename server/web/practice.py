"""Practice: a game against bots, from its start or from a moment of another game; who is not signed in is a guest."""

from collections.abc import Callable

from flask import Response, request, url_for

from server.application.lists import listing
from server.application.lobby.again import SIDES
from server.application.lobby.opening import PRACTICE_ROLES
from server.application.people.accounts import guests
from server.engine import USUAL
from server.house_rules.standing import Sight
from server.http import peer
from server.models import Player, transaction
from server.runtime import runtime
from server.vocabulary.errors import Problem
from server.web import forms, once, visitors
from server.web.problems import page

MOST_DIGITS_OF_PLY = 5


def is_offered() -> bool:
    """Return True if the visitor may begin practice games here."""
    return visitors.visitor() is not None or runtime().settings.guests


def practise() -> Response:
    """Start a game against bots."""
    role, edition = _chosen("role", PRACTICE_ROLES), forms.text("edition") or USUAL
    return _begun(lambda player: guests.practise(player, role, forms.text("level") or None, edition))


def try_again(game_id: str) -> Response:
    """Start a game that goes on from the move `ply` of one that is over."""
    ply, side = forms.number(forms.text("ply"), MOST_DIGITS_OF_PLY), _chosen("side", SIDES)
    if ply is None:
        raise Problem("form", "a number of moves.", field="ply")
    return _begun(lambda player: guests.try_again(player, game_id, ply, side, forms.text("level") or None))


def _chosen(name: str, allowed: tuple[str, ...]) -> str:
    """Return the value of the button that was pressed, the first one if it was none of these."""
    pressed = request.form.get(name, "")
    return pressed if pressed in allowed else allowed[0]


def _begun(begin: Callable[[Player], Sight]) -> Response:
    """Lead the visitor to the game that begins, or to what helps where there may be no further one."""
    player = visitors.visitor()

    def led(host: Player) -> Response:
        return once.led_once(host, lambda: url_for("pages.game", game_id=begin(host).id))

    try:
        if player is not None:
            return led(player)
        visitors.check_cookies()
        with transaction():
            guest, secret = guests.begin(peer.network(), visitors.browser())
            return visitors.remember(led(guest), secret)
    except Problem as problem:
        if problem.code != "enough":
            raise
        return page("enough", problem, visitor=player, games=listing.running(player) if player else [])
