"""Backups: copies of the database, made while the server runs, and restored when it does not.

A backup is a SQLite file, whichever kind of database it was made from, and can be restored into either kind. Encrypted
columns stay encrypted.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from flask import Flask
from sqlalchemy import create_engine, delete, insert, make_url
from sqlalchemy.engine import Connection

from server import app, migrations
from server.application.health import health
from server.application.integrity import key_check, restoration
from server.models import Pulse, copying, db, postgresql, session
from server.models.base import is_sqlite
from server.models.sqlite import sqlite3
from server.runtime import utc_now
from server.settings import Settings

# Why a backup is not restored.
NO_BACKUP, DAMAGED, HAS_PLAYERS, SERVER_RUNS = "no-backup", "damaged", "has-players", "server-runs"
_MAGIC = b"SQLite format 3\0"


class RestoreRefused(Exception):
    """A backup that is not restored; nothing has changed. `reason` is one of the four above."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def make(target: Path, settings: Settings, made_at: datetime) -> None:
    """Copy the database of the settings to the new file `target`.

    Raises:
        OSError: if the file cannot be written, or exists.
    """
    _copy(target.resolve(), settings)
    _stamp(target, made_at)


def restore(
    source: Path, settings: Settings, *, replaces: bool, make: Callable[..., Flask] = app.create_app
) -> Path | None:
    """Restore a backup into the database of the settings, with its mails and deadlines held.

    Args:
        replaces: whether a database with players may be replaced.
        make: makes the application that opens a database.

    Returns:
        The file that keeps the database of before, if that had players or games.

    Raises:
        RestoreRefused: if that is not possible.
        WrongKey: if the backup was made with another secret key.
    """
    draft = settings.var / f".restoring-{os.getpid()}.db"
    try:
        _prepare(source, draft, settings, make)
        return _install(draft, settings, replaces, make)
    finally:
        for left in settings.var.glob(f"{draft.name}*"):
            left.unlink()


def copy_file(target: Path) -> None:
    """Make a consistent copy of the embedded database; raise `OSError` if that fails."""
    _copy_sqlite(Path(db.engine.url.database or ""), target)


# Making ------------------------------------------------------------------------------------------


def _copy(target: Path, settings: Settings) -> None:
    if is_sqlite(settings.database_url):
        copy_file(target)
        return
    _create(target)
    try:
        _copy_from_server(target, settings)
    except BaseException:
        target.unlink()
        raise


def _create(target: Path) -> None:
    """Create a file for its owner alone; `FileExistsError` if there is one."""
    os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def _copy_sqlite(source: Path, target: Path) -> None:
    _create(target)
    with closing(sqlite3.connect(source)) as old, closing(sqlite3.connect(target)) as copy:
        old.backup(copy)


def _copy_from_server(target: Path, settings: Settings) -> None:
    """Copy the rows of PostgreSQL, as they are at one moment, to a new file with the tables of this version."""
    with _opened(f"sqlite:///{target}", settings):
        migrations.upgrade()
    at_one_moment = {"isolation_level": "REPEATABLE READ"}
    with _connected(settings.database_url, **at_one_moment) as source, _connected(f"sqlite:///{target}") as copy:
        copying.copy_rows(source, copy)


def _stamp(target: Path, made_at: datetime) -> None:
    """Note in a backup when it was made."""
    with _connected(f"sqlite:///{target}") as copy:
        copy.execute(delete(Pulse).where(Pulse.name == restoration.BACKUP))
        copy.execute(insert(Pulse).values(name=restoration.BACKUP, at=made_at))


# Restoring ---------------------------------------------------------------------------------------


def _prepare(source: Path, draft: Path, settings: Settings, make: Callable[..., Flask]) -> None:
    """Copy the backup to `draft`, bring it to this version, and hold its mails and deadlines."""
    with source.open("rb") as file:
        if file.read(len(_MAGIC)) != _MAGIC:
            raise RestoreRefused(NO_BACKUP)
    if not _is_copied_whole(source, draft):
        raise RestoreRefused(DAMAGED)
    with _opened(f"sqlite:///{draft}", settings, make):
        _check_is_backup()
        migrations.upgrade()
        key_check.require()
        restoration.hold()


def _check_is_backup() -> None:
    try:
        is_backup = migrations.current() is not None
    except migrations.ForeignDatabase:
        is_backup = False
    if not is_backup:
        raise RestoreRefused(NO_BACKUP)


def _is_copied_whole(source: Path, draft: Path) -> bool:
    """Copy the backup to `draft`; return True if it is not damaged."""
    try:
        _copy_sqlite(source, draft)
        with closing(sqlite3.connect(draft)) as copy:
            found: str = copy.execute("PRAGMA quick_check(1)").fetchone()[0]
    except sqlite3.DatabaseError:
        return False
    return found == "ok"


def _install(draft: Path, settings: Settings, replaces: bool, make: Callable[..., Flask]) -> Path | None:
    """Put the draft in the place of the present database; return the file that keeps that, if there was one."""
    is_used = _is_used(settings, make)
    if is_used and not replaces:
        raise RestoreRefused(HAS_PLAYERS)
    kept = settings.var / f"replaced-{utc_now():%Y%m%dT%H%M%S%f}.db" if is_used else None
    if kept is not None:
        with _opened(settings.database_url, settings, make):
            _copy(kept, settings)
    if is_sqlite(settings.database_url):
        place = Path(make_url(settings.database_url).database or "")
        draft.replace(place)
        for suffix in ("-journal", "-wal", "-shm"):  # they belong to the old file
            place.with_name(place.name + suffix).unlink(missing_ok=True)
    else:
        _copy_to_server(draft, settings, make)
    return kept


def _is_used(settings: Settings, make: Callable[..., Flask]) -> bool:
    """Return whether the database of the settings has players or games; refuse one that a server uses just now."""
    with _opened(settings.database_url, settings, make):
        if migrations.current() is None:
            return False
        if health.is_at_work():
            raise RestoreRefused(SERVER_RUNS)
        with db.engine.connect() as connection:
            return copying.has_rows(connection)


def _copy_to_server(draft: Path, settings: Settings, make: Callable[..., Flask]) -> None:
    """Replace the rows of PostgreSQL by those of the file, in one transaction."""
    with _opened(settings.database_url, settings, make):
        migrations.upgrade()
    with _connected(f"sqlite:///{draft}") as source, _connected(settings.database_url) as target:
        copying.delete_rows(target)
        copying.copy_rows(source, target)


# Other databases than that of the settings -------------------------------------------------------


@contextmanager
def _opened(url: str, settings: Settings, make: Callable[..., Flask] = app.create_app) -> Iterator[None]:
    """Enter the context of an application on another database than that of the settings, and close that in the end."""
    with make(replace(settings, database_url=url), serves_http=False).app_context():
        try:
            yield
        finally:
            session.remove()
            db.engine.dispose()


@contextmanager
def _connected(url: str, **options: str) -> Iterator[Connection]:
    """Enter a transaction of a connection of its own."""
    arguments = {} if is_sqlite(url) else {"connect_args": postgresql.ARGUMENTS}
    engine = create_engine(url, hide_parameters=True, **arguments, **options)
    try:
        with engine.begin() as connection:
            yield connection
    finally:
        engine.dispose()
