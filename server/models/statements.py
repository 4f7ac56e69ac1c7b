"""Statements that write rows of one table, all with the same columns, each built once."""

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import import_module
from typing import Any

from sqlalchemy import ColumnElement, Delete, Insert, Table, Update, bindparam, func, literal, select

from server.models.base import Base, dialect, execute, session, table_of, under_way


@cache
def insert(model: type[Base]) -> Insert:
    """Return the INSERT into the table of a model."""
    return table_of(model).insert()


def insert_new(model: type[Base]) -> Insert:
    """Return the INSERT that leaves rows as they are which are there already, and returns the keys of those it writes.

    A driver may not know their number, and says -1 then.
    """
    return _insert_new(table_of(model), dialect())


def insert_or_add(table: Table, given: frozenset[str], *columns: str) -> Insert:
    """Return the INSERT that adds the numbers in `columns` to a row that is there already.

    Of the other columns that are `given` the new values stay.
    """
    return _insert_or_add(table, given, columns, dialect())


def _is_row(model: type[Base]) -> list[ColumnElement[bool]]:
    """Return the conditions that a row has the primary key that `at` gives."""
    return [column == bindparam(f"at_{column.name}", type_=column.type) for column in table_of(model).primary_key]


def at(model: type[Base], *key: object) -> dict[str, object]:
    """Return the parameters of `update_row` and `delete_row` that name the row with this primary key."""
    return {f"at_{column.name}": value for column, value in zip(table_of(model).primary_key, key, strict=True)}


@cache
def update_row(model: type[Base], *names: str) -> Update:
    """Return the UPDATE of the row named by `at`; its parameters are `new_` and the name of each attribute."""
    columns = {name: model.__mapper__.column_attrs[name].columns[0] for name in names}
    values = {column: bindparam(f"new_{name}", type_=column.type) for name, column in columns.items()}
    return table_of(model).update().where(*_is_row(model)).values(values)


@cache
def delete_row(model: type[Base]) -> Delete:
    """Return the DELETE of the row named by `at`."""
    return table_of(model).delete().where(*_is_row(model))


@cache
def _insert_new(table: Table, name: str) -> Insert:
    statement: Insert = _dialect_insert(name)(table).on_conflict_do_nothing().returning(*table.primary_key)
    return statement


@cache
def _insert_or_add(table: Table, given: frozenset[str], columns: tuple[str, ...], name: str) -> Insert:
    statement = _dialect_insert(name)(table)
    new = statement.excluded
    kept = {column.name: column for column in table.columns if column.name in given and not column.primary_key}
    changed = {name: column + new[name] if name in columns else new[name] for name, column in kept.items()}
    added: Insert = statement.on_conflict_do_update(index_elements=list(table.primary_key), set_=changed)
    return added


def _dialect_insert(name: str) -> Any:
    # By name: servers with SQLite need not load the dialect of PostgreSQL, which takes 2 MB.
    return import_module(f"sqlalchemy.dialects.{name}").insert


MOST_COUNTED = 100


def at_most(table: type[Base], *where: ColumnElement[bool]) -> int:
    """Return how many rows of a table there are, or `MOST_COUNTED` if there are more."""
    some = select(literal(1)).select_from(table).where(*where).limit(MOST_COUNTED)
    return session.scalar(select(func.count()).select_from(some.subquery())) or 0


def in_words(number: int) -> str:
    """Return a number that `at_most` returned, and "or more" with the highest."""
    return f"{number} or more" if number >= MOST_COUNTED else str(number)


def add_to(table: Table, rows: Iterable[Mapping[str, Any]], *columns: str) -> None:
    """Write rows. To a row that is there already the numbers in `columns` are added.

    Of its other columns the new values stay. The rows are written in the order of their keys, so that no two
    transactions wait for each other's.
    """
    keys = [column.name for column in table.primary_key]
    in_order = sorted(rows, key=lambda row: [row[key] for key in keys])
    if in_order:
        execute(insert_or_add(table, frozenset(in_order[0]), *columns), in_order)


def tally(name: str, by: int = 1) -> None:
    """Add to the count of this name, see `Tally`, when the transaction under way commits."""
    if work := under_way():
        work.tallies[name] += by
        work.last.add(_add_up)


def _add_up() -> None:
    """Write the tallies, last of all."""
    work = under_way()
    counts: Counter[str] = work.tallies if work else Counter()
    changed = [{"name": name, "number": number} for name, number in counts.items() if number]
    add_to(Base.metadata.tables["tallies"], changed, "number")
