"""Votes by a form: a proposal, an answer to one, and a draw."""

from flask import request

from server.application.game.situations import act
from server.house_rules import draws, votes
from server.models import Player
from server.vocabulary.errors import Problem, refusal
from server.web import forms
from server.web.game.answers import shows_refusals
from server.web.game.table import CLOCKS, clock_of

ANSWERS = {"yes": True, "no": False}
UNITS = {"days": "P{}D", "hours": "PT{}H"}
MOST_DIGITS = 3  # of a number of days or hours


@shows_refusals
def propose(game_id: str, player: Player) -> None:
    """Propose something to the other players, and show the game again."""
    wish = _wish()
    try:
        act(game_id, player, votes.put_to_vote, request.form.get("kind", ""), **wish)
    except Problem as problem:
        raise _without_field(problem) from None


@shows_refusals
def answer(game_id: str, player: Player, vote_id: str) -> None:
    """Vote for or against a proposal, and show the game again."""
    try:
        act(game_id, player, votes.cast_vote, vote_id, is_for=_answer("for"))
    except Problem as problem:
        if problem.code == "not-found":
            raise refusal("stale-turn", votes.CLOSED) from None
        raise


@shows_refusals
def agree_on_draw(game_id: str, player: Player) -> None:
    """Offer a draw, agree to one, or withdraw that, and show the game again."""
    act(game_id, player, draws.offer_draw if _answer("agrees") else draws.withdraw)


def _without_field(problem: Problem) -> Problem:
    """Return a refusal for people: without the name of the field, which programs read."""
    return Problem(problem.code, problem.in_words, **problem.facts) if problem.field == "length" else problem


def _answer(name: str) -> bool:
    said = request.form.get(name, "")
    if said not in ANSWERS:
        raise refusal("form", "yes or no.", field=name)
    return ANSWERS[said]


def _wish() -> dict[str, object]:
    """Return the details of a proposal: a length, or a clock."""
    wish: dict[str, object] = {}
    if "number" in request.form:
        wish["length"] = _length()
    if "clock" in request.form:
        if request.form["clock"] not in CLOCKS:
            raise refusal("form", "Choose one of the clocks.")
        wish["clock"] = clock_of(request.form["clock"])
    return wish


def _length() -> str:
    """Return a number of days or hours as a duration, such as `P2D`."""
    number, unit = forms.number(forms.text("number"), MOST_DIGITS), UNITS.get(forms.text("unit"))
    if number is None or unit is None:
        raise refusal("form", "Write for how many days or hours, as a whole number.")
    return unit.format(number)
