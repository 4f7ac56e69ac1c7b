"""The operator hears by mail of what needs them: once a day for each cause, in counts and ids."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import update

from server import worker
from server.application.game import outbox_rows, verification
from server.application.health import machine
from server.models import Game, Outage, Outgoing, session, transaction
from tests.injected import START
from tests.scenes import text_of
from tests.statements import before
from tests.table import Table

OPERATOR = "operator@yard.example"


@pytest.fixture
def table(tmp_path: Path) -> Table:
    made = Table(tmp_path, operator_email=OPERATOR)
    made.room(machine.SHOULD_BE_FREE)
    return made


def look(table: Table) -> list[str]:
    """Return the alerts that the operator is sent when the worker looks now."""
    before = len(table.post.of(OPERATOR))
    with table.app.app_context():
        worker.tell_operator()
        session.remove()
    table.tick()
    return [" ".join(text_of(mail).split()) for mail in table.post.of(OPERATOR)[before:]]


def dies(table: Table, kind: str = "code") -> None:
    """A mail is given up."""
    with table.app.app_context(), transaction():
        outbox_rows.post(None, kind, details={"to": "anna@example.org", "code": "a" * 16})
        session.flush()
        row = session.query(Outgoing).filter_by(kind=kind, state="pending").one()
        row.state, row.attempts = "dead", 24


def is_out(table: Table, number: int) -> None:
    with table.app.app_context(), transaction():
        begin = table.clock() - timedelta(hours=2)
        session.add(Outage(number=number, cause="server", begin=begin, end=table.clock(), state="done"))


def test_where_nothing_is_wrong_nothing_is_told(table: Table):
    assert look(table) == []


def test_dead_letters_are_counted_and_told_once_a_day_for_as_long_as_there_are_new_ones(table: Table):
    dies(table)
    (told,) = look(table)
    assert "given up within a day: 1;" in told
    assert "anna" not in told
    table.clock.turn(hours=23)
    dies(table)
    assert look(table) == []
    table.clock.turn(hours=1)
    assert "given up within a day: 1;" in look(table)[0]
    table.clock.turn(days=2)
    assert look(table) == []


def test_an_outage_is_told_with_its_number_and_times(table: Table):
    is_out(table, 1)
    (told,) = look(table)
    assert "Outages within a day: 1; the newest is number 1, of the server, from 2026-11-22T16:00:00Z" in told


def test_a_disk_that_is_nearly_full_is_told(table: Table, monkeypatch: pytest.MonkeyPatch):
    table.room(machine.SHOULD_BE_FREE - 1)
    assert "nearly full" in look(table)[0]
    for hours, told in ((12, 0), (12, 1)):
        table.clock.turn(hours=hours)
        assert len(look(table)) == told


def test_each_cause_has_a_day_of_its_own_and_those_that_come_together_are_one_mail(
    table: Table, monkeypatch: pytest.MonkeyPatch
):
    dies(table)
    table.room(0)
    (told,) = look(table)
    assert "given up" in told
    assert "nearly full" in told
    table.clock.turn(hours=12)
    is_out(table, 1)
    (told,) = look(table)
    assert "Outages" in told
    assert "nearly full" not in told


@pytest.mark.breaks_games
def test_a_game_that_does_not_hold_is_named(table: Table):
    game = table.dealt(3)
    assert look(table) == []
    with table.app.app_context(), transaction():
        session.execute(update(Game).values(turn=7))
    with table.app.app_context():
        verification.close_if_broken(game.id)
    (told,) = look(table)
    assert f"Games that do not hold: 1, {game.id};" in told


def test_a_cause_that_fails_does_not_stop_the_worker(table: Table):
    table.clock.turn(days=1)
    table.runtime.disk_usage = lambda _folder: 1 / 0
    look(table)
    assert table.clock() > START


def test_without_an_operator_nobody_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    table = Table(tmp_path)
    table.room(0)
    assert (look(table), table.post.sent) == ([], [])


def test_the_operator_is_told_hourly_and_not_by_the_job_that_fires(table: Table):
    looks: list[datetime] = []
    table.room(0)
    started = worker.Worker(table.app)
    with before(table, "SELECT alerts", lambda _values: looks.append(table.clock.time)):
        started._tick()
        assert looks == []
        for _ in range(3):
            with table.app.app_context():
                started._alert()
            table.clock.turn(minutes=30)
    assert sorted({*looks}) == [START, START + timedelta(hours=1)]
