"""Votes by a form: a proposal, an answer to one, and a draw."""

from flask import Response, request

from server.application.errors import Problem
from server.application.play import draws
from server.application.time import votes
from server.models import Player
from server.web.game.answers import shown_again, shows_refusals
from server.web.game.table import CLOCKS, clock_of

ANSWERS = {"yes": True, "no": False}


@shows_refusals
def propose(game_id: str, player: Player) -> Response:
    """Propose something to the other players, and show the game again."""
    votes.propose(game_id, player, request.form.get("kind", ""), **_wish())
    return shown_again(game_id)


@shows_refusals
def answer(game_id: str, player: Player, vote_id: str) -> Response:
    """Vote for or against a proposal, and show the game again."""
    try:
        votes.vote(game_id, player, vote_id, is_for=_answer("for"))
    except Problem as problem:
        if problem.code == "not-found":
            raise Problem("stale-turn", votes.CLOSED) from None
        raise
    return shown_again(game_id)


@shows_refusals
def agree_on_draw(game_id: str, player: Player) -> Response:
    """Offer a draw, agree to one, or withdraw that, and show the game again."""
    decide = draws.offer if _answer("agrees") else draws.withdraw
    decide(game_id, player)
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
