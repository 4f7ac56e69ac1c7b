"""Votes by a form: a proposal, an answer to one, and a draw."""

from flask import Response, request

from server.application.errors import Problem
from server.application.play import draws
from server.application.time import votes
from server.web import visitors
from server.web.game.page import refused, shown_again
from server.web.game.table import CLOCKS, clock_of

ANSWERS = {"yes": True, "no": False}


def propose(game_id: str) -> Response:
    """Propose something to the other players, and show the game again."""
    player = visitors.signed_in()
    try:
        votes.propose(game_id, player, request.form.get("kind", ""), **_wish())
    except Problem as problem:
        return refused(game_id, player, problem)
    return shown_again(game_id)


def answer(game_id: str, vote_id: str) -> Response:
    """Vote for or against a proposal, and show the game again."""
    player = visitors.signed_in()
    try:
        votes.vote(game_id, player, vote_id, is_for=_answer("for"))
    except Problem as problem:
        is_of_game = problem.code == "not-found"
        return refused(game_id, player, Problem("stale-turn", votes.CLOSED) if is_of_game else problem)
    return shown_again(game_id)


def agree_on_draw(game_id: str) -> Response:
    """Offer a draw, agree to one, or withdraw that, and show the game again."""
    player = visitors.signed_in()
    try:
        decide = draws.offer if _answer("agrees") else draws.withdraw
        decide(game_id, player)
    except Problem as problem:
        return refused(game_id, player, problem)
    return shown_again(game_id)


def _answer(name: str) -> bool:
    said = request.form.get(name, "")
    if said not in ANSWERS:
        raise Problem("form", f"{name}: yes or no.")
    return ANSWERS[said]


def _wish() -> dict[str, object]:
    """Return the details of a proposal: a length, or a clock."""
    wish: dict[str, object] = {}
    if request.form.get("length"):
        wish["length"] = request.form["length"]
    if "clock" in request.form:
        if request.form["clock"] not in CLOCKS:
            raise Problem("form", "Choose one of the clocks.")
        wish["clock"] = clock_of(request.form["clock"])
    return wish
