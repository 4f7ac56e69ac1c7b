"""Databases without rows, made once: migrating one for each test would take most of its time."""

import atexit
import hashlib
import shutil
import tempfile
from functools import cache
from pathlib import Path

from server import migrations
from server.application.integrity import key_check
from server.models import KeyCheck, db, execute, insert_new, transaction
from server.settings import Settings
from tests import databases
from tests.injected import application

KEY = hashlib.sha256(b"the secret key of most tests").hexdigest()


@cache
def migrated() -> Path:
    """An empty database at the newest revision, made once: migrating for each test would take most of its time."""
    folder = _temporary_folder()
    app = application(Settings.from_environ({}, folder))
    with app.app_context():
        migrations.upgrade()
        db.engine.dispose()
    return folder / "blackticket.db"


@cache
def migrated_with_key() -> Path:
    """A migrated database that holds the key check value of the secret key beside it, made once."""
    folder = _temporary_folder()
    lay_key(folder)
    shutil.copy(migrated(), folder)
    app = application(Settings.from_environ({}, folder))
    with app.app_context():
        key_check.require()
        databases.let_go()
    return folder / "blackticket.db"


def _temporary_folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="blackticket-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def lay_migrated(var: Path) -> None:
    """Make the data folder of a server that has only been migrated: an empty database, and the secret key."""
    var.mkdir(mode=0o700)
    lay(migrated(), var)


def lay(database: Path, var: Path) -> None:
    """Put a database and the secret key beside it into a folder."""
    for name in (database.name, "secret_key"):
        shutil.copy(database.with_name(name), var / name)


def lay_key(var: Path) -> None:
    """Put the secret key of most tests into a folder."""
    file = var / "secret_key"
    file.touch(mode=0o600)
    file.write_text(KEY)


def keep_key() -> None:
    """Keep the key check value in a database without rows, in which there is nothing to try the key on."""
    with transaction():
        execute(insert_new(KeyCheck), {"number": 1, "value": key_check.VALUE})
