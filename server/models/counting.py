"""Counts with a bound, which take no longer where there is more to count."""

from sqlalchemy import ColumnElement, func, literal, select

from server.models.base import Base, session

MOST_COUNTED = 100


def at_most(table: type[Base], *where: ColumnElement[bool]) -> int:
    """Return how many rows of a table there are, or `MOST_COUNTED` if there are more."""
    some = select(literal(1)).select_from(table).where(*where).limit(MOST_COUNTED)
    return session.scalar(select(func.count()).select_from(some.subquery())) or 0
