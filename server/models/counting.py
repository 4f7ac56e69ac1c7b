"""Counts: with a bound, so that they take no longer where there is more to count; and those that are kept in rows."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import ColumnElement, Table, func, literal, select

from server.models.base import Base, execute, session, under_way
from server.models.statements import insert_or_add

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
