"""Backups: copied while the server runs, restored into either database, and held until the operator releases them."""

import json
import random
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from sqlalchemy import create_engine, insert, select, update

from server.application.integrity import restoration
from server.models import Base, Process, copying
from server.models.in_use import Use
from server.models.sqlite import sqlite3
from server.models.types import Encrypted
from tests.cli.test_commands import KEY, refused, run  # noqa: F401 a fixture
from tests.databases import cluster_url, empty_postgres, let_go
from tests.injected import wall_clock
from tests.kept import again
from tests.positions import position
from tests.rows import for_each
from tests.table import Playing, Table

Run = Callable[..., Result]
HELD = {"outbox", "outages", "pulses", "webhook_deliveries"}  # tables that a restoration changes
FOLDER = "var"


@pytest.fixture(scope="module")
def postgres() -> Iterator[str]:
    with empty_postgres(cluster_url()) as url:
        yield url


@pytest.fixture
def played(tmp_path: Path) -> Playing:
    """A game in which Mr. X has moved, and the mails of that wait."""
    return begun(tmp_path)


def begun(folder: Path, **settings: str) -> Playing:
    return again(table_in(folder, **settings), _begun)


def _begun(table: Table) -> Playing:
    game = table.dealt(3, position=position(104, red=117, green=34))
    table.tick()
    table.post.sent.clear()
    game.move(game.people[0], "taxi 86")
    return game


def table_in(folder: Path, **settings: str) -> Table:
    return Table(folder / FOLDER, sandbox="1", secret_key=KEY, **settings)


def change(file: Path, statement: str) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as database:
        database.execute(statement)


def rows(url: str) -> Mapping[str, list[Any]]:
    """Return the rows of every table that a restoration leaves alone."""
    engine = create_engine(url)
    with engine.connect() as connection:
        found = {
            table.name: sorted(map(repr, connection.execute(select(table)).all()))
            for table in copying._tables()
            if table.name not in HELD
        }
    engine.dispose()
    return found


@pytest.mark.sqlite("both databases in turn")
def test_a_backup_of_either_database_goes_into_either(run: Run, played: Playing, tmp_path: Path, postgres: str):  # noqa: F811
    embedded = {"SECRET_KEY": KEY, "DATABASE_URL": f"sqlite:///{tmp_path / FOLDER / 'blackticket.db'}"}
    server = {"SECRET_KEY": KEY, "DATABASE_URL": postgres}
    before = rows(embedded["DATABASE_URL"])
    assert run("backup", "one.db", **embedded).exit_code == 0
    for place, backup, following in ((server, "one.db", "two.db"), (embedded, "two.db", "three.db")):
        told = run("restore", backup, "--replace", **place)
        assert told.exit_code == 0, (told.output, told.exception)
        assert rows(place["DATABASE_URL"].replace("postgresql://", "postgresql+psycopg://")) == before
        (held,) = json.loads(run("doctor", "--json", **place).stdout)["troubles"]
        assert "blackticket release" in held
        told = run("backup", following, **place)
        assert told.exit_code == 0, (told.output, told.stderr)
    # New rows of the server are numbered from behind those that were copied.
    assert run("release", "--drop-mails", **server).exit_code == 0
    assert run("restore", "three.db", "--replace", **server).exit_code == 0


@pytest.mark.sqlite("both databases in turn")
def test_a_backup_goes_into_no_postgresql_that_a_process_uses(run: Run, played: Playing):  # noqa: F811
    assert run("backup", "one.db", SECRET_KEY=KEY).exit_code == 0
    with empty_postgres(cluster_url()) as url:
        server = {"SECRET_KEY": KEY, "DATABASE_URL": url}
        assert run("restore", "one.db", **server).exit_code == 0
        engine = create_engine(url.replace("postgresql://", "postgresql+psycopg://"))
        process = {"name": "0badcafe", "host": "other", "ahead": 0.0, "connections": 1, "settings": "-"}
        process |= {"began_at": wall_clock(), "seen_at": wall_clock()}
        with engine.begin() as connection:
            connection.execute(insert(Process), process)
        assert "stop the server first" in refused(run("restore", "one.db", "--replace", **server))
        with engine.begin() as connection:
            connection.execute(update(Process).values(seen_at=wall_clock() - timedelta(seconds=10)))
        engine.dispose()
        assert run("restore", "one.db", "--replace", **server).exit_code == 0


