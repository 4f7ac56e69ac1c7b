"""Open a game from a form."""

from typing import Any

from flask import Response, make_response, redirect, request, url_for

from server.application.errors import Problem
from server.application.play import rules
from server.application.seats import opening, starting
from server.engine import USUAL
from server.models import Player
from server.web import visitors
from server.web.problems import page

SEATS = {"detective": "a detective", "mr_x": "Mr. X", "none": "nobody: I only set the game up"}


def show() -> Response:
    """Show the form; a POST opens the game, and starts it if bots take all seats that are left."""
    player = visitors.with_address()
    if request.method != "POST":
        return _form({})
    try:
        game = opening.open_game(player, **_wanted(player))
        if all(seat.is_taken for seat in game.seats):
            starting.start(game.id, player)
    except Problem as problem:
        return _form(dict(request.form), problem)
    return make_response(redirect(url_for("pages.game", game_id=game.id), 303))


def _wanted(player: Player) -> dict[str, Any]:
    """Return the arguments of `open_game` from the form."""
    form = request.form
    sits, visibility, number = form.get("seat", ""), form.get("visibility", "private"), form.get("players", "")
    if sits not in SEATS:
        raise Problem("form", f"seat: one of {', '.join(SEATS)}.")
    if visibility not in ("public", "private"):
        raise Problem("form", "visibility: public or private.")
    if number not in map(str, range(10)):
        raise Problem("form", "players: a number.")
    if sits == "none" and form.get("others") == "bots":
        raise Problem("form", "Somebody has to play: take a seat, or leave the others open.")
    people, edition = int(number), opening.edition_with(form.get("edition", ""), None)
    guests = _bots(sits, people) if form.get("others") == "bots" else []
    role = None if sits == "none" else sits
    seats = opening.arrange_seats(player, edition, guests, people=people, sits=role)
    return {"edition": edition.name, "seats": seats, "visibility": visibility}


def _bots(sits: str, people: int) -> list[dict[str, str]]:
    """Return the bots for all other seats than the one in which the host sits."""
    fugitive = [{"bot": "fugitive"}] * (sits != "mr_x")
    return [*fugitive, *[{"bot": "constable"}] * (people - 1 - (sits == "detective"))]


def _form(given: dict[str, str], problem: Problem | None = None) -> Response:
    editions = rules.editions()
    sizes = [size for edition in editions for size in edition["options"]["players"]]
    numbers = range(min(sizes), max(sizes) + 1)
    return page("new_game", problem, editions=editions, usual=USUAL, numbers=numbers, seats=SEATS, given=given)
