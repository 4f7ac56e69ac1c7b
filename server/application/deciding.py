"""Decide first, write afterwards: a command that is refused has nothing to undo.

A use case checks all that can refuse it, calls `begin_to_write`, and only then writes. So it can be rehearsed: run to
that point, and no further. A refusal after it is a programming error, which undoes the whole transaction instead of
leaving half a command behind. There are no savepoints.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from server.application.errors import Problem
from server.models import before_writes, flush, has_pending, under_way


class _WouldWrite(Exception):
    """The end of a rehearsal, where the command would write."""


def begin_to_write() -> None:
    """Mark that everything was checked: from here on the use case writes, and nothing refuses it."""
    work = under_way()
    assert work is not None, "a use case decides within its transaction"
    if work.rehearses:
        raise _WouldWrite


def _refuse_write() -> None:
    raise RuntimeError("a command wrote before begin_to_write")


@contextmanager
def all_or_nothing() -> Iterator[None]:
    """Carry out one command, within a transaction: a `Problem` leaves it only if nothing was written.

    Raises:
        RuntimeError: the command was refused after it had begun to write.
    """
    flush()
    writes: list[bool] = []
    try:
        with before_writes(lambda: writes.append(True)):
            yield
    except Problem as problem:
        if writes or has_pending():
            raise RuntimeError(f"a command was refused ({problem.code}) after it had begun to write") from problem
        raise


@contextmanager
def rehearsal() -> Iterator[None]:
    """Run one command until it would write, and change nothing; a `Problem` says why it would be refused.

    Raises:
        RuntimeError: the command wrote before `begin_to_write`.
    """
    work = under_way()
    assert work is not None, "a command belongs to a transaction"
    flush()
    work.rehearses = True
    try:
        with before_writes(_refuse_write):
            yield
    except _WouldWrite:
        pass
    finally:
        work.rehearses = False
        if has_pending():
            raise RuntimeError("a command changed something before begin_to_write")
