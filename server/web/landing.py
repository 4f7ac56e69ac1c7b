"""The first page: what this is, and the ways in."""

from flask import Response, make_response, redirect, render_template, request, url_for

from server.application.accounts import guests
from server.application.play import listing, my_games
from server.web import visitors

MOST = 8  # games of a list
MOST_OWN = 3  # games of the visitor; all are on a page of their own


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
    """Show what Black Ticket is, the visitor's running games, and those that everybody may join or watch."""
    player = visitors.visitor()
    page = render_template(
        "web/landing.html",
        visitor=player,
        own_games=my_games.running(player)[:MOST_OWN] if player else [],
        open_games=listing.joinable(player, limit=MOST),
        running_games=listing.watchable(MOST),
    )
    return make_response(page)
