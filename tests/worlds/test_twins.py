"""Two whole applications: nobody can tell them apart by anything that leaves them, whatever anybody does."""

import random
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from server.models import Base
from tests.worlds import beginnings
from tests.worlds.histories import KINDS, pairs
from tests.worlds.one_world import PRIVATE, Difference, Names
from tests.worlds.schedule import run, writes_alone
from tests.worlds.switching import wrap
from tests.worlds.twins import Twin

pytestmark = pytest.mark.sqlite("two worlds are compared by what lies in its file")

ALL = [*((kind, bool(number % 2)) for number, kind in enumerate(KINDS)), ("any", True)]
LONG = [pytest.param(*pair, marks=pytest.mark.campaign) for pair in ALL[:-2]]


@pytest.mark.parametrize(("kind", "noise"), [*LONG, *ALL[-2:]])
def test_two_whole_applications_are_the_same_to_everybody_but_mr_x(tmp_path: Path, kind: str, noise: bool):
    language = "en" if noise else "de"
    twin = Twin(tmp_path, next(pairs(seed=noise, kind=kind)), noise=noise, language=language)
    run(twin, random.Random(f"{kind} {noise}"), moves=5, acts=1)
    assert twin.steps > 10


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Callable[[bool], Twin]:
    """Return two worlds in which a game has begun, with or without noise; they are made once."""

    @cache
    def made(noise: bool) -> tuple[Twin, Any]:
        twin = Twin(tmp_path_factory.mktemp("twin"), beginnings.dealt(), noise=noise)
        beginnings.begun(twin)
        return twin, twin.keep()

    def take_up(noise: bool) -> Twin:
        twin, kept = made(noise)
        twin.restore(kept)
        return twin

    return take_up


@pytest.fixture
def twin(begun: Callable[[bool], Twin]) -> Twin:
    return begun(False)


def test_the_worlds_are_not_the_same_to_mr_x(twin: Twin):
    bodies = [
        world.ask("Ada", "GET", "/api/v1/games/{game}", {}).json["pawns"]["mr_x"]["station"] for world in twin.worlds
    ]
    assert bodies == twin.stations == [38, 22]


def test_a_difference_tells_the_outlet_the_request_and_the_place(twin: Twin):
    shown = wrap("server.engine.view:_starts", lambda real, game, _sees_all: real(game, True))
    with shown(), pytest.raises(Difference) as found:
        twin.ask("Ben", "GET", "")
    assert found.value.outlet == "answer to Ben, GET /api/v1/games/{game}"
    assert "differs at" in str(found.value)
    assert "Mr. X is at 38 / 22" in str(found.value)


def test_a_move_that_takes_mr_x_in_one_world_parts_them_and_is_no_difference(tmp_path: Path):
    from tests.worlds.stage import chased

    twin = Twin(tmp_path, chased())
    beginnings.begun(twin)
    twin.submit("Ben", {"notation": "red taxi 105"})
    assert twin.is_over


def test_a_mail_to_somebody_else_is_none_of_the_private_doings_of_mr_x(begun: Callable[[bool], Twin]):
    twin = begun(True)
    ben = twin.address_of("Ben")
    assert ben is not None
    twin.writes_alone(0, "taxi 1", ben, "ada@example.org", {})
    with pytest.raises(Difference):
        twin.tick()


def test_ids_may_be_others_after_what_mr_x_did_alone_and_nothing_else(begun: Callable[[bool], Twin]):
    twin = begun(True)
    writes_alone(twin, random.Random(1), 0)
    twin.tick()
    twin.play()
    twin.tick()
    ids = [world.asked("SELECT id FROM outbox ORDER BY rowid DESC LIMIT 1") for world in twin.worlds]
    assert ids[0] != ids[1]


# Renaming

ONE, OTHER, THIRD = "aaaaaaaabbbbbbbb", "ccccccccdddddddd", "eeeeeeeeffffffff"


def test_one_renaming_holds_everywhere():
    names = Names()
    assert names.same(f"<{ONE}@localhost>", f"<{OTHER}@localhost>")
    assert names.same(f"again {ONE}", f"again {OTHER}")
    assert not names.same(f"again {ONE}", f"again {THIRD}")


def test_two_ids_never_become_one():
    names = Names()
    assert names.same(ONE, OTHER)
    assert not names.same(THIRD, OTHER)


def test_ids_that_are_counted_up_are_no_names():
    assert not Names().same("aaaaaaaaaaaaaaab aaaaaaaaaaaaaaac", "aaaaaaaaaaaaaaab aaaaaaaaaaaaaaad")


def test_what_stands_around_an_id_is_the_same():
    assert not Names().same(f"{ONE} 1", f"{OTHER} 2")


@pytest.mark.parametrize("rule", PRIVATE, ids=lambda rule: f"{rule.table} {rule.why}")
def test_what_is_private_is_there(rule):
    assert rule.why
    assert {*rule.columns} <= {column.name for column in Base.metadata.tables[rule.table].c}
