"""Transactions on the embedded database."""

from types import TracebackType

import pytest
from sqlalchemy import select

from server.models import Player, session, transaction
from server.models.sqlite import sqlite3
from tests.conftest import Table


class WriterInFront:
    """A lock whose holder commits, as soon as somebody else queues for it."""

    def __init__(self, database: str) -> None:
        self.database = database

    def __enter__(self) -> None:
        other = sqlite3.connect(self.database, timeout=0, isolation_level=None)
        other.execute("BEGIN EXCLUSIVE")
        other.execute("COMMIT")
        other.close()

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass


@pytest.mark.sqlite("its one lock")
def test_who_queues_to_write_does_not_hold_up_the_writer_in_front_with_what_he_read_before(table: Table) -> None:
    table.person("Ada")
    with table.app.app_context():
        table.app.extensions["write_lock"] = WriterInFront(
            str(table.app.extensions["blackticket"].settings.var / "blackticket.db")
        )
        assert session.scalar(select(Player.name)) == "Ada"
        with transaction():
            session.scalar(select(Player)).name = "Ada Byron"
        assert session.scalar(select(Player.name)) == "Ada Byron"
