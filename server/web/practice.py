"""Practice: a game against bots, from its start or a moment of another game; who is not signed in plays as a guest."""

from collections.abc import Callable

from flask import Response, url_for

from server.application.lists import listing
from server.application.people.accounts import guests
from server.engine import USUAL
from server.house_rules.standing import Sight
from server.http import peer
from server.models import Player, transaction
from server.vocabulary.errors import Problem
from server.web import forms, once, visitors
from server.web.problems import page


def practise() -> Response:
    """Start a game against bots."""
    role, level = forms.offered("role", ("", "mr_x", "detective", "team")), forms.text("level")
    return _begun(lambda player: guests.practise(player, role, level or None, forms.text("edition") or USUAL))


def try_again(game_id: str) -> Response:
    """Start a game that goes on from the move `ply` of one that is over."""
    ply, side, level = forms.number(forms.text("ply"), 5), forms.text("side"), forms.text("level")
    moves = 10**5 if ply is None else ply  # more than there are, so that it is refused
    return _begun(lambda player: guests.try_again(player, game_id, moves, side, level or None))


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
