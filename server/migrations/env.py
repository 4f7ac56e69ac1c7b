"""Alembic's way in: migrates on the connection it is handed."""

from typing import Any, Literal

from alembic import context

from server.models import Base
from server.models.types import Encrypted, UtcTime


def plain_type(kind: str, thing: Any, _autogen: Any) -> str | Literal[False]:
    """How a migration writes our own column types: as what they are in the database."""
    if kind == "type" and isinstance(thing, Encrypted):
        return "sa.LargeBinary()"
    if kind == "type" and isinstance(thing, UtcTime):
        return "sa.DateTime(timezone=True)"
    return False


context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    render_as_batch=True,
    render_item=plain_type,
)
with context.begin_transaction():
    context.run_migrations()
