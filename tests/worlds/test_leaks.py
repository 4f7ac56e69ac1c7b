"""The test is tested: every deliberate leak is found, each by itself."""

import pytest

from tests.worlds.leaks import LEAKS, SCENES, Leak, Stage

pytestmark = pytest.mark.sqlite("two worlds are compared by what lies in its file")

# Scene by scene: another scene begins with a restart of both worlds.
IN_ORDER = sorted(LEAKS, key=lambda leak: leak.scene)
# Those scenes are run clean by the tests of the outlets.
CLEAN_ELSEWHERE = {"private", "faults", "operator", "abuse", "pages"}


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    return Stage(tmp_path_factory.mktemp("leaks"))


@pytest.mark.parametrize("scene", sorted(SCENES.keys() - CLEAN_ELSEWHERE))
def test_where_nothing_leaks_nothing_is_found(stage: Stage, scene: str):
    assert stage.run(None, scene) is None


@pytest.mark.breaks_games  # some leaks write what does not belong into an event
@pytest.mark.parametrize("leak", IN_ORDER, ids=[leak.name for leak in IN_ORDER])
def test_a_leak_is_found(stage: Stage, leak: Leak):
    assert stage.run(leak) is not None, f"nothing found {leak.name}: {leak.way}"


def test_there_are_many_ways_to_leak():
    assert len({leak.way for leak in LEAKS}) >= 40
