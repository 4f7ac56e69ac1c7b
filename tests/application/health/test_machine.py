"""`doctor` names what is wrong with disk, clock, time zones, the journal of the database, and fonts."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import text, update

from server.application.health import machine
from server.drawing import picture
from server.models import Player, session, transaction
from server.runtime.kernel import is_clock_set
from server.vocabulary import resources
from tests.table import Table

WORLD = {"public_url": "https://play.example.org"}


@pytest.fixture
def here(table: Table) -> Iterator[Table]:
    """A server whose disk has room, whatever the disk of the tests has."""
    table.room(machine.SHOULD_BE_FREE)
    with table.app.app_context():
        yield table


def test_a_machine_with_everything_gets_no_warning(here: Table):
    here.person("Ada")
    assert machine.warnings() == {}


def test_a_disk_that_is_nearly_full_is_named(here: Table):
    here.room(machine.SHOULD_BE_FREE - 1)
    (sentence,) = machine.warnings().values()
    assert sentence.endswith("less than 500 MB are left. Make room.")


def test_a_clock_that_nothing_sets_is_named_on_a_server_for_others(tmp_path: Path):
    for answer, settings, warned in ((False, WORLD, 1), (True, WORLD, 0), (None, WORLD, 0), (False, {}, 0)):
        table = Table(tmp_path, smtp_url="smtp://127.0.0.1:1" if settings else "", **settings)
        table.runtime.is_clock_set = lambda answer=answer: answer
        with table.app.app_context():
            found = [sentence for sentence in machine.warnings().values() if "timedatectl set-ntp true" in sentence]
        assert len(found) == warned, answer


class Kernel:
    """A C library whose kernel answers as it is told."""

    def __init__(self, answer: int) -> None:
        self.adjtimex = lambda _buffer: answer


@pytest.mark.parametrize(("answer", "is_set"), [(0, True), (1, True), (5, False), (-1, None)])
def test_the_kernel_is_asked_whether_its_clock_is_set(answer: int, is_set: bool | None):
    assert is_clock_set(Kernel(answer)) is is_set


def test_a_kernel_that_cannot_be_asked_tells_nothing():
    assert is_clock_set(object()) is None


def test_a_time_zone_that_is_missing_is_named_with_how_many_have_it(here: Table):
    here.person("Ada")
    with transaction():
        session.execute(update(Player).values(zone="Europe/Atlantis"))
    (sentence,) = machine.warnings().values()
    assert "does not know: Europe/Atlantis; players who have one: 1. Reinstall the Python package tzdata" in sentence


@pytest.mark.sqlite("PostgreSQL has no such journal")
def test_a_journal_that_another_program_changed_is_named(here: Table):
    session.execute(text("PRAGMA journal_mode = DELETE"))
    (sentence,) = machine.warnings().values()
    assert sentence.startswith("The database has the journal mode delete instead of ")


def test_a_font_that_is_missing_is_named(here: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    without = tmp_path / "templates"
    shutil.copytree(resources.templates(), without, ignore=shutil.ignore_patterns("*.ttf"))
    monkeypatch.setattr(picture, "templates", lambda: without)
    (sentence,) = machine.warnings().values()
    assert sentence.startswith("Pictures of the board have no letters")
