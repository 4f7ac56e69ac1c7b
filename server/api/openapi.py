"""The OpenAPI 3.1 document of the API, with every status that a call can answer."""

import json
from pathlib import Path
from typing import Any

from flask import Response, jsonify
from flask_smorest import Api, Blueprint

from server.api import problems
from server.api.endpoints import PREFIX
from server.api.schemas import shapes
from server.vocabulary.errors import CATALOGUE

EXAMPLES = Path(__file__).with_name("examples.json")
# The name of each operation, which programs that are made from the document call it by; so none ever changes.
OPERATIONS = Path(__file__).with_name("operations.json")
PROBLEM = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
ETAG = {"ETag": {"required": True, "schema": {"type": "string"}, "description": "for If-None-Match"}}
HEADERS = {
    401: {"headers": {"WWW-Authenticate": {"required": True, "schema": {"type": "string", "enum": ["Bearer"]}}}},
    429: {
        "headers": {
            "Retry-After": {"required": True, "schema": {"type": "integer", "minimum": 1}, "description": "seconds"}
        }
    },
}
UNCHANGED: dict[str, dict[str, object]] = {
    "304": {"description": "Nothing has changed since the ETag in If-None-Match"},
    "412": {"description": "The ETag is not the one in If-Match"},
}


Call = dict[str, Any]
"""A call, as the document describes it."""


class DescribedApi(Api):  # type: ignore[misc]
    """An API that writes its OpenAPI document when it is first asked for: that takes longer than the start."""

    def register_blueprint(self, blp: Blueprint, *, parameters: object = None, **options: object) -> None:
        """Serve a blueprint now; describe it later."""
        self._undescribed: list[Blueprint] = [*getattr(self, "_undescribed", ()), blp]
        self._app.extensions["flask-smorest"]["blp_name_to_api"][blp.name] = self
        self._app.register_blueprint(blp, **options)

    def _openapi_json(self) -> Response:
        while self._undescribed:
            blueprint = self._undescribed.pop(0)
            blueprint.register_views_in_doc(self, self._app, self.spec, name=blueprint.name, parameters=None)
            self.spec.tag({"name": blueprint.name, "description": blueprint.description})
        return jsonify(with_refusals(self.spec.to_dict()))


def setup(api: Api) -> None:
    """Describe errors in their one shape."""
    api.spec.components.response("PROBLEM", problems.DESCRIBED)
    api.DEFAULT_ERROR_RESPONSE_NAME = None  # every status is named, so that one that is not is a fault


def with_refusals(document: dict[str, Any]) -> dict[str, Any]:
    """Return the document with examples, and with the statuses of refusals at every call that can be refused so.

    Which these are follows from what the call takes; one that answers 409 to a GET says so itself.
    """
    schemas, names = document["components"]["schemas"], json.loads(OPERATIONS.read_text(encoding="utf-8"))
    for name, example in examples().items():
        schemas[name]["examples"] = [example]
    for name, conditions in shapes.CONDITIONS.items():
        schemas[name] |= shapes.all_of(*conditions)
    schemas |= shapes.SCHEMAS
    for member, (shape, owners) in shapes.MEMBERS.items():
        for owner in owners:
            schemas[owner]["properties"][member] = shapes.named(shape)
    statuses = sorted({entry.status for entry in CATALOGUE.values()})
    document["components"]["responses"] |= {f"Status{status}": _refusal(status) for status in statuses}
    for unused in ("Error", "PaginationMetadata"):
        schemas.pop(unused, None)
    for schema in schemas.values():
        _split_nullable_choices(schema.get("properties", {}))
    for path, methods in document["paths"].items():
        for method, call in methods.items():
            if method != "parameters":
                call["operationId"] = names[f"{method.upper()} {path.removeprefix(PREFIX)}"]
                _describe(path, method, call)
    return document


def _split_nullable_choices(members: dict[str, Any]) -> None:
    """Describe members that are null or one of a few words as such: programs make odd types of a null among words."""
    for member in members.values():
        if None in member.get("enum", ()):
            words = {"type": "string", "enum": [value for value in member.pop("enum") if value is not None]}
            member["oneOf"] = [words, {"type": member.pop("type")[1]}]


def examples() -> dict[str, object]:
    """Return an example of each schema, by its name; examples of answers come from a server that ran."""
    found: dict[str, object] = json.loads(EXAMPLES.read_text(encoding="utf-8"))
    return found


def _describe(path: str, method: str, call: Call) -> None:
    answers = call["responses"]
    for status in _refused_with(path, method, call):
        answers[str(status)] = {"$ref": f"#/components/responses/Status{status}"}
    answers["5XX"] = {"$ref": "#/components/responses/PROBLEM"}
    if method == "get":
        answers |= UNCHANGED
        answers["200"]["headers"] = ETAG
    call["responses"] = dict(sorted(answers.items()))


def _refused_with(path: str, method: str, call: Call) -> list[int]:
    takes = "requestBody" in call or any(given["in"] != "path" for given in call.get("parameters", []))
    when = {
        401: call.get("security") != [],
        403: call.get("security") != [],
        404: "{" in path,
        409: method != "get" or "409" in call["responses"],
        413: "requestBody" in call,
        415: "requestBody" in call,
        422: takes or "{seat}" in path,
        429: True,
    }
    return [status for status, applies in when.items() if applies]


def _refusal(status: int) -> dict[str, object]:
    types = [f"`{code}`" for code, entry in CATALOGUE.items() if entry.status == status]
    return {"description": ", ".join(types), "content": PROBLEM, **HEADERS.get(status, {})}
