"""Fields for the values in requests, and queries of lists."""

import builtins
import re
from collections.abc import Mapping
from typing import Any, ClassVar, NotRequired, get_args, get_origin, get_type_hints

from marshmallow import Schema, ValidationError, fields, validate

from server.vocabulary.lines import TURNING

Field = fields.Field[Any]


class WholeNumber(fields.Integer):
    """An integer that is a JSON integer: neither "3", nor 3.0, nor true."""

    def __init__(self, low: int, high: int, **kwargs: Any) -> None:
        super().__init__(strict=True, validate=validate.Range(low, high), **kwargs)

    def _deserialize(self, value: object, attr: str | None, data: Mapping[str, object] | None, **kwargs: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int):
            raise ValidationError("Not a whole number.")
        return super()._deserialize(value, attr, data, **kwargs)


class TrueOrFalse(fields.Boolean):
    """A JSON boolean: neither 1 nor "yes"."""

    def _deserialize(self, value: object, attr: str | None, data: Mapping[str, object] | None, **kwargs: Any) -> bool:
        if not isinstance(value, bool):
            raise self.make_error("invalid", input=value)
        return value


class Written(fields.Integer):
    """A whole number in a query: digits, and nothing else."""

    def __init__(self, low: int, high: int, **kwargs: Any) -> None:
        super().__init__(validate=validate.Range(low, high), **kwargs)

    def _deserialize(self, value: str, attr: str | None, data: Mapping[str, object] | None, **kwargs: Any) -> int:
        if not re.fullmatch("-?[0-9]{1,18}", value):
            raise self.make_error("invalid", input=value)
        return super()._deserialize(value, attr, data, **kwargs)


class WrittenBoolean(fields.Boolean):
    """A boolean in a query: `true` or `false`."""

    truthy = {"true"}  # noqa: RUF012 as marshmallow has it
    falsy = {"false"}  # noqa: RUF012


class Page(Schema):
    """The part of a numbered list that is asked for."""

    after = Written(0, 10**9)
    limit = Written(1, 1000)


class NoQuery(Schema):
    """A query that takes no parameter and refuses any."""


class Whole(validate.Regexp):
    """A pattern that all of a text matches; it begins with ^ and ends with $, as other languages need it."""

    def __call__(self, value: Any) -> Any:
        if self.regex.fullmatch(value) is None:
            raise ValidationError(self.error)
        return value


def line(longest: int) -> list[validate.Validator]:
    """Return the validators for one line of at most `longest` characters that all read in one direction."""
    one_line = Whole(rf"^[^\x00-\x1f\x7f-\x9f\u2028\u2029{TURNING}]*$", error="One line of text.")
    return [validate.Length(1, longest), one_line]


ID = Whole("^[a-z2-7]{1,32}$", error="Not an id.")


def described(words: str) -> dict[str, Any]:
    """Return the arguments of a field with a description, for OpenAPI."""
    return {"metadata": {"description": words}}


class Answer(Schema):
    """The base of all answers: every member is sent every time, null if it is empty, but for those in `sometimes`."""

    sometimes: ClassVar[frozenset[str]] = frozenset()

    def on_bind_field(self, field_name: str, field_obj: Field) -> None:
        """Mark the members that are always sent as required, for OpenAPI."""
        field_obj.required = field_name not in self.sometimes


_PLAIN = {str: fields.String, int: fields.Integer, bool: fields.Boolean, float: fields.Float}
_SCHEMAS: dict[object, type[Answer]] = {}  # those made by `answer` first, by their types


def answer(name: str, shape: type, base: type[Answer] = Answer, always: str = "", **own: str | Field) -> type[Answer]:
    """Return the schema of an answer in the shape of a `TypedDict`, beside the members of `base`.

    name: of the schema in the OpenAPI document
    always: a member that is sent every time, though others in this shape need not have it
    own: descriptions of members, and fields for those that are not in the type, or of which it does not say enough
    """
    hints = get_type_hints(shape, include_extras=True)
    sometimes = {each for each, kind in hints.items() if get_origin(kind) is NotRequired} - {always}
    members: dict[str, Any] = {each: _field(kind, str(own.get(each, ""))) for each, kind in hints.items()}
    members |= {each: field for each, field in own.items() if isinstance(field, fields.Field)}
    members = {each: field for each, field in members.items() if each not in vars(base)["_declared_fields"]}
    made = type(name, (base,), members | {"sometimes": base.sometimes | sometimes})
    _SCHEMAS.setdefault(shape, made)
    return made


def _field(kind: Any, words: str = "") -> Field:
    """Return the field for values of a type."""
    given = described(words) if words else {}
    if get_origin(kind) is NotRequired:
        (kind,) = get_args(kind)
    if type(None) in (parts := get_args(kind)):
        kind, given["allow_none"] = parts[0], True
    match get_origin(kind), get_args(kind):
        case builtins.list, (inner,):
            return fields.List(_field(inner), **given)
        case builtins.dict, (_, inner) if inner not in (object, Any):
            return fields.Dict(keys=fields.String(), values=_field(inner), **given)
    if kind in _SCHEMAS:
        return fields.Nested(_SCHEMAS[kind], **given)
    field: Field = _PLAIN.get(kind, fields.Dict)(**given)
    return field
