"""Column types: times in UTC, and encrypted columns, which a dump of the database does not reveal."""

import json
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import DateTime, Dialect, LargeBinary
from sqlalchemy.types import TypeDecorator

from server.runtime import runtime


class UtcTime(TypeDecorator[datetime]):
    """An aware time, stored and returned in UTC."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class Encrypted(TypeDecorator[Any]):
    """JSON or bytes, encrypted with a key outside the database and padded to whole blocks.

    `label` names the column; bytes that are moved to another column cannot be decrypted there.
    """

    impl = LargeBinary
    cache_ok = True

    def __init__(self, label: str, block: int = 64, *, raw: bool = False) -> None:
        super().__init__()
        self.label = label
        self.block = block
        self.raw = raw

    def process_bind_param(self, value: object, dialect: Dialect) -> bytes | None:
        if value is None:
            return None
        plain = value if isinstance(value, bytes) else json.dumps(value, separators=(",", ":")).encode()
        return runtime().keyring.encrypt(plain, self.label, self.block)

    def process_result_value(self, value: bytes | None, dialect: Dialect) -> Any:
        return None if value is None else self.opened(value)

    def opened(self, value: bytes) -> Any:
        """Return the value that was encrypted."""
        plain = runtime().keyring.decrypt(value, self.label)
        return plain if self.raw else json.loads(plain)
