"""The service manager that started this process, such as systemd: the protocol of sd_notify, in a few lines.

It is told when the process is ready and when it stops. If it asks for that (WatchdogSec in the unit), it is also told
now and then that the process does its work, and starts it again when it hears nothing for that long.
"""

import faulthandler
import http.client
import logging
import os
import socket
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from server.settings import Settings

log = logging.getLogger(__name__)
READY, STOPPING, ALIVE = "READY=1", "STOPPING=1", "WATCHDOG=1"
MISSED = 3  # ticks that a worker may take from one look to the next
SHORTEST = 10.0  # seconds that it may take in any case
ANSWER = 10.0  # seconds for an answer of this server to itself
# Of the time that the service manager waits for; so one answer may come too late, and nothing happens.
SHARE = 1 / 4
Check = Callable[[], str | None]


class ServiceManager:
    """The service manager at the socket that it named in the environment; without one nothing is told."""

    def __init__(self, environ: Mapping[str, str] = os.environ) -> None:
        address = environ.get("NOTIFY_SOCKET", "")
        self._address = "\0" + address[1:] if address.startswith("@") else address
        self.patience = _patience(environ) if address else None
        self.is_stopping = False

    def tell(self, state: str) -> None:
        """Send a state. If that fails nobody listens, and the service manager does what it does then."""
        self.is_stopping = self.is_stopping or state == STOPPING
        if not self._address:
            return
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as line:
            line.sendto(state.encode(), self._address)

    def watch(self, checks: Sequence[Check]) -> None:
        """Say that the process is ready, and from now on, in a thread, that it does its work."""
        self.tell(READY)
        if self.patience is None:
            return
        faulthandler.enable()  # the service manager ends a process that hangs so that it can say where
        pause = threading.Event()  # which nobody sets: the thread ends with the process
        feeding = (self, checks, pause.wait)
        threading.Thread(target=feed, args=feeding, name="watchdog", daemon=True).start()


def feed(manager: ServiceManager, checks: Sequence[Check], wait: Callable[[float], bool]) -> None:
    """Tell the service manager that all is well, as long as each check finds nothing; log what one finds, once.

    `wait` waits for so many seconds, and returns True to end this.
    """
    assert manager.patience is not None
    logged: str | None = None
    while not wait(manager.patience * SHARE):
        found = next((said for check in checks if (said := check()) is not None), None)
        if manager.is_stopping:
            return  # a server that stops answers no more
        if found is None:
            manager.tell(ALIVE)
        elif found != logged:
            log.error("%s; if that lasts, the service manager ends this process", found)
        logged = found


class LastLook:
    """The time at which the worker last looked for what is due. `clock` returns seconds, of any beginning."""

    def __init__(self, settings: Settings, clock: Callable[[], float] = time.monotonic) -> None:
        self._patience = max(MISSED * settings.tick_seconds, SHORTEST)
        self._clock = clock
        self._at = clock()

    def note(self) -> None:
        """Note that it has looked just now."""
        self._at = self._clock()

    def check(self) -> str | None:
        """Return a sentence if that is too long ago, or None."""
        is_late = self._clock() - self._at > self._patience
        return "the worker does not look for what is due" if is_late else None


class HangLimit:
    """A limit on how long a worker may not look for what is due: then its process ends, and whoever runs it starts it.

    Containers have no watchdog. It needs no thread of Python, so it holds where they all hang, and it says where.
    """

    def __init__(self, settings: Settings, shortest: float = 120.0) -> None:
        self.patience = max(MISSED * settings.tick_seconds, shortest)

    def put_off(self) -> None:
        """Begin to count anew, as the worker has looked just now."""
        faulthandler.dump_traceback_later(self.patience, exit=True)

    def lift(self) -> None:
        """End it, as the worker stops."""
        faulthandler.cancel_dump_traceback_later()


def is_journal(file: int, environ: Mapping[str, str] = os.environ) -> bool:
    """Return whether systemd writes into its journal what is written into an open file."""
    about = os.fstat(file)
    return environ.get("JOURNAL_STREAM") == f"{about.st_dev}:{about.st_ino}"


def http_check(host: str, port: int, patience: float = ANSWER) -> Check:
    """Return a check that this server answers a request for its health, whatever it answers."""

    def check() -> str | None:
        connection = http.client.HTTPConnection(host, port, timeout=patience)
        try:
            connection.request("GET", "/healthz", headers={"User-Agent": "blackticket"})
            connection.getresponse().read()
        except (OSError, http.client.HTTPException):
            return "this server does not answer its own requests"
        finally:
            connection.close()
        return None

    return check


def _patience(environ: Mapping[str, str]) -> float | None:
    """Return the seconds after which the service manager ends this process unless it hears from it, None for never."""
    if environ.get("WATCHDOG_PID", str(os.getpid())) != str(os.getpid()):
        return None
    microseconds = environ.get("WATCHDOG_USEC", "")
    return int(microseconds) / 1_000_000 if microseconds.isdecimal() and int(microseconds) else None
