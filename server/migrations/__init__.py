"""Migrations (Alembic), run by `serve` and `blackticket db upgrade`; `versions/` holds one file each.

Every command asks which revision the database is at. Alembic takes a sixth of a command's time to load, so only an
upgrade loads it.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Inspector, inspect, text
from sqlalchemy.engine import Connection

from server.models import db, open_for_writing
from server.models.postgresql import MIGRATION_LOCK

# The revisions of databases of before 0.2.0, which had other tables.
BEFORE_0_2_0 = re.compile(r"r0001|\d{4}")


class OldDatabase(Exception):
    """The database is not at this version; the message says what to do."""


class ForeignDatabase(OldDatabase):
    """The file is the database of another program."""


def current() -> str | None:
    """Return the revision of the database, None if it is empty.

    Raises:
        OldDatabase: if this version has no migration from there; `ForeignDatabase` if the file is another program's.
    """
    with db.engine.connect() as connection:
        inspector = inspect(connection)
        has_revision = inspector.has_table("alembic_version")
        if not has_revision and connection.dialect.name == "sqlite" and _has_foreign_tables(inspector):
            raise ForeignDatabase("The database holds tables of another program; name another file in DATABASE_URL.")
        query = text("SELECT version_num FROM alembic_version")
        revision: str | None = connection.execute(query).scalar() if has_revision else None
    if revision is not None and BEFORE_0_2_0.fullmatch(revision):
        raise OldDatabase(
            "The database was made before version 0.2.0, and no version upgrades it; "
            "finish its games with the version that made it, or move it away and start with an empty one."
        )
    if revision is not None and revision not in _revisions():
        raise OldDatabase("The database was made by a newer version of the server; run that one, or restore a backup.")
    return revision


def _has_foreign_tables(inspector: Inspector) -> bool:
    return any(not name.startswith("_") for name in inspector.get_table_names())  # those of Litestream begin so


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
