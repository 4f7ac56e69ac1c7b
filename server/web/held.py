"""The pages of a held move: those that its mail links to, and the buttons on the page of the game.

Opening one does nothing, because mail programs open every link. Their reader need not sign in: only they know the
address.
"""

from collections.abc import Callable, Sequence

from flask import Response, request

from server.application.game import held_moves, reply_addresses
from server.application.game.access import not_found
from server.application.game.look import look_at_any
from server.application.play import holding
from server.house_rules.holding import Placed
from server.house_rules.standing import HeldMove
from server.models import Player, session, transaction
from server.vocabulary.errors import Problem
from server.web import forms
from server.web.game.answers import shown_again, shows_refusals
from server.web.problems import page
from server.wording.times import time_of_day

PLAY, STOP = "play", "stop"
_ACTS: dict[str, Callable[[str, str, str | None], Sequence[Placed | HeldMove]]] = {
    PLAY: holding.play_now,
    STOP: holding.call_off,
}


def of_mail(token: str, act: str) -> Response:
    """Show what the link of a mail would do with a held move; a POST does it."""
    name = reply_addresses.marked(token, reply_addresses.HOLD)
    if name is None or act not in _ACTS:
        raise not_found("There is no such move.")
    owner = held_moves.owner_of(name)
    if request.method == "POST":
        if owner is not None:
            try:
                with transaction():
                    _ACTS[act](*owner, name)
            except Problem as problem:
                return _page(act, token, None, problem)
        return forms.led_to("held", token=token, act=act, done="yes" if owner else "no")
    return _page(act, token, owner)


def _page(act: str, token: str, owner: held_moves.Owner | None, problem: Problem | None = None) -> Response:
    """Return the page of a link. It names no move: who opens it is not signed in."""
    at = None
    if owner is not None:
        player = session.get_one(Player, owner.player_id)
        game = look_at_any(owner.game_id, player)
        at = held_moves.plays_at(held_moves.of_seat(game, game.seat_held_by(player.id)))
    until = time_of_day(at, player.zone) if at is not None else ""
    return page("held", problem, act=act, token=token, until=until, done=forms.done())


@shows_refusals
def on_page(game_id: str, player: Player) -> Response:
    """Play or stop what the visitor holds in a game, as the button says, and show the game again."""
    act = _ACTS.get(forms.text("do"))
    if act is None:
        raise Problem("form", "Choose whether the move is played now or not at all.")
    name = forms.text("hold") or None
    for each in act(game_id, player.id, name):
        if isinstance(each, Placed) and isinstance(each.outcome, Problem):
            raise each.outcome
    return shown_again(game_id)
