"""Reading processes that cannot read: a mail ends them, somebody kills them, or none can be started."""

import os
import resource
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from server.mail.examination import supervisor
from server.mail.examination.examine import About
from tests.cli.running import children


class Deadly(supervisor.ReadingProcess):
    """A reading process that mails of a kind end, as a bug in a library in C might."""

    def __init__(self, is_deadly: Callable[[bytes], bool], *limits: str) -> None:
        super().__init__(*limits)
        self._is_deadly = is_deadly

    def do(self, raw: bytes, given: dict[str, Any], about: About | None = None) -> Any:
        if self._is_deadly(raw):
            self._process.kill()
            self._process.wait()
        return super().do(raw, given, about)


@contextmanager
def no_descriptors() -> Iterator[None]:
    """This process can open no more files and sockets inside the block."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    free = os.dup(0)  # the lowest number that is free
    os.close(free)
    resource.setrlimit(resource.RLIMIT_NOFILE, (free, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


class Killer:
    """A thread that kills every reading process of `pid` with SIGKILL as soon as it sees it; `deaths` counts them."""

    def __init__(self, pid: int) -> None:
        self.deaths = 0
        self._pid = pid
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> "Killer":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join()

    def _run(self) -> None:
        killed: set[int] = set()
        while not self._is_over.wait(0.002):
            for pid in children(self._pid):
                if pid not in killed and is_reader(pid):
                    with suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
                        killed.add(pid)
                        self.deaths += 1


def is_reader(pid: int) -> bool:
    """Return whether a process is one that reads mails."""
    try:
        return b"server.mail.examination.process" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False
