"""Errors as `application/problem+json`, in one shape."""

import json
import logging
import uuid
from collections.abc import Callable
from typing import TypeAlias

from flask import Flask, Response
from marshmallow import Schema, ValidationError, fields
from werkzeug.exceptions import HTTPException

from server.api.schemas.values import described
from server.models import CommitUnanswered, Unavailable, forget_commits, has_committed
from server.runtime.faults import fault
from server.vocabulary import errors
from server.vocabulary.errors import CATALOGUE, Problem

log = logging.getLogger(__name__)
MOST_ERRORS = 20  # that an answer tells
LONGEST_NAME = 60  # of a field, as an answer tells it
NOWHERE = "There is nothing at this address; /openapi.json lists all there are."
_BY_STATUS = {
    404: "not-found", 405: "method-not-allowed", 406: "not-acceptable", 413: "too-large",
    415: "unsupported-media-type",
}  # fmt: skip


class ProblemSchema(Schema):
    """The one shape of an error. `type` is stable; further members depend on it."""

    type = fields.String(required=True, metadata={"enum": list(CATALOGUE)})
    title = fields.String(required=True)
    status = fields.Integer(required=True)
    detail = fields.String(required=True)
    scope = fields.List(fields.String(), **described("with forbidden: the scopes of which one is needed"))
    turn = fields.Integer(**described("with stale-turn: the turn number that the game waits for"))
    open = fields.List(fields.Integer(), **described("with seats-open: the seats that are open"))
    games = fields.List(fields.String(), **described("with still-playing: the games"))
    location = fields.String(**described("with already-done: where to look, as in Location"))
    retry_after = fields.Integer(**described("with too-many and unavailable: seconds, as in Retry-After"))
    reason = fields.String(**described("with illegal: why, as a stable word"))
    legal = fields.List(fields.Dict(), **described("with illegal: what would have been legal"))
    errors = fields.Dict(**described(f"with form: what is wrong, by field, at most {MOST_ERRORS} of all"))
    errors_left_out = fields.Integer(**described("with form: how many more there are"))


# How the OpenAPI document describes it, for every call.
DESCRIBED = {
    "description": "An error, in one shape for all calls",
    "content": {"application/problem+json": {"schema": ProblemSchema}},
}

# What is wrong with a body, by its members and the places in its lists; at the ends are sentences.
Messages: TypeAlias = "dict[str | int, Messages] | list[str] | str"


def register(app: Flask, page_of: Callable[[Problem | HTTPException], Response | None]) -> None:
    """Answer every error of `app` in the one shape, but for those for which `page_of` has a page.

    An answer says that a request had no effect only if none of it was committed.
    """
    app.before_request(forget_commits)
    app.register_error_handler(Problem, lambda problem: page_of(problem) or problem_response(problem))
    app.register_error_handler(HTTPException, lambda error: page_of(error) or _from_http(error))
    app.register_error_handler(CommitUnanswered, lambda error: _uncertain(error, page_of))
    app.register_error_handler(Unavailable, lambda error: _answer(_from_database(error), page_of))
    app.register_error_handler(Exception, lambda error: _answer(_from_fault(error), page_of))


def _answer(problem: Problem, page_of: Callable[[Problem | HTTPException], Response | None]) -> Response:
    return page_of(problem) or problem_response(problem)


def problem_response(problem: Problem) -> Response:
    """Return the HTTP answer to `problem`."""
    body: dict[str, object] = {
        "type": problem.code,
        "title": problem.entry.title,
        "status": problem.entry.status,
        "detail": problem.sentence,
        **problem.facts,
    }
    response = Response(json.dumps(body), problem.entry.status, mimetype="application/problem+json")
    if problem.code == "unauthorized":
        response.headers["WWW-Authenticate"] = "Bearer"
    if "retry_after" in problem.facts:
        response.headers["Retry-After"] = str(problem.facts["retry_after"])
    if "location" in problem.facts:
        response.headers["Location"] = problem.facts["location"]
    return response


def form(error: ValidationError) -> Problem:
    """Return a schema's error as a problem: a sentence on the first field, and the first fields in `errors`."""
    messages = _with_short_names(error.normalized_messages())  # type: ignore[no-untyped-call]
    path, sentence = _first(messages)
    number = _count(messages)
    if number <= MOST_ERRORS:
        return Problem("form", sentence, field=path, errors=messages)
    begin, _ = _begin(messages, MOST_ERRORS)
    return Problem("form", sentence, field=path, errors=begin, errors_left_out=number - MOST_ERRORS)


def _with_short_names(messages: Messages) -> Messages:
    """Return nested messages with names that are cut: those of fields that there are not may be as long as a body."""
    if not isinstance(messages, dict):
        return messages
    return {
        key if len(str(key)) <= LONGEST_NAME else f"{str(key)[:LONGEST_NAME]}…": _with_short_names(inner)
        for key, inner in messages.items()
    }


def _count(messages: Messages) -> int:
    return sum(map(_count, messages.values())) if isinstance(messages, dict) else 1


def _begin(messages: Messages, room: int) -> tuple[Messages, int]:
    """Return the first `room` of nested messages, and how much room is left behind them."""
    if not isinstance(messages, dict):
        return messages, room - 1
    found: dict[str | int, Messages] = {}
    for key, inner in messages.items():
        if not room:
            break
        found[key], room = _begin(inner, room)
    return found, room


def _first(messages: Messages) -> tuple[str, str]:
    if isinstance(messages, dict):
        key, inner = next(iter(messages.items()))
        path, sentence = _first(inner)
        own = "" if key == "_schema" else str(key)
        return ".".join(part for part in (own, path) if part), sentence
    return "", str(messages[0] if isinstance(messages, list) else messages)


def _from_http(error: HTTPException) -> Response:
    code = _BY_STATUS.get(error.code or 500)
    if code is None and error.code is not None and error.code < 500:
        code = "form"
    if code is None:
        return problem_response(_from_fault(error))
    if code == "not-found":
        return problem_response(Problem(code, NOWHERE))
    response = problem_response(Problem(code, error.description or CATALOGUE[code].title))
    for header, value in error.get_headers():
        if header == "Allow":
            response.headers[header] = value
    return response


def _uncertain(error: CommitUnanswered, page_of: Callable[[Problem | HTTPException], Response | None]) -> Response:
    log.warning("%s %s", errors.database_unusable(error.why), fault(error))
    return page_of(errors.uncertain(for_page=True)) or problem_response(errors.uncertain())


def _from_database(error: Unavailable) -> Problem:
    log.warning("%s %s", errors.database_unusable(error.why), fault(error))
    return errors.unavailable(is_done=has_committed())


def _from_fault(error: Exception) -> Problem:
    number = uuid.uuid4().hex[:12]
    log.error("fault %s: %s", number, fault(error))
    return errors.internal(number, is_done=has_committed())
