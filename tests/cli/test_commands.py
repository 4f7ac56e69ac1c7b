"""The command line: facts as JSON, expected errors as one sentence on stderr with exit code 1."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from server import migrations
from server.application.game import outbox_rows
from server.cli import main
from server.engine import DETECTIVES
from server.models import transaction
from server.models.sqlite import sqlite3
from tests import databases
from tests.blanks import lay_migrated
from tests.injected import for_command, wall_clock
from tests.positions import position
from tests.rows import for_each
from tests.scenes import has_run
from tests.table import Table

KEY = "the key of this test, which is long enough"
NO_PARTS: Mapping[str, Any] = {}  # of the application that a command makes


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Callable[..., Result]:
    """Runs a command in a folder of its own; settings are given without their prefix.

    The folder has a database without rows, unless the test is marked `from_nothing`.
    """
    monkeypatch.chdir(tmp_path)
    if not databases.IS_POSTGRESQL and not request.node.get_closest_marker("from_nothing"):
        lay_migrated(tmp_path / "var")

    def run(
        *arguments: str,
        clock: Callable[[], datetime] = wall_clock,
        parts: Mapping[str, Any] = NO_PARTS,
        **settings: str,
    ) -> Result:
        environ = databases.environ(tmp_path / "var")
        environ |= {f"BLACKTICKET_{name}": value for name, value in settings.items()}
        make = for_command(clock=clock, **parts)
        return CliRunner(env=environ).invoke(main, arguments, prog_name="blackticket", obj=make)

    return run


def refused(result: Result, status: int = 1) -> str:
    """The sentence on stderr of a command that failed as expected."""
    assert result.exit_code == status, (result.output, result.exception)
    assert result.stdout == ""
    assert isinstance(result.exception, SystemExit)
    sentence: str = result.stderr.removesuffix("\n")
    assert "\n" not in sentence
    assert sentence.endswith(".")
    return sentence


def status_of(command: tuple[str, ...]) -> int:
    """The exit status of a command that cannot do its work: a monitoring that calls `doctor` takes 1 for a warning."""
    return 2 if command == ("doctor",) else 1


def commands(group: click.Group = main, *before: str) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = [before]
    for name, command in group.commands.items():
        path = (*before, name)
        found += commands(command, *path) if isinstance(command, click.Group) else [path]
    return found


@pytest.mark.from_nothing
@for_each("command", commands())
def test_every_command_explains_itself_and_touches_nothing(run, tmp_path: Path, command: tuple[str, ...]):
    for flag in ("--help", "-h"):
        result = run(*command, flag)
        assert result.exit_code == 0, result.output
        assert "Usage: blackticket" in result.output
    assert not (tmp_path / "var").exists()


def test_the_promised_commands_are_there():
    promised = {("serve",), ("web",), ("worker",), ("db", "upgrade"), ("doctor",), ("backup",), ("demo",),
                ("player", "add"), ("game", "show")}  # fmt: skip
    assert promised <= set(commands())


def test_the_version_is_that_of_the_distribution(run):
    assert "0." in run("--version").output


# Players


def test_a_player_is_added_and_his_token_shown(run):
    result = run("player", "add", "Ada King", "Ada@Example.org", "--json")
    assert result.exit_code == 0
    facts = json.loads(result.stdout)
    assert list(facts) == ["id", "name", "email", "token"]
    assert (facts["name"], facts["email"]) == ("Ada King", "ada@example.org")
    assert facts["token"].startswith("bt_")
    assert json.loads(run("player", "list", "--json").stdout) == [
        {"id": facts["id"], "name": "Ada King", "email": "ada@example.org"}
    ]


def test_a_player_becomes_an_operator_until_that_is_withdrawn(run):
    run("player", "add", "Ada", "ada@example.org")
    for command, told in (("grant", "pages now, at the path /operator of the server."), ("withdraw", "cannot open")):
        assert told in run("player", command, "ada@example.org", "operator").stdout
        shown = json.loads(run("player", "show", "ada@example.org", "--json").stdout)
        assert shown["is_operator"] is (command == "grant")


def test_the_token_of_a_player_is_shown_only_once(run):
    shown = run("player", "add", "Ada", "ada@example.org").stdout
    token = shown.split()[-1]
    assert token.startswith("bt_")
    listed = run("player", "list").stdout
    assert "Ada <ada@example.org>" in listed
    assert token not in listed


@for_each(
    "name, email, says",
    [
        ("Ada\nBcc: x@example.org", "ada@example.org", "one line"),
        ("=?UTF-8?Q?=0A?=", "ada@example.org", "=?"),
        ("", "ada@example.org", "1 to 40"),
        ("x" * 41, "ada@example.org", "1 to 40"),
        ("Ada", "ada", "'ada' is no mail address"),
        ("Ada", "ada@example.org\nBcc: x@example.org", "is no mail address"),
    ],
)
def test_a_player_who_cannot_be_written_to_is_refused(run, name: str, email: str, says: str):
    assert says in refused(run("player", "add", name, email, "--json"))
    assert run("player", "list", "--json").stdout.strip() == "[]"


def test_a_fresh_folder_says_what_to_do(run):
    assert "blackticket player add NAME EMAIL" in run("player", "list").stdout
    assert run("game", "list").stdout == "There are no games yet.\n"


# Games


@pytest.fixture
def played(tmp_path: Path) -> Any:
    """A game in the folder that the commands look into: Mr. X has gone from 104 to 86."""
    table = Table(tmp_path / "var", sandbox="1", secret_key=KEY)
    game = table.dealt(2, position=position(104, red=117))
    game.move(game.people[0], "taxi 86")
    return game


def test_the_operator_sees_a_game_as_a_spectator_does(run, played):
    shown = json.loads(run("game", "show", played.id, "--json", SECRET_KEY=KEY).stdout)
    gus = played.table.person("Gus")
    assert shown == played.view(gus)
    assert shown["pawns"]["mr_x"]["station"] is None


def test_a_game_is_shown_as_a_table(run, played):
    shown = run("game", "show", played.id, SECRET_KEY=KEY).stdout
    assert played.view()["name"] in shown
    assert "turn 2, round 1: red until 2026-11-24T18:00:00Z" in shown
    assert [line.split() for line in shown.splitlines() if line.startswith(("mr_x", "red", "     1"))] == [
        ["mr_x", "?", "3", "3", "3", "2", "2"], ["red", "117", "10", "8", "4"], ["1", "taxi", "?"],
    ]  # fmt: skip
    assert "86" not in shown
    assert "104" not in shown


def test_an_open_game_is_shown_with_its_seats(run, tmp_path: Path):
    ada = Table(tmp_path / "var", secret_key=KEY).person("Ada")
    game_id = ada.post("/games", {"edition": "condensed", "players": 3}).json["id"]
    shown = run("game", "show", game_id, SECRET_KEY=KEY).stdout
    assert "seat 1  mr_x           open" in shown
    assert "seat 2  purple, red    open" in shown


def test_a_game_that_is_over_is_shown_with_its_log(run, tmp_path: Path):
    table = Table(tmp_path / "var", sandbox="1", secret_key=KEY)
    game = table.game(table.people(2), position=position(46, red=(117, {"taxi": 1})))
    game.move(game.people[0], "black 79")
    game.move(game.people[1], "taxi 88")
    shown = run("game", "show", game.id, SECRET_KEY=KEY).stdout
    assert "mr_x won (detectives_stranded)" in shown
    assert "black             79 by underground" in shown


def test_games_are_listed(run, played):
    assert [game["id"] for game in json.loads(run("game", "list", "--json", SECRET_KEY=KEY).stdout)] == [played.id]
    assert "Ravensburger 2000, running" in run("game", "list", SECRET_KEY=KEY).stdout


@for_each("command", [("show", "nothing"), ("reinstate", "nothing", "--reason", "a storm")])
def test_a_game_that_there_is_not_is_named(run, command: tuple[str, ...]):
    assert "no" in refused(run("game", *command))
    assert "game" in refused(run("game", *command))


@pytest.mark.parametrize(("role", "bots"), [("mr_x", [None, "constable"]), ("detective", ["fugitive", None])])
def test_practice_begins_a_game_against_the_house(run, role: str, bots: list[str | None]):
    run("player", "add", "Ada", "ada@example.org")
    begun = run(
        "game", "practice", "ada@example.org", "--as", role, "--edition", "condensed", "--players", "2", "--json"
    )
    facts = json.loads(begun.stdout)
    assert (facts["status"], [seat["bot"] for seat in facts["seats"]]) == ("running", bots)


@pytest.mark.parametrize("edition", ["1985", "2000", "2013"])
def test_practice_as_the_team_is_with_all_detectives(run, edition: str):
    run("player", "add", "Ada", "ada@example.org")
    begun = run("game", "practice", "ada@example.org", "--as", "team", "--edition", edition, "--json")
    assert [seat["pawns"] for seat in json.loads(begun.stdout)["seats"]] == [["mr_x"], [*DETECTIVES]]


@pytest.mark.parametrize(("options", "level"), [((), "easy"), (("--level", "good"), "good")])
def test_practice_is_against_bots_of_a_level(run, options: tuple[str, ...], level: str):
    run("player", "add", "Ada", "ada@example.org")
    begun = run("game", "practice", "ada@example.org", *options, "--json")
    assert {seat["level"] for seat in json.loads(begun.stdout)["seats"] if seat["bot"]} == {level}


def test_practice_tells_how_to_play_from_here(run):
    run("player", "add", "Ada", "ada@example.org")
    told = run("game", "practice", "ada@example.org").stdout
    assert re.fullmatch(
        r"(?P<name>.*) \(\w{16}\) has begun. Answer the turn mail, or play here: \S*blackticket play (?P=name)\n", told
    )


def test_practice_is_for_players(run):
    assert "There is no player eve@example.org" in refused(run("game", "practice", "eve@example.org"))


def test_a_game_that_lateness_ended_is_taken_up_again(run, played):
    table = played.table
    played.move(played.people[1])
    for _ in range(2):
        table.clock.turn(days=2)
        table.tick()
    assert played.view()["status"] == "over"
    told = run("game", "reinstate", played.id, "--reason", "a storm", SECRET_KEY=KEY)
    assert (told.exit_code, "goes on; the deadline is" in told.stdout) == (0, True)
    assert played.view()["status"] == "running"
    assert "can be taken up" in refused(run("game", "reinstate", played.id, "--reason", "again", SECRET_KEY=KEY))


# The database


@pytest.mark.from_nothing
@pytest.mark.sqlite("the file in the data folder")
def test_the_database_comes_to_be_with_the_first_command(run, tmp_path: Path):
    first, second = run("player", "list"), run("player", "list")
    assert (first.exit_code, second.exit_code, second.stderr) == (0, 0, "")
    told = f"There was no database, so a new one was made; the data folder is {tmp_path / 'var'}."
    assert first.stderr.startswith(told)
    for name in ("blackticket.db", "secret_key"):
        assert (tmp_path / "var" / name).stat().st_mode & 0o077 == 0


def at_revision(folder: Path, revision: str) -> None:
    database = sqlite3.connect(folder / "var" / "blackticket.db")
    database.execute("UPDATE alembic_version SET version_num = ?", (revision,))
    database.commit()
    database.close()


def content(folder: Path) -> dict[str, list[Any]]:
    """Return all that the database holds; its bytes also change when a connection of before is closed."""
    database = sqlite3.connect(folder / "var" / "blackticket.db")
    schema = database.execute("SELECT type, name, sql FROM sqlite_master ORDER BY type, name").fetchall()
    tables = [name for kind, name, _ in schema if kind == "table"]
    held = {name: sorted(map(repr, database.execute(f'SELECT * FROM "{name}"'))) for name in tables}
    database.close()
    return {"schema": schema, **held}


OPENING = [("web",), ("worker",), ("doctor",), ("player", "list"), ("game", "list"), ("serve",), ("db", "upgrade"),
           ("backup", "kept.db"), ("inbox", "list"), ("outbox", "list"), ("game", "table", "cup")]  # fmt: skip
OF_ANOTHER_VERSION = {
    "r9999": "The database was made by a newer version of the server; run that one, or restore a backup.",
    "r0001": (
        "The database was made before version 0.2.0, and no version upgrades it; "
        "finish its games with the version that made it, or move it away and start with an empty one."
    ),
}


@pytest.mark.sqlite("compares all that the file holds")
@pytest.mark.parametrize("revision", ["r9999", "r0001"], ids=["newer", "before 0.2.0"])
def test_a_database_of_another_version_is_refused(run, tmp_path: Path, revision: str):
    run("player", "list")
    at_revision(tmp_path, revision)
    before = content(tmp_path)
    for command in OPENING:
        assert refused(run(*command), status_of(command)) == OF_ANOTHER_VERSION[revision], command
        assert content(tmp_path) == before, command
    assert not (tmp_path / "kept.db").exists()


def names_in(database: Path) -> list[str]:
    connection = sqlite3.connect(database)
    names = [name for (name,) in connection.execute("SELECT name FROM players")]
    connection.close()
    return names


def test_a_backup_is_a_whole_database_for_its_owner_alone(run, tmp_path: Path):
    run("player", "add", "Ada", "ada@example.org")
    told = run("backup", "kept.db")
    assert told.exit_code == 0
    assert "kept.db" in told.stdout
    assert names_in(tmp_path / "kept.db") == ["Ada"]
    assert (tmp_path / "kept.db").stat().st_mode & 0o777 == 0o600


def test_a_backup_overwrites_nothing(run, tmp_path: Path):
    (tmp_path / "kept.db").write_text("precious")
    assert refused(run("backup", "kept.db")) == "kept.db exists already; name a new file."
    assert (tmp_path / "kept.db").read_text() == "precious"


def test_a_backup_that_cannot_be_written_says_so(run):
    assert refused(run("backup", "no/such/folder.db")) == (
        "no/such/folder.db cannot be written (No such file or directory); name another file."
    )


def test_the_doctor_says_how_the_server_stands(run, played):
    facts = json.loads(run("doctor", "--json", SECRET_KEY=KEY).stdout)
    assert facts["database"] == ("PostgreSQL" if databases.IS_POSTGRESQL else "SQLite")
    assert facts["revision"] == migrations.newest()
    assert facts["mails_to_send"] > 0
    said = run("doctor", SECRET_KEY=KEY).stdout
    assert "mails to send: " in said
    assert "oldest overdue deadline: none" in said


# What is wrong around it


@for_each(
    "command",
    [("serve",), ("web",), ("worker",), ("doctor",), ("player", "list"), ("db", "upgrade")],
)
@for_each(
    "name, value",
    [("HTTP_LISTEN", "nowhere"), ("SMTP_URL", "hunter2"), ("SECRET_KEY", "hunter2"), ("TYPO", "x"), ("IMAP_URL", "x")],
)
def test_a_wrong_setting_is_named_by_every_command(run, command: tuple[str, ...], name: str, value: str):
    sentence = refused(run(*command, **{name: value}), status_of(command))
    assert f"BLACKTICKET_{name}" in sentence
    assert "hunter2" not in sentence


RELAY = {"SMTP_URL": "smtp://relay.example.org:25"}


@pytest.mark.parametrize(
    ("warnings", "settings", "ends"),
    [
        ([], RELAY, "\nAll is well.\n"),
        ([], {}, "/var/mail.\n"),
        (["imprint: It is missing."], RELAY, "\nAdvice: imprint: It is missing.\n"),
        (["relay: There is none."], RELAY, "\nFault: relay: There is none.\n"),
    ],
)
def test_the_doctor_says_that_all_is_well_only_if_it_is_and_where_mail_ends_that_goes_nowhere(
    run, monkeypatch: pytest.MonkeyPatch, warnings: list[str], settings: dict[str, str], ends: str
):
    facts = {"revision": "r0003", "broken_games": [], "troubles": [], "warnings": warnings}
    monkeypatch.setattr("server.application.health.health.report", lambda: facts)
    monkeypatch.setattr("server.mail.setup.own_domain.warnings", list)
    result = run("doctor", **settings)
    assert result.stdout.endswith(ends)
    assert ("All is well" in result.stdout, "No mail leaves this machine" in result.stdout) == (
        not warnings,
        not settings,
    )
    assert result.exit_code == (2 if "Fault" in result.stdout else 0)


def test_the_doctor_fails_for_a_fault_alone_and_leaves_out_what_is_silenced_by_name(run, tmp_path: Path):
    has_run(Table(tmp_path / "var", secret_key=KEY))
    public = {"PUBLIC_URL": "https://play.example.org", "SECRET_KEY": KEY}

    def told(*arguments: str) -> tuple[int, str, set[str]]:
        result = run("doctor", "--json", *arguments, parts={"is_clock_set": lambda: False}, **public)
        facts = json.loads(result.stdout)
        named = {sentence.partition(": ")[0] for sentence in facts["advice"] + facts["faults"]}
        return result.exit_code, facts["state"], named

    silence = [word for name in ("imprint", "clock", "operator", "strangers") for word in ("--silence", name)]
    assert told() == (2, "fault", {"relay", "imprint", "clock", "operator", "strangers"})
    assert told("--silence", "relay") == (0, "advice", {"imprint", "clock", "operator", "strangers"})
    assert told("--silence", "relay", *silence) == (0, "ok", set())


def test_a_count_that_ends_at_a_hundred_is_a_hundred_or_more(run, tmp_path: Path):
    table = Table(tmp_path / "var", secret_key=KEY)
    has_run(table)
    with table.app.app_context(), transaction():
        for number in range(101):
            outbox_rows.post(None, "code", details={"to": "ada@example.org", "code": "12"}, cause=str(number))
    assert "\nmails to send: 100 or more\n" in run("doctor", SECRET_KEY=KEY).stdout


@pytest.mark.from_nothing
def test_a_data_folder_that_cannot_be_written_to_is_named(run, tmp_path: Path):
    (tmp_path / "var").write_text("a file where the folder should be")
    for command in (("serve",), ("player", "list")):
        assert refused(run(*command)).startswith(f"The data folder {tmp_path / 'var'} cannot be written to (")


@for_each(
    "setting, command",
    [("HTTP_LISTEN", "web"), ("HTTP_LISTEN", "serve"), ("MAIL_LISTEN", "worker")],
)
def test_an_address_of_no_host_is_named(run, setting: str, command: str):
    run("db", "upgrade")
    sentence = refused(run(command, **{setting: "no-such-host.invalid:1", "SMTP_URL": "smtp://127.0.0.1:1"}))
    assert "//no-such-host.invalid:1 cannot be used (" in sentence
    assert sentence.endswith(f"choose another address with BLACKTICKET_{setting}.")


@for_each("command", [("serve",), ("web",), ("player", "list"), ("db", "upgrade"), ("doctor",)])
def test_a_database_that_cannot_be_opened_is_named(run, command: tuple[str, ...]):
    sentence = refused(run(*command, DATABASE_URL="sqlite:////no/such/folder/yard.db"), status_of(command))
    assert sentence == "The database cannot be used: unable to open database file. See BLACKTICKET_DATABASE_URL."


def test_a_database_server_that_does_not_answer_is_named_without_the_password(run):
    sentence = refused(
        run("player", "list", DATABASE_URL="postgresql://ada:hunter2@127.0.0.1:1/yard?connect_timeout=2")
    )
    assert sentence.startswith("The database cannot be used: ")
    assert "hunter2" not in sentence


def test_a_file_that_is_no_database_is_named(run, tmp_path: Path):
    (tmp_path / "letter.txt").write_text("Dear Ada,\n" * 500)
    sentence = refused(run("player", "list", DATABASE_URL=f"sqlite:///{tmp_path / 'letter.txt'}"))
    assert sentence == "The database cannot be used: file is not a database. See BLACKTICKET_DATABASE_URL."


def test_a_fault_of_ours_is_not_dressed_up_as_a_sentence(run, monkeypatch: pytest.MonkeyPatch):
    def fail() -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("server.application.health.health.report", fail)
    assert isinstance(run("doctor").exception, ZeroDivisionError)


# Tokens


def test_a_token_is_added_listed_and_revoked(run):
    run("player", "add", "Ada", "ada@example.org")
    given = ("--name", "robot", "--scope", "read", "--scope", "play", "--expires", "P30D")
    made = json.loads(run("player", "token", "add", "ada@example.org", *given, "--json").stdout)
    assert (made["scopes"], made["token"][:3]) == (["read", "play"], "bt_")
    listed = json.loads(run("player", "token", "list", "ada@example.org", "--json").stdout)
    assert {token["name"]: token["scopes"] for token in listed}["robot"] == ["read", "play"]
    assert run("player", "token", "revoke", made["id"]).exit_code == 0
    assert made["id"] not in run("player", "token", "list", "ada@example.org").stdout


def test_the_list_of_tokens_tells_the_operator_neither_secrets_nor_when_they_were_used(run):
    secret = json.loads(run("player", "add", "Ada", "ada@example.org", "--json").stdout)["token"]
    shown = run("player", "token", "list", "ada@example.org", "--json").stdout
    assert secret not in shown
    assert "last_used" not in shown


@for_each(
    "arguments, named",
    [
        (("add", "nobody"), "no player nobody"),
        (("list", "nobody"), "no player nobody"),
        (("revoke", "aaaa"), "no such token"),
        (("add", "ada@example.org", "--scope", "write"), "scopes"),
        (("add", "ada@example.org", "--expires", "soon"), "--expires"),
        (("add", "ada@example.org", "--expires", "P900000D"), "expires_at"),
        (("add", "ada@example.org", "--expires", "P999999W"), "--expires"),
    ],
)
def test_a_token_that_cannot_be_is_refused_in_a_sentence(run, arguments: tuple[str, ...], named: str):
    run("player", "add", "Ada", "ada@example.org")
    assert named in refused(run("player", "token", *arguments))


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The names of all modules that are loaded when a command has run, where the tables are there already.

    Alembic, which would make them, loads the dialect of PostgreSQL.
    """
    folder = tmp_path_factory.mktemp("modules")
    lay_migrated(folder / "var")
    lists = "import sys; from server.cli import main; main(['player', 'list'], standalone_mode=False)"
    command = [sys.executable, "-c", f"{lists}; print(); print(*sys.modules)"]
    environ = os.environ | databases.environ(folder / "var")
    environ["PYTHONPATH"] = os.pathsep.join(sys.path)
    done = subprocess.run(command, cwd=folder, env=environ, capture_output=True, text=True, check=True)
    loaded = set(done.stdout.splitlines()[-1].split())
    assert "server.models.base" in loaded
    return loaded


def test_a_command_loads_nothing_of_what_http_needs(modules: set[str]):
    assert not {"server.api", "server.web", "server.http.server"} & modules


@pytest.mark.sqlite("the dialect of PostgreSQL is needed there")
def test_a_command_does_not_load_the_dialect_of_postgresql(modules: set[str]):
    assert "sqlalchemy.dialects.postgresql" not in modules


@pytest.mark.parametrize("command", ["worker", "serve"])
def test_a_worker_on_postgresql_does_not_start_without_a_relay(run: Callable[..., Result], postgres: str, command: str):
    """It would put mails of all machines into a Maildir of its own."""
    assert "set BLACKTICKET_SMTP_URL" in refused(run(command, DATABASE_URL=postgres))
