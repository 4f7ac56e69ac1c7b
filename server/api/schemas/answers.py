"""What the server answers, and which members of it a client may rely on."""

from typing import Any, ClassVar

from marshmallow import Schema


class Answer(Schema):
    """What the server sends: all of it every time, and null where there is nothing, but for what is `sometimes`."""

    sometimes: ClassVar[frozenset[str]] = frozenset()

    def on_bind_field(self, field_name: str, field_obj: Any) -> None:
        """OpenAPI lists what is always sent as required."""
        field_obj.required = field_name not in self.sometimes