@pytest.mark.sqlite("files are compared")
class TestHolding:
    """A restored game: nothing goes before the operator has seen what."""

    @pytest.fixture
    def run(self, run: Run, played: Playing) -> Run:  # noqa: F811
        """Runs a command at the time of the table."""
        return partial(run, clock=played.table.clock)

    @pytest.fixture
    def restored(self, run: Run, played: Playing, tmp_path: Path) -> Table:  # noqa: F811
        """Return the table of a backup that was restored a day after it was made."""
        run("backup", "kept.db", SECRET_KEY=KEY)
        played.table.tick()
        assert {mail.recipient for mail in played.table.post.sent} == {"ben@example.org", "cleo@example.org"}
        played.move(played.people[1], "red taxi 116")
        told = run("restore", "kept.db", "--replace", SECRET_KEY=KEY)
        assert told.exit_code == 0, (told.output, told.exception)
        table = table_in(tmp_path)
        table.clock = table.runtime.clock = played.table.clock
        table.clock.turn(days=1)
        return table

    def test_no_mail_goes_and_no_deadline_fires(self, restored: Table, run: Run):  # noqa: F811
        for _ in range(4):
            restored.tick()
            restored.clock.turn(days=1)
        assert restored.post.sent == []
        held = restored.client.get("/readyz").json["deadlines_held"]
        assert "blackticket release" in held
        told = refused(run("deadline", "credit", SECRET_KEY=KEY))
        assert "blackticket release" in told

    def test_the_report_names_the_mails_and_the_time(self, restored: Table, run: Run):  # noqa: F811
        facts = json.loads(run("release", "--json", SECRET_KEY=KEY).stdout)
        assert facts["running_games"] == 1
        assert facts["mails_by_kind"] == {"turn": 2}
        assert {mail["to"] for mail in facts["mails"]} == {"Ben", "Cleo"}
        restored.tick()
        assert restored.post.sent == []

    def test_the_report_lists_the_oldest_mails_and_counts_all(
        self,
        restored: Table,
        run: Run,  # noqa: F811
        monkeypatch: pytest.MonkeyPatch,
    ):
        monkeypatch.setattr(restoration, "MOST_LISTED", 1)
        facts = json.loads(run("release", "--json", SECRET_KEY=KEY).stdout)
        assert facts["mails_by_kind"] == {"turn": 2}
        (mail,) = facts["mails"]
        assert mail["kind"] == "turn"

    def test_dropped_mails_never_go_and_who_is_to_move_gets_a_new_one(self, restored: Table, run: Run, played: Playing):  # noqa: F811
        assert run("release", "--drop-mails", SECRET_KEY=KEY).exit_code == 0
        restored.tick()
        mails = {mail.recipient: mail.mail.get_body(("plain",)).get_content() for mail in restored.post.sent}
        assert set(mails) <= {"ben@example.org", "cleo@example.org"}
        assert "restored from a backup" in mails["ben@example.org"]
        assert "not restored" in refused(run("release", SECRET_KEY=KEY))

    def test_a_clock_behind_the_backup_is_named_and_nothing_is_released(self, restored: Table, run: Run):  # noqa: F811
        restored.clock.turn(days=-4)
        for words in ((), ("--send-mails",), ("--drop-mails",)):
            told = refused(run("release", *words, SECRET_KEY=KEY))
            assert "before the backup was made" in told
            assert "set the clock right" in told
        restored.clock.turn(days=4)
        assert json.loads(run("release", "--json", SECRET_KEY=KEY).stdout)["deadlines_move_by"] == "P1D"
        assert run("release", "--drop-mails", SECRET_KEY=KEY).exit_code == 0

    def test_mails_that_are_sent_on_go_once(self, restored: Table, run: Run):  # noqa: F811
        assert run("release", "--send-mails", SECRET_KEY=KEY).exit_code == 0
        for _ in range(3):
            restored.tick()
        addresses = [mail.recipient for mail in restored.post.sent]
        assert sorted(addresses) == ["ben@example.org", "cleo@example.org"]

    def test_the_database_of_before_is_kept(self, restored: Table, tmp_path: Path):
        (kept,) = (tmp_path / FOLDER).glob("replaced-*.db")
        with sqlite3.connect(kept) as database:
            assert database.execute("SELECT max(turn) FROM moves").fetchone() == (2,)  # Mr. X and Red
        assert not list((tmp_path / FOLDER).glob(".restoring*"))


