"""A listener for the statements that an application sends to its database."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import event

from server.models import db
from tests.table import Table


@contextmanager
def statements(table: Table) -> Iterator[list[str]]:
    """Yield a list to which every statement is added that the database gets within the block."""
    sent: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        sent.append(statement)

    with table.app.app_context():
        engine = db.engine
    event.listen(engine, "before_cursor_execute", note)
    try:
        yield sent
    finally:
        event.remove(engine, "before_cursor_execute", note)
