"""Migrations make the tables that the models speak of, on both databases, and refuse what is not theirs."""

from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from multiprocessing.synchronize import Barrier
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from flask import Flask
from sqlalchemy import MetaData, insert, inspect, text

from server import migrations
from server.app import wsgi
from server.cli.database import upgrade_with_backup
from server.migrations import OldDatabase, current, newest, require_current, upgrade
from server.models import Base, Player, db, open_for_writing
from server.models.sqlite import sqlite3
from server.settings import Settings
from tests import databases
from tests.crowd import at_once
from tests.databases import let_go
from tests.injected import application

NEWEST = newest()


@pytest.fixture
def postgres(cluster: str) -> Iterator[str]:
    """The URL of a PostgreSQL database without tables."""
    with databases.empty_postgres(cluster) as url:
        yield url


@pytest.fixture
def environ(database: str) -> dict[str, str]:
    """Return the settings that name the database to a process."""
    return {"BLACKTICKET_DATABASE_URL": database}


@pytest.fixture
def app(environ: dict[str, str], tmp_path: Path) -> Iterator[Flask]:
    """An application on an empty database, in its context."""
    made = application(Settings.from_environ(environ, tmp_path))
    with made.app_context():
        yield made
        let_go()


def test_the_name_of_a_migration_begins_with_its_revision():
    """The server reads the names only; Alembic reads the files."""
    scripts = Config()
    scripts.set_main_option("script_location", str(Path(migrations.__file__).parent))
    directory = ScriptDirectory.from_config(scripts)
    assert [newest()] == directory.get_heads()
    assert migrations._revisions() == {script.revision for script in directory.walk_revisions()}


def tables() -> set[str]:
    with db.engine.connect() as connection:
        return set(db.inspect(connection).get_table_names())


def at(revision: str) -> None:
    """Say that the database is at `revision`."""
    with db.engine.connect() as connection, connection.begin():
        open_for_writing(connection)
        connection.execute(text("UPDATE alembic_version SET version_num = :revision"), {"revision": revision})


def run_in_database(statement: str) -> None:
    with db.engine.connect() as connection, connection.begin():
        open_for_writing(connection)
        connection.execute(text(statement))


def add_player_with_token() -> None:
    with db.engine.connect() as connection, connection.begin():
        open_for_writing(connection)
        ada = {"id": "ada", "name": "Ada", "email": "ada@example.org", "created_at": datetime(2026, 11, 22, tzinfo=UTC)}
        connection.execute(insert(Player).values(ada))
        connection.execute(
            text(
                "INSERT INTO tokens (digest, id, player_id, name, scopes, created_at) "
                "VALUES ('d', 't', 'ada', 'first', 'read', '2026-11-22 18:00:00')"
            )
        )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("gathered 5", "usual"), ("gathered 60", "usual"), ("gathered 61", "daily 18:00"),
        ("gathered 720", "daily 18:00"), ("daily 07:45", "daily 07:45"), ("moves", "moves"),
    ],
)  # fmt: skip
def test_mail_that_was_gathered_comes_as_usual_or_once_a_day(app: Flask, before: str, after: str):
    upgrade("r0002")
    add_player_with_token()
    with db.engine.begin() as connection:
        connection.execute(text("UPDATE players SET mail = :mail"), {"mail": before})
    upgrade()
    with db.engine.connect() as connection:
        assert connection.execute(text("SELECT mail FROM players")).scalar_one() == after


def count(table: str) -> int:
    with db.engine.connect() as connection:
        return int(connection.execute(text(f"SELECT count(*) FROM {table}")).scalar_one())


def test_an_empty_database_comes_to_be_as_the_models_say(app: Flask):
    upgrade()
    with db.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})
        assert compare_metadata(context, Base.metadata) == []
    assert tables() == {*Base.metadata.tables, "alembic_version"}


def test_an_empty_database_gets_the_constraints_and_the_indexes_of_the_models(app: Flask):
    upgrade()
    made = schema()
    with db.engine.connect() as connection, connection.begin():
        open_for_writing(connection)
        Base.metadata.drop_all(connection)
        Base.metadata.create_all(connection)
    assert made == schema()


def schema() -> dict[str, object]:
    """Return everything the database knows of its tables, by their names; columns are in their order."""
    with db.engine.connect() as connection:
        found = inspect(connection)
        return {
            name: [
                repr(sorted(found.get_pk_constraint(name).items(), key=str)),
                *(str(column) for column in found.get_columns(name)),
                *sorted(str(key) for key in found.get_foreign_keys(name)),
                *sorted(str(constraint) for constraint in found.get_unique_constraints(name)),
                *sorted(index_of(index) for index in found.get_indexes(name)),
            ]
            for name in Base.metadata.tables
        }


