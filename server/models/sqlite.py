"""Connections to SQLite, and its library: that of the package `pysqlite3` where it is installed, else that of Python.

Python takes the library of the machine, which may be years old and then cannot have a write-ahead log, see
`server.runtime.DatabaseHabits`. All that open the database take this one.
"""

import os
from collections.abc import Sequence
from contextlib import suppress

from sqlalchemy import Engine, event

from server.runtime import DatabaseHabits

try:
    from pysqlite3 import dbapi2 as sqlite3
except ImportError:
    import sqlite3

# Kilobytes of pages that a connection to SQLite keeps. They are worth nothing once another connection has written, so
# with the usual 2,000 the connections of all threads would fill 50 megabytes with what is read again anyway.
PAGE_CACHE = 200

# Prepared statements that a connection to SQLite keeps, about 15 kB each. A server uses some 250 different ones. With
# fewer, pysqlite3 keeps those that were used most so far (Python's library: last), and prepares any other again at each
# use, which can take a fifth of a move's time.
STATEMENTS = 500

# A commit is on disk before it returns, so no failure of the machine loses it.
SYNCHRONOUS = "FULL"


def journal_mode(habits: DatabaseHabits) -> str:
    """Return WAL if this SQLite library is free of the WAL-reset fault, else PERSIST.

    A journal file that persists makes a commit several times as fast as one that is created and deleted each time:
    the disk need not record its creation and deletion.
    """
    return "WAL" if sqlite3.sqlite_version_info >= habits.wal_is_safe else "PERSIST"


def prepare(engine: Engine, habits: DatabaseHabits) -> None:
    """Have each connection of the engine set up: its file private, its journal, its waits."""

    @event.listens_for(engine, "do_connect")
    def create_private(_dialect: object, _record: object, arguments: Sequence[str], _options: object) -> None:
        # SQLite would create a file that others may read, and gives the files beside it the same mode.
        if not arguments[0].startswith((":", "file:")):
            with suppress(OSError):  # it is there, or SQLite will say what is wrong
                os.close(os.open(arguments[0], os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))

    @event.listens_for(engine, "connect")
    def configure(connection: sqlite3.Connection, _record: object) -> None:
        connection.isolation_level = None  # `open_for_writing` sends BEGIN
        _set_mode(connection, habits)
        for pragma in (
            "foreign_keys = ON",
            f"busy_timeout = {habits.busy}",
            f"synchronous = {SYNCHRONOUS}",
            "secure_delete = ON",
            f"cache_size = -{PAGE_CACHE}",
            "cache_spill = OFF",  # a transaction that writes pages before its end keeps readers out from then on
        ):
            connection.execute(f"PRAGMA {pragma}")
        if connection.execute("PRAGMA foreign_keys").fetchone() != (1,):
            raise RuntimeError("This SQLite library does not keep foreign keys; use another build.")


def _set_mode(connection: sqlite3.Connection, habits: DatabaseHabits) -> None:
    """Set the journal mode of the file; it has another one only when it is new, or was made with another library.

    While another program changes it as well, SQLite does not wait for the lock but fails at once.
    """
    for pause in (*[0.01] * (habits.busy // 10), None):
        try:
            connection.execute(f"PRAGMA journal_mode = {journal_mode(habits)}")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or pause is None:
                raise
            habits.sleep(pause)
