"""Copies of all rows from one database to another, of either kind, with the encrypted columns as they are."""

from collections.abc import Iterator, Sequence
from functools import cache

from sqlalchemy import Column, LargeBinary, MetaData, Table, bindparam, func, insert, select, text, update
from sqlalchemy.engine import Connection

from server.models.base import Base
from server.models.types import Encrypted

BATCH = 500


def copy_rows(source: Connection, target: Connection) -> None:
    """Add all rows of `source` to the empty tables of `target`. Both are at one version; the caller commits."""
    for table in _tables():
        within = [column for column in table.columns if any(key.column.table is table for key in column.foreign_keys)]
        nothing = dict.fromkeys(column.name for column in within)
        for rows in _batches(source, table):
            target.execute(insert(table), [row | nothing for row in rows])
        for column in within:
            _copy_self_references(source, target, column)
        if target.dialect.name == "postgresql":
            _restart_sequence(target, table)


def delete_rows(target: Connection) -> None:
    """Delete every row of every table; the caller commits."""
    for table in reversed(_tables()):
        target.execute(table.delete())


def has_rows(connection: Connection) -> bool:
    """Return whether there is a player or a game."""
    return any(
        connection.execute(select(table.c.id).limit(1)).first() is not None
        for table in _tables()
        if table.name in ("players", "games")
    )


@cache
def _tables() -> Sequence[Table]:
    """Return every table, those that others refer to first. Encrypted columns are bytes here, which need no key."""
    plain = MetaData()
    for table in Base.metadata.tables.values():
        for column in table.to_metadata(plain).columns:
            if isinstance(column.type, Encrypted):
                column.type = LargeBinary()
    return plain.sorted_tables


def _batches(source: Connection, table: Table) -> Iterator[list[dict[str, object]]]:
    found = source.execution_options(yield_per=BATCH).execute(select(table))
    for rows in found.mappings().partitions():
        yield [dict(row) for row in rows]


def _copy_self_references(source: Connection, target: Connection, column: Column[object]) -> None:
    """Set a column that refers to rows of its own table, which are all there now."""
    table = column.table
    found = source.execute(select(table.c.id, column).where(column.is_not(None))).all()
    if found:
        statement = update(table).where(table.c.id == bindparam("row")).values({column.name: bindparam("to")})
        target.execute(statement, [{"row": row, "to": to} for row, to in found])


def _restart_sequence(target: Connection, table: Table) -> None:
    """Let PostgreSQL number new rows from behind those that were copied."""
    for column in table.primary_key.columns:
        sequence = target.scalar(select(func.pg_get_serial_sequence(table.name, column.name)))
        if sequence is not None:
            newest = target.scalar(select(func.max(column)))
            target.execute(text("SELECT setval(:sequence, :at, :used)"), {
                "sequence": sequence, "at": newest or 1, "used": newest is not None,
            })  # fmt: skip
