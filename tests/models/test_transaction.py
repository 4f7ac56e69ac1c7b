"""Transactions on the embedded database."""

from types import TracebackType

import psycopg
import pytest
from sqlalchemy import select

from server.models import Player, session, transaction
from server.models.sqlite import sqlite3
from server.models.unavailable import may_have_committed, reason
from tests.table import Table


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


def test_an_idle_transaction_that_was_ended_and_a_full_server_are_no_faults_of_ours() -> None:
    assert reason(psycopg.errors.IdleInTransactionSessionTimeout()) is not None
    full = psycopg.OperationalError("connection to server failed: FATAL:  sorry, too many clients already")
    for error in (full, psycopg.errors.TooManyConnections()):
        assert reason(error) == "it takes no more connections"


def test_only_an_error_that_the_database_told_says_that_a_commit_was_not_done() -> None:
    lost = (psycopg.OperationalError("server closed the connection unexpectedly"), psycopg.errors.AdminShutdown())
    refused = (psycopg.errors.SerializationFailure(), psycopg.errors.DiskFull(), psycopg.errors.UniqueViolation())
    assert [may_have_committed(error) for error in (*lost, *refused)] == [True, True, False, False, False]
