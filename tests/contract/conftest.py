"""One world for the tests of a file; each test finds it as it was made."""

from collections.abc import Iterator

import pytest

from tests.contract.world import World


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    world = World(tmp_path_factory.mktemp("world"))
    yield world
    world.close()


@pytest.fixture
def world(made: World) -> World:
    """Return the world as it was made."""
    made.restore()
    return made
