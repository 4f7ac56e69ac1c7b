"""The reading processes, in which a running server examines mails; tests and commands examine them themselves.

Anybody may send a mail. Should it make the code that reads it run for ever, fill the memory, or crash a library, the
server must not notice. See `process` for the other side.
"""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from server.mail.examination import examine, frames
from server.mail.examination.examine import About, Examination
from server.mail.examination.process import OUT_OF_MEMORY, result
from server.mail.reading.headers import Headers
from server.mail.reading.message import Reading
from server.mail.reading.quoting import MARKER
from server.mail.trust.mail import Ask, Handover
from server.runtime import runtime
from server.vocabulary.dns import Unanswered

MOST_IDLE = 2  # processes that stay for the next mail
MOST_MAILS = 500  # that one process reads; then a new one starts, with nothing left of what mails may have done
SECONDS = 5.0  # of the processor for one mail; the costliest known megabyte takes half a second
MEMORY = 512 * 1024 * 1024  # bytes of one process, which starts with 45 MB
PATIENCE = 60.0  # seconds for one mail in all, by the monotonic clock
MOST_LOOKUPS = 100  # for one mail, repeated ones included
ROOT = Path(__file__).parents[3]
CONTROL = b"From: ben@example.org\r\nSubject: Round 2\r\nMessage-ID: <1@example.org>\r\n\r\ntaxi 46\r\n"  # a good mail
COMMAND = (sys.executable, "-P", "-m", "server.mail.examination.process")
# The variables that Python needs to start. No setting of ours is among them, and no key.
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


class ReadingFailed(Exception):
    """Raised when a reading process ended or hung at a mail for another reason, while another mail can be read."""


class CannotRead(Exception):
    """Raised when no mail can be read now, which is no mail's fault: no process starts, or a good mail ends it too."""


class Examiner:
    """Finds things out from the bytes of a mail, in this process, for tests and commands.

    In a process of their own each method may raise TooCostly, ReadingFailed and CannotRead.
    """

    def examine(
        self, raw: bytes, handover: Handover, about: About, *, marker: str | None, authserv_id: str | None
    ) -> Examination:
        """Return everything that the mail tells, see `examine.examine`."""
        given = {"task": "examine", "handover": list(handover), "marker": marker, "authserv_id": authserv_id}
        return examine.examination_from_json(self._do(raw, given, about))

    def read(self, raw: bytes, *, marker: str, envelope_sender: str | None = None) -> Reading:
        """Return what the mail says, see `message.read`."""
        given = {"task": "read", "marker": marker, "envelope_sender": envelope_sender}
        return examine.reading_from_json(self._do(raw, given))

    def headers(self, head: bytes) -> Headers:
        """Return the fields of a header, see `headers.parse_headers`."""
        return {name: tuple(values) for name, values in self._do(head, {"task": "headers"}).items()}

    def contents(self, raw: bytes) -> list[bytes] | None:
        """Return the decoded parts of the mail, see `mime.contents`."""
        found = self._do(raw, {"task": "contents"})
        return None if found is None else [content.encode("latin-1") for content in found]

    def _do(self, raw: bytes, given: Mapping[str, Any], about: About | None = None) -> Any:
        """Return the result of a task for `raw`."""
        return result(raw, about, **given)


_LOCAL = Examiner()


def examiner() -> Examiner:
    """Return the examiner of the current application."""
    return runtime().examiner or _LOCAL


