"""One world for all these tests; each test finds it as it was made."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests import databases
from tests.contract.world import World


def as_long_as_its_database(**_: Any) -> str:
    """Return the scope of the world: after the tests of a file, PostgreSQL gives a database to others."""
    return "module" if databases.IS_POSTGRESQL else "session"


@pytest.fixture(scope=as_long_as_its_database)
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    world = World(tmp_path_factory.mktemp("world"))
    yield world
    world.close()


@pytest.fixture
def world(made: World) -> World:
    """Return the world as it was made."""
    made.restore()
    return made
