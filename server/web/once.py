"""Forms that make something: a form that is sent twice has one effect, and leads to the same page."""

import hmac
from collections.abc import Callable
from urllib.parse import urlencode

from flask import Response, make_response, redirect, request, url_for

from server.application.limits import idempotency
from server.models import Player, transaction
from server.runtime import now, runtime
from server.web import forms, visitors

FIELD = "once"
GOOD_FOR = visitors.TRIED_FOR  # a form of somebody new


def new_key() -> str:
    """Return a key for the hidden field of a form; a page has a new one whenever it is shown."""
    return runtime().new_id("form")


def new_key_of_newcomer(place: str) -> str:
    """Return a key for the form at `place` of somebody who is not signed in, good in their browser alone."""
    made = f"{int(now().timestamp()):x}_{runtime().new_id('form')}"
    return f"{made}_{_mark('form', place, made)}"


def secret_of_newcomer(place: str) -> str:
    """Return the secret of the session that the form at `place` begins, the same each time that the form is sent.

    It is empty for a form that was not made here, for this browser and this place, or longer ago than `GOOD_FOR`.
    """
    made, _, mark = forms.text(FIELD).rpartition("_")
    if not hmac.compare_digest(mark.encode(), _mark("form", place, made).encode()):
        return ""
    age = now().timestamp() - int(made.partition("_")[0], 16)
    return _mark("session", place, made) if age < GOOD_FOR.total_seconds() else ""


def _mark(purpose: str, place: str, made: str) -> str:
    """Return what only this server can compute of a form, for the browser that holds the cookie of the visitor."""
    return runtime().keyring.fingerprint("\0".join(("newcomer", purpose, visitors.trial(), place, made)).encode())


def led_once(player: Player, act: Callable[[], str]) -> Response:
    """Lead the browser to the page of a game, which `act` returns, or returned when the same form was sent before.

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
        if not idempotency.take(place, mark):
            return url_for("pages.game", game_id=idempotency.stored_answer(place, mark)[1])
        path = act()
        idempotency.store_answer(place, {"status": 303, "body": None, "location": path})
    return path
