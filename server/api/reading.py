"""Read the body and the query of a request with the schemas of its endpoint."""

import json
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any, NoReturn

from flask import g, request, url_for
from marshmallow import Schema, ValidationError

from server.api.problems import form
from server.vocabulary.errors import Problem

KEY_PATTERN = re.compile("^[!-~]([ -~]*[!-~])?$")  # what a header delivers as it was sent
LONGEST_KEY = 64
MOST_VALUES = 1_000  # in a body; the largest that is of use is a position, with some 100
# What was read, or the `Problem` that reading it raised; of the request itself, as `g` may outlive it.
_READ, _LOADED = "blackticket.body", "blackticket.loaded"


def load_early(schema: Schema) -> None:
    """Load the request's JSON object as `schema` reads it, before a transaction begins: it may take a while.

    What is wrong with it, or with the Idempotency-Key, `body` says.
    """
    try:
        check_key()
        request.environ[_LOADED] = _load(schema, _small_body())
    except Problem as problem:
        request.environ[_LOADED] = problem


def body() -> dict[str, Any]:
    """Return the request's JSON object as the schema of the endpoint has read it.

    The view calls this when the checks that come before the form have passed.

    Raises:
        Problem: `form` if it does not fit, or the Idempotency-Key does not.
    """
    return dict(_or_raised(request.environ[_LOADED]))


def load_body(schema: Schema) -> dict[str, Any]:
    """Return the request's JSON object as `schema` reads it, for an endpoint that takes one of several."""
    check_key()
    return _load(schema, _read_body())


def raw_body() -> dict[str, object]:
    """Return the request's JSON object unchecked, for checks that come before the form; empty if it is none."""
    try:
        return _read_body()
    except Problem:
        return {}


def load_query(schema: Schema) -> dict[str, Any]:
    """Return the request's query as `schema` reads it; raise `Problem` form if it does not fit."""
    for name, values in request.args.lists():
        if len(values) > 1:
            raise _doubled(name)
    return _load(schema, request.args.to_dict())


def require_no_body() -> None:
    """Raise `Problem` form if the request has a body other than an empty object."""
    if sent := _small_body():
        _load(Schema(), sent)


def query() -> dict[str, Any]:
    """Return the request's query, which was loaded with the schema of the endpoint."""
    return dict(g.query)


def is_dry_run() -> bool:
    """Return True if the request is only to be checked."""
    return request.args.get("dry_run", "").lower() == "true"


def next_page(after: str) -> dict[str, str]:
    """Return the header that links to the rest of this list, behind `after`."""
    given = {**(request.view_args or {}), **request.args.to_dict(), "after": after}
    return {"Link": f'<{url_for(str(request.endpoint), **given)}>; rel="next"'}


def check_key() -> None:
    """Raise `Problem` form if there is an Idempotency-Key that cannot be one."""
    if not is_key(request.headers.get("Idempotency-Key", "none")):
        raise Problem("form", f"An Idempotency-Key has 1 to {LONGEST_KEY} printable characters of ASCII.")


def is_key(text: str) -> bool:
    """Return whether a text can be an Idempotency-Key."""
    return len(text) <= LONGEST_KEY and KEY_PATTERN.fullmatch(text) is not None


def _load(schema: Schema, sent: Mapping[str, object]) -> dict[str, Any]:
    try:
        return schema.load(sent)  # type: ignore[no-any-return]
    except ValidationError as error:
        raise form(error) from None


def _small_body() -> dict[str, object]:
    """Return the request's JSON object; raise `Problem` form if there is more in it than anybody can mean.

    Each value may be wrong in a way of its own, and is not looked at then.
    """
    sent = _read_body()
    inner: list[object] = [sent]
    number = 0
    while inner:
        value = inner.pop()
        if isinstance(value, dict | list):
            number += len(value)
            if number > MOST_VALUES:
                raise Problem("form", f"The body has more than {MOST_VALUES:,} values; no request needs as many.")
            inner += value.values() if isinstance(value, dict) else value
    return sent


def _read_body() -> dict[str, object]:
    """Return the request's JSON object, which is read once; raise `Problem` form if it is none."""
    if _READ not in request.environ:
        try:
            if request.headers.get("Content-Encoding", "identity").lower() != "identity":
                refusal = "Send the body without a Content-Encoding; it is not unpacked here."
                raise Problem("unsupported-media-type", refusal)
            request.environ[_READ] = _parsed(request.get_data() or b"{}")
        except Problem as problem:
            request.environ[_READ] = problem
    return _or_raised(request.environ[_READ])


def _or_raised(read: dict[str, Any] | Problem) -> dict[str, Any]:
    if isinstance(read, Problem):
        raise read
    return read


def _parsed(data: bytes) -> dict[str, object]:
    try:
        sent = json.loads(
            data.decode("utf-8-sig"), parse_float=_number, parse_constant=_refuse_constant, object_pairs_hook=_single
        )
        if b"\\u" in data or not data.isascii():
            json.dumps(sent, ensure_ascii=False).encode()  # half of a surrogate pair is no text
    except (ValueError, RecursionError) as error:
        place = f" (line {error.lineno}, column {error.colno})" if isinstance(error, json.JSONDecodeError) else ""
        raise Problem("form", f"The body is not JSON{place}.") from None
    if not isinstance(sent, dict):
        raise Problem("form", "The body must be a JSON object.")
    return sent


def _single(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return the members of a JSON object; raise `Problem` form if one is there twice."""
    members = dict(pairs)
    if len(members) < len(pairs):
        ((name, _),) = Counter(name for name, _ in pairs).most_common(1)
        raise _doubled(name)
    return members


def _doubled(name: str) -> Problem:
    return form(ValidationError({name: ["This is sent more than once."]}))


def _number(text: str) -> float:
    """Return the number; 3.0 is the integer 3, as JSON Schema has it."""
    return int(number) if (number := float(text)).is_integer() else number


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
