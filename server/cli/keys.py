"""`blackticket key rotate`: a new key for the encrypted columns, while the server runs."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import click

from server.application.integrity import key_rotation
from server.cli.context import application
from server.runtime import file_locks, runtime
from server.runtime.keyring import Keys
from server.settings.folder import read_secret
from server.vocabulary.errors import Problem

# Seconds from the change of the file until every transaction that began before it has ended.
PAUSE = 60.0
WORKING_COPY = ".new"


def rotate() -> None:
    with application():
        path = runtime().settings.secret_key_path
        if path is None:
            raise Problem("form", "The secret key is in BLACKTICKET_SECRET_KEY. Put it into a file, name that in "
                          "BLACKTICKET_SECRET_KEY_FILE, and start the server again; then rotate the key.")  # fmt: skip
        try:
            with _alone(path.parent):
                _rotate(path)
        except BlockingIOError:
            raise Problem("form", "Another `blackticket key rotate` runs.") from None
        except OSError as error:
            raise Problem("form", f"A new key cannot be kept beside {path} ({error.strerror}).") from None


def _rotate(path: Path) -> None:
    keys = Keys.of(read_secret(path))
    if keys.is_rotating:
        click.echo("Going on where the last rotation ended.")
    else:
        keys = keys.with_new()
        former = path.with_name(f"{path.name}.former-{datetime.now(UTC):%Y%m%dT%H%M%S}")
        _write(former, keys.secret, like=path)
        _write(path, keys.secret, like=path)
        click.echo(f"{path} has a new key. {former.name} beside it opens the backups of before, and of meanwhile.")
    click.echo(f"{key_rotation.encrypt_again()} values were encrypted with it.")
    click.echo(f"Waiting until everything that began with the former key has ended, {PAUSE:.0f} seconds at most.")
    runtime().sleep(max(0.0, PAUSE - (time.time() - path.stat().st_mtime)))
    while key_rotation.count_former():
        key_rotation.encrypt_again()
    key_rotation.encrypt_check_value()
    _write(path, keys.without_former().secret, like=path)
    click.echo("Nothing needs the former key any more. Copy the new one to where the other was kept.")


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Let one process at a time change the key in a folder; raise `BlockingIOError` for another."""
    locked = os.open(folder, os.O_RDONLY)
    try:
        if not file_locks.take(locked):
            raise BlockingIOError
        yield
    finally:
        os.close(locked)


def _write(path: Path, secret: str, *, like: Path) -> None:
    """Write a secret to a file, whole or not at all, with the owner and the rights of the file `like`."""
    rights, new = like.stat(), path.with_name(path.name + WORKING_COPY)
    new.unlink(missing_ok=True)
    with os.fdopen(os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
        os.fchown(file.fileno(), rights.st_uid, rights.st_gid)
        os.fchmod(file.fileno(), rights.st_mode & 0o777)
        file.write(secret)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
