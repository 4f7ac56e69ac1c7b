"""Forms that make something: a form that is sent twice has one effect, and leads to the same page."""

from collections.abc import Callable
from urllib.parse import urlencode

from flask import Response, make_response, redirect, request

from server.application.limits import idempotency
from server.models import Player, transaction
from server.runtime import runtime
from server.web import forms

FIELD = "once"


def new_key() -> str:
    """Return a key for the hidden field of a form; a page has a new one whenever it is shown."""
    return runtime().new_id("form")


def led_once(player: Player, act: Callable[[], str]) -> Response:
    """Lead the browser to the path that `act` returns, or that it returned when the same form was sent before.

    A form that was changed and sent again is another one. Without a key a form acts each time.
    """
    return make_response(redirect(_path(player, act), 303))


def _path(player: Player, act: Callable[[], str]) -> str:
    if not forms.text(FIELD):
        with transaction():
            return act()
    mark = runtime().keyring.fingerprint(urlencode(sorted(request.form.items())).encode())
    place = (player.id, f"{request.method} {request.path}"[:120], mark)
    with transaction():
        stored = idempotency.begin(place, mark)
        if stored is not None:
            return str(stored["location"])
        path = act()
        idempotency.store(place, mark, {"status": 303, "body": None, "location": path})
    return path
