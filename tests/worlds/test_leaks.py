"""The test is tested: every deliberate leak is found, each by itself."""

from collections.abc import Iterator

import pytest

from tests.profiles import IS_CAMPAIGN
from tests.worlds.leaks import LEAKS
from tests.worlds.stage import SCENES, Stage

pytestmark = pytest.mark.sqlite("two worlds are compared by what lies in its file")

# The tests of the outlets run `operator` clean, and all that is done in `faults`, `abuse` and `private`. `ended` begins
# with `house`, and `first` with `at rest`. In a campaign all are run clean here.
CLEAN_ELSEWHERE = set() if IS_CAMPAIGN else {"operator", "faults", "abuse", "private", "house", "at rest"}


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    made = Stage(tmp_path_factory.mktemp("leaks"))
    yield made
    made.close()


def test_where_nothing_leaks_nothing_is_found(stage: Stage):
    clean = SCENES.keys() - CLEAN_ELSEWHERE
    assert {scene: stage.run(None, scene) for scene in sorted(clean)} == dict.fromkeys(clean)


@pytest.mark.breaks_games  # some leaks write what does not belong into an event
@pytest.mark.parametrize("scene", sorted(SCENES))
def test_every_leak_is_found(stage: Stage, scene: str):
    leaks = [leak for leak in LEAKS if leak.scene == scene]
    assert leaks
    assert [f"{leak.name}: {leak.way}" for leak in leaks if stage.run(leak) is None] == []


def test_there_are_many_ways_to_leak():
    assert len({leak.way for leak in LEAKS}) >= 40