def index_of(index: object) -> str:
    assert isinstance(index, dict)
    options = {name: str(value) for name, value in index.get("dialect_options", {}).items()}
    return str(index | {"dialect_options": options})


def test_an_upgrade_that_was_made_is_not_made_again(app: Flask):
    upgrade()
    add_player_with_token()
    upgrade()
    assert (current(), count("players")) == (newest(), 1)


def test_an_empty_database_is_at_no_revision_and_is_refused(app: Flask):
    assert current() is None
    with pytest.raises(OldDatabase, match="blackticket db upgrade"):
        require_current()


def test_an_old_database_is_refused_by_who_does_not_upgrade_it(
    app: Flask,
    environ: dict[str, str],
    one_more_migration: Callable[[str], None],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
):
    upgrade()
    one_more_migration("")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(OldDatabase, match="blackticket db upgrade"):
        wsgi(environ)


def test_a_database_of_a_newer_version_is_refused_and_left_as_it_is(app: Flask):
    upgrade()
    at("r9999")
    for step in (require_current, upgrade_with_backup):
        with pytest.raises(OldDatabase, match="newer version"):
            step()
    at(newest())
    require_current()


def test_the_file_of_another_program_is_refused_and_left_as_it_is(app: Flask):
    with db.engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE recipes (name TEXT)")
    if db.engine.dialect.name == "sqlite":
        for step in (require_current, upgrade_with_backup):
            with pytest.raises(OldDatabase, match="another program"):
                step()
        assert inspect(db.engine).get_table_names() == ["recipes"]
    else:  # where a database may have the tables of several programs
        assert upgrade_with_backup() is not None


def refuse(match: str) -> None:
    """Check that no process begins with the database, and that no migration does."""
    before = tables()
    for step in (require_current, upgrade_with_backup):
        with pytest.raises(OldDatabase, match=match):
            step()
    assert tables() == before


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM alembic_version",
        "DROP TABLE alembic_version",
        "UPDATE alembic_version SET version_num = ''",
        "INSERT INTO alembic_version VALUES ('r0001')",
    ],
)
def test_a_database_that_does_not_say_its_version_is_refused_before_any_migration(app: Flask, statement: str):
    upgrade()
    run_in_database(statement)
    refuse("does not say its version; restore a backup into an empty one, or name another one in DATABASE_URL")


def test_a_version_without_a_value_is_none(app: Flask):
    upgrade()
    run_in_database("DROP TABLE alembic_version")
    run_in_database("CREATE TABLE alembic_version (version_num VARCHAR(32))")
    run_in_database("INSERT INTO alembic_version VALUES (NULL)")
    refuse("does not say its version")


def test_a_table_of_another_program_that_is_named_like_one_of_ours_is_refused(app: Flask):
    run_in_database("CREATE TABLE games (name TEXT)")
    refuse("has a table games, and does not say its version")


@pytest.mark.parametrize("revision", ["R0002", "r00020", "a1b2c3", "r0000"])
def test_a_revision_that_is_none_of_this_program_is_that_of_another(app: Flask, revision: str):
    upgrade()
    at(revision)
    refuse("made by another program")


def test_a_database_that_lacks_a_table_is_refused(app: Flask):
    upgrade()
    run_in_database("DROP TABLE moves")
    refuse("lacks the table moves; restore a backup")


def test_a_table_of_versions_that_is_left_alone_counts_as_an_empty_database(app: Flask):
    run_in_database("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)")
    assert upgrade_with_backup() is not None
    require_current()


def test_a_database_of_before_0_2_0_is_refused_and_left_as_it_is(app: Flask):
    upgrade()
    for revision in ("0001", "0021", "r0001"):
        at(revision)
        for step in (require_current, upgrade_with_backup):
            with pytest.raises(OldDatabase, match=r"before version 0\.2\.0"):
                step()
    at(newest())
    require_current()


def test_a_table_made_anew_keeps_its_rows_and_those_that_refer_to_them(
    app: Flask, one_more_migration: Callable[[str], None]
):
    upgrade()
    add_player_with_token()
    one_more_migration("")
    upgrade()
    assert (current(), count("players"), count("tokens")) == ("r9999", 1, 1)


def test_a_migration_that_fails_leaves_nothing_behind(app: Flask, one_more_migration: Callable[[str], None]):
    upgrade()
    before = tables()
    one_more_migration('op.create_table("more", sa.Column("id", sa.Integer())); raise KeyError("no")')
    with pytest.raises(KeyError):
        upgrade()
    assert (current(), tables()) == (NEWEST, before)


def test_several_that_upgrade_at_once_wait_for_each_other(environ: dict[str, str], tmp_path: Path):
    assert at_once(*[(upgrade_in_a_process, (environ, tmp_path))] * 3) == [0, 0, 0]


