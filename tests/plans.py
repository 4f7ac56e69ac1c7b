"""Plans of statements: which of the statements that a run sends would read a whole table.

`collected` keeps each different statement of a run, with SQLite's plan for it; `postgres_plans` has PostgreSQL plan the
same statements. A table is read from end to end if no condition leads into an index. PostgreSQL is told to avoid that;
where it says so all the same, there is no index to use.
"""

import re
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
from sqlalchemy import (
    JSON,
    Boolean,
    Compiled,
    Date,
    DateTime,
    Engine,
    Integer,
    LargeBinary,
    String,
    TypeDecorator,
    event,
)
from sqlalchemy.dialects.postgresql import asyncpg

from server.models import Base

PLANNED = re.compile(r"\s*(SELECT|UPDATE|DELETE|WITH)\b")
LISTS = re.compile(r"\(\?(, \?)+\)|\([^()]*__\[POSTCOMPILE[^()]*\)")
# A partial index holds the few rows that wait for something, so it may be read from end to end.
PARTIAL = ("ix_deadlines_waiting", "ix_games_unfinished", "ix_seats_late", "ix_webhook_deliveries_pending")


ROWS = 3_000  # of each table
TIMES = 100  # more rows are there as PostgreSQL believes
WORDS = {
    "status": ("over", "over", "over", "running", "open"), "visibility": ("public", "private"),
    "state": ("sent", "done", "fired", "armed", "pending", "new", "open", "delivered", "held"),
}  # fmt: skip

MADE_UP = {
    (Boolean,): "n % 2 = 0",
    (DateTime, Date): "now() - n * interval '1 minute'",
    (JSON,): "'{}'",
    (LargeBinary,): "'x'",
}


@dataclass(frozen=True)
class Statement:
    """A statement as it was sent first: `caller` sent it, and `plan` is how SQLite runs it."""

    text: str
    compiled: Compiled | None
    caller: str
    plan: tuple[str, ...]

    def scanned(self) -> set[str]:
        """Return the tables that SQLite reads from end to end."""
        return {found for step in self.plan if (found := _scanned_by_sqlite(step)) is not None}


@contextmanager
def collected() -> Iterator[dict[str, Statement]]:
    """Yield the statements that are sent within the block, by their texts."""
    found: dict[str, Statement] = {}
    texts: set[str] = set()

    def look(connection: Any, _cursor: object, text: str, given: Any, context: Any, many: bool) -> None:
        if text in texts:
            return
        texts.add(text)
        name = LISTS.sub("(?)", text)
        if name in found or not PLANNED.match(text) or " FROM sqlite_" in text or "alembic_version" in text:
            return
        raw = connection.connection.dbapi_connection.cursor()
        rows = raw.execute(f"EXPLAIN QUERY PLAN {text}", given[0] if many else given).fetchall()
        compiled = context.compiled if context is not None else None
        found[name] = Statement(text, compiled, _caller(), tuple(row[3] for row in rows))

    event.listen(Engine, "before_cursor_execute", look)
    try:
        yield found
    finally:
        event.remove(Engine, "before_cursor_execute", look)


def fill(url: str) -> None:
    """Fill the tables of a PostgreSQL database with made-up rows, and have it count them, so that it plans for many."""
    with psycopg.connect(url) as connection:
        connection.execute("SET session_replication_role = replica")  # no row refers to another
        for table in Base.metadata.sorted_tables:
            names = ", ".join(f'"{column.name}"' for column in table.columns)
            values = ", ".join(_sometimes(column) for column in table.columns)
            rows = f"SELECT {values} FROM generate_series(1, {ROWS}) AS n ON CONFLICT DO NOTHING"
            connection.execute(f"INSERT INTO {table.name} ({names}) {rows}".encode())
        connection.execute("ANALYZE")
        # It expects as many rows on a page as it has counted: now as if there were far more rows of the same kind.
        mine = "relnamespace = 'public'::regnamespace"
        connection.execute(f"UPDATE pg_class SET reltuples = reltuples * {TIMES} WHERE {mine}".encode())


