"""`blackticket backup`, `restore`, `release`: a copy of the database, the way back, and what waits after it.

A backup is a SQLite file, whichever kind of database it was made from, and is restored into either kind.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from server.cli.context import application, as_json, show

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from server.settings import Settings

_MAGIC = b"SQLite format 3\0"


@click.command()
@click.argument("target", type=click.Path(path_type=Path))
def backup(target: Path) -> None:
    """Copy the database to the new file TARGET while the server runs. Keep the secret key elsewhere.

    A backup can be restored into SQLite and into PostgreSQL.
    """
    from server.application.errors import Problem  # noqa: PLC0415 start-up time
    from server.runtime import now, runtime  # noqa: PLC0415

    with application():
        settings, made_at = runtime().settings, now()
        try:
            _copy(target.resolve(), settings)
        except FileExistsError:
            raise Problem("form", f"{target} exists already; name a new file.") from None
        except OSError as error:
            raise Problem("form", f"{target} cannot be written ({error.strerror}); name another file.") from None
        _date(target, made_at)
        where = settings.secret_key_from
    click.echo(f"The database was copied to {target}. It can be read only with the secret key, which is not in it.")
    click.echo(f"The key is in {where}; keep a copy of it, and not beside the backups.")


@click.command()
@click.argument("source", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--replace", "replaces", is_flag=True, help="Replace the present database; it is kept beside.")
@as_json
def restore(source: Path, replaces: bool, as_json: bool) -> None:
    """Restore the backup SOURCE into the database of the settings. Stop the server first.

    Afterwards no mail goes and no deadline fires until `blackticket release`: mails may have gone since the backup was
    made, and deadlines passed. The secret key has to be that of the backup.
    """
    from server.application.upkeep import restoration  # noqa: PLC0415 start-up time
    from server.settings import Settings, environment  # noqa: PLC0415

    settings = Settings.from_environ(environment())
    draft = settings.var / f".restoring-{os.getpid()}.db"
    try:
        _prepare(source, draft, settings)
        kept = _install(draft, settings, replaces=replaces)
    finally:
        for left in settings.var.glob(f"{draft.name}*"):
            left.unlink()
    with application():
        facts = restoration.report() | {"replaced": str(kept) if kept else None}
    where = f"The database of before is kept as {kept}.\n" if kept else ""
    show(facts, f"The backup was restored.\n{where}{_in_words(facts)}", as_json=as_json)


@click.command()
@click.option("--send-mails", "mails", flag_value="send", help="Send the mails that waited when the backup was made.")
@click.option("--drop-mails", "mails", flag_value="drop", help="Do not send them: they have gone meanwhile.")
@as_json
def release(mails: str | None, as_json: bool) -> None:
    """Show what waits after a backup was restored; with one of the options, let it go on.

    Every deadline moves by the time since the backup was made, and everybody whose turn it is gets a new turn mail.
    """
    from server.application.upkeep import restoration  # noqa: PLC0415 start-up time

    with application():
        facts = restoration.report()
        if mails:
            restoration.release(send=mails == "send")
    if not mails:
        show(facts, _in_words(facts), as_json=as_json)
        return
    what = "The mails of before go now" if mails == "send" else "The mails of before are dropped"
    show(facts, f"{what}, and deadlines move by {facts['deadlines_move_by']}.", as_json=as_json)


def copy_file(target: Path) -> None:
    """Make a consistent copy of the embedded database, encrypted columns included; raise `OSError` if that fails."""
    from server.models import db  # noqa: PLC0415

    _copy_sqlite(Path(db.engine.url.database or ""), target)


def _copy(target: Path, settings: "Settings") -> None:
    from server.models.base import is_sqlite  # noqa: PLC0415

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


def _date(target: Path, made_at: datetime) -> None:
    """Note in a backup when it was made."""
    from sqlalchemy import delete, insert  # noqa: PLC0415 start-up time

    from server.application.upkeep.restoration import BACKUP  # noqa: PLC0415
    from server.models import Pulse  # noqa: PLC0415

    with _connected(f"sqlite:///{target}") as copy:
        copy.execute(delete(Pulse).where(Pulse.name == BACKUP))
        copy.execute(insert(Pulse).values(name=BACKUP, at=made_at))


# Restoring ---------------------------------------------------------------------------------------


def _prepare(source: Path, draft: Path, settings: "Settings") -> None:
    """Copy the backup to `draft`, bring it to this version, and hold its mails and deadlines.

    Raises:
        Problem: if `source` is no backup, or damaged.
        WrongKey: if it was made with another secret key.
    """
    from server import migrations  # noqa: PLC0415 start-up time
    from server.application.errors import Problem  # noqa: PLC0415
    from server.application.upkeep import key_check, restoration  # noqa: PLC0415

    with source.open("rb") as file:
        if file.read(len(_MAGIC)) != _MAGIC:
            raise Problem("form", f"{source} is no backup of this server; `blackticket backup` makes one.")
    try:
        _copy_sqlite(source, draft)
        with closing(sqlite3.connect(draft)) as copy:
            damage = copy.execute("PRAGMA quick_check(1)").fetchone()[0]
    except sqlite3.DatabaseError as error:
        damage = str(error)
    if damage != "ok":
        raise Problem("form", f"{source} is damaged; take another backup.")
    with _opened(f"sqlite:///{draft}", settings):
        if migrations.current() is None:
            raise Problem("form", f"{source} is no backup of this server; `blackticket backup` makes one.")
        migrations.upgrade()
        key_check.require()
        restoration.hold()


def _install(draft: Path, settings: "Settings", *, replaces: bool) -> Path | None:
    """Put the draft in the place of the present database; return the file that keeps that, if there was one."""
    from sqlalchemy import make_url  # noqa: PLC0415

    from server.application.errors import Problem  # noqa: PLC0415 start-up time
    from server.models.base import is_sqlite  # noqa: PLC0415
    from server.runtime import utc_now  # noqa: PLC0415

    is_used = _is_used(settings)
    if is_used and not replaces:
        raise Problem("form", "There is a database with players already; --replace puts the backup in its place.")
    kept = settings.var / f"replaced-{utc_now():%Y%m%dT%H%M%S%f}.db" if is_used else None
    if kept is not None:
        with _opened(settings.database_url, settings):
            _copy(kept, settings)
    if is_sqlite(settings.database_url):
        place = Path(make_url(settings.database_url).database or "")
        draft.replace(place)
        for suffix in ("-journal", "-wal", "-shm"):  # they belong to the old file
            place.with_name(place.name + suffix).unlink(missing_ok=True)
    else:
        _copy_to_server(draft, settings)
    return kept


def _is_used(settings: "Settings") -> bool:
    """Return whether the database of the settings has players or games; refuse one that a server uses just now."""
    from server import migrations  # noqa: PLC0415 start-up time
    from server.application.errors import Problem  # noqa: PLC0415
    from server.application.upkeep import health  # noqa: PLC0415
    from server.models import copying, db  # noqa: PLC0415

    with _opened(settings.database_url, settings):
        if migrations.current() is None:
            return False
        if health.is_at_work():
            raise Problem("form", "A worker looked at this database a moment ago; stop the server, and try again.")
        with db.engine.connect() as connection:
            return copying.has_rows(connection)


@contextmanager
def _opened(url: str, settings: "Settings") -> Iterator[None]:
    """Enter the context of an application on another database than that of the settings, and close that in the end."""
    from server.app import create_app  # noqa: PLC0415 start-up time
    from server.models import db, session  # noqa: PLC0415

    with create_app(replace(settings, database_url=url), serves_http=False).app_context():
        try:
            yield
        finally:
            session.remove()
            db.engine.dispose()


def _copy_from_server(target: Path, settings: "Settings") -> None:
    """Copy the rows of PostgreSQL, as they are at one moment, to a new file with the tables of this version."""
    from server import migrations  # noqa: PLC0415 start-up time
    from server.models import copying  # noqa: PLC0415

    with _opened(f"sqlite:///{target}", settings):
        migrations.upgrade()
    at_one_moment = {"isolation_level": "REPEATABLE READ"}
    with _connected(settings.database_url, **at_one_moment) as source, _connected(f"sqlite:///{target}") as copy:
        copying.copy_rows(source, copy)


def _copy_to_server(draft: Path, settings: "Settings") -> None:
    """Replace the rows of PostgreSQL by those of the file, in one transaction."""
    from server import migrations  # noqa: PLC0415 start-up time
    from server.models import copying  # noqa: PLC0415

    with _opened(settings.database_url, settings):
        migrations.upgrade()
    with _connected(f"sqlite:///{draft}") as source, _connected(settings.database_url) as target:
        copying.delete_rows(target)
        copying.copy_rows(source, target)


@contextmanager
def _connected(url: str, **options: str) -> Iterator["Connection"]:
    """Enter a transaction of a connection of its own."""
    from sqlalchemy import create_engine  # noqa: PLC0415 start-up time

    engine = create_engine(url, hide_parameters=True, **options)
    try:
        with engine.begin() as connection:
            yield connection
    finally:
        engine.dispose()


def _in_words(facts: dict[str, Any]) -> str:
    mails = ", ".join(f"{count} {kind}" for kind, count in facts["mails_by_kind"].items()) or "none"
    return (
        f"The backup was made at {facts['backup_made_at']}. Until you release it no mail goes and no deadline fires.\n"
        f"Games that run: {facts['running_games']}. Deadlines that will move by {facts['deadlines_move_by']}: "
        f"{facts['deadlines']}.\n"
        f"Mails that waited when the backup was made: {mails}. They may have gone since; "
        "`blackticket outbox list --state restored` lists them.\n"
        "Start the server, and then release: blackticket release --drop-mails, or --send-mails."
    )