@pytest.mark.sqlite("files are compared")
class TestRefusals:
    """A restoration that is refused leaves everything as it was."""

    def test_another_key(self, run: Run, played: Playing):  # noqa: F811
        run("backup", "kept.db", SECRET_KEY=KEY)
        told = run("restore", "kept.db", "--replace", SECRET_KEY="another key that is long enough for it")
        assert "does not open this database" in refused(told)
        assert played.view()["turn"] == 2

    def test_no_key(self, run: Run, played: Playing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):  # noqa: F811
        run("backup", "kept.db", SECRET_KEY=KEY)
        elsewhere = tmp_path / "elsewhere"
        elsewhere.mkdir()
        monkeypatch.chdir(elsewhere)
        database = f"sqlite:///{elsewhere / 'var' / 'blackticket.db'}"
        assert "put that of the backup into" in refused(
            run("restore", str(tmp_path / "kept.db"), DATABASE_URL=database)
        )
        assert not list((elsewhere / "var").glob("secret_key*"))

    def test_what_is_no_backup(self, run: Run, played: Playing, tmp_path: Path):  # noqa: F811
        (tmp_path / "note.txt").write_text("precious")
        assert "is no backup of this server" in refused(run("restore", "note.txt", "--replace", SECRET_KEY=KEY))
        sqlite3.connect(tmp_path / "other.db").execute("CREATE TABLE x (y)")
        assert "is no backup of this server" in refused(run("restore", "other.db", "--replace", SECRET_KEY=KEY))

    def test_a_damaged_one(self, run: Run, played: Playing, tmp_path: Path):  # noqa: F811
        run("backup", "kept.db", SECRET_KEY=KEY)
        content = bytearray((tmp_path / "kept.db").read_bytes())
        content[4096:8192] = bytes(4096)
        (tmp_path / "damaged.db").write_bytes(content)
        assert "is damaged" in refused(run("restore", "damaged.db", "--replace", SECRET_KEY=KEY))

    def test_one_of_which_a_byte_was_changed_in_a_sealed_column(self, run: Run, played: Playing, tmp_path: Path):  # noqa: F811
        played.people[1].post(f"{played.path}/messages", {"to": "all", "text": "Ahoy"})
        run("backup", "kept.db", SECRET_KEY=KEY)
        sealed = [
            (table.name, column.name)
            for table in Base.metadata.sorted_tables
            for column in table.columns
            if isinstance(column.type, Encrypted) and table.name != "key_checks"
        ]
        tried = []
        for table, column in sealed:
            shutil.copyfile(tmp_path / "kept.db", tmp_path / "damaged.db")
            with closing(sqlite3.connect(tmp_path / "damaged.db", isolation_level=None)) as database:
                query = f"SELECT rowid, {column} FROM {table} WHERE {column} IS NOT NULL"
                if (found := database.execute(query).fetchone()) is None:
                    continue
                changed = bytes([*found[1][:40], found[1][40] ^ 1, *found[1][41:]])
                database.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (changed, found[0]))
            tried.append(f"{table}.{column}")
            told = refused(run("restore", "damaged.db", "--replace", SECRET_KEY=KEY))
            assert told == "damaged.db is damaged; take another backup.", tried
        assert {*tried} >= {"games.position", "games.seal", "moves.notation", "messages.text"}

    @for_each(
        "statement",
        [
            "UPDATE players SET name = CAST(x'41ff' AS TEXT)",
            "UPDATE games SET options = '{'",
            "UPDATE games SET created_at = 'long ago'",
            "PRAGMA foreign_keys = OFF; UPDATE moves SET game_id = 'none'",
        ],
    )
    def test_one_with_a_value_that_cannot_be_read(self, run: Run, played: Playing, tmp_path: Path, statement: str):  # noqa: F811
        run("backup", "kept.db", SECRET_KEY=KEY)
        for part in statement.split("; "):
            change(tmp_path / "kept.db", part)
        told = refused(run("restore", "kept.db", "--replace", SECRET_KEY=KEY))
        assert told == "kept.db is damaged; take another backup."

    def test_one_with_forty_bytes_that_are_wrong_anywhere(self, run: Run, played: Playing, tmp_path: Path):  # noqa: F811
        run("backup", "kept.db", SECRET_KEY=KEY)
        content = (tmp_path / "kept.db").read_bytes()
        used = [at for at in range(100, len(content)) if content[at]]  # what is empty is read by nobody
        for seed in range(12):
            damaged = bytearray(content)
            for at in random.Random(seed).sample(used, 40):
                damaged[at] ^= 255
            (tmp_path / "damaged.db").write_bytes(damaged)
            told = run("restore", "damaged.db", "--replace", SECRET_KEY=KEY)
            assert "another backup" in refused(told), seed

    def test_a_database_with_players_unless_it_is_said(self, run: Run, played: Playing):  # noqa: F811
        run("backup", "kept.db", SECRET_KEY=KEY)
        assert "--replace" in refused(run("restore", "kept.db", SECRET_KEY=KEY))

    def test_a_server_that_runs(self, run: Run, played: Playing, tmp_path: Path):  # noqa: F811
        run("backup", "kept.db", SECRET_KEY=KEY)
        with Use(f"sqlite:///{tmp_path / FOLDER / 'blackticket.db'}"):
            told = refused(run("restore", "kept.db", "--replace", SECRET_KEY=KEY, TICK_SECONDS="1"))
            assert "stop the server first" in told
            assert run("player", "list", SECRET_KEY=KEY).exit_code == 0
        assert played.view()["turn"] == 2
        assert run("restore", "kept.db", "--replace", SECRET_KEY=KEY).exit_code == 0

    def test_nothing_begins_during_a_restoration(self, run: Run, played: Playing, tmp_path: Path):  # noqa: F811
        with Use(f"sqlite:///{tmp_path / FOLDER / 'blackticket.db'}", alone=True):
            for command in (("player", "list"), ("db", "upgrade"), ("web",), ("worker",)):
                assert "is being restored" in refused(run(*command, SECRET_KEY=KEY))

    @pytest.mark.parametrize(
        ("statement", "lost"),
        [
            ("DROP TABLE moves", "lacks the table moves"),
            ("ALTER TABLE moves RENAME COLUMN turn TO turns", "lacks the column turn of the table moves"),
            ("DELETE FROM alembic_version", "does not say its version"),
            ("DELETE FROM key_checks", "nothing to check the secret key with"),
        ],
    )
    def test_an_incomplete_one(self, run: Run, played: Playing, tmp_path: Path, statement: str, lost: str):  # noqa: F811
        run("backup", "kept.db", SECRET_KEY=KEY)
        change(tmp_path / "kept.db", statement)
        before = (tmp_path / FOLDER / "blackticket.db").read_bytes()
        told = refused(run("restore", "kept.db", "--replace", SECRET_KEY="another key that is long enough for it"))
        assert told.startswith("kept.db is incomplete")
        assert lost in told
        assert (tmp_path / FOLDER / "blackticket.db").read_bytes() == before

    @pytest.mark.parametrize(
        "statement",
        [
            "DELETE FROM alembic_version",
            "DROP TABLE alembic_version",
            "UPDATE alembic_version SET version_num = 'r9999'",
        ],
    )
    def test_a_database_that_is_not_at_this_version_unless_it_is_said(
        self,
        run: Run,  # noqa: F811
        played: Playing,
        tmp_path: Path,
        statement: str,
    ):
        run("backup", "kept.db", SECRET_KEY=KEY)
        change(tmp_path / FOLDER / "blackticket.db", statement)
        assert "--replace" in refused(run("restore", "kept.db", SECRET_KEY=KEY))
        assert run("restore", "kept.db", "--replace", SECRET_KEY=KEY).exit_code == 0
        (kept,) = (tmp_path / FOLDER).glob("replaced-*.db")
        with closing(sqlite3.connect(kept)) as database:
            assert database.execute("SELECT count(*) FROM players").fetchone() == (3,)

    def test_a_damaged_database_unless_it_is_said(self, run: Run, played: Playing, tmp_path: Path):  # noqa: F811
        run("backup", "kept.db", SECRET_KEY=KEY)
        with played.table.app.app_context():
            let_go()
        damaged = b"no database, but perhaps somebody can mend it" * 1000
        (tmp_path / FOLDER / "blackticket.db").write_bytes(damaged)
        assert "--replace" in refused(run("restore", "kept.db", SECRET_KEY=KEY))
        assert (tmp_path / FOLDER / "blackticket.db").read_bytes() == damaged
        told = run("restore", "kept.db", "--replace", SECRET_KEY=KEY)
        assert told.exit_code == 0, (told.output, told.exception)
        (kept,) = (tmp_path / FOLDER).glob("replaced-*.db")
        assert kept.read_bytes() == damaged
        assert kept.stat().st_mode & 0o077 == 0

    def test_both_ways_to_release(self, run: Run, played: Playing):  # noqa: F811
        told = refused(run("release", "--drop-mails", "--send-mails", SECRET_KEY=KEY))
        assert told == "Give --send-mails or --drop-mails, not both."

    def test_nothing_to_release(self, run: Run, played: Playing):  # noqa: F811
        assert "was not restored" in refused(run("release", "--drop-mails", SECRET_KEY=KEY))
