"""Promises of a transaction on either database."""

import fcntl
import os
import resource
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import NoReturn

import psycopg
import pytest
from flask import Flask
from sqlalchemy import create_engine, func, select, text
from sqlalchemy.exc import IntegrityError

from server.application.people.players import add_player
from server.models import (
    Event,
    Game,
    Player,
    Token,
    db,
    open_for_writing,
    postgresql,
    session,
    transaction,
    wake_outbox,
    when_committed,
)
from server.models import base as models_base
from server.models import sqlite as models_sqlite
from server.models.sqlite import sqlite3
from server.runtime import DatabaseHabits, now, runtime
from server.settings import Settings
from tests.crowd import at_once
from tests.databases import let_go
from tests.injected import application
from tests.table import Table


@pytest.fixture
def app(database: str, tmp_path: Path) -> Iterator[Flask]:
    """An application on each kind of database, in its context."""
    made = Table(tmp_path, database_url=database).app
    with made.app_context():
        yield made
        let_go()


def names() -> list[str]:
    """The players, as another connection sees them."""
    with db.engine.connect() as connection:
        return sorted(connection.scalars(select(Player.name)))


def rename(name: str) -> None:
    """Do something in another connection meanwhile."""
    with db.engine.connect() as connection, connection.begin():
        open_for_writing(connection)
        connection.execute(text("UPDATE players SET name = :name"), {"name": name})


def player(name: str) -> Player:
    return Player(id=name, name=name, email=f"{name}@example.org", created_at=now())


def add_in_a_transaction(name: str) -> None:
    with transaction():
        session.add(player(name))


def fail_after(*_done: object) -> NoReturn:
    raise KeyError


class TestTransaction:
    """All or nothing, and nothing stale."""

    def test_what_happens_within_is_committed(self, app: Flask):
        with transaction():
            add_player("Ada", "ada@example.org")
            assert names() == []
        assert names() == ["Ada"]

    def test_an_exception_undoes_all_of_it(self, app: Flask):
        with pytest.raises(KeyError), transaction():
            fail_after(add_player("Ada", "ada@example.org"))
        assert names() == []

    def test_one_within_another_is_part_of_it(self, app: Flask):
        with transaction():
            with transaction():
                add_player("Ada", "ada@example.org")
            assert names() == []
        assert names() == ["Ada"]

    def test_one_within_another_that_fails_is_undone_with_it(self, app: Flask):
        with pytest.raises(KeyError), transaction():
            fail_after(add_in_a_transaction("Ada"))
        assert names() == []

    def test_after_an_exception_in_an_inner_one_the_next_is_one_of_its_own(self, app: Flask):
        with pytest.raises(KeyError), transaction(), transaction():
            raise KeyError
        add_player("Ada", "ada@example.org")
        assert names() == ["Ada"]

    def test_after_an_exception_that_only_the_inner_one_saw_the_outer_one_is_whole(self, app: Flask):
        with transaction():
            add_player("Ada", "ada@example.org")
            with pytest.raises(KeyError), transaction():
                raise KeyError
            add_player("Ben", "ben@example.org")
            assert names() == []
        assert names() == ["Ada", "Ben"]

    def test_a_commit_that_fails_undoes_all_of_it_and_the_next_succeeds(self, app: Flask):
        with pytest.raises(IntegrityError), transaction():
            session.add_all([player("Ada"), Token(digest="d", player_id="nobody", created_at=now())])
        assert names() == []
        add_player("Cleo", "cleo@example.org")
        assert names() == ["Cleo"]

    def test_a_session_that_was_given_back_leaves_no_transaction_open(self, app: Flask):
        with pytest.raises(KeyError), transaction():
            fail_after(session.remove())
        add_player("Ada", "ada@example.org")
        assert names() == ["Ada"]

    def test_what_was_read_before_is_read_anew(self, app: Flask):
        player, _ = add_player("Ada", "ada@example.org")
        rename("Ben")
        with transaction():
            assert session.get_one(Player, player.id).name == "Ben"

    def test_what_was_read_in_an_open_reading_is_read_anew(self, app: Flask):
        add_player("Ada", "ada@example.org")
        player = session.scalars(select(Player)).one()
        assert player.name == "Ada"
        session.rollback()
        rename("Ben")
        with transaction():
            assert player.name == "Ben"

    def test_threads_do_not_share_a_transaction(self, app: Flask):
        def add() -> None:
            with app.app_context():
                add_player("Ben", "ben@example.org")

        thread = threading.Thread(target=add)
        with pytest.raises(KeyError), transaction():
            fail_after(add_player("Ada", "ada@example.org"), thread.start())
        thread.join()
        assert names() == ["Ben"]


def test_a_connection_of_any_descriptor_can_be_looked_at():
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(limits[0], 2_000), limits[1]))
    try:
        ours, theirs = socket.socketpair()
        high = socket.socket(fileno=fcntl.fcntl(ours.fileno(), fcntl.F_DUPFD_CLOEXEC, 1_500))
        with ours, theirs, high:
            assert not postgresql.is_readable(high)
            theirs.send(b"x")
            assert postgresql.is_readable(high)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)


