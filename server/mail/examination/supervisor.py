"""Who reads the bytes of mails: processes of their own in a running server, the process itself elsewhere.

A mail from anybody is read, and whatever it does to its reader (runs for ever, fills the memory, makes a library
crash) must not reach the server. See `reading_process` for the other side.
"""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Protocol

from server.dns import Unanswered
from server.mail.examination import examine, frames
from server.mail.examination.examine import About, Examination
from server.mail.examination.process import OUT_OF_MEMORY
from server.mail.reading import message, mime
from server.mail.reading.headers import Headers, parse_headers
from server.mail.reading.message import Reading
from server.mail.trust.mail import Handover
from server.runtime import runtime

MOST_IDLE = 2  # processes that are kept for the next mail
MOST_MAILS = 500  # that one process reads; then a new one begins, with nothing left of what they may have done to it
SECONDS = 5.0  # of the processor for one mail; the costliest of a megabyte that is known takes half a second
MEMORY = 512 * 1024 * 1024  # bytes of one process, which has 45 MB when it begins
PATIENCE = 60.0  # seconds for one mail in all, by the monotonic clock
MOST_ASKS = 100  # look-ups for one mail, also of what was looked up before
ROOT = Path(__file__).parents[3]
# What a Python needs to begin. No setting of ours is among it, and no key.
_ENVIRONMENT = (
    "PATH",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "LD_LIBRARY_PATH",
    "PYTHONPYCACHEPREFIX",
    "PYTHONDONTWRITEBYTECODE",
)


class TooCostly(Exception):
    """Raised for a mail that takes more processor time or memory than any mail may."""


class ReaderFailed(Exception):
    """Raised when the reading process ended or hung for another reason; the mail may be tried again."""


class MailReader(Protocol):
    """What can be found out from the bytes of a mail; each raises TooCostly and ReaderFailed."""

    def examine(
        self, raw: bytes, handover: Handover, about: About, *, marker: str | None, authserv_id: str | None
    ) -> Examination:
        """See `examining.examine`."""
        ...

    def read(self, raw: bytes, *, marker: str, envelope_sender: str | None = None) -> Reading:
        """See `reading.read`."""
        ...

    def headers(self, head: bytes) -> Headers:
        """See `headers.parse_headers`."""
        ...

    def contents(self, raw: bytes) -> list[bytes] | None:
        """See `mime.contents`."""
        ...


class Here:
    """Reads in this process, for tests and commands."""

    examine = staticmethod(examine.examine)
    read = staticmethod(message.read)
    headers = staticmethod(parse_headers)
    contents = staticmethod(mime.contents)


_HERE = Here()


def reader() -> MailReader:
    """Return the reader of the current application."""
    return runtime().reader or _HERE


class Processes:
    """Reads in processes, one for each thread that reads at the time; they are started when they are needed."""

    def __init__(self, seconds: float = SECONDS, memory: int = MEMORY) -> None:
        self._limits = (str(seconds), str(memory))
        self._idle: list[_Process] = []
        self._lock = threading.Lock()
        self._is_closed = False

    def examine(
        self, raw: bytes, handover: Handover, about: About, *, marker: str | None, authserv_id: str | None
    ) -> Examination:
        """See `examining.examine`."""
        given = {"task": "examine", "handover": list(handover), "marker": marker, "authserv_id": authserv_id}
        with self._process() as process:
            return examine.examination_from_json(process.do(raw, given, about))

    def read(self, raw: bytes, *, marker: str, envelope_sender: str | None = None) -> Reading:
        """See `reading.read`."""
        given = {"task": "read", "marker": marker, "envelope_sender": envelope_sender}
        with self._process() as process:
            return examine.reading_from_json(process.do(raw, given))

    def headers(self, head: bytes) -> Headers:
        """See `headers.parse_headers`."""
        with self._process() as process:
            return {name: tuple(values) for name, values in process.do(head, {"task": "headers"}).items()}

    def contents(self, raw: bytes) -> list[bytes] | None:
        """See `mime.contents`."""
        with self._process() as process:
            found = process.do(raw, {"task": "contents"})
        return None if found is None else [content.encode("latin-1") for content in found]

    def close(self) -> None:
        """End the processes that are idle, and each other one once it has read its mail."""
        with self._lock:
            self._is_closed, idle, self._idle = True, self._idle, []
        for process in idle:
            process.end()

    @contextmanager
    def _process(self) -> Iterator["_Process"]:
        process = self._taken()
        try:
            yield process
        except BaseException:
            process.end()
            raise
        with self._lock:
            is_kept = not self._is_closed and process.mails < MOST_MAILS and len(self._idle) < MOST_IDLE
            if is_kept:
                self._idle.append(process)
        if not is_kept:
            process.end()

    def _taken(self) -> "_Process":
        while True:
            with self._lock:
                process = self._idle.pop() if self._idle else None
            if process is None:
                return _Process(*self._limits)
            if process.is_alive():
                return process
            process.end()


class _Process:
    """One reading process, and the socket to it."""

    def __init__(self, *limits: str) -> None:
        self.mails = 0
        self._socket, theirs = socket.socketpair()
        known = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
        paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 our own module
                [sys.executable, "-P", "-m", "server.mail.examination.process", *limits],
                stdin=theirs.fileno(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                env=known | {"PYTHONPATH": os.pathsep.join(paths)},
            )  # fmt: skip

    def is_alive(self) -> bool:
        """Say whether the process still runs."""
        return self._process.poll() is None

    def do(self, raw: bytes, given: dict[str, Any], about: About | None = None) -> Any:
        """Return what the process makes of `raw`; look up what it asks for meanwhile."""
        self.mails += 1
        until = time.monotonic() + PATIENCE
        asks = 0
        try:
            frames.send_values(self._socket, given, until)
            frames.send(self._socket, raw, until)
            ask = None
            while "result" not in (told := frames.receive_values(self._socket, until)):
                asks += 1
                if asks > MOST_ASKS:
                    raise ReaderFailed("asks too much")
                domain, name, kind = told["ask"]
                assert about is not None
                ask = ask or about(domain)
                frames.send_values(self._socket, _looked_up(ask, name, kind), until)
        except (frames.Gone, OSError):
            raise self._why() from None
        return told["result"]

    def end(self) -> None:
        """End the process, whatever it is at."""
        with suppress(OSError):
            self._socket.close()
        with suppress(ProcessLookupError):
            self._process.kill()
        self._process.wait()

    def _why(self) -> Exception:
        try:
            ended = self._process.wait(1)
        except subprocess.TimeoutExpired:
            return ReaderFailed("hangs")
        is_costly = ended in (-signal.SIGPROF, OUT_OF_MEMORY)
        return TooCostly() if is_costly else ReaderFailed(f"ended with {ended}")


def _looked_up(ask: Any, name: str, kind: str) -> list[Any] | None:
    """Return what the name service says in values that JSON has; None where it says nothing."""
    try:
        found = ask(name, kind)
    except Unanswered:
        return None
    return [record.decode("latin-1") if isinstance(record, bytes) else record for record in found]
