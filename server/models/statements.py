"""Statements that write rows of one table, all with the same columns, each built once."""

from functools import cache
from importlib import import_module
from typing import Any

from sqlalchemy import ColumnElement, Delete, Insert, Table, Update, bindparam

from server.models.base import Base, dialect, table_of


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
