"""The Idempotency-Key: the same request, sent again, has no second effect, and for a day gets the same answer."""

from collections.abc import Callable

from flask import Response, jsonify, make_response, request, url_for
from flask.typing import ResponseReturnValue

from server.api.access import caller
from server.api.reading import KEY_PATTERN, LONGEST_KEY, is_dry_run, is_key
from server.application.limits import idempotency
from server.models import StoredAnswer, transaction
from server.runtime import runtime
from server.vocabulary.errors import Problem

# How the OpenAPI document describes the header.
HEADER = {
    "in": "header",
    "name": "Idempotency-Key",
    "schema": {"type": "string", "minLength": 1, "maxLength": LONGEST_KEY, "pattern": KEY_PATTERN.pattern},
    "description": "The same request with the same key has no second effect; for a day it gets the same answer",
}


def answer_with_effect(answer: Callable[[], ResponseReturnValue], *, once: bool) -> ResponseReturnValue:
    """Return what `answer` returns. Its effect is committed when the answer is made: nothing can fail in between.

    With `once` it may have been returned when the request was first sent under its key. Then the answer is stored in
    the transaction of the effect. A dry run has none, so it does not use the key up.
    """
    if is_dry_run():
        return answer()
    key = request.headers.get("Idempotency-Key") if once else None
    # The view refuses what cannot be a key, after the checks that come before it.
    if key is None or not is_key(key):
        with transaction():
            return make_response(answer())
    mark = runtime().keyring.fingerprint(request.full_path.encode() + b"\0" + request.get_data())
    place = (caller().id, f"{request.method} {request.path}"[:120], key)
    with transaction():
        if not idempotency.take(place, mark):
            return _restore(*idempotency.stored_answer(place, mark))
        response = make_response(answer())
        idempotency.store_answer(place, _to_store(response))
    return response


def _to_store(response: Response) -> StoredAnswer:
    return {
        "status": response.status_code,
        "body": response.get_json(),
        "location": response.headers.get("Location"),
    }


def _restore(answer: StoredAnswer | None, game_id: str | None) -> Response:
    if answer is None:
        where = url_for("games.game", game_id=game_id, _external=True) if game_id else request.base_url
        raise Problem("already-done", "This was done before, and its answer is not kept any more.", location=where)
    response = jsonify(answer["body"])
    response.status_code = answer["status"]
    if answer["location"]:
        response.headers["Location"] = answer["location"]
    return response
