"""Access to the operator's pages."""

from collections.abc import Callable
from functools import wraps

from flask import Response, abort

from server.web import visitors


def for_operators(view: Callable[..., Response]) -> Callable[..., Response]:
    """Return a page that is missing for everybody who is no operator."""

    @wraps(view)
    def guarded(**arguments: str) -> Response:
        visitor = visitors.visitor()
        if visitor is None or not visitor.is_operator:
            abort(404)
        return view(**arguments)

    return guarded
