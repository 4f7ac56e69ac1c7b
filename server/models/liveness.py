"""Proofs that a process is alive: its leases are free again as soon as it is proven dead.

A life begins when a process first leases something, and ends with the process, however that ends. Its name is written
into the leases. With SQLite, where all processes run on one machine, a lock of the operating system on a file beside
the database proves the life, because no lock outlasts its process: who gets the lock knows that the life is over. With
PostgreSQL a row does, which the process renews; a connection, and what is locked on it, is no proof behind a pooler. A
row that was not renewed for `DEAD_AFTER` is deleted, and a life without a row is over. The process may only have been
stopped for so long: then it finds its row gone, and begins another life, to which none of its old leases belongs.
"""

import fcntl
import os
import re
import threading
import weakref
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Protocol

from flask import current_app
from sqlalchemy import ColumnElement, Engine, Row, bindparam, delete, select, update
from sqlalchemy.orm import aliased

from server.models.base import execute, give_back, reading, session, under_way
from server.models.statements import insert_new
from server.models.types import UtcTime
from server.models.upkeep import Process
from server.runtime import now, runtime

MOST_TRIES = 20
UNPROVEN = "unproven"  # the name of every life that cannot be proven: it never counts as dead
RENEWED_EVERY = 2.0  # seconds
# Before it sends anything, a process whose row was not renewed for so long makes sure that it was not taken for dead.
STALE = timedelta(seconds=4)
DEAD_AFTER = timedelta(seconds=6)
_NAME = re.compile(r"[0-9a-f]{8}")
_OTHER = aliased(Process)
_lock = threading.Lock()


def _was_renewed(row: type[Process] = Process) -> ColumnElement[bool]:
    """Return the condition that a row was renewed within `DEAD_AFTER`, and not before the clock was set back."""
    return row.seen_at.between(bindparam("since", type_=UtcTime()), bindparam("until", type_=UtcTime()))


_SEEN = select(Process.name).where(Process.name == bindparam("named"), _was_renewed())
_RENEW = (
    update(Process).where(Process.name == bindparam("named"))
    .values(seen_at=bindparam("at"), ahead=bindparam("by"))
    .returning(select(_OTHER.name).where(~_was_renewed(_OTHER)).exists().label("one_is_over"))
)  # fmt: skip
_BURY = delete(Process).where(~_was_renewed())
_ALIVE = select(Process.host, Process.ahead, Process.connections).where(_was_renewed()).order_by(Process.host)


class _Life(Protocol):
    """The life of a process. `name` is written into leases."""

    name: str

    def is_fresh(self) -> bool:
        """Return whether this life certainly goes on, so that nothing need be asked.

        In a child of the process whose life it is, it does not.
        """

    def renew(self) -> bool | None:
        """Prove once more that this life goes on.

        Return None if it is over; else whether another one seems to be over.
        """


def current() -> str:
    """Return the name of the life of this process, which begins with the first call."""
    life: _Life | None = current_app.extensions.get("life")
    # Within a transaction nothing is renewed, as that would need another connection; who sends asks outside of one.
    if life is not None and (life.is_fresh() or under_way()):
        return life.name
    if not under_way():
        give_back()  # whoever waits for the lock must hold nothing that its holder may wait for
    with _lock:
        life = current_app.extensions.get("life")
        if life is None or not (life.is_fresh() or life.renew() is not None):
            life = current_app.extensions["life"] = _begin(_engine())
        return life.name


def renew() -> bool:
    """Prove once more that this process is alive; return whether another one seems to be dead."""
    life: _Life | None = current_app.extensions.get("life")
    another_is_over = life.renew() if life is not None else None
    if another_is_over is None:
        current()
        return True  # for all that is known
    return another_is_over


def is_over(name: str) -> bool:
    """Return True if the life of this name is proven to be over; False if it is not, or is no life at all."""
    if not _NAME.fullmatch(name):
        return False
    own: _Life | None = current_app.extensions.get("life")
    if own is not None and own.name == name:
        return False
    if _is_embedded():
        return _file_is_free(_folder(_engine()) / name)
    with reading() as connection:
        return connection.execute(_SEEN, {"named": name, **_recently()}).first() is None