class ReadingProcesses(Examiner):
    """Examines mails in processes: one for each thread that needs one, started when it does."""

    def __init__(
        self,
        seconds: float = SECONDS,
        memory: int = MEMORY,
        mails: int = MOST_MAILS,
        start: "Callable[..., ReadingProcess] | None" = None,
    ) -> None:
        """Prepare: a process reads at most so many mails; `start` makes one from its limits, else `ReadingProcess`."""
        self._limits = (str(seconds), str(memory))
        self._most_mails = mails
        self._start = start or ReadingProcess
        self._idle: list[ReadingProcess] = []
        self._lock = threading.Lock()
        self._is_closed = False

    def close(self) -> None:
        """End the idle processes now, and each of the others once it has read its mail."""
        with self._lock:
            self._is_closed, idle, self._idle = True, self._idle, []
        for process in idle:
            process.end()

    def _do(self, raw: bytes, given: Mapping[str, Any], about: About | None = None) -> Any:
        """Return the result for `raw`.

        A mail that ends its process may be to blame, or the machine: memory that another program takes, or a hand that
        kills. A good mail that is read next tells the two apart.
        """
        process = self._next()
        try:
            result = process.do(raw, given, about)
        except (TooCostly, ReadingFailed):
            process.end()
            self._read_control()
            raise
        except BaseException:
            process.end()
            raise
        self._keep(process)
        return result

    def _read_control(self) -> None:
        """Read the good mail in a new process; raise `CannotRead` if that fails."""
        process = self._start(*self._limits)
        try:
            process.do(CONTROL, {"task": "read", "marker": MARKER})
        except (TooCostly, ReadingFailed) as error:
            process.end()
            raise CannotRead(f"a good mail cannot be read either ({error or 'it costs too much'})") from None
        self._keep(process)

    def _keep(self, process: "ReadingProcess") -> None:
        with self._lock:
            stays = not self._is_closed and process.mails < self._most_mails and len(self._idle) < MOST_IDLE
            if stays:
                self._idle.append(process)
        if not stays:
            process.end()

    def _next(self) -> "ReadingProcess":
        while True:
            with self._lock:
                process = self._idle.pop() if self._idle else None
            if process is None:
                return self._start(*self._limits)
            if process.is_alive():
                return process
            process.end()


class ReadingProcess:
    """One reading process that is ready for a mail, and the socket to it.

    One that ends before it is ready has seen no mail, so no mail is to blame: `CannotRead`.
    """

    def __init__(self, *limits: str, command: Sequence[str] = COMMAND) -> None:
        self.mails = 0
        self.patience = PATIENCE  # seconds for one mail
        try:
            self._socket, theirs = socket.socketpair()
        except OSError as error:
            raise CannotRead(f"no reading process can be started ({error.strerror})") from None
        known = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
        paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
        try:
            with theirs:
                self._process = subprocess.Popen(  # noqa: S603 our own module
                    [*command, *limits],
                    stdin=theirs.fileno(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                    env=known | {"PYTHONPATH": os.pathsep.join(paths)},
                )  # fmt: skip
        except (OSError, MemoryError) as error:  # no descriptor, no memory, no process is to be had
            self._socket.close()
            raise CannotRead(f"no reading process can be started ({getattr(error, 'strerror', 'no memory')})") from None
        try:
            frames.receive_values(self._socket, time.monotonic() + self.patience)
        except (frames.Gone, OSError):
            self.end()
            raise CannotRead("a reading process ended before it was ready") from None

    def is_alive(self) -> bool:
        """Return True if the process still runs."""
        return self._process.poll() is None

    def do(self, raw: bytes, given: Mapping[str, object], about: About | None = None) -> Any:
        """Return the result for `raw`; meanwhile answer the look-ups that the process asks for."""
        self.mails += 1
        until = time.monotonic() + self.patience
        lookups = 0
        try:
            frames.send_values(self._socket, given, until)
            frames.send(self._socket, raw, until)
            ask = None
            while "result" not in (reply := frames.receive_values(self._socket, until)):
                lookups += 1
                if lookups > MOST_LOOKUPS:
                    raise ReadingFailed("asks too much")
                domain, name, kind = reply["ask"]
                assert about is not None
                ask = ask or about(domain)
                frames.send_values(self._socket, _records(ask, name, kind), until)
        except (frames.Gone, OSError):
            raise self._failure() from None
        return reply["result"]

    def end(self) -> None:
        """Kill the process, whatever it does."""
        with suppress(OSError):
            self._socket.close()
        with suppress(ProcessLookupError):
            self._process.kill()
        self._process.wait()

    def _failure(self) -> Exception:
        try:
            ended = self._process.wait(1)
        except subprocess.TimeoutExpired:
            return ReadingFailed("hangs")
        is_costly = ended in (-signal.SIGPROF, OUT_OF_MEMORY)
        return TooCostly() if is_costly else ReadingFailed(f"ended with {ended}")


def _records(ask: Ask, name: str, kind: str) -> list[Any] | None:
    """Return DNS records in values that JSON has; None without an answer."""
    try:
        records = ask(name, kind)
    except Unanswered:
        return None
    return [record.decode("latin-1") if isinstance(record, bytes) else record for record in records]
