"""The page of a running game reads what it shows without a session, over one connection."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from sqlalchemy import event
from sqlalchemy.orm import Session
from sqlalchemy.pool import Pool

from server.models import Game, db, rows, session, shared_connection, table_of, transaction
from tests.scenes import chase, hunt
from tests.table import Table
from tests.web.game.test_page import Browser

NAMES = table_of(Game).select().with_only_columns(Game.name)


@contextmanager
def counted(target: type, name: str) -> Iterator[list[object]]:
    """Give the list of what happens within: each event of that name of SQLAlchemy's."""
    happened: list[object] = []

    def note(*_: object) -> None:
        happened.append(name)

    event.listen(target, name, note)
    try:
        yield happened
    finally:
        event.remove(target, name, note)


@pytest.mark.parametrize("place", [0, 1, None])
def test_the_page_of_a_running_game_asks_the_session_nothing(table: Table, place: int | None):
    hunted = hunt(table)
    browser = Browser(table, None if place is None else hunted.people[place])
    with counted(Session, "do_orm_execute") as asked:
        assert browser.get(f"/games/{hunted.id}").status_code == 200
    assert not asked


def test_the_page_of_a_game_takes_one_connection_after_the_one_for_its_visitor(table: Table):
    hunted = hunt(table)
    browser = Browser(table, hunted.people[1])
    browser.get(f"/games/{hunted.id}")  # the networks that are blocked are read for a while
    with counted(Pool, "checkout") as taken:
        assert browser.get(f"/games/{hunted.id}").status_code == 200
    assert len(taken) == 2


def test_what_is_read_together_uses_one_connection_and_the_session_the_same(table: Table):
    chased = chase(table)
    with table.app.app_context():
        with counted(Pool, "checkout") as taken, shared_connection():
            assert rows(NAMES)[0].name == session.get_one(Game, chased.id).name
            rows(NAMES)
        assert len(taken) == 1
        assert db.engine.pool.checkedout() == 0
        assert session.get_one(Game, chased.id).name == rows(NAMES)[0].name  # the session goes on, with another


def test_a_transaction_within_gives_the_connection_back_first(table: Table):
    chased = chase(table)
    with table.app.app_context():
        with shared_connection():
            rows(NAMES)
            with transaction():
                session.get_one(Game, chased.id).name = "Another"
                assert db.engine.pool.checkedout() == 1
            assert rows(NAMES)[0].name == "Another"
        assert db.engine.pool.checkedout() == 0
