"""The page of a player: their games, and the browsers in which they are signed in."""

from collections.abc import Callable

from flask import Response, make_response, redirect, request, url_for

from server.application.accounts import addresses, browsers, guests, renaming
from server.application.errors import Problem
from server.application.play import listing
from server.models import Player
from server.web import visitors
from server.web.problems import page

MOST = 100  # games shown


def show() -> Response:
    """Show the player's games, those that wait for a move first, and the browsers."""
    return _page(visitors.signed_in())


def _page(player: Player, problem: Problem | None = None, *, asks: bool = False) -> Response:
    waiting = listing.waiting_for(player)
    known = {game["id"] for game in waiting}
    others = [game for game in listing.games(player, mine=True, limit=MOST) if game["id"] not in known]
    return page(
        "me",
        problem,
        player=player,
        waiting=waiting,
        others=others,
        browsers=browsers.of(player, visitors.secret()),
        addresses=addresses.of(player),
        is_asked=asks or request.args.get("asked") == "code",
        days=guests.IDLE.days,
    )


def rename() -> Response:
    """Change the player's name."""
    return _after(lambda player: renaming.rename(player.id, request.form.get("name", "")))


def ask_for_address() -> Response:
    """Mail a code to an address that the player wants to add."""
    return _after(lambda player: addresses.ask_for(player.id, request.form.get("email", "")), "code")


def confirm_address() -> Response:
    """Add the address to which the code was mailed."""
    return _after(lambda player: addresses.confirm(player.id, request.form.get("code", "")), asks=True)


def _after(act: Callable[[Player], object], asked: str | None = None, asks: bool = False) -> Response:
    """Do something for the player, and show the page again, or with what was wrong."""
    player = visitors.signed_in()
    try:
        act(player)
    except Problem as problem:
        return _page(player, problem, asks=asks)
    return make_response(redirect(url_for("pages.me", asked=asked), 303))


def revoke(session_id: str) -> Response:
    """Sign one of the player's browsers out."""
    browsers.revoke(visitors.signed_in(), session_id)
    return make_response(redirect(url_for("pages.me"), 303))