def upgrade_in_a_process(start: Barrier, environ: dict[str, str], var: Path) -> None:
    app = application(Settings.from_environ(environ, var))
    with app.app_context():
        start.wait()
        upgrade()
        require_current()
        let_go()


class TestOnPostgresql:
    """The tables are in the database that the settings name."""

    @pytest.fixture
    def environ(self, postgres: str) -> dict[str, str]:
        return {"BLACKTICKET_DATABASE_URL": postgres.replace("//postgres:@", "//postgres:hunter2@")}

    def test_of_an_empty_database_it_is_said_where_the_tables_are(self, app: Flask, postgres: str):
        said = str(upgrade_with_backup())
        assert said.startswith("The database had no tables, so they were made in postgresql://")
        assert urlsplit(postgres).path in said
        assert not any(word in said for word in ("var", "hunter2"))


class TestEmbedded:
    """The embedded database is copied before it is changed."""

    @pytest.fixture
    def environ(self) -> dict[str, str]:
        return {}

    def test_an_empty_database_is_upgraded_without_a_backup(self, app: Flask, tmp_path: Path):
        said = upgrade_with_backup()
        assert said == f"There was no database, so a new one was made; the data folder is {tmp_path}."
        assert list(tmp_path.glob("before-*")) == []

    def test_a_database_at_this_version_is_left_alone(self, app: Flask, tmp_path: Path):
        upgrade()
        assert upgrade_with_backup() is None
        assert list(tmp_path.glob("before-*")) == []

    def test_a_backup_is_made_before_an_upgrade(
        self, app: Flask, one_more_migration: Callable[[str], None], tmp_path: Path
    ):
        upgrade()
        add_player_with_token()
        one_more_migration('op.execute("DELETE FROM tokens")')
        said = upgrade_with_backup()
        (backup,) = tmp_path.glob("before-*.db")
        assert said is not None
        assert str(backup) in said
        assert (current(), count("tokens")) == ("r9999", 0)
        with closing(sqlite3.connect(backup)) as copy:
            assert copy.execute("SELECT version_num FROM alembic_version").fetchone() == (NEWEST,)
            assert copy.execute("SELECT count(*) FROM tokens").fetchone() == (1,)
        assert backup.stat().st_mode & 0o077 == 0, "the copy is as private as the database"

    def test_a_migration_that_leaves_dangling_rows_is_undone(
        self, app: Flask, one_more_migration: Callable[[str], None]
    ):
        upgrade()
        add_player_with_token()
        one_more_migration('op.execute("DELETE FROM players")')
        with pytest.raises(RuntimeError, match="refer to nothing"):
            upgrade()
        assert (current(), count("players")) == (NEWEST, 1)


def test_a_message_is_numbered_by_the_events_before_it_and_a_seat_by_the_newcomer_to_it(app: Flask):
    upgrade("r0002")
    add_player_with_token()
    tables = MetaData()
    tables.reflect(db.engine, only=["games", "seats", "events", "messages"])

    def add(table: str, **values: object) -> None:
        """Write a row, with something of the right type in the columns that need a value."""
        rest = {
            column.name: _SOME.get(type(column.type).__name__, "x")
            for column in tables.tables[table].columns
            if not column.nullable and column.server_default is None
        }
        with db.engine.begin() as connection:
            connection.execute(insert(tables.tables[table]), rest | values)

    add("games", id="game", host_id="ada")
    for number in (1, 2, 3):
        add("seats", game_id="game", number=number, pawns=["red"])
    account = "its player, a guest, goes on with an account"
    for number, (seat, reason) in enumerate([(0, ""), (2, "illness"), (2, "its player had to go"), (3, account)], 1):
        data = {"seat": seat, "reason": reason} if seat else {}
        add("events", game_id="game", number=number, kind="substituted" if seat else "moved", data=data, at=_at(number))
    for number in range(5):
        message = {"id": f"{number}", "serial": number, "seat": 2, "player_id": "ada", "audience": "team"}
        add("messages", game_id="game", at=_at(number + 0.5), **message)
    upgrade()
    with db.engine.connect() as connection:
        events = connection.execute(text("SELECT event FROM messages ORDER BY serial")).scalars().all()
        since = connection.execute(text("SELECT team_since FROM seats ORDER BY number")).scalars().all()
    assert (events, since) == ([0, 1, 2, 3, 4], [0, 3, 0])


def _at(minute: float) -> datetime:
    return datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=minute)


_TIMES = dict.fromkeys(("DATETIME", "TIMESTAMP"), _at(0))
_SOME = {"INTEGER": 0, "BIGINT": 0, "BOOLEAN": False, "JSON": {}, "BLOB": b"x", "BYTEA": b"x", **_TIMES}