def bury() -> None:
    """Remove what is left of lives that are over, so that they cannot go on: their files, or in PostgreSQL their rows.

    There it is part of the transaction under way, which frees their leases.
    """
    if not _is_embedded():
        execute(_BURY, _recently())
        return
    folder = _folder(_engine())
    for path in folder.glob("[0-9a-f]*"):
        is_over(path.name)
    for path in folder.glob(".[0-9a-f]*"):  # of a process that died before its file had its name
        _file_is_free(path)


def alive() -> Sequence[Row[str, float, int]]:
    """Return the `host` of each process that is alive, by how much its clock is `ahead`, and its `connections` at most.

    With SQLite there are none: all have the clock of one machine.
    """
    with reading() as connection:
        return connection.execute(_ALIVE, _recently()).all()


def _recently() -> dict[str, datetime]:
    """Return between which times a row of a life was renewed that is not over.

    Call it with a connection in hand. This process may have taken a wrong time from a clock that was set, until it gets
    a connection of the pool: then the clock is compared with that of the database.
    """
    return {"since": now() - DEAD_AFTER, "until": now() + DEAD_AFTER}


def _engine() -> Engine:
    return session.get_bind().engine


def _is_embedded() -> bool:
    return _engine().dialect.name == "sqlite"


def _begin(engine: Engine) -> _Life:
    if engine.dialect.name != "sqlite":
        return _Noted()
    for _ in range(MOST_TRIES):
        try:
            return _Locked(_folder(engine), _new_name())
        except (FileExistsError, FileNotFoundError, BlockingIOError):
            continue  # another life has the name, or `bury` took the file for one that was left behind
        except OSError:  # no room, or no locks on this file system
            break
    return _Unproven()


def _new_name() -> str:
    return f"{runtime().rng('life').getrandbits(31):08x}"


class _Unproven:
    name = UNPROVEN

    def is_fresh(self) -> bool:
        """Return True: it was tried to prove this life, and another attempt would fail too."""
        return True

    def renew(self) -> bool:
        """Return False: where this life cannot be proven, no other can, so none counts as over."""
        return False


class _Locked:
    """A life proven by a locked file."""

    def __init__(self, folder: Path, name: str) -> None:
        folder.mkdir(mode=0o700, exist_ok=True)
        self.name, self._folder = name, folder
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

    def is_fresh(self) -> bool:
        """Return whether this is the process that has the lock."""
        return self._pid == os.getpid()

    def renew(self) -> bool | None:
        """Look at the files of the others; the lock of this one needs nothing."""
        if not self.is_fresh():
            return None
        return any(_file_is_free(path) for path in self._folder.glob("[0-9a-f]*"))


class _Closing:
    """A callback that closes the copy of a file that a child process got from its parent."""

    def __init__(self, life: _Locked, file: int) -> None:
        self._life = weakref.ref(life)
        self._file = file

    def __call__(self) -> None:
        if self._life() is not None:
            with suppress(OSError):
                os.close(self._file)


class _Noted:
    """A life proven by a row in PostgreSQL."""

    def __init__(self) -> None:
        """Insert the row, under a name that no other has."""
        self._pid = os.getpid()
        parts = runtime()
        connections = parts.settings.database_connections + parts.has_listener
        row: dict[str, Any] = {"host": parts.host[:64], "connections": connections}
        session.connection()  # for the reason that `_recently` gives
        self.name, self._at = _new_name(), now()
        while not execute(
            insert_new(Process), row | {"name": self.name, "seen_at": self._at, "ahead": _ahead()}
        ).first():
            self.name = _new_name()
        if not under_way():
            give_back()

    def is_fresh(self) -> bool:
        """Return whether the row was renewed by this process within `STALE`."""
        return self._pid == os.getpid() and timedelta(0) <= now() - self._at < STALE

    def renew(self) -> bool | None:
        """Renew the row; return None if it is gone, else whether another row was not renewed for `DEAD_AFTER`."""
        if self._pid != os.getpid():
            return None
        with reading() as connection:
            at = now()
            times = {"at": at, **_recently()}
            renewed = connection.execute(_RENEW, {"named": self.name, "by": _ahead(), **times}).one_or_none()
        if renewed is None:
            return None
        self._at = at
        return bool(renewed.one_is_over)


def _ahead() -> float:
    return runtime().ahead.total_seconds()


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
