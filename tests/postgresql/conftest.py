"""What tests of the whole program on PostgreSQL share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.databases import let_go
from tests.table import Playing, Table


@pytest.fixture
def table(postgres: str, tmp_path: Path) -> Iterator[Table]:
    """The application on PostgreSQL, named as an operator names it."""
    made = Table(tmp_path, database_url=postgres, sandbox="1", min_turn="PT1S")
    yield made
    with made.app.app_context():
        let_go()


@pytest.fixture
def duel(table: Table) -> Playing:
    """A running game of two."""
    return table.game(table.people(2), edition="condensed")
