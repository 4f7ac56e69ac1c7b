"""Migrations (Alembic), run by `serve` and `blackticket db upgrade`; `versions/` holds one file each.

Every command asks which revision the database is at. Alembic takes a sixth of a command's time to load, so only an
upgrade loads it.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import inspect, text
from sqlalchemy.engine import Connection

from server.models import Base, db, open_for_writing
from server.models.postgresql import MIGRATION_LOCK

# The revisions of databases of before 0.2.0, which had other tables, and those of this program.
BEFORE_0_2_0 = re.compile(r"r0001|[0-9]{4}")
OURS = re.compile(r"r[0-9]{4}")
VERSIONS = "alembic_version"  # the table that names the revision


class OldDatabase(Exception):
    """The database is not at this version; the message says what to do."""


class ForeignDatabase(OldDatabase):
    """The database is that of another program."""


class IncompleteDatabase(OldDatabase):
    """A part of the database is lost; `lost` says which, to follow a verb."""

    def __init__(self, lost: str) -> None:
        super().__init__(
            f"The database {lost}; restore a backup into an empty one, or name another one in DATABASE_URL."
        )
        self.lost = lost


def current() -> str | None:
    """Return the revision of the database, None if it has no tables of this program.

    Raises:
        OldDatabase: if this version has no migration from there; `IncompleteDatabase` if that is not known, or a table
            of this version is missing; `ForeignDatabase` if the tables are another program's.
    """
    with db.engine.connect() as connection:
        names = set(inspect(connection).get_table_names())
        query = text(f"SELECT version_num FROM {VERSIONS}")  # noqa: S608 a constant
        revisions = connection.execute(query).scalars().all() if VERSIONS in names else []
        dialect = connection.dialect.name
    if not revisions:
        _require_no_tables(names, dialect)
        return None
    if len(revisions) > 1 or not revisions[0]:
        raise IncompleteDatabase("does not say its version")
    revision: str = revisions[0]
    _require_known(revision)
    if revision == newest() and (missing := Base.metadata.tables.keys() - names):
        raise IncompleteDatabase(f"lacks the table {min(missing)}")
    return revision


def _require_no_tables(names: set[str], dialect: str) -> None:
    """Refuse tables of ours in a database that says no version, and on SQLite any: a file is one program's alone."""
    if ours := names & Base.metadata.tables.keys():
        raise IncompleteDatabase(f"has a table {min(ours)}, and does not say its version")
    others = {name for name in names - {VERSIONS} if not name.startswith("_")}  # those of Litestream begin so
    if others and dialect == "sqlite":
        raise ForeignDatabase("The database holds tables of another program; name another file in DATABASE_URL.")


def _require_known(revision: str) -> None:
    if BEFORE_0_2_0.fullmatch(revision):
        raise OldDatabase(
            "The database was made before version 0.2.0, and no version upgrades it; "
            "finish its games with the version that made it, or move it away and start with an empty one."
        )
    if revision in _revisions():
        return
    if OURS.fullmatch(revision) and revision > newest():
        raise OldDatabase("The database was made by a newer version of the server; run that one, or restore a backup.")
    raise ForeignDatabase("The database was made by another program; name another one in DATABASE_URL.")


def require_complete() -> None:
    """Raise `IncompleteDatabase` if the database, which is at the newest revision, lacks a table or a column."""
    current()
    with db.engine.connect() as connection:
        inspector = inspect(connection)
        for table in Base.metadata.sorted_tables:
            columns = {column["name"] for column in inspector.get_columns(table.name)}
            if missing := {*table.columns.keys()} - columns:
                raise IncompleteDatabase(f"lacks the column {min(missing)} of the table {table.name}")


def newest() -> str:
    """Return the revision that this version of the server needs."""
    return max(_revisions())


def upgrade(revision: str = "head") -> None:
    """Migrate the database to a revision in one transaction. A second process waits, and finds it done."""
    from alembic import command  # noqa: PLC0415 start-up time
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    with db.engine.connect() as connection, _loose_keys(connection), connection.begin():
        open_for_writing(connection)
        if connection.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": MIGRATION_LOCK})
        config.attributes["connection"] = connection
        command.upgrade(config, revision)
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


def _revisions() -> set[str]:
    """Return the revision of each migration, which the name of its file begins with: r0002 is in `0002_….py`."""
    return {f"r{path.name[:4]}" for path in (Path(__file__).parent / "versions").glob("[0-9]*.py")}
