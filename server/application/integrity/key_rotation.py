"""Encrypting every encrypted column again with the newest key, in batches, while the server runs.

Which key a value needs cannot be seen, so each is tried. Nothing is noted about how far this has got: it can be ended
at any moment, and begins at the first row again, where it finds nothing left to do.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import Column, LargeBinary, RowMapping, Table, literal, select, tuple_, type_coerce, update

from server.models import KeyCheck, session, transaction
from server.models.base import Base
from server.models.types import Encrypted
from server.runtime import runtime
from server.runtime.keyring import WrongKey

BATCH = 100  # rows; a batch is one transaction, for which other writers wait


def encrypt_again() -> int:
    """Encrypt what has a former key with the newest one; return how many values that were.

    Rows that somebody else is writing to are left out.
    """
    return sum(_encrypt_again(table, columns) for table, columns in _encrypted())


def count_former() -> int:
    """Return how many values are encrypted with a former key."""
    return sum(
        len(_changes(row, columns))
        for table, columns in _encrypted()
        for rows in _batches(table, columns, locks=False)
        for row in rows
    )


def encrypt_check_value() -> None:
    """Encrypt the key check value with the newest key. It has to be the last: a backup needs the key that opens it."""
    with transaction():
        _encrypt_again(*_encrypted_columns(Base.metadata.tables[KeyCheck.__tablename__]))


def _encrypted() -> Iterator[tuple[Table, Sequence[Column[Any]]]]:
    """Yield every table with encrypted columns, and these columns; not the key check value."""
    for table in Base.metadata.sorted_tables:
        found = _encrypted_columns(table)
        if found[1] and table.name != KeyCheck.__tablename__:
            yield found


def _encrypted_columns(table: Table) -> tuple[Table, Sequence[Column[Any]]]:
    return table, [column for column in table.columns if isinstance(column.type, Encrypted)]


def _encrypt_again(table: Table, columns: Sequence[Column[Any]]) -> int:
    changed = 0
    batches = _batches(table, columns, locks=True)
    while True:
        with transaction():
            rows = next(batches, None)
            if rows is None:
                return changed
            for row in rows:
                if changes := _changes(row, columns):
                    _write(table, row, changes)
                    changed += len(changes)


def _label(column: Column[Any]) -> str:
    assert isinstance(column.type, Encrypted)
    return column.type.label


def _write(table: Table, row: RowMapping, changes: dict[str, bytes]) -> None:
    """Write encrypted values as they are."""
    these = [column == row[column.name] for column in table.primary_key.columns]
    values = {name: literal(value, LargeBinary) for name, value in changes.items()}
    session.execute(update(table).where(*these).values(values))


def _changes(row: RowMapping, columns: Sequence[Column[Any]]) -> dict[str, bytes]:
    """Return the values of a row that have a former key, under the newest one. One that no key opens stays as it is."""
    found = {}
    for column in columns:
        value = row[column.name]
        try:
            again = None if value is None else runtime().keyring.under_newest_key(value, _label(column))
        except WrongKey:
            continue
        if again is not None:
            found[column.name] = again
    return found


def _batches(table: Table, columns: Sequence[Column[Any]], *, locks: bool) -> Iterator[Sequence[RowMapping]]:
    """Yield the rows of a table in the order of their primary key, with their encrypted columns as bytes."""
    keys = list(table.primary_key.columns)
    shown = [type_coerce(column, LargeBinary).label(column.name) for column in columns]
    query = select(*keys, *shown).order_by(*keys).limit(BATCH)
    if locks:
        query = query.with_for_update(skip_locked=True)
    rows = session.execute(query).mappings().all()
    while rows:
        yield rows
        last = [literal(rows[-1][key.name], key.type) for key in keys]
        rows = session.execute(query.where(tuple_(*keys) > tuple_(*last))).mappings().all()
