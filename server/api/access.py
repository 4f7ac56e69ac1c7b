"""Who asks, for which game, and with what body: in that order, so that no later check speaks before an earlier one."""

import json
import re
from collections.abc import Callable
from functools import wraps
from typing import Any, NoReturn, ParamSpec

from flask import Response, g, jsonify, make_response, request, url_for
from flask_smorest import Blueprint
from marshmallow import Schema, ValidationError

from server.api.limits import admit
from server.api.problems import form
from server.application.errors import Problem
from server.application.game.access import visible_version
from server.application.people.players import was_used
from server.application.upkeep import idempotency
from server.models import Player, session, transaction
from server.runtime import runtime

P = ParamSpec("P")
View = Callable[P, Any]


def known(view: View[P]) -> View[P]:
    """429 where the caller asks too often, 401 unless he has a valid token; `caller()` is then its player.

    403 unless the token has a scope for what is asked: `read` for a GET, else one that `needs` names. In a game that is
    checked by `of_game`, after the 404.
    """

    @wraps(view)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> Any:
        token = admit()
        if token is None:
            raise Problem("unauthorized", "Send a valid token: Authorization: Bearer bt_...")
        g.player, g.scopes = token.player, token.scopes.split()
        session.expunge(token.player)  # no transaction makes it be read again
        session.expunge(token)
        if "game_id" not in kwargs:
            _permit_view(view)
        answer = view(*args, **kwargs)
        was_used(token)
        return answer

    return wrapper


def needs(*scopes: str) -> Callable[[View[P]], View[P]]:
    """One of these scopes is needed for the view. One that changes something and names none needs `admin`."""

    def mark(view: View[P]) -> View[P]:
        view.scopes = scopes  # type: ignore[attr-defined]
        return view

    return mark


def permit(*scopes: str) -> None:
    """`Problem` forbidden unless the token of this request has one of the scopes."""
    if not set(scopes) & set(g.scopes):
        raise Problem("forbidden", f"This token lacks the scope {' or '.join(scopes)}.", scope=list(scopes))


def _permit_view(view: View[P]) -> None:
    read = request.method in ("GET", "HEAD")
    permit(*(("read",) if read else getattr(view, "scopes", ("admin",))))


def caller() -> Player:
    """The player of this request."""
    return g.player  # type: ignore[no-any-return]


def version() -> str:
    """The version of the game that this request is about, as it was when it was let in."""
    return g.version  # type: ignore[no-any-return]


def of_game(view: View[P]) -> View[P]:
    """404 unless the caller may see the game."""

    @wraps(view)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> Any:
        g.version = visible_version(str(kwargs["game_id"]), caller())
        _permit_view(view)
        return view(*args, **kwargs)

    return wrapper


def of_game_or_code(view: View[P]) -> View[P]:
    """404 unless the caller may see the game, or the body holds its code."""

    @wraps(view)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> Any:
        g.version = visible_version(str(kwargs["game_id"]), caller(), code=raw_body().get("code"))
        _permit_view(view)
        return view(*args, **kwargs)

    return wrapper


def raw_body() -> dict[str, Any]:
    """The request's JSON object as it came, for checks that come before that of its form; empty if it is none."""
    try:
        return _read_body()
    except Problem:
        return {}


def body(schema: Schema) -> dict[str, Any]:
    """The request's JSON object as `schema` reads it; `Problem` form when that or the key has another."""
    _check_key()
    try:
        return schema.load(_read_body())  # type: ignore[no-any-return]
    except ValidationError as error:
        raise form(error) from None


def query(schema: Schema) -> dict[str, Any]:
    """What stands behind the question mark, as `schema` reads it; `Problem` form when it has another."""
    try:
        return schema.load(request.args.to_dict())  # type: ignore[no-any-return]
    except ValidationError as error:
        raise form(error) from None


def next_page(after: str) -> dict[str, str]:
    """The header that names the same list from behind `after`."""
    given = {**(request.view_args or {}), **request.args.to_dict(), "after": after}
    return {"Link": f'<{url_for(str(request.endpoint), **given)}>; rel="next"'}


