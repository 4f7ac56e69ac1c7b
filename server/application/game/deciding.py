"""Decide first, write afterwards: a use case that is refused has nothing to undo, and a rehearsal decides alone.

A use case is a function that checks all that can refuse it and returns what it has decided, with the function that
writes that; it writes nothing itself. Calling it does both, in one transaction.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import update_wrapper
from typing import Generic, ParamSpec, TypeVar

from server.models import transaction
from server.vocabulary.errors import Problem

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
            with transaction():
                return self.writing()
        except Problem as problem:
            raise RuntimeError(f"what was decided was refused ({problem.code}) when it was written") from problem

    def then(self, follow: Callable[[Answer], Following]) -> "Decided[Following]":
        """Return the same decision with what `follow` makes of its answer."""
        return Decided(lambda: follow(self.write()))


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
            return self.decide(*args, **kwargs).write()


def use_case(decide: Callable[Given, Decided[Answer]]) -> UseCase[Given, Answer]:
    """Return the use case that a function decides."""
    return UseCase(decide)
