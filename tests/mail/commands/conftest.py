"""The games with which most tests of commands begin."""

import pytest

from tests.kept import again
from tests.scenes import chase_announced, hunt, pairs, quiet
from tests.table import Playing, Table


@pytest.fixture
def hunted(table: Table) -> Playing:
    return again(table, _hunted)


def _hunted(table: Table) -> Playing:
    """The hunt, in which Ada, Ben and Cleo are told what happens: nobody looks at the mails of the others."""
    game = hunt(table)
    quiet(table, "Dan", "Eve", "Finn")
    return game


@pytest.fixture
def chased(table: Table) -> Playing:
    return chase_announced(table)


@pytest.fixture(name="pairs")
def two_pawns_each(table: Table) -> Playing:
    return pairs(table)
