"""A reason of the engine is said in the language of its reader."""

import re

import pytest

from server import engine
from server.house_rules.reasons import sentence_of
from server.vocabulary.translation import speaking
from tests.positions import position
from tests.rows import for_each

PLACES = position(111, purple=127, red=67, green=133, yellow=153, blue=185)


def refused(move: str) -> engine.Illegal:
    game = engine.Game.at(engine.Edition.named("ravensburger-2000"), PLACES)
    with pytest.raises(engine.Illegal) as error:
        game.check(game.read(move))
    return error.value


@for_each("move", ["bus 112", "taxi 250", "taxi 111", "double taxi 112 bus 113", "taxi 112 surface red:taxi"])
def test_a_reason_has_the_same_stations_in_every_language(move: str):
    error = refused(move)
    assert sentence_of(error) == str(error)
    with speaking("de"):
        german = sentence_of(error)
    assert german != str(error)
    assert {*re.findall(r"\d+", german)} == {*re.findall(r"\d+", str(error))}
