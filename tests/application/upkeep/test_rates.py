"""However many processes count, no more than the rate is let through in a window, and little is written for it."""

from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import event, select

from server.application.upkeep import rates
from server.models import Allowance, db, session
from server.runtime.rate_limits import MOST_CALLERS, Shares
from tests.conftest import START, Table


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Table:
    return Table(tmp_path_factory.mktemp("rates"), rate_limit="30/PT1M")


@pytest.fixture
def table(shared: Table) -> Table:
    """Nobody has asked for anything yet."""
    shared.clock.time = START
    processes(shared, 1)
    with shared.app.app_context():
        session.execute(Allowance.__table__.delete())
        session.commit()
        session.remove()
    return shared


def processes(table: Table, n: int) -> list[Shares]:
    """So many processes on the one database, the first of which is at work."""
    made = [Shares() for _ in range(n)]
    at_work(table, made[0])
    return made


def at_work(table: Table, process: Shares) -> None:
    table.app.extensions["blackticket"].shares = process


def is_let_through(table: Table, name: str = "ada") -> bool:
    with table.app.app_context():
        standing = rates.spend("player", name)
        session.remove()
    return standing is not None and standing.remaining >= 0


def how_many(table: Table, tries: int, name: str = "ada") -> int:
    return sum(is_let_through(table, name) for _ in range(tries))


def writes(table: Table, requests: int) -> int:
    """How many transactions that many requests write."""
    begun = []

    def count(connection: object, *_: object) -> None:
        begun.append(connection)

    with table.app.app_context():
        engine = db.engine
    event.listen(engine, "commit", count)
    try:
        assert how_many(table, requests) == requests
    finally:
        event.remove(engine, "commit", count)
    return len(begun)


def test_a_caller_is_let_through_as_often_as_the_rate_says_and_not_once_more(table: Table):
    assert how_many(table, 40) == 30


def test_with_the_next_window_it_begins_anew(table: Table):
    for _ in range(12):
        assert how_many(table, 40) == 30
        table.clock.turn(minutes=1)


def test_callers_do_not_count_for_each_other(table: Table):
    how_many(table, 40)
    assert how_many(table, 40, "ben") == 30


def test_it_is_said_how_much_is_left_and_for_how_long(table: Table):
    table.clock.turn(seconds=13)
    told = []
    with table.app.app_context():
        for _ in range(32):
            standing = rates.spend("player", "ada")
            assert standing is not None
            told.append((standing.remaining, standing.seconds))
        session.remove()
    assert told == [(left, 47) for left in (*range(29, -1, -1), -1, -1)]


def test_several_processes_together_let_no_more_through(table: Table):
    made = processes(table, 4)
    through = 0
    for number in range(60):
        at_work(table, made[number % 4])
        through += is_let_through(table)
    assert through == 30


@given(
    steps=st.lists(
        st.one_of(st.integers(0, 2), st.sampled_from(["a moment", "a window", "an epoch", "a start"])), max_size=120
    )
)
@settings(max_examples=settings.default.max_examples // 4, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_processes_do_no_more_than_the_rate_is_let_through_in_any_window(table: Table, steps: list[int | str]):
    table.clock.turn(minutes=30)
    made, through = processes(table, 3), {}
    for step in steps:
        if isinstance(step, int):
            at_work(table, made[step])
            window = table.clock().timestamp() // 60
            through[window] = through.get(window, 0) + how_many(table, 4)
        elif step == "a start":
            made[0] = Shares()
        else:
            table.clock.time += {"a moment": 7, "a window": 60, "an epoch": 600}[step] * timedelta(seconds=1)
    assert max(through.values(), default=0) <= 30


def test_who_asks_seldom_costs_one_write_in_ten_windows(table: Table):
    table.clock.time = START.replace(hour=20, minute=0)
    costs = []
    for _ in range(20):
        costs.append(writes(table, 1))
        table.clock.turn(minutes=1)
    assert costs == [1, *[0] * 9, 1, *[0] * 9]


def test_who_asks_for_all_of_it_costs_a_write_for_each_twentieth(tmp_path: Path):
    table = Table(tmp_path, rate_limit="600/PT1M")
    assert writes(table, 600) == 20


def test_without_a_limit_nothing_is_counted(tmp_path: Path):
    table = Table(tmp_path, rate_limit="")
    with table.app.app_context():
        assert rates.spend("player", "ada") is None
        assert session.scalars(select(Allowance)).all() == []
        session.remove()


def test_what_was_counted_is_forgotten_when_its_epoch_is_over(table: Table):
    counts = []
    for minutes in (0, 9, 11):
        is_let_through(table)
        table.clock.turn(minutes=minutes)
        with table.app.app_context():
            rates.forget_old()
            counts.append(len(session.scalars(select(Allowance)).all()))
            session.remove()
    assert counts == [1, 1, 0]


def test_nobody_is_named_in_what_is_counted(table: Table):
    is_let_through(table, "203.0.113.7")
    with table.app.app_context():
        (row,) = session.scalars(select(Allowance)).all()
        assert "203.0.113.7" not in row.subject
        session.remove()


def test_callers_that_were_not_heard_of_for_longest_are_forgotten_in_memory():
    shares = Shares()
    for number in range(MOST_CALLERS + 1):
        shares.add(f"player {number}", 1, 1, 1, 1, standing=True)
    assert (shares.has_standing("player 0", 1), shares.has_standing("player 1", 1)) == (False, True)
