"""What tests of seats that change hands share."""

import pytest

from tests.scenes import hunt
from tests.table import Person, Playing, Table


@pytest.fixture
def gus(table: Table, game: Playing) -> Person:
    """Somebody who has no seat."""
    return table.person("Gus")


@pytest.fixture
def hunted(table: Table) -> Playing:
    """The detectives' half: Mr. X is at 100, all have their turn mail, and Gus stands by as the seventh."""
    playing = hunt(table)
    playing.people.append(table.person("Gus"))
    return playing
