"""`key rotate`: everything is encrypted with a new key while players move, and a rotation that was ended goes on."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from click.testing import Result
from sqlalchemy import LargeBinary, select, type_coerce

from server.application.integrity import key_rotation
from server.cli import keys
from server.models import KeyCheck, session
from server.runtime.keyring import Keyring, Keys, WrongKey
from server.settings.folder import read_secret
from tests.cli.test_commands import KEY, refused, run  # noqa: F401 a fixture
from tests.positions import position
from tests.scenes import has_run
from tests.table import Playing, Table

Run = Callable[..., Result]


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keys, "PAUSE", 0.0)


@pytest.fixture
def played(tmp_path: Path) -> Playing:
    """A game in which Mr. X has moved, and the mails of that wait."""
    table = Table(tmp_path / "var", sandbox="1")
    game = table.dealt(3, position=position(104, red=117, green=34))
    path = tmp_path / "var" / "secret_key"  # tests may lay a deal of before, with the application that made it
    game.table.app.extensions["blackticket"].keyring = Keyring(read_secret(path), path)
    game.move(game.people[0], "taxi 86")
    return game


def values(game: Playing) -> list[tuple[str, bytes]]:
    """Return every encrypted value of the database, with its label."""
    found = []
    with game.table.app.app_context():
        for _, columns in key_rotation._encrypted():
            for column in columns:
                query = select(type_coerce(column, LargeBinary)).where(column.is_not(None))
                found += [(key_rotation._label(column), value) for value in session.scalars(query)]
        check = session.scalars(select(type_coerce(KeyCheck.value, LargeBinary))).one()
    return [*found, ("key_checks.value", check)]


def opened(ring: Keyring, sealed: list[tuple[str, bytes]]) -> Mapping[bool, int]:
    """Return how many values a ring opens, and how many it does not."""
    counts = {True: 0, False: 0}
    for label, value in sealed:
        try:
            ring.decrypt(value, label)
            counts[True] += 1
        except WrongKey:
            counts[False] += 1
    return counts


def test_everything_is_encrypted_with_a_new_key_and_the_game_goes_on(run: Run, played: Playing, tmp_path: Path):  # noqa: F811
    path = tmp_path / "var" / "secret_key"
    old = Keyring(read_secret(path))
    before = values(played)
    told = run("key", "rotate")
    assert (told.exit_code, told.stderr) == (0, "")
    new, after = Keyring(read_secret(path)), values(played)
    assert opened(new, after) == {True: len(before), False: 0}
    assert opened(old, after) == {True: 0, False: len(before)}
    assert not Keys.of(read_secret(path)).is_rotating
    assert path.stat().st_mode & 0o777 == 0o600
    (former,) = path.parent.glob("secret_key.former-*")
    assert former.stat().st_mode & 0o777 == 0o600
    for sealed in (before, after):
        assert opened(Keyring(read_secret(former)), sealed)[False] == 0
    # The running application has not been told, and neither has its mail.
    played.move(played.people[1], "taxi 108")
    assert opened(new, values(played))[False] == 0
    has_run(played.table)
    assert run("doctor").exit_code == 0


def test_players_move_while_it_runs(run: Run, played: Playing, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):  # noqa: F811
    monkeypatch.setattr(keys.time, "sleep", lambda _seconds: played.move(played.people[1], "taxi 108"))
    assert run("key", "rotate").exit_code == 0
    ring = Keyring(read_secret(tmp_path / "var" / "secret_key"))
    assert opened(ring, values(played))[False] == 0


def test_a_rotation_that_was_ended_goes_on(
    run: Run,  # noqa: F811
    played: Playing,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
):
    path = tmp_path / "var" / "secret_key"
    with monkeypatch.context() as ended:
        ended.setattr(key_rotation, "BATCH", 1)
        done: list[object] = []
        write = key_rotation._write

        def write_twice(*given: object) -> None:
            if len(done) == 2:
                raise KeyboardInterrupt
            done.append(given)
            write(*given)  # type: ignore[arg-type]

        ended.setattr(key_rotation, "_write", write_twice)
        assert run("key", "rotate").exit_code != 0
    between = Keys.of(read_secret(path))
    assert between.is_rotating
    assert opened(Keyring(between.without_former().secret), values(played))[True] >= 2
    played.move(played.people[1], "taxi 108")
    told = run("key", "rotate")
    assert told.exit_code == 0
    assert "Going on" in told.stdout
    assert Keys.of(read_secret(path)) == between.without_former()
    assert opened(Keyring(read_secret(path)), values(played))[False] == 0


@pytest.mark.from_nothing
def test_a_key_in_the_environment_cannot_be_rotated(run: Run):  # noqa: F811
    given = {"SECRET_KEY": KEY, "DATABASE_URL": "sqlite:///x.db"}
    run("db", "upgrade", **given)
    assert "BLACKTICKET_SECRET_KEY_FILE" in refused(run("key", "rotate", **given))
