"""`blackticket db upgrade`: bring the database to this version."""

from collections.abc import Callable

import click

from server import migrations
from server.app.backups import copy_file
from server.application.integrity import key_check
from server.cli.context import make_application, new_database_sentence
from server.cli.processes import run_apart
from server.models.base import is_sqlite
from server.models.in_use import Use
from server.runtime import now, runtime


def upgrade() -> None:
    app = make_application()
    with app.app_context(), Use(app.extensions["blackticket"].settings.database_url):
        click.echo(upgrade_with_backup() or f"The database is at revision {migrations.newest()}.")


def upgrade_with_backup(meanwhile: Callable[[], object] | None = None) -> str | None:
    """Upgrade the database if needed; return a sentence on what was done, or None.

    With `meanwhile`, a process of its own upgrades it, and this one calls that at the same time.

    Raises:
        WrongKey: if the database was made with another secret key.
    """
    done = _upgrade(meanwhile)
    key_check.require()
    return done


def _upgrade(meanwhile: Callable[[], object] | None) -> str | None:
    before, newest = migrations.current(), migrations.newest()
    if before == newest:
        return None
    kept = ""
    if before is not None and is_sqlite(runtime().settings.database_url):
        target = runtime().settings.var / f"before-{newest}-{now():%Y%m%dT%H%M%S}.db"
        copy_file(target)
        kept = f"; a backup of the old one is {target}"
    if meanwhile is not None:
        run_apart(migrations.upgrade, meanwhile)
    else:
        migrations.upgrade()
    if before is None:
        return new_database_sentence()
    return f"The database was brought to revision {newest}{kept}."
