"""The base of the schemas of answers: which members a client may rely on."""

from typing import Any, ClassVar

from marshmallow import Schema, fields


class Answer(Schema):
    """The base of all answers: every member is sent every time, null if it is empty, but for those in `sometimes`."""

    sometimes: ClassVar[frozenset[str]] = frozenset()

    def on_bind_field(self, field_name: str, field_obj: fields.Field[Any]) -> None:
        """Mark the members that are always sent as required, for OpenAPI."""
        field_obj.required = field_name not in self.sometimes
