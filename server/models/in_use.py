"""The lock by which a restoration knows that nothing uses a SQLite database: whatever uses it shares the lock.

It is the system's lock on a file beside the database, and ends with the process, however that ends. A child process
keeps its parent's share.
"""

import os
import weakref
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from sqlalchemy import make_url

from server.models.base import is_sqlite
from server.runtime import file_locks


class InUse(Exception):
    """The lock cannot be had; the message says why, and what to do."""


class Use:
    """A share of the lock, or all of it, until the end of this object, of a `with` block, or of the process."""

    def __init__(self, url: str, *, alone: bool = False) -> None:
        """Take the lock of the database at `url`, `alone` or beside others. With PostgreSQL there is none.

        Raises:
            InUse: if the database is being restored, or with `alone` if anything else uses it.
        """
        self._close: Callable[[], object] = bool  # nothing to close
        file = _open(url)
        if file is None:
            return
        self._close = weakref.finalize(self, os.close, file)
        if not file_locks.take(file, is_shared=not alone):
            raise InUse(
                "The server, or another command, uses this database; stop the server first, and try again."
                if alone
                else "The database is being restored from a backup; try again when that is done."
            )

    def __enter__(self) -> None:
        """Keep the lock until the end of the block."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()


def _open(url: str) -> int | None:
    """Return the file of the lock; None for PostgreSQL, and where the database cannot be written either."""
    database = make_url(url).database
    if not is_sqlite(url) or not database:
        return None
    path = Path(database.removeprefix("file:")).resolve()  # a link leads to the lock of its target
    try:
        return file_locks.open_file(path.with_name(f"{path.name}.use"))
    except OSError:
        return None
