"""Decide first, write afterwards: a use case that is refused has nothing to undo, and a rehearsal decides alone.

A use case is a function that checks all that can refuse it and returns what it has decided, with the function that
writes that; it writes nothing itself. Calling it does both, in one transaction.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import update_wrapper
from typing import Generic, ParamSpec, TypeVar

from server.application.errors import Problem
from server.models import flush, has_pending, transaction, under_way
from server.models.base import before_writes

Given = ParamSpec("Given")
Answer = TypeVar("Answer")
Following = TypeVar("Following")


@dataclass(frozen=True)
class Decided(Generic[Answer]):
    """A decision that is not written yet.

    writing: writes it in the transaction under way, and returns the answer; nothing refuses it any more
    """

    writing: Callable[[], Answer]

    def write(self) -> Answer:
        """Write what was decided; return the answer.

        Raises:
            RuntimeError: it was refused all the same, which undoes the whole transaction.
        """
        try:
            return self.writing()
        except Problem as problem:
            raise RuntimeError(f"what was decided was refused ({problem.code}) when it was written") from problem

    def then(self, follow: Callable[[Answer], Following]) -> "Decided[Following]":
        """Return the same decision with what `follow` makes of its answer."""
        return Decided(lambda: follow(self.writing()))


class UseCase(Generic[Given, Answer]):
    """A use case: calling it decides and writes, in one transaction, and returns the answer.

    decide: decides alone, and returns the `Decided`; a `Problem` says why the use case is refused
    """

    def __init__(self, decide: Callable[Given, Decided[Answer]]) -> None:
        self.decide = decide
        update_wrapper(self, decide)

    def __call__(self, *args: Given.args, **kwargs: Given.kwargs) -> Answer:
        """Decide and write, in the transaction under way or in one of its own."""
        with transaction():
            decided = self.decide(*args, **kwargs)
            begin_to_write()
            return decided.write()


def use_case(decide: Callable[Given, Decided[Answer]]) -> UseCase[Given, Answer]:
    """Return the use case that a function decides."""
    return UseCase(decide)


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
