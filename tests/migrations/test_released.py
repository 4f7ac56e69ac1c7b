"""A database of every released version is brought to this one, and its games go on, as docs/operating.md promises."""

import re
import tomllib
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import Result

from server.application.people import tokens
from server.migrations import current, newest, upgrade
from server.models import Answered, Game, Outgoing, Player, session
from server.models.sqlite import sqlite3
from server.settings import Settings
from server.vocabulary.durations import DAY
from tests.cli.test_commands import run  # noqa: F401 a fixture
from tests.databases import cluster_url, empty_postgres, let_go
from tests.docs.pages import ROOT
from tests.injected import application
from tests.invariant import broken_games
from tests.migrations.released import DATA, KEY, lay
from tests.table import Person, Playing, Table

pytestmark = [
    pytest.mark.sqlite("the files are SQLite's; one test restores them into PostgreSQL"),
    pytest.mark.from_nothing,
]
VERSIONS = sorted(path.stem for path in DATA.glob("*.sql"))
# 0.1.0 was never tagged, so its database is refused and there is none here.
RELEASED = {*re.findall(r"^## \[?(\d+\.\d+\.\d+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)} - {"0.1.0"}
Run = Callable[..., Result]


@pytest.fixture(scope="module")
def postgres() -> Iterator[str]:
    with empty_postgres(cluster_url()) as url:
        yield url


def known(table: Table, name: str) -> Person:
    """Return a player who is in the database already, with a new token."""
    person = Person.__new__(Person)
    with table.app.app_context():
        player = session.query(Player).filter(Player.name == name).one()
        person.table, person.name, person.id = table, name, player.id
        person.address = f"{name.lower()}@example.org"
        person.token = tokens.add(player.id, "later")[1]
    return person


def test_every_released_version_has_its_database_here():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert {*RELEASED, version} == {*VERSIONS}, "python -m tests.migrations.released VERSION writes it"


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("has_one_more", [False, True], ids=["to this version", "by one more migration"])
def test_its_games_go_on_after_the_upgrade(
    tmp_path: Path,
    run: Run,  # noqa: F811
    one_more_migration: Callable[[str], None],
    version: str,
    has_one_more: bool,
):
    lay(version, tmp_path / "var")
    if has_one_more:
        one_more_migration("")
    assert run("db", "upgrade", SECRET_KEY=KEY).exit_code == 0
    table = Table(tmp_path / "var", seed=2, sandbox="1", secret_key=KEY)
    with table.app.app_context():
        assert current() == newest()
        assert list(broken_games()) == []
        ids = {game.status: game.id for game in session.query(Game)}
        assert session.query(Outgoing).filter(Outgoing.state == "pending").count() > 0
        answered = session.query(Answered).one()
        assert (answered.game_id, answered.expires_at - answered.created_at) == (ids["over"], DAY)
    ada, ben, cleo = people = [known(table, name) for name in ("Ada", "Ben", "Cleo")]
    game = Playing(table, ids["running"], people)
    assert [seat["state"] for seat in ada.get(f"/games/{ids['open']}").json["seats"]] == ["open", "invited", "taken"]
    assert [len(ada.get("/webhooks").json["webhooks"]), len(ben.get("/me/blocks").json["blocks"])] == [1, 1]
    assert len(cleo.get("/me/absences").json["absences"]) == 1
    assert cleo.get(f"/games/{ids['over']}/preferences").json["mail"] == "daily 08:00"
    assert ben.get(f"{game.path}/deadline").json["steps"][1:-1] == ["the detectives have 2 days"]
    (vote,) = ben.get(f"{game.path}/votes").json["votes"]
    assert ben.post(f"{game.path}/votes/{vote['id']}", {"for": True}).status_code in (200, 201)
    texts = [message["text"] for message in ben.get(f"{game.path}/messages").json["messages"]]
    assert texts == ["Where is he?", "Near the river."]
    assert cleo.get(f"{game.path}/ahead").json["moves"] != []
    turn = game.view()["turn"]
    table.clock.turn(minutes=20)
    table.tick()
    assert game.view()["turn"] == turn + 1, "the move of Ben's that waited was played"
    while game.mover() is ben:
        assert game.move(ben).status_code == 201
    table.tick()
    assert cleo.get(f"{game.path}/ahead").json["moves"] == [], "Cleo's queued move was played"
    assert table.post.of("cleo@example.org") != []
    assert run("verify", ids["over"], SECRET_KEY=KEY, SANDBOX="1").exit_code == 0


@pytest.mark.parametrize("version", VERSIONS)
def test_it_is_restored_into_postgresql(tmp_path: Path, run: Run, version: str, postgres: str):  # noqa: F811
    lay(version, tmp_path / "var")
    told = run(
        "restore", str(tmp_path / "var" / "blackticket.db"), "--replace", SECRET_KEY=KEY, DATABASE_URL=postgres
    )  # fmt: skip
    assert told.exit_code == 0, told.output
    table = Table(tmp_path / "postgres", sandbox="1", secret_key=KEY, database_url=postgres)
    with table.app.app_context():
        assert list(broken_games()) == []
        assert session.query(Game).count() == 3


@pytest.mark.parametrize("version", VERSIONS)
def test_the_migrations_up_to_a_released_version_make_its_tables_as_they_were(tmp_path: Path, version: str):
    lay(version, tmp_path)
    with closing(sqlite3.connect(tmp_path / "blackticket.db")) as database:
        (revision,) = database.execute("SELECT version_num FROM alembic_version").fetchone()
        released = schema(database)
    app = application(Settings.from_environ({}, tmp_path / "new"))
    with app.app_context():
        upgrade(revision)
        let_go()
    with closing(sqlite3.connect(tmp_path / "new" / "blackticket.db")) as database:
        assert schema(database) == released, "a migration that was released was changed"


def schema(database: sqlite3.Connection) -> set[str]:
    """Return the statements that make the tables and indexes of a database, without their blanks."""
    found = database.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'")
    return {"".join(sql.split()) for (sql,) in found}
