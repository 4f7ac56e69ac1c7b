"""Wait at start-up until the database can be used, and do there what has to be done first."""

import logging
import re
from collections.abc import Callable
from time import sleep
from typing import TypeVar

from sqlalchemy import Connection, Engine

from server.models.base import open_for_writing
from server.models.sqlite import sqlite3
from server.models.unavailable import Unavailable

Result = TypeVar("Result")
log = logging.getLogger(__name__)
LONGEST_PAUSE = 30.0  # seconds between two attempts
# What PostgreSQL says where no later attempt can succeed without the operator. The driver has no code for a refused
# connection.
_FOR_GOOD = re.compile(r"authentication failed|no password supplied|does not exist|pg_hba\.conf|permission denied")

_OF_A_LOCK = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL)


def wait_for(engine: Engine, first: Callable[[], Result], sleep: Callable[[float], object] = sleep) -> Result:
    """Return what `first` returns, once the database can be used: `first` too is tried again if the database goes away.

    There is a log line for each attempt, and pauses of up to `LONGEST_PAUSE`.

    Raises:
        Unavailable: at once if a SQLite file is read-only or damaged, or if PostgreSQL refuses this user or has no such
            database.
    """
    pause = 1.0
    while True:
        try:
            with engine.connect() as connection:
                if engine.dialect.name == "sqlite":
                    _require_writable(connection)
            return first()
        except Unavailable as error:
            if _lasts(error, engine.dialect.name):
                raise
            log.warning("the database cannot be used (%s); the next attempt is in %d seconds", error.why, pause)
        sleep(pause)
        pause = min(pause * 2, LONGEST_PAUSE)


def _require_writable(connection: Connection) -> None:
    """Raise `Unavailable` if the SQLite file cannot be written: BEGIN IMMEDIATE reads one of those without a word.

    Nothing is kept: the transaction ends with the connection.
    """
    open_for_writing(connection)
    connection.exec_driver_sql("CREATE TABLE is_writable (n)")


def _lasts(error: Unavailable, dialect: str) -> bool:
    """Return True if no later attempt can succeed without the operator."""
    if dialect == "sqlite":
        return getattr(error.orig, "sqlite_errorcode", 0) & 0xFF not in _OF_A_LOCK
    return _FOR_GOOD.search(str(error.orig)) is not None
