"""Migrations make the tables that the models speak of, on both databases, and refuse what is not theirs."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from flask import Flask
from sqlalchemy import select, text

from server import clock, migrations
from server.app import create_app, wsgi
from server.application.time import outages
from server.cli.operate import upgrade_with_backup
from server.migrations import OldDatabase, current, newest, require_current, upgrade
from server.models import Base, Deadline, Player, db, session
from server.settings import Settings
from tests import databases
from tests.crowd import at_once
from tests.databases import let_go

NEWEST = newest()
SECOND = """
import sqlalchemy as sa
from alembic import op
revision, down_revision, branch_labels, depends_on = "9999", "{newest}", None, None
def upgrade():
    with op.batch_alter_table("players") as players:
        players.alter_column("name", type_=sa.String(60))
    {more}
"""


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
    made = create_app(Settings.from_environ(environ, tmp_path))
    with made.app_context():
        yield made
        let_go()


@pytest.fixture
def second(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[str], None]:
    """Adds a second migration, which makes a table anew and then does one thing more."""

    def add(more: str) -> None:
        scripts = tmp_path / "migrations"
        (scripts / "versions").mkdir(parents=True)
        first = Path(migrations.__file__).parent
        for name in ("env.py", *(f"versions/{path.name}" for path in (first / "versions").glob("0*.py"))):
            (scripts / name).write_text((first / name).read_text())
        (scripts / "versions/9999_another.py").write_text(SECOND.format(more=more, newest=NEWEST))
        monkeypatch.setattr(migrations, "__file__", str(scripts / "__init__.py"))

    return add


def tables() -> set[str]:
    with db.engine.connect() as connection:
        return set(db.inspect(connection).get_table_names())


def at(revision: str) -> None:
    """Say that the database is at `revision`."""
    with db.engine.connect().execution_options(writes=True) as connection, connection.begin():
        connection.execute(text("UPDATE alembic_version SET version_num = :revision"), {"revision": revision})


def add_player_with_token() -> None:
    with db.engine.connect().execution_options(writes=True) as connection, connection.begin():
        connection.execute(
            text(
                "INSERT INTO players (id, name, email, zone, mail, bounces, picture, asks_first, "
                "spends_vacation, created_at) VALUES "
                "('ada', 'Ada', 'ada@example.org', 'UTC', 'usual', false, 'off', false, false, '2026-11-22 18:00:00')"
            )
        )
        connection.execute(
            text(
                "INSERT INTO tokens (digest, id, player_id, name, scopes, created_at) "
                "VALUES ('d', 't', 'ada', 'first', 'read', '2026-11-22 18:00:00')"
            )
        )


def count(table: str) -> int:
    with db.engine.connect() as connection:
        return int(connection.execute(text(f"SELECT count(*) FROM {table}")).scalar_one())


def test_an_empty_database_comes_to_be_as_the_models_say(app: Flask):
    upgrade()
    with db.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})
        assert compare_metadata(context, Base.metadata) == []
    assert tables() == {*Base.metadata.tables, "alembic_version"}


def test_an_upgrade_that_was_made_is_not_made_again(app: Flask):
    upgrade()
    add_player_with_token()
    upgrade()
    assert (current(), count("players")) == (newest(), 1)


def test_an_empty_database_is_at_no_revision_and_is_refused(app: Flask):
    assert current() is None
    with pytest.raises(OldDatabase, match="blackticket db upgrade"):
        require_current()


def test_a_database_at_this_version_is_taken(app: Flask):
    upgrade()
    require_current()


def test_an_old_database_is_refused_by_who_does_not_upgrade_it(
    app: Flask, environ: dict[str, str], second: Callable[[str], None], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    upgrade()
    second("")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("server.app.create_app", lambda _settings: app)
    with pytest.raises(OldDatabase, match="blackticket db upgrade"):
        wsgi(environ)


def test_a_database_of_a_newer_version_is_refused_and_left_as_it_is(app: Flask):
    upgrade()
    at("9999")
    for step in (require_current, upgrade_with_backup):
        with pytest.raises(OldDatabase, match="newer version"):
            step()
    at(str(newest()))
    require_current()


def test_a_table_made_anew_keeps_its_rows_and_those_that_refer_to_them(app: Flask, second: Callable[[str], None]):
    upgrade()
    add_player_with_token()
    second("")
    upgrade()
    assert (current(), count("players"), count("tokens")) == ("9999", 1, 1)


def test_tokens_of_before_they_had_scopes_may_do_everything_and_an_address_stays(
    app: Flask, monkeypatch: pytest.MonkeyPatch
):
    with monkeypatch.context() as patched:
        real = migrations.command.upgrade
        patched.setattr(migrations.command, "upgrade", lambda config, _: real(config, "0002"))
        upgrade()
    with db.engine.connect().execution_options(writes=True) as connection, connection.begin():
        connection.execute(
            text(
                "INSERT INTO players (id, name, email, zone, wants_mail, created_at) "
                "VALUES ('ada', 'Ada', 'ada@example.org', 'UTC', true, '2026-11-22 18:00:00')"
            )
        )
        for digest in ("one", "two"):
            values = f"VALUES ('{digest}', 'ada', '2026-11-22 18:00:00')"
            connection.execute(text(f"INSERT INTO tokens (digest, player_id, created_at) {values}"))
    upgrade()
    with db.engine.connect() as connection:
        tokens = connection.execute(text("SELECT id, name, scopes, used_on FROM tokens")).all()
        addresses = connection.execute(text("SELECT player_id, email FROM addresses")).all()
    assert {token[1:] for token in tokens} == {("first", "read play host admin", None)}
    assert len({token.id for token in tokens}) == 2
    assert addresses == [("ada", "ada@example.org")]


def test_names_that_look_alike_do_not_stop_the_upgrade_and_the_first_player_has_the_name(
    app: Flask, monkeypatch: pytest.MonkeyPatch
):
    with monkeypatch.context() as patched:
        real = migrations.command.upgrade
        patched.setattr(migrations.command, "upgrade", lambda config, _: real(config, "0016"))
        upgrade()
    people = (("b", "Ben", "18"), ("a", "BEN", "19"), ("c", "Mr. X", "20"), ("d", "...", "20"), ("e", "Ada", "21"))
    with db.engine.connect().execution_options(writes=True) as connection, connection.begin():
        for number, (player_id, name, hour) in enumerate(people):
            connection.execute(
                text(
                    "INSERT INTO players (id, name, email, zone, mail, bounces, picture, asks_first, spends_vacation, "
                    "created_at) VALUES (:id, :name, :email, 'UTC', 'usual', false, 'off', false, false, :at)"
                ),
                {"id": player_id, "name": name, "email": f"{number}@example.org", "at": f"2026-11-22 {hour}:00:00"},
            )
    upgrade()
    found = session.execute(select(Player.name, Player.skeleton).order_by(Player.id)).all()
    assert {name for name, skeleton in found if skeleton is None} == {"BEN"}
    assert len(found) == len(people)


def test_deadlines_under_way_go_on_as_they_were_set_explain_themselves_and_get_back_the_time_of_the_upgrade(
    app: Flask, monkeypatch: pytest.MonkeyPatch
):
    with monkeypatch.context() as patched:
        real = migrations.command.upgrade
        patched.setattr(migrations.command, "upgrade", lambda config, _: real(config, "0009"))
        upgrade()
    at = "2026-11-22 18:00:00"
    rows = {
        "players": {"id": "ada", "name": "Ada", "email": "a@b.c", "zone": "UTC", "wants_mail": True,
                    "asks_first": False, "created_at": at},
        "games": {"id": "g", "name": "G", "host_id": "ada", "edition": "condensed", "options": "{}", "code": "c",
                  "clock": '{"kind": "per_phase", "mr_x": "P2DT6H", "detectives": "P1D", "reminder": 0.5}',
                  "visibility": "public", "seating": "chosen", "status": "running", "starts": "{}", "events": 9,
                  "side": "mr_x", "round": 1,
                  "mr_x_misses": 0, "final": False, "created_at": at},
        "deadlines": {"id": "d", "game_id": "g", "kind": "timeout", "side": "mr_x", "round": 1, "serial": 1,
                      "due_at": "2026-11-25 00:00:00", "state": "armed", "try_at": at, "attempts": 0},
        "pulses": {"name": "tick", "at": f"{at}.000000"},
    }  # fmt: skip
    with db.engine.connect().execution_options(writes=True) as connection, connection.begin():
        for table, values in rows.items():
            names = ", ".join(values)
            connection.execute(text(f"INSERT INTO {table} ({names}) VALUES (:{', :'.join(values)})"), values)
    upgrade()
    row = session.get_one(Deadline, "d")
    assert (row.seat, row.step, row.due_at, row.began_at, row.more) == (
        0, 0, datetime(2026, 11, 25, tzinfo=UTC), datetime(2026, 11, 22, 18, tzinfo=UTC), [],
    )  # fmt: skip
    assert clock.explain(clock.read_steps(row.steps or []), None, clock.in_zone("UTC")) == [
        "from 2026-11-22T18:00:00Z", "Mr. X has 54 hours", "due 2026-11-25T00:00:00Z",
    ]  # fmt: skip
    runtime = app.extensions["blackticket"]
    runtime.clock = lambda: datetime(2026, 11, 22, 20, tzinfo=UTC)
    outages.Watch().look()
    outages.give_back()
    (outage,) = outages.report()
    assert (outage["begin"], outage["end"]) == ("2026-11-22T18:00:00Z", "2026-11-22T20:00:00Z")
    due = select(Deadline.due_at).where(Deadline.game_id == "g", Deadline.state == "armed")
    assert session.scalars(due).all() == [datetime(2026, 11, 25, 2, tzinfo=UTC)]


def test_a_migration_that_fails_leaves_nothing_behind(app: Flask, second: Callable[[str], None]):
    upgrade()
    before = tables()
    second('op.create_table("more", sa.Column("id", sa.Integer())); raise KeyError("no")')
    with pytest.raises(KeyError):
        upgrade()
    assert (current(), tables()) == (NEWEST, before)


def test_several_that_upgrade_at_once_wait_for_each_other(environ: dict[str, str], tmp_path: Path):
    assert at_once(*[(upgrade_in_a_process, (environ, tmp_path))] * 3) == [0, 0, 0]


def upgrade_in_a_process(start: Barrier, environ: dict[str, str], var: Path) -> None:
    app = create_app(Settings.from_environ(environ, var))
    with app.app_context():
        start.wait()
        upgrade()
        require_current()
        let_go()


class TestEmbedded:
    """The embedded database is copied before it is changed."""

    @pytest.fixture
    def environ(self) -> dict[str, str]:
        return {}

    def test_an_empty_database_is_upgraded_without_a_backup(self, app: Flask, tmp_path: Path):
        said = upgrade_with_backup()
        assert said == f"The database was brought to revision {newest()}."
        assert list(tmp_path.glob("before-*")) == []

    def test_a_database_at_this_version_is_left_alone(self, app: Flask, tmp_path: Path):
        upgrade()
        assert upgrade_with_backup() is None
        assert list(tmp_path.glob("before-*")) == []

    def test_a_backup_is_made_before_an_upgrade(self, app: Flask, second: Callable[[str], None], tmp_path: Path):
        upgrade()
        add_player_with_token()
        second('op.execute("DELETE FROM tokens")')
        said = upgrade_with_backup()
        (backup,) = tmp_path.glob("before-*.db")
        assert said is not None
        assert str(backup) in said
        assert (current(), count("tokens")) == ("9999", 0)
        with closing(sqlite3.connect(backup)) as copy:
            assert copy.execute("SELECT version_num FROM alembic_version").fetchone() == (NEWEST,)
            assert copy.execute("SELECT count(*) FROM tokens").fetchone() == (1,)
        assert backup.stat().st_mode & 0o077 == 0, "the copy is as private as the database"

    def test_a_migration_that_leaves_dangling_rows_is_undone(self, app: Flask, second: Callable[[str], None]):
        upgrade()
        add_player_with_token()
        second('op.execute("DELETE FROM players")')
        with pytest.raises(RuntimeError, match="refer to nothing"):
            upgrade()
        assert (current(), count("players")) == (NEWEST, 1)
