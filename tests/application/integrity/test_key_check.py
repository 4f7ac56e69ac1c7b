"""A database belongs to one secret key, and no process works on it with another."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import delete, select

from server.application.integrity import key_check
from server.cli import main
from server.models import KeyCheck, session, transaction
from server.runtime.keyring import Keyring, WrongKey
from tests import databases
from tests.cli.running import NO_RELAY
from tests.rows import for_each
from tests.scenes import has_run
from tests.table import Table

KEY = "the key of this test, which is long enough"
OTHER = "another key, which is as long as any that is good enough"
FROM_SETTING = "The secret key in BLACKTICKET_SECRET_KEY does not open this database"


@pytest.fixture
def table(tmp_path: Path) -> Table:
    return Table(tmp_path / "var", secret_key=KEY)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Runs a command in the folder of the table."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str, key: str | None = KEY, **settings: str) -> Result:
        given = ({"BLACKTICKET_SECRET_KEY": key} if key else {}) | settings
        relay = NO_RELAY if arguments[0] in ("serve", "worker") else {}
        environ = databases.environ(tmp_path / "var") | relay | given
        return CliRunner(env=environ).invoke(main, arguments, prog_name="blackticket")

    return run


def forget(table: Table) -> None:
    """Make the database a new one, which no process has opened yet."""
    with table.app.app_context(), transaction():
        session.execute(delete(KeyCheck))


def is_kept(table: Table) -> bool:
    with table.app.app_context():
        return session.scalar(select(KeyCheck.number)) is not None


def use(table: Table, key: str) -> None:
    table.app.extensions["blackticket"].keyring = Keyring(key)


@for_each(
    "command",
    [("player", "list"), ("game", "list"), ("web",), ("worker",), ("serve",), ("db", "upgrade"), ("outbox", "list")],
)
def test_every_command_refuses_another_key(table: Table, run: Callable[..., Result], command: tuple[str, ...]):
    refused = run(*command, key=OTHER)
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert refused.stderr == f"{FROM_SETTING}; give the setting the key with which the database was made.\n"
    assert run("player", "list").exit_code == 0


def test_a_command_that_refuses_has_written_nothing(table: Table, run: Callable[..., Result]):
    before = databases.rows(table.app)
    run("player", "add", "Eve", "eve@example.org", key=OTHER)
    assert databases.rows(table.app) == before


def test_where_the_key_is_not_set_the_file_is_named(table: Table, run: Callable[..., Result], tmp_path: Path):
    (tmp_path / "var" / "secret_key").write_text(OTHER)
    refused = run("player", "list", key=None)
    assert refused.stderr == (
        f"The secret key in {tmp_path / 'var' / 'secret_key'} does not open this database; "
        "restore the file that was there when the database was made, or set BLACKTICKET_SECRET_KEY.\n"
    )


def test_a_key_that_would_have_been_right_is_named_and_not_shown(
    table: Table, run: Callable[..., Result], tmp_path: Path
):
    file = tmp_path / "var" / "secret_key"
    file.write_text(KEY)
    refused = run("player", "list", key=OTHER)
    assert refused.stderr == f"{FROM_SETTING}, but the one in {file} does; remove the setting, or give it that key.\n"


def test_a_file_that_a_setting_names_is_told_with_the_setting(table: Table, run: Callable[..., Result], tmp_path: Path):
    (tmp_path / "other").write_text(OTHER)
    (tmp_path / "var" / "secret_key").write_text(KEY)
    refused = run("serve", key=None, BLACKTICKET_SECRET_KEY_FILE="other")
    assert refused.stderr == (
        "The secret key in other (the file that BLACKTICKET_SECRET_KEY_FILE names) does not open this database, "
        f"but the one in {tmp_path / 'var' / 'secret_key'} does; remove the setting, or give it that key.\n"
    )


def test_the_doctor_tells_of_it(table: Table, run: Callable[..., Result]):
    has_run(table)
    assert json.loads(run("doctor", "--json").stdout)["state"] == "ok"
    told = run("doctor", "--json", key=OTHER)
    assert told.exit_code == 2
    assert json.loads(told.stdout)["troubles"][0].startswith(FROM_SETTING)
    assert "Fault: The secret key in BLACKTICKET_SECRET_KEY" in run("doctor", key=OTHER).stdout


def test_the_doctor_takes_no_game_for_a_broken_one_because_the_key_is_wrong(table: Table, run: Callable[..., Result]):
    table.dealt(3)
    assert json.loads(run("doctor", "--json", key=OTHER).stdout)["broken_games"] == []


def test_the_doctor_sends_no_mail_with_a_wrong_key(table: Table, run: Callable[..., Result]):
    assert run("doctor", "--mail", key=OTHER).stderr.startswith(FROM_SETTING)


def test_a_new_database_takes_the_key_of_the_first_process(table: Table):
    forget(table)
    use(table, OTHER)
    with table.app.app_context():
        key_check.require()
        use(table, KEY)
        with pytest.raises(WrongKey):
            key_check.require()


def test_nothing_of_the_key_lies_in_the_database(table: Table):
    assert is_kept(table)
    dump = databases.stored(table.app)
    assert KEY.encode() not in dump
    assert key_check.VALUE.encode() not in dump


def test_of_two_that_start_at_once_with_different_keys_one_is_refused(table: Table, monkeypatch: pytest.MonkeyPatch):
    """The second has seen no value, and finds that of the first when it keeps its own."""
    forget(table)
    execute = key_check.execute

    def overtaken(*given: Any) -> Any:
        use(table, OTHER)
        execute(*given)
        use(table, KEY)
        return execute(*given)

    monkeypatch.setattr(key_check, "execute", overtaken)
    with table.app.app_context(), pytest.raises(WrongKey):
        key_check.require()
