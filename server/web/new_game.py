"""Open a game from a form."""

from typing import Any

from flask import Response, make_response, redirect, render_template, request, url_for

from server.application.errors import Problem
from server.application.play import rules
from server.application.seats import opening, starting
from server.web import visitors

SEATS = {"detective": "a detective", "mr_x": "Mr. X", "none": "nobody: I only set the game up"}


def show() -> Response:
    """Show the form; a POST opens the game, and starts it if bots take all seats that are left."""
    player = visitors.with_address()
    if request.method != "POST":
        return _form({})
    try:
        game = opening.open_game(player, **_wanted(player.id))
        if all(seat.is_taken for seat in game.seats):
            starting.start(game.id, player)
    except Problem as problem:
        return _form(dict(request.form), problem)
    return make_response(redirect(url_for("pages.game", game_id=game.id), 303))


def _wanted(player_id: str) -> dict[str, Any]:
    """Return the arguments of `open_game` from the form."""
    form = request.form
    sits, edition = form.get("seat", ""), form.get("edition", "")
    if sits not in SEATS:
        raise Problem("form", f"seat: one of {', '.join(SEATS)}.")
    people = form.get("players", "")
    if people not in map(str, range(2, 7)):
        raise Problem("form", "players: a number from 2 to 6.")
    has_bots = form.get("others") == "bots"
    seats: list[dict[str, Any]] = [{"role": "detective" if number else "mr_x"} for number in range(int(people))]
    mine = next((seat for seat in seats if seat["role"] == sits), None)
    for seat in seats:
        if seat is mine:
            seat["player"] = player_id
        elif has_bots:
            seat["bot"] = "fugitive" if seat["role"] == "mr_x" else "constable"
    visibility = form.get("visibility", "private")
    if visibility not in ("public", "private"):
        raise Problem("form", "visibility: public or private.")
    return {"edition": edition, "seats": seats, "visibility": visibility}


def _form(given: dict[str, str], problem: Problem | None = None) -> Response:
    page = render_template("web/new_game.html", editions=rules.editions(), seats=SEATS, given=given, problem=problem)
    response = make_response(page)
    response.status_code = problem.entry.status if problem else 200
    return response
