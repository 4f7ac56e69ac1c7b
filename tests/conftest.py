"""The tables, games and databases of most tests, and which tests run; tests/injected.py has what is injected."""

import gc
import os
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import databases
from tests.folders import use_memory
from tests.table import SITE, Playing, Table

use_memory()
pytest_plugins = ["tests.order", "tests.profiles", "tests.quick"]
# Hundreds of applications in one process: looking for garbage too often would be a tenth of the time.
gc.set_threshold(20_000, 20, 20)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out campaigns unless one is wanted; on PostgreSQL, skip what says nothing of it."""
    if databases.IS_POSTGRESQL:
        for item in items:
            _skip_what_says_nothing_of_postgresql(item)
    if "CAMPAIGN" not in os.environ:
        long = [item for item in items if item.get_closest_marker("campaign")]
        config.hook.pytest_deselected(items=long)
        items[:] = [item for item in items if item not in long]


def pytest_collection_finish(session: pytest.Session) -> None:
    """Have the collector of garbage pass over what was imported and collected: it stays to the end."""
    gc.collect()
    gc.freeze()


def _skip_what_says_nothing_of_postgresql(item: pytest.Item) -> None:
    """Skip what is about SQLite, and what runs on PostgreSQL in every run, unless on a server of its own."""
    mark = item.get_closest_marker("sqlite")
    fixtures = getattr(item, "fixturenames", ())
    if mark:
        item.add_marker(pytest.mark.skip(reason=f"about SQLite: {mark.args[0]}"))
    elif "database" in fixtures and "sqlite" in item.name:
        item.add_marker(pytest.mark.skip(reason="about SQLite: one of both databases in turn"))
    elif {"database", "postgres"} & {*fixtures} and "TEST_DATABASE_URL" not in os.environ:
        item.add_marker(pytest.mark.skip(reason="runs on PostgreSQL in `make test`"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Generator[None, None, None]:
    """The databases of a test's folder are free after it, and all others after the last test of their file."""
    yield
    folder = getattr(item, "funcargs", {}).get("tmp_path")
    if nextitem is None or nextitem.path != item.path:
        databases.pool.give_back()
    elif folder is not None:
        databases.pool.give_back(folder)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """At the end of every test each game in its databases holds, unless the test is marked `breaks_games`."""
    try:
        yield
    finally:  # the next test answers for its own games only
        unchecked = {id(table): table for table in Table.unchecked}
        Table.unchecked.clear()
    used = {id(table): table for value in getattr(item, "funcargs", {}).values() for table in _tables_of(value)}
    used |= unchecked
    if item.get_closest_marker("breaks_games") is None:
        for table in used.values():
            table.check_games()


def _tables_of(value: Any) -> list[Table]:
    found = value if isinstance(value, Table) else getattr(value, "table", None)
    return [found] if isinstance(found, Table) else []


@pytest.fixture(scope="session")
def cluster() -> str:
    """The URL of a PostgreSQL server."""
    return databases.cluster_url()


@pytest.fixture
def postgres(tmp_path: Path) -> str:
    """The URL of a PostgreSQL database at the newest revision, without rows."""
    return databases.pool.of(tmp_path / "postgres")


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a database without rows, of each kind in turn; the one of SQLite is yet to be made."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'blackticket.db'}"
    url: str = request.getfixturevalue("postgres")
    return url


@pytest.fixture
def table(tmp_path: Path) -> Table:
    """A fresh application with a clock at Sunday 22 November 2026, 18:00 UTC; SANDBOX is on."""
    return Table(tmp_path, sandbox="1", min_turn="PT1S")


@pytest.fixture
def public_table(tmp_path: Path) -> Table:
    """The same of a server that knows its own address, so that mails have links."""
    return Table(tmp_path, sandbox="1", min_turn="PT1S", public_url=SITE)


@pytest.fixture
def game(table: Table) -> Playing:
    """A running game of the 2000 edition with six people."""
    return table.dealt(6)
