"""`Unavailable`: database errors of any driver that pass, or that the operator can mend."""

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
    "53100": "the disk is full",
    "53300": "it has too many connections",
    "55P03": "it is locked",
    "08": "the connection is lost",
    "40": "another transaction was in the way",
    "53": "its server lacks memory or disk",
    "57": "its server stops, or starts",
    "58": "its server fails",
}
_NO_ANSWER = "its server does not answer"


class Unavailable(OperationalError):
    """The database cannot be used at the moment. `why` is the reason in words, without anything of a statement."""

    why = _NO_ANSWER


def reason(error: BaseException | None) -> str | None:
    """Return why a driver's error says that the database cannot be used, or None if it says something else."""
    if isinstance(error, sqlite3.Error):
        code = getattr(error, "sqlite_errorcode", None)
        return None if code is None else _SQLITE.get(code & 0xFF)
    kinds = {kind.__name__ for kind in type(error).__mro__}
    state = getattr(error, "sqlstate", None)
    if state is not None:
        return _POSTGRESQL.get(state) or _POSTGRESQL.get(state[:2])
    return _NO_ANSWER if kinds & {"OperationalError", "InterfaceError"} else None


@event.listens_for(Engine, "handle_error")
def _translate(context: ExceptionContext) -> DBAPIError | None:
    """Replace such an error by `Unavailable`, and remove the values of a row from the text of any other error."""
    error, known = context.original_exception, context.sqlalchemy_exception
    why = reason(error)
    kind = Unavailable if why is not None else type(known) if isinstance(known, DBAPIError) else None
    if kind is None:
        return None
    if context.dialect.name == "postgresql" and error.args:
        # The lines after the first are such as "DETAIL: Key (game_id, turn)=(...) already exists."
        error.args = (str(error.args[0]).partition("\n")[0],)
    lost = context.is_disconnect
    told = kind(context.statement, context.parameters, error, hide_parameters=True, connection_invalidated=lost)
    if isinstance(told, Unavailable):
        told.why = why or _NO_ANSWER
    return told
