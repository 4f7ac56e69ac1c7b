"""The mail addresses of a player: adding, confirming, removing, and choosing the main one."""

from flask import Response, request

from server.application.accounts import addresses, guests
from server.application.errors import Problem
from server.models import Player
from server.web import forms, visitors
from server.web.problems import page


def show() -> Response:
    """Show the player's addresses."""
    return _page(visitors.signed_in())


def ask_for_address() -> Response:
    """Mail a code to an address that the player wants to add."""

    def again(player: Player, problem: Problem) -> Response:
        return _page(player, problem, field="email", email=forms.text("email"))

    def act(player: Player) -> None:
        addresses.ask_for(player.id, forms.text("email"))

    return forms.carry_out(act, "addresses", again, asked="code", done=None)


def confirm_address() -> Response:
    """Add the address to which the code was mailed."""

    def again(player: Player, problem: Problem) -> Response:
        return _page(player, problem, field="code", asks=True)

    def act(player: Player) -> object:
        return addresses.confirm(player.id, forms.code())

    return forms.carry_out(act, "addresses", again)


def make_primary(address_id: str) -> Response:
    """Send all mail to one of the player's addresses from now on."""
    return forms.carry_out(lambda player: addresses.make_primary(player.id, address_id), "addresses", _page)


def remove(address_id: str) -> Response:
    """Remove one of the player's addresses."""
    return forms.carry_out(lambda player: addresses.remove(player.id, address_id), "addresses", _page)


def _page(
    player: Player, problem: Problem | None = None, *, field: str = "", asks: bool = False, email: str = ""
) -> Response:
    return page(
        "me/addresses",
        problem,
        player=player,
        addresses=addresses.of(player) if not player.is_guest else [],
        is_asked=asks or request.args.get("asked") == "code",
        email=email,
        wrong={field: problem.sentence} if problem else {},
        days=guests.IDLE.days,
        most=addresses.MOST,
        done=forms.done(),
    )
