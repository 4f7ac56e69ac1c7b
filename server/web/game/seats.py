"""A game that has not started: inviting people and admitting guests, leaving, its name, and its start or its end."""

from datetime import timedelta
from typing import Any

from flask import Response

from server.application.game.look import look
from server.application.lobby import hosting, opening, seats, starting
from server.application.people import codes
from server.application.people.accounts import guests
from server.http import links
from server.models import Player
from server.web import forms
from server.web.game.answers import shows_refusals
from server.web.problems import page

remind = shows_refusals(seats.remind)
clear = shows_refusals(seats.leave)
publish = shows_refusals(hosting.publish)
renew_code = shows_refusals(hosting.renew_code)
close = shows_refusals(hosting.close)


@shows_refusals
def invite(game_id: str, player: Player, seat: int) -> None:
    """Put somebody on an open seat: a bot, or the player or reader of an address who gets an invitation."""
    bot, who = forms.text("bot"), forms.text("who")
    wanted = opening.read_guest(bot) if bot else {"invite": who, "words": forms.text("words")}
    seats.invite(game_id, player, seat, wanted)


@shows_refusals
def leave(game_id: str, player: Player) -> Response:
    """Give the visitor's seat back, or decline an invitation; a private game is not theirs to see after that.

    With `to_bot` a bot has the seat of a running game at once. A detective comes to where it can be taken over.
    """
    if not forms.offered("to_bot", ("", "yes")):
        seats.leave(game_id, player)
        return forms.led_to("me")
    game = look(game_id, player)
    seats.leave_to_bot(game_id, player)
    is_mr_x = game.seat_of_player(player.id).role == "mr_x"
    return forms.led_to("me") if is_mr_x else forms.led_to("invitation", code=game.code)


@shows_refusals
def admit_guests(game_id: str, player: Player) -> None:
    """Say what people without an address may do in the game."""
    may = {name: forms.text(name) == "yes" for name in ("talk", "pairs")}
    rules = {"seats": forms.text("seats"), "stay": forms.text("stay"), **may}
    hosting.admit_guests(game_id, player, rules)


@shows_refusals
def rename(game_id: str, player: Player) -> None:
    """Give the game another name."""
    hosting.rename(game_id, player, forms.text("name"))


@shows_refusals
def hand_over(game_id: str, player: Player) -> None:
    """Make the player of a seat the host."""
    hosting.hand_over(game_id, player, forms.seat("seat"))


@shows_refusals
def link_for_guest(game_id: str, player: Player, seat: int) -> Response:
    """Show the host the link with which a guest whose browser has lost its cookie goes on in another one."""
    name, code = guests.link_from_host(game_id, player, seat)
    link = links.link("pages.use_device_link", code=code)
    known: dict[str, Any] = {
        "name": name,
        "link": link,
        "is_only_here": links.is_only_here(),
        "hours": codes.GOOD_FOR // timedelta(hours=1),
    }
    return page("game/regain_link", game=look(game_id, player), **known)


@shows_refusals
def start(game_id: str, player: Player) -> None:
    """Start the game, and show it again; with a `level`, bots that play so take the seats that nobody has taken."""
    if level := forms.text("level"):
        seats.fill_with_bots(game_id, player, level)
    starting.start(game_id, player)
