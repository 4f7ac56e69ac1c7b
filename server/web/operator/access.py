"""Access to the operator's pages."""

from collections.abc import Callable
from functools import wraps

from flask import Response, abort

from server.models import transaction
from server.vocabulary.errors import Problem
from server.web import forms, visitors


def act(change: Callable[[], object], shown: Callable[[Problem], Response], then: str, done: str = "yes") -> Response:
    """Carry out a change and lead to the page `then`, or show it again with the `Problem`.

    `done` tells that page what was done. The answer is made in the transaction of the change, so nothing behind the
    commit can fail.
    """
    try:
        with transaction():
            change()
            return forms.led_to(then, done=done)
    except Problem as problem:
        return shown(problem)


def for_operators(view: Callable[..., Response]) -> Callable[..., Response]:
    """Return a page that is missing for everybody who is no operator."""

    @wraps(view)
    def guarded(**arguments: str) -> Response:
        visitor = visitors.visitor()
        if visitor is None or not visitor.is_operator:
            abort(404)
        return view(**arguments)

    return guarded
