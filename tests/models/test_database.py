"""The embedded database is set up as its promises need it, on every connection."""

import sqlite3
import threading
from datetime import UTC, datetime, timedelta, timezone

import pytest
from conftest import Table
from sqlalchemy import select
from sqlalchemy.exc import IntegrityError

from server.models import Player, Token, db, journal_mode, session, transaction

NOW = datetime(2026, 11, 22, 18, 0, tzinfo=UTC)


def player(name: str) -> Player:
    return Player(id=name, name=name, email=f"{name}@example.org", created_at=NOW)


def names(table: Table) -> list[str]:
    with table.app.app_context():
        return list(session.scalars(select(Player.name).order_by(Player.name)))


@pytest.mark.parametrize(("pragma", "value"), [("foreign_keys", 1), ("synchronous", 2), ("busy_timeout", 30_000)])
def test_every_connection_keeps_the_promises(table: Table, pragma: str, value: int):
    found = []

    def look() -> None:
        with table.app.app_context():
            found.append(session.connection().exec_driver_sql(f"PRAGMA {pragma}").scalar())

    threads = [threading.Thread(target=look) for _ in range(3)]
    for thread in threads:
        thread.start()
        thread.join()
    assert found == [value] * 3


def test_the_journal_is_a_wal_only_where_the_library_is_safe(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 51, 2))
    assert journal_mode() == "DELETE"
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 51, 3))
    assert journal_mode() == "WAL"


def test_the_database_is_in_the_journal_mode_that_is_told(table: Table):
    with table.app.app_context():
        assert session.connection().exec_driver_sql("PRAGMA journal_mode").scalar().upper() == journal_mode()


def test_a_row_that_refers_to_nothing_is_refused(table: Table):
    with table.app.app_context(), pytest.raises(IntegrityError), transaction():
        session.add(Token(digest="x", player_id="nobody", created_at=NOW))


def test_what_a_transaction_did_is_undone_when_it_fails(table: Table):
    with table.app.app_context(), pytest.raises(ZeroDivisionError), transaction():
        session.add(player("ada"))
        session.flush()
        raise ZeroDivisionError
    assert names(table) == []


def test_a_transaction_within_another_is_part_of_it(table: Table):
    with table.app.app_context(), pytest.raises(ZeroDivisionError), transaction():
        with transaction():
            session.add(player("ada"))
        raise ZeroDivisionError
    assert names(table) == []


def test_a_transaction_can_follow_one_that_failed(table: Table):
    with table.app.app_context():
        with pytest.raises(ZeroDivisionError), transaction():
            raise ZeroDivisionError
        with transaction():
            session.add(player("ada"))
    assert names(table) == ["ada"]


def test_a_transaction_takes_the_right_to_write_before_it_reads(table: Table):
    with table.app.app_context(), transaction():
        path = db.engine.url.database
        other = sqlite3.connect(path, timeout=0, isolation_level=None)
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            other.execute("BEGIN IMMEDIATE")
        other.close()


def test_a_transaction_sees_what_was_written_since_one_last_looked(table: Table):
    with table.app.app_context():
        with transaction():
            session.add(player("ada"))
        ada = session.get_one(Player, "ada")
        assert ada.name == "ada"
        other = sqlite3.connect(db.engine.url.database, isolation_level=None)
        session.rollback()
        other.execute("UPDATE players SET name = 'Ada King'")
        other.close()
        with transaction():
            assert ada.name == "Ada King"


def test_times_are_kept_and_given_back_in_utc(table: Table):
    summer = datetime(2026, 7, 1, 12, 0, tzinfo=timezone(timedelta(hours=2)))
    with table.app.app_context():
        with transaction():
            session.add(Player(id="ada", name="ada", email="ada@example.org", created_at=summer))
        session.expire_all()
        kept = session.get_one(Player, "ada").created_at
        assert (kept, kept.tzinfo) == (summer, UTC)