def asks(blueprint: Blueprint, schema: type[Schema]) -> Callable[[View[P]], View[P]]:
    """Documents what may stand behind the question mark; the view reads it with `query`."""
    return blueprint.doc(parameters=[{"in": "query", "schema": schema}])  # type: ignore[no-any-return]


def _read_body() -> dict[str, Any]:
    try:
        given = json.loads(request.get_data() or b"{}", parse_constant=_no_constant)
        json.dumps(given, ensure_ascii=False).encode()  # half of a surrogate pair is no text
    except (ValueError, RecursionError) as error:
        place = f" (line {error.lineno}, column {error.colno})" if isinstance(error, json.JSONDecodeError) else ""
        raise Problem("form", f"The body is not JSON{place}.") from None
    if not isinstance(given, dict):
        raise Problem("form", "The body must be a JSON object.")
    return given


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_KEY = re.compile("^[!-~]([ -~]*[!-~])?$")  # what stands in a header as it was sent

# How the OpenAPI document describes the header that `once` reads.
KEY = {
    "in": "header",
    "name": "Idempotency-Key",
    "schema": {"type": "string", "minLength": 1, "maxLength": 64, "pattern": _KEY.pattern},
    "description": "Sent again with the same key, the same request has no second effect and gets the same answer",
}


def takes(
    blueprint: Blueprint, schema: type[Schema], *parameters: dict[str, Any], required: bool = True
) -> Callable[[View[P]], View[P]]:
    """Documents the body and `parameters`; the view reads it with `body` when the earlier checks have passed."""
    content = {"application/json": {"schema": schema}}
    return blueprint.doc(  # type: ignore[no-any-return]
        requestBody={"content": content, "required": required}, parameters=[*parameters]
    )


def once(view: View[P]) -> View[P]:
    """With an Idempotency-Key the same request has one effect and the same answer, kept with the effect."""

    @wraps(view)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> Any:
        key = request.headers.get("Idempotency-Key")
        if key is None or not _is_key(key):  # the view says what is wrong with it when form is its turn
            return view(*args, **kwargs)
        mark = runtime().keyring.fingerprint(request.full_path.encode() + b"\0" + request.get_data())
        begun = idempotency.claim((caller().id, f"{request.method} {request.path}"[:120], key), mark)
        if not isinstance(begun, idempotency.Claim):
            return _again(begun)
        try:
            with transaction():
                response = make_response(view(*args, **kwargs))
                idempotency.keep(begun, _to_keep(response))
        except BaseException:
            idempotency.release(begun)
            raise
        return response

    return wrapper


def acts(blueprint: Blueprint) -> Callable[[View[P]], View[P]]:
    """A call that is sent nothing but, perhaps, an Idempotency-Key."""

    def decorate(view: View[P]) -> View[P]:
        @wraps(view)
        def checked(*args: P.args, **kwargs: P.kwargs) -> Any:
            _check_key()
            return view(*args, **kwargs)

        return blueprint.doc(parameters=[KEY])(once(checked))  # type: ignore[no-any-return]

    return decorate


def _check_key() -> None:
    """`Problem` form when there is an Idempotency-Key that cannot be one."""
    if not _is_key(request.headers.get("Idempotency-Key", "none")):
        raise Problem("form", "An Idempotency-Key has 1 to 64 printable characters of ASCII.")


def _is_key(key: str) -> bool:
    return len(key) <= 64 and _KEY.fullmatch(key) is not None


def _to_keep(response: Response) -> dict[str, Any]:
    return {
        "status": response.status_code,
        "body": response.get_json(),
        "location": response.headers.get("Location"),
    }


def _again(answer: dict[str, Any]) -> Response:
    response = jsonify(answer["body"])
    response.status_code = answer["status"]
    if answer["location"]:
        response.headers["Location"] = answer["location"]
    return response


def private(response: Response) -> Response:
    """A view is for its viewer alone, and may be asked for again cheaply."""
    response.headers["Vary"] = "Authorization"
    response.headers["Cache-Control"] = "private, no-cache"
    if request.method not in ("GET", "HEAD"):
        response.headers["Cache-Control"] = "no-store"
    elif response.status_code == 200:
        response.add_etag()
        response.make_conditional(request)
    return response
