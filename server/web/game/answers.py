"""The answers to the forms of a game: its page again, as it is then, or with what was wrong."""

from collections.abc import Callable
from contextlib import nullcontext
from functools import wraps
from typing import Any

from flask import Response, make_response, redirect, request, url_for

from server.application.game.look import look
from server.models import transaction
from server.vocabulary.errors import Problem
from server.vocabulary.translation import gettext, gettext_noop
from server.web import visitors
from server.web.game import page

TOO_LATE = gettext_noop(
    "The game went on while you chose, so nothing was done now. "
    "This is the game as it is; choose again if you still can."
)


def shows_refusals(act: Callable[..., object]) -> Callable[..., Response]:
    """Return a view that does `act` in a game for the visitor, and shows the game with the reason if it is refused.

    `act` takes the id of the game, the player, and the rest of the path. If it returns no answer of its own, the game
    is shown again. A form is one transaction with its answer. A `Problem` not-found stays one.
    """

    @wraps(act)
    def view(game_id: str, **rest: Any) -> Response:
        player = visitors.signed_in()
        try:
            with transaction() if request.method == "POST" else nullcontext():
                answer = act(game_id, player, **rest)
                return answer if isinstance(answer, Response) else shown_again(game_id)
        except Problem as problem:
            if problem.code == "not-found":
                raise
            return page.of(look(game_id, player), _in_words(problem))

    return view


def _in_words(problem: Problem) -> Problem:
    """Return a refusal in words for people: that the page was out of date, where the API names the number of a turn."""
    is_late = problem.code == "stale-turn" and "turn" in problem.facts
    return Problem("stale-turn", gettext(TOO_LATE), **problem.facts) if is_late else problem


def shown_again(game_id: str) -> Response:
    """Lead the browser to the page of the game, after a form was accepted."""
    return make_response(redirect(url_for("pages.game", game_id=game_id), 303))
