"""The pages of a held move: those that its mail links to, and the buttons on the page of the game.

Opening one does nothing, because mail programs open every link. Their reader need not sign in: only they know the
address.
"""

from collections.abc import Callable, Sequence

from flask import Response, request

from server.application.game import held_moves, reply_addresses, situations
from server.application.game.access import not_found
from server.application.game.look import look_at_any
from server.house_rules.draft import Draft
from server.house_rules.holding import Placed, play_held, stop_held
from server.house_rules.standing import HeldMove
from server.models import Player, session
from server.vocabulary.errors import Problem
from server.web import forms
from server.web.game.answers import shown_again, shows_refusals
from server.web.problems import page
from server.wording.times import time_of_day

PLAY, STOP = "play", "stop"
_COMMANDS: dict[str, Callable[[Draft, str, str | None], Sequence[Placed | HeldMove]]] = {
    PLAY: play_held,
    STOP: stop_held,
}


def of_mail(token: str, act: str) -> Response:
    """Show what the link of a mail would do with a held move; a POST does it."""
    name = reply_addresses.marked(token, reply_addresses.HOLD)
    if name is None or act not in _COMMANDS:
        raise not_found("There is no such move.")
    owner = held_moves.owner_of(name)
    if request.method == "POST":
        if owner is not None:
            try:
                situations.act(owner.game_id, session.get_one(Player, owner.player_id), _COMMANDS[act], name)
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
        at = held_moves.plays_at(held_moves.held_by_seat(game, game.seat_held_by(player.id)))
    until = time_of_day(at, player.zone) if at is not None else ""
    return page("held", problem, act=act, token=token, until=until)


@shows_refusals
def on_page(game_id: str, player: Player) -> Response:
    """Play or stop what the visitor holds in a game, as the button says, and show the game again."""
    command = _COMMANDS.get(forms.text("do"))
    if command is None:
        raise Problem("form", "Choose whether the move is played now or not at all.")
    name = forms.text("hold") or None
    for each in situations.act(game_id, player, command, name).answer:
        if isinstance(each, Placed) and isinstance(each.outcome, Problem):
            raise each.outcome
    return shown_again(game_id)
