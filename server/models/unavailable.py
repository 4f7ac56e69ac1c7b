"""`Unavailable`: database errors of any driver that pass, or that the operator can mend."""

import re
from typing import cast

from sqlalchemy import Engine, event
from sqlalchemy.engine import ExceptionContext
from sqlalchemy.exc import DBAPIError, OperationalError

from server.models.sqlite import sqlite3

_SQLITE = {
    sqlite3.SQLITE_BUSY: "another program keeps it locked",
    sqlite3.SQLITE_LOCKED: "it is locked",
    sqlite3.SQLITE_PERM: "its file may not be opened",
    sqlite3.SQLITE_NOMEM: "there is no memory left",
    sqlite3.SQLITE_READONLY: "it is read-only",
    sqlite3.SQLITE_IOERR: "the disk fails",
    sqlite3.SQLITE_CORRUPT: "its file is damaged",
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_CANTOPEN: "its file cannot be opened",
    sqlite3.SQLITE_PROTOCOL: "another program keeps it locked",
    sqlite3.SQLITE_NOTADB: "its file is no database",
}
# By SQLSTATE, or the class of it, which is its first two characters (PostgreSQL, appendix A).
_POSTGRESQL = {
    "25006": "it is read-only",
    "25P03": "it ended a transaction in which nothing was asked for long",
    "53100": "the disk is full",
    "53300": "it takes no more connections",
    "55P03": "it is locked",
    "08": "the connection is lost",
    "40": "another transaction was in the way",
    "53": "its server lacks memory or disk",
    "57": "its server stops, or starts",
    "58": "its server fails",
}
_NO_ANSWER = "its server does not answer"
# libpq tells no SQLSTATE of a connection that was refused.
_FULL = re.compile(r"too many (clients|connections)|connection slots")
_NO_PRIMARY = re.compile(r"session is read-only|server is in hot standby mode")
# With these a connection can end after the database committed, and before it said so.
_CUT_SHORT = ("08", "57", "58")
_UNKNOWN = "40003"  # statement_completion_unknown


class Unavailable(OperationalError):
    """The database cannot be used at the moment. `why` is the reason in words, without anything of a statement."""

    why = _NO_ANSWER


class CommitUnanswered(Unavailable):
    """The database was lost between a COMMIT and its answer: nobody knows whether what was written is there."""

    why = "the connection was lost before it answered a commit"

    def __init__(self, error: DBAPIError) -> None:
        assert isinstance(error.orig, Exception)
        super().__init__(None, None, error.orig, hide_parameters=True, connection_invalidated=True)


def may_have_committed(error: BaseException | None) -> bool:
    """Return True if a COMMIT that failed with this driver's error may have been done all the same."""
    if isinstance(error, sqlite3.Error):
        # Of a disk that fails nobody knows what it holds; SQLite has rolled back behind anything else.
        return bool(getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_IOERR)
    state = getattr(error, "sqlstate", None)
    return state is None or state == _UNKNOWN or state.startswith(_CUT_SHORT)


def reason(error: BaseException | None) -> str | None:
    """Return why a driver's error says that the database cannot be used, or None if it says something else."""
    if isinstance(error, sqlite3.Error):
        code = getattr(error, "sqlite_errorcode", None)
        return None if code is None else _SQLITE.get(code & 0xFF)
    kinds = {kind.__name__ for kind in type(error).__mro__}
    state = getattr(error, "sqlstate", None)
    if state is not None:
        return _POSTGRESQL.get(state) or _POSTGRESQL.get(state[:2])
    if not kinds & {"OperationalError", "InterfaceError"}:
        return None
    if _NO_PRIMARY.search(str(error)):
        return _POSTGRESQL["25006"]
    return _POSTGRESQL["53300"] if _FULL.search(str(error)) else _NO_ANSWER


@event.listens_for(Engine, "handle_error")
def _translate(context: ExceptionContext) -> DBAPIError | None:
    """Replace an error of the driver by `Unavailable`, or by one without the values of a row in its text."""
    known = context.sqlalchemy_exception
    if not isinstance(known, DBAPIError):
        return None
    known.connection_invalidated = context.is_disconnect
    error, why = known.orig, reason(known.orig)
    if context.dialect.name == "postgresql" and error is not None and error.args:
        # The lines after the first are such as "DETAIL: Key (game_id, turn)=(...) already exists."
        error.args = (str(error.args[0]).partition("\n")[0],)
    kind = type(known) if why is None else Unavailable
    lost = known.connection_invalidated
    told = kind(
        known.statement, known.params, cast("Exception", error), hide_parameters=True, connection_invalidated=lost
    )
    if isinstance(told, Unavailable):
        told.why = why or _NO_ANSWER
    return told
