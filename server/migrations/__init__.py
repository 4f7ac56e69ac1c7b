"""Migrations (Alembic), run by `serve` and `blackticket db upgrade`; `versions/` holds one file each."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import text
from sqlalchemy.engine import Connection

from server.models import db

# The revisions of databases of before the first release, which had other tables.
BEFORE_THE_FIRST = re.compile(r"\d{4}")
LOCK = 7_365_190_423  # the advisory lock of a migration in PostgreSQL; any number that nobody else uses


class OldDatabase(Exception):
    """The database is not at this version; the message says what to do."""


def current() -> str | None:
    """Return the revision of the database, None if it is empty.

    Raises:
        OldDatabase: if this version has no migration from there.
    """
    with db.engine.connect() as connection:
        revision = MigrationContext.configure(connection).get_current_revision()
    if revision is not None and BEFORE_THE_FIRST.fullmatch(revision):
        raise OldDatabase(
            "The database was made before the first release, and no version upgrades it; "
            "finish its games with the version that made it, or move it away and start with an empty one."
        )
    if revision is not None and revision not in {script.revision for script in _scripts().walk_revisions()}:
        raise OldDatabase("The database was made by a newer version of the server; run that one, or restore a backup.")
    return revision


def newest() -> str | None:
    """Return the revision that this version of the server needs."""
    return _scripts().get_current_head()


def upgrade() -> None:
    """Migrate the database to the newest revision, in one transaction. A second process waits, and finds it done."""
    config = _config()
    with db.engine.connect().execution_options(writes=True) as connection, _loose_keys(connection), connection.begin():
        if connection.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
        if connection.dialect.name == "sqlite" and connection.exec_driver_sql("PRAGMA foreign_key_check").first():
            raise RuntimeError("The migration leaves rows that refer to nothing; it was undone.")


def require_current() -> None:
    """Raise `OldDatabase` unless the database is at the newest revision."""
    if current() != newest():
        raise OldDatabase("The database is not at this version; run `blackticket db upgrade` first.")


@contextmanager
def _loose_keys(connection: Connection) -> Iterator[None]:
    """Turn off foreign keys in SQLite, which copies a table to change it and would delete the rows that refer to it."""
    raw = connection.connection.dbapi_connection
    if connection.dialect.name != "sqlite" or raw is None:
        yield
        return
    # Within a transaction SQLite ignores this pragma, so it is said outside of one.
    raw.cursor().execute("PRAGMA foreign_keys = OFF")
    try:
        yield
    finally:
        raw.cursor().execute("PRAGMA foreign_keys = ON")


def _scripts() -> ScriptDirectory:
    return ScriptDirectory.from_config(_config())


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    return config
