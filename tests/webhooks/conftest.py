"""People with webhooks, whose messages go to a `Door`."""

import pytest

from tests.table import Person, Table
from tests.webhooks.receiver import Door


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> list[Person]:
    return Table(tmp_path_factory.mktemp("webhooks")).people(3)


@pytest.fixture
def table(people: list[Person]) -> Table:
    table = people[0].table
    table.retry_from_database()
    table.app.extensions["blackticket"].resolve = lambda _host: ["93.184.216.34"]
    table.hook = Door()
    return table
