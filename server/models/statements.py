"""Statements that write rows of one table, all with the same columns, each built once."""

from functools import cache
from importlib import import_module
from typing import Any

from sqlalchemy import Insert, Table

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
