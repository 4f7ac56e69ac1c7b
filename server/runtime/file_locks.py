"""The system's locks on files: they end with the process that holds them, however that ends.

A child process shares the locks of the files it has from its parent. Where a file system has no locks, everybody gets
one.
"""

import fcntl
import os
from contextlib import suppress
from pathlib import Path


def open_file(path: Path) -> int:
    """Open the file of a lock, which is made if it is not there."""
    return os.open(path, os.O_CREAT | os.O_RDWR, 0o600)


def take(file: int, *, is_shared: bool = False, waits: bool = False) -> bool:
    """Take the lock of an open file; return False if another has it, unless this `waits` until it is free."""
    try:
        fcntl.flock(file, (fcntl.LOCK_SH if is_shared else fcntl.LOCK_EX) | (0 if waits else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    except OSError:  # this file system has no locks
        pass
    return True


def release(file: int) -> None:
    """Give the lock of an open file back."""
    with suppress(OSError):  # this file system has no locks
        fcntl.flock(file, fcntl.LOCK_UN)
