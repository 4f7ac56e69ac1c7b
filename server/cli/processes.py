"""Folder, sockets and signals of a running process."""

import ctypes
import errno
import gc
import json
import logging
import os
import pickle
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from types import FrameType

from flask import Flask

from server.app.notifications import NewsReader
from server.engine import USUAL, Edition
from server.engine.rides import Rides
from server.http.server import HttpServer, Limits
from server.models import db
from server.models.base import is_sqlite
from server.runtime import file_locks
from server.runtime.faults import fault
from server.runtime.networks import LOOPBACK
from server.settings import Listen, SettingError, Settings

_ARENA_MAX = -8  # M_ARENA_MAX of malloc.h
LONGEST_STOP = 28.0  # seconds from the first signal to the end, however long something hangs; systemd waits for 30


def hold_folder(folder: Path) -> None:
    """Keep the data folder for this `serve` until its end; raise `SettingError` if another one has it.

    The lock is the system's and ends with the process, however that ends. A child gives its copy up: the folder of a
    server that was killed is free at once, though its worker may need a moment to notice.
    """
    file = file_locks.open_file(folder / "serve.lock")
    os.register_at_fork(after_in_child=partial(_close, [file]))
    if not file_locks.take(file):
        raise SettingError(
            f"Another `blackticket serve` works in the folder {folder.resolve()}; stop that one, or start this one in "
            "another folder. With PostgreSQL `blackticket web` and `blackticket worker` may run beside it."
        )


def _close(files: list[int]) -> None:
    while files:  # a child of a child has none
        os.close(files.pop())


def run_apart(work: Callable[[], None], meanwhile: Callable[[], object] = lambda: None) -> None:
    """Do work on the database in a process that ends with it, so that nothing it loads stays in memory.

    This process calls `meanwhile` at the same time, which must not use the database.
    An error of it is raised here; one that cannot be handed over, as a RuntimeError with its kind and place. Call this
    before there are threads.
    """
    db.engine.dispose()  # no connection may be used by two processes
    fork = get_context("fork")
    ours, theirs = fork.Pipe(duplex=False)
    process = fork.Process(target=_do_and_report, args=(work, theirs))
    process.start()
    theirs.close()
    meanwhile()
    try:
        error = ours.recv()
    except EOFError:
        error = RuntimeError("the process that upgrades the database was killed")
    process.join()
    if error is not None:
        raise error


def _do_and_report(work: Callable[[], None], line: Connection) -> None:
    error: BaseException | None = None
    try:
        work()
    except BaseException as failure:  # noqa: BLE001 it is raised in the other process
        error = failure
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301 our own
    except Exception:  # noqa: BLE001 whatever its class does
        assert error is not None
        error = RuntimeError(fault(error))
    line.send(error)


def close_database(app: Flask) -> None:
    """Close the connections: the last one to a SQLite file writes the log beside it into it, and removes the log."""
    with app.app_context():
        db.session.remove()
        db.engine.dispose()


def require_relay(settings: Settings) -> None:
    """Raise `SettingError` if a worker on PostgreSQL has no relay: other machines look into no Maildir of this one."""
    if settings.smtp_url is None and not is_sqlite(settings.database_url):
        raise SettingError("A worker on PostgreSQL needs a relay for its mail; set BLACKTICKET_SMTP_URL.")


def http_server(app: Flask) -> HttpServer:
    """Return the HTTP server of `app`, bound; raise `SettingError` if its address cannot be used."""
    settings = app.extensions["blackticket"].settings
    at = settings.http_listen
    try:
        return HttpServer(app, at.host, at.port, Limits(uncapped=(*LOOPBACK, *settings.trusted_proxies)))
    except OSError as error:
        raise unusable("HTTP_LISTEN", at, error) from None


@contextmanager
def telling(app: Flask, http: HttpServer, *, has_worker: bool) -> Iterator[None]:
    """Tell the streams of this process, while the block runs, what is committed; enter it behind any fork.

    On SQLite they hear of this process and its worker, so without a worker there are none.
    """
    parts = app.extensions["blackticket"]
    if is_sqlite(parts.settings.database_url):
        parts.tell = http.tell
        http.set_hearing(has_worker)
        yield
        return
    reader = NewsReader(app, http.tell, http.set_hearing)
    reader.start()
    try:
        yield
    finally:
        reader.stop()


def load_usual_board() -> None:
    """Compute the tables of the usual board at the start, so that the first request does not wait for them."""
    Rides.of(Edition.named(USUAL).board)


def share_memory_of_threads() -> None:
    """Make all threads allocate memory in one arena, if the C library is glibc.

    By default each thread gets an arena, which keeps the memory that one request needed. Call this before there are
    threads.
    """
    library = ctypes.CDLL(None)
    if hasattr(library, "mallopt"):
        library.mallopt(_ARENA_MAX, 1)


def freeze() -> None:
    """Exclude all that is loaded by now from garbage collection: it stays for good.

    Python looks through the rest after some 95,000 new objects: connections that have closed are cycles, and a process
    with many readers would keep megabytes of them.
    """
    gc.collect()
    gc.freeze()
    gc.collect()  # or the next time would be when there is a quarter more than before, what is frozen included
    gc.set_threshold(5_000, 4, 2)


def stop_on_signal(stop: Callable[[], None], tell: Callable[[], None] = lambda: None) -> None:
    """Call `tell` and `stop` at the first SIGTERM or Ctrl-C; a second one, or `LONGEST_STOP`, ends the process.

    They are called in a thread. Python would call them in the main thread, which notices no signal that comes just
    before it begins to wait, and which may hold the lock that `stop` needs.
    """
    came, comes = socket.socketpair()
    comes.setblocking(False)
    signal.set_wakeup_fd(comes.fileno(), warn_on_full_buffer=False)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _nothing)
    # The thread keeps both ends open.
    threading.Thread(target=_await_signals, args=(came, comes, tell, stop), name="signals", daemon=True).start()


def _nothing(_number: int, _frame: FrameType | None) -> None:
    """Do nothing: a signal with a handler is also written to the socket of `set_wakeup_fd`."""


def _await_signals(
    came: socket.socket, _comes: socket.socket, tell: Callable[[], None], stop: Callable[[], None]
) -> None:
    came.recv(1)
    tell()
    stop()
    came.settimeout(LONGEST_STOP)
    status = 1
    with suppress(TimeoutError):
        status = 128 + ord(came.recv(1))  # as shells tell of a signal
    os._exit(status)


def unusable(name: str, at: Listen, error: OSError) -> SettingError:
    choose = f"choose another address with BLACKTICKET_{name}"
    if error.errno == errno.EADDRINUSE:
        return SettingError(f"{at} is in use by another program; end that program, or {choose}.")
    why = "there is no such host" if isinstance(error, socket.gaierror) else error.strerror
    return SettingError(f"{at} cannot be used ({why}); {choose}.")


class JsonLines(logging.Formatter):
    """Writes a record with its time, level, logger and message; of an error the kind and place, never its text."""

    def format(self, record: logging.LogRecord) -> str:
        """Return one line of JSON."""
        found = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        error = record.exc_info[1] if record.exc_info else None
        return json.dumps(found | ({"fault": fault(error)} if error is not None else {}))


def set_up_log(settings: Settings, log: logging.Logger | None = None) -> None:
    """Have warnings and errors of `log`, by default of all, written to the terminal as JSON if the settings say so."""
    if settings.log_format != "json":
        return
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines())
    handler.setLevel(logging.WARNING)
    (log or logging.getLogger()).addHandler(handler)
