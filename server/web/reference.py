"""The API reference: the OpenAPI document, put in order for a page."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from server.vocabulary.resources import docs

Json = dict[str, Any]
"""A part of an OpenAPI document."""


@dataclass(frozen=True)
class Kind:
    """The type of a value in words (`said`), the name of the schema it refers to, if any, and its limits."""

    said: str
    refers_to: str = ""
    limits: str = ""


@dataclass(frozen=True)
class Member:
    """A member of an object, or a parameter; `place` is query or header for these."""

    name: str
    place: str
    kind: Kind
    required: bool
    about: str


@dataclass(frozen=True)
class Answer:
    """A status, what it means, and what comes with it."""

    status: str
    about: str
    kind: Kind | None


@dataclass(frozen=True)
class Call:
    """One method at one path."""

    method: str
    path: str
    anchor: str
    summary: str
    open_to_all: bool
    takes: list[Member]
    answers: list[Answer]


@dataclass(frozen=True)
class Shape:
    """A schema: its members, or what it is `one_of`; `example` is JSON, or empty."""

    name: str
    example: str
    about: str
    members: list[Member]
    one_of: list[Kind]


@cache
def document() -> Json:
    found: Json = json.loads((docs() / "openapi.json").read_text(encoding="utf-8"))
    return found


def chapters() -> list[tuple[str, str, list[Call]]]:
    """Return (name, description, calls) of each tag."""
    calls = [(call["tags"][0], _call(path, method, call)) for path, method, call in _calls()]
    return [
        (tag["name"], tag["description"], [call for name, call in calls if name == tag["name"]])
        for tag in document()["tags"]
    ]


def shapes() -> list[Shape]:
    """Return all schemas, by name."""
    found = document()["components"]["schemas"]
    return [
        Shape(name, _example(schema), schema.get("description", ""), _members(schema), _one_of(schema))
        for name, schema in sorted(found.items())
    ]


def _one_of(schema: Json) -> list[Kind]:
    """Return what a schema without members can be."""
    return [] if "properties" in schema else [_kind(part) for part in schema.get("oneOf", [schema])]


def _example(schema: Json) -> str:
    return "\n".join(json.dumps(example, indent=2, ensure_ascii=False) for example in schema.get("examples", []))


def _calls() -> Iterator[tuple[str, str, Json]]:
    for path, methods in document()["paths"].items():
        for method, call in methods.items():
            if method != "parameters":
                yield path, method, call


def _call(path: str, method: str, call: Json) -> Call:
    answers = [_answer(status, answer) for status, answer in call["responses"].items() if status != "default"]
    anchor = f"{method}-{path.removeprefix('/api/v1/').replace('/', '-').replace('{', '').replace('}', '')}"
    return Call(method.upper(), path, anchor, call["summary"], call.get("security") == [], _takes(call), answers)


def _takes(call: Json) -> list[Member]:
    """Return the members of the body, then query and headers; the path shows its own parameters."""
    given = [
        Member(one["name"], one["in"], _kind(one["schema"]), one.get("required", False), one.get("description", ""))
        for one in call.get("parameters", [])
    ]
    body = call.get("requestBody", {}).get("content", {}).get("application/json")
    return [*_members(document()["components"]["schemas"][_name(body["schema"])]), *given] if body else given


def _answer(status: str, answer: Json) -> Answer:
    told = document()["components"]["responses"][_name(answer)] if "$ref" in answer else answer
    return Answer(status, told["description"], None if "$ref" in answer else _content(told))


def _content(part: Json) -> Kind | None:
    content = part.get("content", {})
    if "application/json" in content:
        return _kind(content["application/json"]["schema"])
    return next((Kind(mimetype) for mimetype in content), None)


def _members(schema: Json) -> list[Member]:
    required = schema.get("required", [])
    return [
        Member(name, "", _kind_of_member(value), name in required, value.get("description", ""))
        for name, value in schema.get("properties", {}).items()
    ]


def _kind_of_member(schema: Json) -> Kind:
    """Return the type of a member, with that of the schema that it refers to."""
    kind = _kind(schema)
    if kind.said or not kind.refers_to:
        return kind
    target = document()["components"]["schemas"][kind.refers_to]
    return Kind(target.get("type", "object"), kind.refers_to)


def _kind(schema: Json) -> Kind:
    if "$ref" in schema:
        return Kind("", _name(schema))
    if "anyOf" in schema:
        kinds = [_kind(part) for part in schema["anyOf"]]
        return Kind("or null" if kinds[-1].said == "null" else "", kinds[0].refers_to)
    if "items" in schema:
        inner = _kind(schema["items"])
        return Kind(f"list of {inner.said}".strip(), inner.refers_to, _limits(schema) or inner.limits)
    kind = schema.get("type", "anything")
    said = " or ".join(kind) if isinstance(kind, list) else str(kind)
    return Kind(said, "", _limits(schema))


def _limits(schema: Json) -> str:
    """Return the limits of a value: its choices, or its range."""
    if "enum" in schema:
        return ", ".join(str(choice) for choice in schema["enum"] if choice is not None)
    if "const" in schema:
        return str(schema["const"])
    spans = [
        (schema.get("minimum", ""), schema.get("maximum"), ""),
        (schema.get("minLength", ""), schema.get("maxLength"), " characters"),
        (schema.get("minItems", ""), schema.get("maxItems"), " items"),
    ]
    told = [f"{low} to {high:,}{what}".strip() for low, high, what in spans if high is not None]
    return ", ".join([*told, *(schema[name] for name in ("format", "pattern") if name in schema)])


def _name(reference: Json) -> str:
    return str(reference["$ref"]).rpartition("/")[2]
