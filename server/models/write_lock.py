"""The lock on which the writers of a SQLite database queue, those of other processes too.

SQLite itself makes a writer try again at growing intervals, so that one who comes later may be served first, and a
process that writes all the time keeps out another for seconds. See docs/decisions/0027.
"""

import os
import threading
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from server.runtime import file_locks

PAUSE = 0.01  # seconds between two tries of who does not want to wait for longer than so much


class WriteLock:
    """A lock for all threads of all processes that open the database file; of the threads alone without a file.

    Who waits is first in a queue of one: so a process that releases the lock and wants it again comes behind a process
    that waited. The locks of files end with their process, however that ends.
    """

    def __init__(self, database: str | None) -> None:
        self._threads_in_queue, self._threads = threading.Lock(), threading.Lock()
        self._never = threading.Event()
        self._paths = [Path(f"{database}.{name}") for name in ("queue", "writer")] if database else []
        self._files: list[int] = []
        self._pid = 0

    def acquire(self, timeout: float) -> bool:
        """Take the lock, and return True; return False if it was not free within `timeout` seconds."""
        until = time.monotonic() + timeout
        if not self._threads_in_queue.acquire(timeout=timeout):
            return False
        try:
            if not self._threads.acquire(timeout=max(0.0, until - time.monotonic())):
                return False
            files = self._open()
        finally:
            self._threads_in_queue.release()
        while files and not file_locks.take(files[1]):
            if time.monotonic() >= until:
                self._threads.release()
                return False
            self._never.wait(PAUSE)
        return True

    def release(self) -> None:
        """Give the lock back."""
        if self._files:
            file_locks.release(self._files[1])
        self._threads.release()

    def __enter__(self) -> None:
        with self._threads_in_queue:
            files = self._open()
            if files:
                file_locks.take(files[0], waits=True)
            try:
                self._threads.acquire()
                if files:
                    file_locks.take(files[1], waits=True)
            finally:
                if files:
                    file_locks.release(files[0])

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    def _open(self) -> list[int]:
        """Return the two files, opened in this process: a copy from its parent would share the parent's locks."""
        if self._pid != os.getpid():
            for file in self._files:
                os.close(file)
            self._files, self._pid = [], os.getpid()
            with suppress(OSError):  # then the database cannot be written either, or the file system has no locks
                self._files = [file_locks.open_file(path) for path in self._paths]
        return self._files
