"""Listeners for the statements that an application sends to its database, and what a test does before one of them."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from sqlalchemy import event

from server.models import db
from tests.table import Table


@contextmanager
def _listening(table: Table, hear: Callable[[str, str], object]) -> Iterator[None]:
    """Within, call `hear` with each statement and its values, as text, before the database gets it."""

    def note(_connection: object, _cursor: object, statement: str, values: object, *_: object) -> None:
        hear(statement, repr(values))

    with table.app.app_context():
        engine = db.engine
    event.listen(engine, "before_cursor_execute", note)
    try:
        yield
    finally:
        event.remove(engine, "before_cursor_execute", note)


@contextmanager
def statements(table: Table) -> Iterator[list[str]]:
    """Yield a list to which every statement is added that the database gets within the block."""
    sent: list[str] = []
    with _listening(table, lambda statement, _values: sent.append(statement)):
        yield sent


def before(table: Table, begin: str, do: Callable[[str], object]) -> AbstractContextManager[None]:
    """Within, call `do` with the values of each statement that begins so, just before the database gets it."""
    return _listening(table, lambda statement, values: do(values) if statement.startswith(begin) else None)


def failing(
    table: Table, begin: str, naming: str = "", error: BaseException | None = None
) -> AbstractContextManager[None]:
    """Within, statements fail that begin so and have a value with `naming` in it, as where the disk is full."""

    def fail(values: str) -> None:
        if naming in values:
            raise error or RuntimeError("the disk is full")

    return before(table, begin, fail)


@contextmanager
def committing(table: Table, do: Callable[[], object]) -> Iterator[None]:
    """Within, call `do` before each commit that the database gets; it may raise."""

    def note(_connection: object) -> None:
        do()

    with table.app.app_context():
        engine = db.engine
    event.listen(engine, "commit", note)
    try:
        yield
    finally:
        event.remove(engine, "commit", note)
