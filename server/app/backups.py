"""Backups: copies of the database, made while the server runs, and restored when it does not.

A backup is a SQLite file, whichever kind of database it was made from, and can be restored into either kind. Encrypted
columns stay encrypted.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from flask import Flask
from sqlalchemy import create_engine, delete, insert, make_url, select
from sqlalchemy.engine import Connection
from sqlalchemy.exc import DBAPIError

from server import app, migrations
from server.application.integrity import key_check, restoration
from server.models import Base, KeyCheck, Pulse, copying, db, liveness, postgresql, session
from server.models.base import is_sqlite
from server.models.in_use import InUse, Use
from server.models.sqlite import sqlite3
from server.runtime import utc_now
from server.runtime.keyring import WrongKey
from server.settings import Settings

# Why a backup is not restored.
NO_BACKUP, DAMAGED, INCOMPLETE, IS_USED, SERVER_RUNS = "no-backup", "damaged", "incomplete", "is-used", "server-runs"
_BESIDE = ("-journal", "-wal", "-shm")  # the ends of the names of files that belong to a SQLite file
_MAGIC = b"SQLite format 3\0"


class RestoreRefused(Exception):
    """A backup that is not restored; nothing has changed. `reason` is one of those above.

    `lost` says what an incomplete backup lacks.
    """

    def __init__(self, reason: str, lost: str = "") -> None:
        super().__init__(reason)
        self.reason, self.lost = reason, lost


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
        replaces: whether a database with tables may be replaced.
        make: makes the application that opens a database.

    Returns:
        The file that keeps the database of before, if that had tables.

    Raises:
        RestoreRefused: if that is not possible.
        WrongKey: if the backup was made with another secret key.
    """
    draft = settings.var / f".restoring-{os.getpid()}.db"
    try:
        with Use(settings.database_url, alone=True):
            _prepare(source, draft, settings, make)
            return _install(draft, settings, replaces, make)
    except InUse:
        raise RestoreRefused(SERVER_RUNS) from None
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
    try:
        with _opened(f"sqlite:///{draft}", settings, make):
            _check_is_backup()
            migrations.upgrade()
            _check_is_complete()
            key_check.require()
            _check_is_readable()
            restoration.hold()
    except (DBAPIError, ValueError):
        raise RestoreRefused(DAMAGED) from None


def _check_is_backup() -> None:
    try:
        is_backup = migrations.current() is not None
    except migrations.ForeignDatabase:
        is_backup = False
    except migrations.IncompleteDatabase as error:
        raise RestoreRefused(INCOMPLETE, error.lost) from None
    if not is_backup:
        raise RestoreRefused(NO_BACKUP)


def _check_is_complete() -> None:
    """Refuse a backup that lacks a table or a column, or that has players and no value to check the key with."""
    try:
        migrations.require_complete()
    except migrations.IncompleteDatabase as error:
        raise RestoreRefused(INCOMPLETE, error.lost) from None
    with db.engine.connect() as connection:
        if copying.has_rows(connection) and connection.scalar(select(KeyCheck.number)) is None:
            raise RestoreRefused(INCOMPLETE, "has players, but nothing to check the secret key with")


def _check_is_readable() -> None:
    """Read every value of a backup once, which opens all that is encrypted; refuse it if one cannot be read."""
    with db.engine.connect() as connection:
        for table in Base.metadata.sorted_tables:
            try:
                for _ in connection.execution_options(yield_per=copying.BATCH).execute(select(table)):
                    pass
            except (WrongKey, TypeError):
                raise RestoreRefused(DAMAGED) from None


def _is_copied_whole(source: Path, draft: Path) -> bool:
    """Copy the backup to `draft`; return True if it is not damaged."""
    try:
        _copy_sqlite(source, draft)
        with closing(sqlite3.connect(draft)) as copy:
            found: str = copy.execute("PRAGMA integrity_check(1)").fetchone()[0]
            return found == "ok" and copy.execute("PRAGMA foreign_key_check").fetchone() is None
    except (sqlite3.DatabaseError, UnicodeDecodeError):
        return False


def _install(draft: Path, settings: Settings, replaces: bool, make: Callable[..., Flask]) -> Path | None:
    """Put the draft in the place of the present database; return the file that keeps that, if there was one."""
    is_used = _is_used(settings, make)
    if is_used and not replaces:
        raise RestoreRefused(IS_USED)
    kept = settings.var / f"replaced-{utc_now():%Y%m%dT%H%M%S%f}.db" if is_used else None
    if is_sqlite(settings.database_url):
        place = Path(make_url(settings.database_url).database or "")
        if kept is not None:
            _keep(place, kept)
        draft.replace(place)
        for end in _BESIDE:  # they belong to the old file
            _beside(place, end).unlink(missing_ok=True)
    else:
        if kept is not None:
            with _opened(settings.database_url, settings, make):
                _copy(kept, settings)
        _copy_to_server(draft, settings, make)
    return kept


def _is_used(settings: Settings, make: Callable[..., Flask]) -> bool:
    """Return whether the database of the settings has tables of ours, whole or not, or is damaged.

    Raises:
        RestoreRefused: if a server uses a PostgreSQL just now.
        OldDatabase: if the tables are another program's, or in PostgreSQL of another version, which cannot be kept.
    """
    with _opened(settings.database_url, settings, make):
        try:
            is_used = migrations.current() is not None
        except migrations.ForeignDatabase:
            raise
        except migrations.OldDatabase:
            if not is_sqlite(settings.database_url):
                raise
            return True
        except DBAPIError as error:
            if not _is_damage(error.orig):
                raise
            return True
        if is_used and liveness.alive():
            raise RestoreRefused(SERVER_RUNS)
        return is_used


def _is_damage(error: BaseException | None) -> bool:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def _keep(place: Path, kept: Path) -> None:
    """Copy the database at `place` to `kept`; a damaged one as it is, with the files that belong to it."""
    try:
        _copy_sqlite(place, kept)
    except sqlite3.DatabaseError:
        for end in ("", *_BESIDE):
            if _beside(place, end).exists():
                _beside(kept, end).touch(mode=0o600)
                shutil.copyfile(_beside(place, end), _beside(kept, end))


def _beside(file: Path, end: str) -> Path:
    return file.with_name(file.name + end)


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
    arguments = {} if is_sqlite(url) else {"connect_args": postgresql.arguments(url)}
    engine = create_engine(url, hide_parameters=True, **arguments, **options)
    try:
        with engine.begin() as connection:
            yield connection
    finally:
        engine.dispose()
