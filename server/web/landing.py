"""The first page: what this is, and the ways in."""

from flask import Response, make_response, redirect, render_template, request, url_for

from server.application.accounts import guests
from server.application.play import listing
from server.web import visitors

MOST = 8  # games of a list


def practise() -> Response:
    """Start a game against bots; who is not signed in plays as a guest."""
    role = "mr_x" if request.form.get("role") == "mr_x" else "detective"
    player, secret = visitors.visitor(), None
    if player is None:
        player, secret = guests.begin(visitors.network(), visitors.browser())
    game = guests.practise(player, role)
    response = make_response(redirect(url_for("pages.game", game_id=game.id), 303))
    return visitors.remember(response, secret) if secret else response


def show() -> Response:
    """Show what Black Ticket is, and the games that everybody may join or watch."""
    page = render_template(
        "web/landing.html",
        visitor=visitors.visitor(),
        open_games=listing.joinable(visitors.visitor(), limit=MOST),
        running_games=listing.watchable(MOST),
    )
    return make_response(page)
