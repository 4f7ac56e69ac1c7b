"""Lead a database to the right index: by states that are written into statements, and columns that ask for none.

Only with a literal does a database use a partial index: of armed rows, or of games that are not over. And where a
column of such an index is compared with a parameter, SQLite prepares the statement again at each use.
"""

from sqlalchemy import ColumnElement, String, and_, literal_column
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.orm import QueryableAttribute
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

ARMED: ColumnElement[str] = literal_column("'armed'")
ASIDE: ColumnElement[str] = literal_column("'aside'")
DEAD: ColumnElement[str] = literal_column("'dead'")
FIRED: ColumnElement[str] = literal_column("'fired'")
HELD: ColumnElement[str] = literal_column("'held'")
OPEN: ColumnElement[str] = literal_column("'open'")
OVER: ColumnElement[str] = literal_column("'over'")
NEW: ColumnElement[str] = literal_column("'new'")
PENDING: ColumnElement[str] = literal_column("'pending'")
PRIVATE: ColumnElement[str] = literal_column("'private'")
PUBLIC: ColumnElement[str] = literal_column("'public'")
RUNNING: ColumnElement[str] = literal_column("'running'")


def unfinished(column: QueryableAttribute[str], status: ColumnElement[str]) -> ColumnElement[bool]:
    """Return the condition that a game has this status, `OPEN` or `RUNNING`.

    It says twice that the game is not over, for SQLite to see that a partial index of such games has it.
    """
    return and_(column == status, column != OVER)


class plain(FunctionElement[str]):  # noqa: N801 it is written as a function is
    """A column of text which SQLite compares without an index.

    It has no statistics, and would take an index of many rows where another condition leaves few. PostgreSQL has, and
    sees the column as it is.
    """

    type = String()
    inherit_cache = True


@compiles(plain)  # type: ignore[no-untyped-call,untyped-decorator,unused-ignore]
def _as_it_is(element: plain, compiler: SQLCompiler, **given: object) -> str:
    return str(compiler.process(element.clauses, **given))


@compiles(plain, "sqlite")  # type: ignore[no-untyped-call,untyped-decorator,unused-ignore]
def _without_index(element: plain, compiler: SQLCompiler, **given: object) -> str:
    return f"+{compiler.process(element.clauses, **given)}"
