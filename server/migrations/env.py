"""Alembic's entry point: migrates on the connection it is given."""

from typing import Literal

from alembic import context

from server.models import Base
from server.models.types import Encrypted, UtcTime


def plain_type(kind: str, thing: object, _autogen: object) -> str | Literal[False]:
    """Return the text of this server's column types in a migration: the type they have in the database."""
    if kind == "type" and isinstance(thing, Encrypted):
        return "sa.LargeBinary()"
    if kind == "type" and isinstance(thing, UtcTime):
        return "sa.DateTime(timezone=True)"
    return False


# The models give the condition of a partial index for SQLite only: giving it for PostgreSQL would load that dialect in
# every process. Alembic loads it anyway, so the condition is copied here.
for table in Base.metadata.tables.values():
    for index in table.indexes:
        if "sqlite_where" in index.kwargs:
            index.kwargs["postgresql_where"] = index.kwargs["sqlite_where"]

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    render_as_batch=True,
    render_item=plain_type,
)
with context.begin_transaction():
    context.run_migrations()
