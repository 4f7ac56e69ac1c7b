"""Proofs that a process is alive: its leases are free again as soon as it is proven dead.

A life begins when a process first leases something, and ends with the process, however that ends. Its name is written
into the leases. A lock proves the life, because no lock outlasts its process: with SQLite, where all processes run on
one machine, a lock of the operating system on a file beside the database; with PostgreSQL an advisory lock, held by a
separate connection. A process that gets the lock of a life knows that the life is over.
"""

import fcntl
import os
import re
import threading
import weakref
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

from flask import current_app
from sqlalchemy import Engine, text

from server.models.base import is_readable, session
from server.runtime import runtime

SPACE = 1_714_636_915  # the first key of our advisory locks in PostgreSQL; any number that nobody else uses
MOST_TRIES = 20
UNPROVEN = "unproven"  # the name of every life that cannot be proven: it never counts as dead
_NAME = re.compile(r"[0-9a-f]{8}")
_lock = threading.Lock()


class _Life(Protocol):
    """The life of a process. `name` is written into leases."""

    name: str

    def is_proven(self) -> bool: ...


def current() -> str:
    """Return the name of the life of this process, which begins with the first call."""
    with _lock:
        life: _Life | None = current_app.extensions.get("life")
        if life is None or not life.is_proven():
            life = current_app.extensions["life"] = _begin(_engine())
        return life.name


def is_over(name: str) -> bool:
    """Return True if the life of this name is proven to be over; False if it is not, or is no life at all."""
    if not _NAME.fullmatch(name):
        return False
    own: _Life | None = current_app.extensions.get("life")
    if own is not None and own.name == name:
        return False
    if _engine().dialect.name == "sqlite":
        return _file_is_free(_folder(_engine()) / name)
    # Held for as long as the statement takes.
    free = text("SELECT pg_try_advisory_xact_lock(:space, :number)")
    return bool(session.scalar(free, {"space": SPACE, "number": int(name, 16)}))


def forget_dead() -> None:
    """Remove the files of lives that are over."""
    if _engine().dialect.name == "sqlite":
        folder = _folder(_engine())
        for path in folder.glob("[0-9a-f]*"):
            is_over(path.name)
        for path in folder.glob(".[0-9a-f]*"):  # of a process that died before its file had its name
            _file_is_free(path)


def _engine() -> Engine:
    return session.get_bind().engine


def _begin(engine: Engine) -> _Life:
    if engine.dialect.name != "sqlite":
        return _Connected(engine)
    for _ in range(MOST_TRIES):
        try:
            return _Locked(_folder(engine), _new_name())
        except (FileExistsError, FileNotFoundError, BlockingIOError):
            continue  # another life has the name, or `forget_dead` took the file for one that was left behind
        except OSError:  # no room, or no locks on this file system
            break
    return _Unproven()


def _new_name() -> str:
    return f"{runtime().rng('life').getrandbits(31):08x}"


class _Unproven:
    name = UNPROVEN

    def is_proven(self) -> bool:
        """Return True, as another attempt would fail too."""
        return True


class _Locked:
    """A life proven by a locked file."""

    def __init__(self, folder: Path, name: str) -> None:
        folder.mkdir(mode=0o700, exist_ok=True)
        self.name = name
        self._pid = os.getpid()
        # The file gets its name once it is locked: an unlocked one would count as that of a dead process.
        hidden = folder / f".{name}"
        file = os.open(hidden, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
        weakref.finalize(self, _close, file, self._pid)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            (folder / name).hardlink_to(hidden)
        finally:
            hidden.unlink(missing_ok=True)
        # A child of this process would keep the lock beyond its end.
        os.register_at_fork(after_in_child=_Closing(self, file))

    def is_proven(self) -> bool:
        """Return False in a child of the process whose life it is."""
        return self._pid == os.getpid()


class _Closing:
    """A callback that closes the copy of a file that a child process got from its parent."""

    def __init__(self, life: _Locked, file: int) -> None:
        self._life = weakref.ref(life)
        self._file = file

    def __call__(self) -> None:
        if self._life() is not None:
            with suppress(OSError):
                os.close(self._file)


class _Connected:
    """A life proven by a lock of PostgreSQL, on a connection that is used for nothing else."""

    def __init__(self, engine: Engine) -> None:
        self._pid = os.getpid()
        connection = engine.raw_connection()
        connection.detach()
        self._connection: Any = connection.dbapi_connection
        weakref.finalize(self, connection.close)
        while True:
            self.name = _new_name()
            cursor = connection.cursor()
            cursor.execute(f"SELECT pg_try_advisory_lock({SPACE}, {int(self.name, 16)})")
            row = cursor.fetchone()
            cursor.close()
            if row and row[0]:
                break

    def is_proven(self) -> bool:
        """Return False when the server has ended the connection, or in a child of the process."""
        if self._pid != os.getpid() or self._connection.closed:
            return False
        return not is_readable(self._connection)


def _folder(engine: Engine) -> Path:
    """Return the folder with a file for each life; all processes find it beside the database."""
    database = Path(str(engine.url.database)).absolute()
    return database.with_name(f"{database.name}.lives")


def _file_is_free(path: Path) -> bool:
    try:
        file = os.open(path, os.O_RDWR)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        path.unlink(missing_ok=True)
    except OSError:
        return False
    finally:
        os.close(file)
    return True


def _close(file: int, pid: int) -> None:
    if pid == os.getpid():
        os.close(file)
