"""A database that lies behind a way which can be cut."""

from collections.abc import Iterator

import pytest

from tests import databases
from tests.commits.cutting import Way


@pytest.fixture(scope="module")
def way() -> Iterator[Way]:
    with databases.empty_postgres(databases.cluster_url()) as url:
        way = Way(url)
        yield way
        way.close()