def _sometimes(column: Any) -> str:
    """Return an expression for the value of a column in row `n`; a time that may be missing mostly is."""
    made_up = _made_up(column)
    return f"CASE n % 20 WHEN 0 THEN {made_up} END" if column.nullable and "now()" in made_up else made_up


def _made_up(column: Any) -> str:
    """Return an expression for the value of a column in row `n`: each value is there five times, or once."""
    kind = column.type.impl if isinstance(column.type, TypeDecorator) else column.type
    if isinstance(kind, String):
        return _made_up_text(column, kind.length or ROWS)
    if isinstance(kind, Integer):
        return "n" if list(column.table.primary_key) == [column] else "n % 10"
    return next(value for types, value in MADE_UP.items() if isinstance(kind, types))


def _made_up_text(column: Any, length: int) -> str:
    if column.name in WORDS:
        words = [word for word in WORDS[column.name] if len(word) <= length]
        return f"(ARRAY{words})[1 + n % {len(words)}]"
    keys = list(column.table.primary_key)
    if len(keys) > 1 and column is keys[0]:
        return "'x' || n / 5"
    is_shared = (column.foreign_keys or column in keys[1:]) and not column.unique
    return f"'x' || n * 7 % {ROWS // 5}" if is_shared else f"left('x' || n, {length})"


def postgres_plans(statements: Sequence[Statement], url: str) -> Iterator[tuple[Statement, set[str]]]:
    """Yield each statement with the tables that PostgreSQL would read from end to end, if it can be planned there."""
    with psycopg.connect(url, autocommit=True, cursor_factory=psycopg.ClientCursor) as connection:
        connection.execute("SET enable_seqscan = off")
        for statement in statements:
            if statement.compiled is not None:
                rows = connection.execute(f"EXPLAIN (GENERIC_PLAN) {_numbered(statement.compiled)}").fetchall()
                yield statement, set(_scanned_by_postgres([row[0] for row in rows]))


def _numbered(sent: Compiled) -> str:
    """Return the text of a statement for PostgreSQL, with numbers for its parameters.

    Lists are empty, and values that are written into the statement are 1.
    """
    assert sent.statement is not None
    compiled = sent.statement.compile(dialect=asyncpg.dialect(), column_keys=sent.column_keys)  # type: ignore
    with_lists = re.sub(r"\(__\[POSTCOMPILE_[^]]*\]\)", "(NULL)", str(compiled))
    return re.sub(r"__\[POSTCOMPILE_[^]]*\]", "1", with_lists)


def _caller() -> str:
    """Return the innermost function of the server, other than those that every statement goes through."""
    for frame, _ in traceback.walk_stack(None):
        _, is_ours, name = frame.f_code.co_filename.partition("/server/")
        if is_ours and not name.endswith(("models/base.py", "application/leases.py")):
            return f"{name}:{frame.f_code.co_name}"
    return ""


def _scanned_by_sqlite(step: str) -> str | None:
    found = re.fullmatch(r"SCAN (\w+)(?: USING (?:COVERING )?INDEX (\w+))?.*", step)
    if found is None or found[1] in ("CONSTANT",) or found[1].startswith("anon_") or found[2] in PARTIAL:
        return None
    return found[1]


def _scanned_by_postgres(lines: Sequence[str]) -> Iterator[str]:
    for place, line in enumerate(lines):
        found = re.search(r"(Seq Scan|Index Scan|Index Only Scan) (?:using (\w+) )?on (\w+)", line)
        if found is None or found[2] in PARTIAL or found[3] in PARTIAL:
            continue
        depth = len(line) - len(line.lstrip())
        below = []
        for other in lines[place + 1 :]:
            if len(other) - len(other.lstrip()) <= depth or "->" in other:
                break
            below.append(other)
        if found[1] == "Seq Scan" or not any("Index Cond" in one for one in below):
            yield found[3]
