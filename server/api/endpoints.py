"""The declaration of an endpoint: who may call it, what it takes, what it answers.

The server checks and answers by it, and the OpenAPI document is made from it. There is no other way to add a view.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, NoReturn

from flask import Flask, Response, current_app, g, jsonify, make_response, request, url_for
from flask.typing import ResponseReturnValue
from flask_smorest import Blueprint
from marshmallow import Schema, fields
from werkzeug.http import generate_etag

from server.api.access import PROVIDER, Access, admit, caller
from server.api.reading import (
    KEY_PATTERN,
    LONGEST_KEY,
    check_key,
    is_dry_run,
    is_key,
    load_early,
    load_query,
    require_no_body,
)
from server.application.limits import idempotency
from server.application.people.tokens import store_use
from server.models import CALENDAR, StoredAnswer, transaction
from server.runtime import runtime
from server.vocabulary.errors import Problem

PREFIX = "/api/v1"
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")

# Its schema dumps what it returns, unless that is a response.
View = Callable[..., object]


# A parameter as the OpenAPI document describes it.
Parameter = Mapping[str, object]


class Undeclared(Exception):
    """A view of the API has no declaration, so nothing says who may call it."""


@dataclass(frozen=True)
class File:
    """An answer that is not JSON."""

    mimetype: str
    is_binary: bool = False

    @property
    def described(self) -> dict[str, dict[str, object]]:
        """Return the description for the OpenAPI document, by media type."""
        return {self.mimetype: {"schema": {"type": "string", **({"format": "binary"} if self.is_binary else {})}}}


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """All that is promised about one endpoint. Its rate follows from `access`: a player is counted, or an address.

    route: method and path, `GET /games/<game_id>`
    access: the callers it is open to; the scopes of a GET are `read`
    answers: the schema of the answer, a `File`, or None for no content; `status` goes with it, and `about` describes it
    also: other answers that are no refusals, by their status, with what they mean
    also_as: another form of the answer that a caller may ask for
    problems: statuses of refusals in addition to those that follow from what the endpoint takes
    query: the schema of the query, which is checked before the view is called
    parameters: described as they are, and read by the view
    body: the schema of the body, which is loaded before the view is called, and which the view reads with
        `reading.body`; it may be missing if `needs_body` is False
    bodies: the schemas of a body that may have one of several media types; the view reads it
    once: whether an Idempotency-Key is taken
    retry_after: after how many seconds it makes sense to ask again
    """

    route: str
    access: Access
    answers: type[Schema] | File | None
    status: int = 200
    about: str | None = None
    also: Mapping[int, tuple[type[Schema] | None, str]] = field(default_factory=dict)
    also_as: File | None = None
    problems: tuple[int, ...] = ()
    query: Schema | None = None
    parameters: tuple[Parameter, ...] = ()
    body: Schema | None = None
    needs_body: bool = True
    bodies: Mapping[str, type[Schema]] = field(default_factory=dict)
    once: bool = False
    retry_after: int | None = None

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise ValueError(f"{self.route}: a route is a method and a path")
        if ("<game_id>" in self.path) != (self.access.game != "none"):
            raise ValueError(f"{self.route}: a game in the path is for those who may see it")
        if self.access.scopes and (self.method == "GET") != (self.access.scopes in (("read",), (CALENDAR,))):
            raise ValueError(f"{self.route}: the scope of a GET is read, and of nothing else")
        if self.once and not self.access.scopes:
            raise ValueError(f"{self.route}: an Idempotency-Key belongs to a player")

    @property
    def method(self) -> str:
        return self.route.partition(" ")[0]

    @property
    def path(self) -> str:
        return self.route.partition(" ")[2]

    @property
    def is_public(self) -> bool:
        """Return whether all callers get the same answer, so that caches may share it."""
        return self.method == "GET" and not self.access.scopes


class Section(Blueprint):  # type: ignore[misc]
    """The endpoints of one chapter of the API."""

    def __init__(self, name: str, module: str, description: str) -> None:
        super().__init__(name, module, description=description)
        self.after_request(_finish)

    def endpoint(
        self, route: str, *, query: type[Schema] | None = None, body: type[Schema] | None = None, **declared: Any
    ) -> Callable[[View], View]:
        """Declare the endpoint that the view answers for, see `Endpoint`. The docstring of the view is its summary."""
        endpoint = Endpoint(route=route, query=query() if query else None, body=body() if body else None, **declared)

        def declare(view: View) -> View:
            served = _serve(endpoint, self._answer(endpoint, view))
            super(Section, self).add_url_rule(endpoint.path, view_func=served, methods=[endpoint.method])
            return view

        return declare

    def add_url_rule(self, rule: str, *_: object, **__: object) -> NoReturn:
        """Refuse a view that says nothing of who may call it."""
        raise Undeclared(f"{rule}: declare it with `endpoint`.")

    def _answer(self, endpoint: Endpoint, view: View) -> Callable[..., ResponseReturnValue]:
        """Return the view with its answer dumped by its schema, and described."""
        for status in endpoint.problems:
            view = self.alt_response(status, "PROBLEM")(view)
        for status, (schema, about) in endpoint.also.items():
            view = self.alt_response(status, schema=schema, description=about, success=True)(view)
        if not isinstance(endpoint.answers, File):
            view = self.response(endpoint.status, endpoint.answers, description=endpoint.about)(view)
        return self.doc(**_described(endpoint))(view)  # type: ignore[no-any-return]


def _described(endpoint: Endpoint) -> dict[str, object]:
    """Return what the OpenAPI document tells of what an endpoint takes, and of answers that are not JSON."""
    found: dict[str, object] = {}
    asked = endpoint.query is not None and endpoint.query.fields
    parameters = [
        *([HEADER] if endpoint.once else ()),
        *([{"in": "query", "schema": type(endpoint.query)}] if asked else ()),
        *endpoint.parameters,
    ]
    if endpoint.body is not None:
        content = {"application/json": {"schema": type(endpoint.body)}}
        found["requestBody"] = {"content": content, "required": endpoint.needs_body}
    if parameters or endpoint.body is not None:
        found["parameters"] = parameters
    if endpoint.access.security is not None:
        found["security"] = [*endpoint.access.security]
    if endpoint.bodies:
        content = {mimetype: {"schema": schema} for mimetype, schema in endpoint.bodies.items()}
        found["requestBody"] = {"content": content, "required": endpoint.needs_body}
    if isinstance(endpoint.answers, File):
        found["responses"] = {endpoint.status: {"description": endpoint.about, "content": endpoint.answers.described}}
    if endpoint.also_as is not None:
        found["responses"] = {endpoint.status: {"content": endpoint.also_as.described}}
    return found


def _names_only(parameters: Sequence[Parameter]) -> Schema:
    """Return the schema of a query that may have these parameters and no others; the view reads their values."""
    return Schema.from_dict({str(each["name"]): fields.Raw() for each in parameters if each["in"] == "query"})()


def _serve(endpoint: Endpoint, view: Callable[..., ResponseReturnValue]) -> View:
    """Return the function that answers requests: it checks what the endpoint declares, and then calls the view."""
    query = endpoint.query or _names_only(endpoint.parameters)
    takes_body = endpoint.body is not None or bool(endpoint.bodies)

    @wraps(view)
    def serve(**path: str | int) -> ResponseReturnValue:
        g.endpoint = endpoint
        token = admit(endpoint.access, path)
        if token is not None:
            store_use(token)
        refusal = load()
        if token is None or endpoint.method == "GET":
            return call(path, refusal)
        return answer_with_effect(lambda: call(path, refusal), once=endpoint.once)

    def load() -> Problem | None:
        """Read all that the request holds while no other writer waits for it; return what speaks against the view."""
        try:
            if endpoint.access is not PROVIDER:  # a provider's requests have a form of its own
                g.query = load_query(query)
                if endpoint.method != "GET" and not takes_body:
                    require_no_body()
            if endpoint.body is not None:
                load_early(endpoint.body)
            elif endpoint.once:  # else the view checks it, with the body
                check_key()
        except Problem as problem:
            return problem
        return None

    def call(path: Mapping[str, str | int], refusal: Problem | None) -> ResponseReturnValue:
        if refusal is not None:  # said here: a key that was used for another request comes first
            raise refusal
        return view(**path)

    vars(serve)["endpoint"] = endpoint
    return serve


def _finish(response: Response) -> Response:
    """Add the headers for asking again and for caching."""
    endpoint: Endpoint = vars(current_app.view_functions[str(request.endpoint)])["endpoint"]
    if endpoint.retry_after is not None and response.status_code == 200:
        response.headers["Retry-After"] = str(endpoint.retry_after)
    set_cache_headers(response, is_public=endpoint.is_public)
    return response


def require_declarations(app: Flask) -> None:
    """Raise `Undeclared` if a view below `PREFIX` has no declaration."""
    views = app.view_functions
    for rule in app.url_map.iter_rules():
        if rule.rule.startswith(PREFIX) and not hasattr(views[rule.endpoint], "endpoint"):
            raise Undeclared(f"{rule.rule}: declare it with `endpoint`.")


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
        location = response.headers.get("Location")
        stored: StoredAnswer = {"status": response.status_code, "body": response.get_json(), "location": location}
        idempotency.store_answer(place, stored)
    return response


def _restore(answer: StoredAnswer | None, game_id: str | None) -> Response:
    if answer is None:
        where = url_for("games.game", game_id=game_id, _external=True) if game_id else request.base_url
        raise Problem("already-done", "This was done before, and its answer is not kept any more.", location=where)
    response = jsonify(answer["body"])
    response.status_code = answer["status"]
    if answer["location"]:
        response.headers["Location"] = answer["location"]
    return response


def with_etag(view: Mapping[str, object]) -> tuple[bytes, str]:
    """Return a view as JSON, and the ETag by which a client asks if it has changed."""
    text = jsonify(view).get_data()
    return text, generate_etag(text)


def set_cache_headers(response: Response, *, is_public: bool) -> None:
    """Set who may cache the answer; give that of a GET an ETag, and make it a 304 if the client has it."""
    if not is_public:
        response.headers["Vary"] = "Authorization"
    if request.method not in ("GET", "HEAD"):
        response.headers["Cache-Control"] = "no-store"
        return
    response.headers["Cache-Control"] = "no-cache" if is_public else "private, no-cache"
    if response.status_code == 200:
        response.add_etag()
        response.make_conditional(request)