class TestBothDatabases:
    """Promises that hold on both databases."""

    def test_foreign_keys_are_kept(self, app: Flask):
        with pytest.raises(IntegrityError), transaction():
            session.add(Token(digest="d", player_id="nobody", created_at=now()))

    def test_who_reads_keeps_nobody_from_writing_and_sees_what_is_committed(self, app: Flask):
        add_in_a_transaction("Ada")
        session.remove()
        assert session.scalar(select(Player.name)) == "Ada"
        rename("Bea")
        assert session.scalar(select(Player.name)) == "Bea"

    def test_a_bell_rings_when_all_is_committed_and_not_at_a_savepoint(self, app: Flask):
        wake_up = runtime().wake_ups.outbox
        wake_up.clear()
        with transaction():
            with session.begin_nested():
                when_committed(wake_outbox)
            assert not wake_up.is_set()
        assert wake_up.is_set()

    def test_a_bell_does_not_ring_for_what_was_undone(self, app: Flask):
        wake_up = runtime().wake_ups.outbox
        wake_up.clear()
        with pytest.raises(KeyError), transaction():
            fail_after(when_committed(wake_outbox))
        add_player("Ada", "ada@example.org")
        assert not wake_up.is_set()

    def test_times_come_back_in_utc(self, app: Flask):
        player, _ = add_player("Ada", "ada@example.org")
        written = player.created_at
        session.remove()
        read = session.get_one(Player, player.id).created_at
        assert (read, read.utcoffset()) == (written, written.utcoffset())

    @pytest.mark.breaks_games
    def test_many_processes_that_count_together_lose_nothing(self, app: Flask, database: str, tmp_path: Path):
        table = Table(tmp_path, database_url=database)
        ada = table.person("Ada")
        made = ada.post("/games", {"edition": "condensed", "players": 2}).json
        with table.app.app_context():
            before = session.get_one(Game, made["id"]).events
            let_go()
        assert at_once(*[(count, (database, tmp_path, made["id"], 10))] * 8) == [0] * 8
        with table.app.app_context():
            assert session.get_one(Game, made["id"]).events == before + 8 * 10
            assert session.scalar(select(func.count()).select_from(Event)) == before + 8 * 10
            let_go()


def count(start: Barrier, database: str, var: Path, game_id: str, n: int) -> None:
    """Add `n` events to a game, each in a transaction of its own."""
    app = application(Settings.from_environ({"BLACKTICKET_DATABASE_URL": database}, var))
    with app.app_context():
        start.wait()
        for _ in range(n):
            with transaction():
                game = session.get_one(Game, game_id, with_for_update=True)
                game.events += 1
                session.add(
                    Event(
                        game_id=game_id, number=game.events, kind="counted", moves=0, data={"by": os.getpid()}, at=now()
                    )
                )
        let_go()


class TestPostgres:
    """Promises for connections to a server, which may go away."""

    @pytest.fixture
    def database(self, postgres: str) -> str:
        return postgres

    def test_one_that_the_server_has_ended_is_not_used_again(self, app: Flask, postgres: str):
        assert names() == []
        with psycopg.connect(postgres, autocommit=True) as operator:
            others = "FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
            ended = operator.execute(f"SELECT pg_terminate_backend(pid, 10000) {others}").fetchall()
        assert ended
        assert names() == []
        add_player("Ada", "ada@example.org")
        assert names() == ["Ada"]

    def test_who_only_reads_leaves_no_transaction_open(self, app: Flask, postgres: str):
        session.scalars(select(Player)).all()
        with psycopg.connect(postgres, autocommit=True) as operator:
            open_ones = "SELECT count(*) FROM pg_stat_activity WHERE state = 'idle in transaction'"
            assert operator.execute(f"{open_ones} AND datname = current_database()").fetchone() == (0,)


@pytest.mark.sqlite("the library that is installed")
class TestSqlite:
    """Promises that depend on the library of SQLite."""

    @pytest.mark.parametrize(("safe", "mode"), [((3, 0, 0), "wal"), ((99, 0, 0), "persist")])
    def test_a_wal_comes_into_force_where_it_is_safe_whatever_was_before(
        self, tmp_path: Path, safe: tuple[int, int, int], mode: str
    ):
        for version in ((99, 0, 0), (3, 0, 0), safe):
            app = application(Settings.from_environ({}, tmp_path), database=DatabaseHabits(wal_is_safe=version))
            with app.app_context():
                found = session.execute(text("PRAGMA journal_mode")).scalar()
                let_go()
        assert found == mode

    def test_who_opens_the_file_waits_for_a_program_that_keeps_its_journal_from_changing(self, tmp_path: Path):
        settings = Settings.from_environ({}, tmp_path)
        with application(settings, database=DatabaseHabits(wal_is_safe=(99, 0, 0))).app_context():
            assert session.execute(text("PRAGMA journal_mode")).scalar() == "persist"
            let_go()
        other = sqlite3.connect(tmp_path / "blackticket.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        habits = DatabaseHabits(wal_is_safe=(3, 0, 0), sleep=lambda _pause: other.rollback())
        with application(settings, database=habits).app_context():
            assert session.execute(text("PRAGMA journal_mode")).scalar() == "wal"
            let_go()
        other.close()

    def test_without_the_package_it_is_the_library_of_python(self):
        file = Path(models_base.__file__).with_name("sqlite.py")
        program = f"""
import runpy, sqlite3, sys
sys.modules["pysqlite3"] = None  # as if it were not installed
assert runpy.run_path({str(file)!r})["sqlite3"].connect is sqlite3.connect
"""
        subprocess.run([sys.executable, "-c", program], check=True)

    def test_a_library_without_foreign_keys_is_refused(self):
        class Careless(sqlite3.Connection):
            def execute(self, sql: str, *rest: object) -> sqlite3.Cursor:
                return super().execute("SELECT 0" if sql == "PRAGMA foreign_keys" else sql, *rest)  # type: ignore[arg-type]

        engine = create_engine("sqlite://", module=sqlite3, connect_args={"factory": Careless})
        models_sqlite.prepare(engine, DatabaseHabits())
        with pytest.raises(RuntimeError, match="does not keep foreign keys"):
            engine.connect()
