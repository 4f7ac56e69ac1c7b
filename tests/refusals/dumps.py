"""Everything that lies in the database, row by row, but for what is private activity.

What a refused command may leave is listed in `PRIVATE`, and nowhere else. A table or column that is not listed is
public: a refusal must not change it.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import Select, select, text
from sqlalchemy import Table as SqlTable

from server.models import Base, db, session
from tests.table import Table


class Private(NamedTuple):
    """The changes that a refused command may make in an SQL table.

    columns: those that may change; none means whole rows
    where: which rows, as SQL; empty means all of them
    """

    table: str
    columns: tuple[str, ...]
    where: str
    why: str


PRIVATE = (
    Private("inbox", (), "", "the mail itself arrived, and was read"),
    Private("seen_mails", (), "", "the Message-ID of the mail, so that it is not read a second time"),
    Private("outbox", (), "cause IN (SELECT id FROM inbox)", "the answer to the mail"),
    Private("answered", (), "", "the answer under an Idempotency-Key, refusals included"),
    Private("reply_tokens", (), "nonce LIKE '%ask-%'", "the question that the answer asks, and its address"),
    Private("mail_answers", (), "", "that the mail was answered"),
    Private("held_moves", (), "", "a move that waits: any answer but a yes stops it, so that no wrong one is played"),
    Private("tokens", ("used_on",), "", "the day on which the player last used the token"),
    Private("quotas", (), "", "what of the room and the time for mail of strangers it took"),
    Private("pulses", (), "", "the heartbeat of the worker that read the mail"),
    Private("news", (), "", "what streams were told of, on PostgreSQL"),
    Private("processes", (), "", "the process that read the mail is alive"),
    Private("provider_calls", (), "", "the signature with which a provider handed the mail over"),
)

Row = tuple[tuple[str, Any], ...]
"""The columns of a row and what they hold, without those that are private."""


def public(table: Table, *, opened: bool = False) -> dict[str, list[Row]]:
    """Return the public rows of each SQL table, in the order of their primary keys.

    Sealed columns are shown as the bytes on disk, or with `opened` as what they hold: two databases that hold the
    same differ in those bytes.
    """
    with table.app.app_context():
        found = {name: list(_rows(sql, opened)) for name, sql in sorted(Base.metadata.tables.items())}
        session.remove()
    return found


def differences(before: Mapping[str, list[Row]], after: Mapping[str, list[Row]]) -> list[str]:
    """Return a line for each row that is not in both, with the columns in which it differs from the nearest one."""
    lines = []
    for name in (name for name in before if before[name] != after[name]):
        gone = [row for row in before[name] if row not in after[name]]
        come = [row for row in after[name] if row not in before[name]]
        lines += [f"{name} - {_shown(row, come)}" for row in gone]
        lines += [f"{name} + {_shown(row, gone)}" for row in come]
    return lines


def _rows(sql: SqlTable, opened: bool) -> Iterator[Row]:
    names, query = _public(sql)
    if opened:
        found = session.execute(query).all()
    else:  # by the driver alone: SQLAlchemy would take ten times as long
        cursor = session.connection().connection.cursor()
        found = cursor.execute(_as_text(sql, db.engine.dialect.name)).fetchall()
        cursor.close()
    for row in found:
        yield tuple(zip(names, row, strict=True))


@cache
def _as_text(sql: SqlTable, _dialect: str) -> str:
    return str(_public(sql)[1].compile(db.engine))


@cache
def _public(sql: SqlTable) -> tuple[list[str], Select[Any]]:
    rules = [rule for rule in PRIVATE if rule.table == sql.name]
    hidden = {column for rule in rules for column in rule.columns}
    columns = [column for column in sql.c if column.name not in hidden]
    query = select(*columns).order_by(*sql.primary_key)
    for rule in rules:
        if not rule.columns:
            query = query.where(text(f"NOT ({rule.where or '1 = 1'})"))
    return [column.name for column in columns], query


def _shown(row: Row, others: list[Row]) -> str:
    """The columns in which the row differs from the one most like it; all of it where none is alike."""

    def alike(other: Row) -> int:
        return sum(mine == theirs for mine, theirs in zip(row, other, strict=True))

    nearest = max(others, key=alike, default=None)
    if nearest is None or alike(nearest) <= len(row) // 2:
        return str(dict(row))
    differing = {mine[0]: mine[1] for mine, theirs in zip(row, nearest, strict=True) if mine != theirs}
    return f"{dict(row[:2])}: {differing}"
