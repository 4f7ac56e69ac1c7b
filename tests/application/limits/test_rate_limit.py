"""A caller is let through as often as the rate says in each window, and one process counts for itself."""

from dataclasses import replace
from pathlib import Path
from unittest import mock

import pytest
from sqlalchemy import event

from server.application.limits import rate_limit
from server.models import db, session
from server.runtime.request_counts import MOST_CALLERS, RequestCounts
from server.settings import Settings
from server.web.game.news import ELSE, SOON
from tests.injected import START
from tests.table import Table


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Table:
    return Table(tmp_path_factory.mktemp("rates"), rate_limit="30/PT1M")


@pytest.fixture
def table(shared: Table) -> Table:
    """Nobody has asked for anything yet."""
    shared.clock.time = START
    run_as(shared, RequestCounts())
    return shared


def run_as(table: Table, process: RequestCounts) -> None:
    table.app.extensions["blackticket"].request_counts = process


def is_let_through(table: Table, name: str = "ada") -> bool:
    with table.app.app_context():
        standing = rate_limit.count("player", name)
        session.remove()
    return standing is not None and standing.remaining >= 0


def how_many(table: Table, tries: int, name: str = "ada") -> int:
    return sum(is_let_through(table, name) for _ in range(tries))


def test_a_caller_is_let_through_as_often_as_the_rate_says_and_not_once_more(table: Table):
    assert how_many(table, 40) == 30


def test_each_window_has_the_whole_rate(table: Table):
    for _ in range(12):
        assert how_many(table, 40) == 30
        table.clock.turn(minutes=1)


def test_windows_are_cut_by_the_clock_and_not_by_the_first_request(table: Table):
    table.clock.turn(seconds=59)
    assert how_many(table, 40) == 30
    table.clock.turn(seconds=1)
    assert how_many(table, 40) == 30


@pytest.mark.parametrize(("seconds", "changes"), [(SOON, 10), (ELSE, 11)])
def test_fifty_readers_behind_one_address_stay_within_the_usual_rate(table: Table, seconds: int, changes: int):
    """Each asks for news for a minute, and loads the page whenever there are some."""
    runtime = table.app.extensions["blackticket"]
    usual = replace(runtime.settings, rate_limit=Settings.rate_limit)
    with table.app.app_context(), mock.patch.object(runtime, "settings", usual):
        for _ in range(50 * 60 // seconds):
            small = rate_limit.count("address", "203.0.113.1", is_small=True)
        for _ in range(50 * changes):
            whole = rate_limit.count("address", "203.0.113.1")
        session.remove()
    assert small is not None
    assert whole is not None
    assert small.remaining > whole.remaining >= 0


def test_callers_do_not_count_for_each_other(table: Table):
    how_many(table, 40)
    assert how_many(table, 40, "ben") == 30


def test_it_is_said_how_much_is_left_and_for_how_long(table: Table):
    table.clock.turn(seconds=13)
    told = []
    with table.app.app_context():
        for _ in range(32):
            standing = rate_limit.count("player", "ada")
            assert standing is not None
            told.append((standing.remaining, standing.seconds))
        session.remove()
    assert told == [(left, 47) for left in (*range(29, -1, -1), -1, -1)]


def test_a_caller_is_spent_with_the_last_request_that_is_let_through(table: Table):
    with table.app.app_context():
        spent = []
        for _ in range(31):
            spent.append(rate_limit.is_spent("player", "ada"))
            rate_limit.count("player", "ada")
        session.remove()
    assert spent == [False] * 30 + [True]


def test_each_process_counts_for_itself(table: Table):
    """So the limit of a caller is up to as many times the rate as there are web processes, as the docs say."""
    through = 0
    for _ in range(3):
        run_as(table, RequestCounts())
        through += how_many(table, 40)
    assert through == 3 * 30


def test_counting_does_not_touch_the_database(table: Table):
    statements = []
    with table.app.app_context():
        engine = db.engine
    event.listen(engine, "before_cursor_execute", lambda *args: statements.append(args[2]))
    how_many(table, 40)
    assert statements == []


def test_without_a_limit_nothing_is_counted(tmp_path: Path):
    table = Table(tmp_path, rate_limit="")
    with table.app.app_context():
        assert rate_limit.count("player", "ada") is None
        assert not rate_limit.is_spent("player", "ada")
        session.remove()


def test_callers_that_have_not_asked_for_longest_are_forgotten():
    counts = RequestCounts()
    for number in range(MOST_CALLERS):
        counts.add(f"player {number}", 1)
    counts.add("player 0", 1)
    counts.add("another", 1)
    assert [counts.number(f"player {number}", 1) for number in range(3)] == [2, 0, 1]
