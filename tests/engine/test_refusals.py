"""The reason that an illegal move is refused with, in words for its player."""

import pytest

from server import engine
from tests.positions import position

PLACES = position(111, purple=127, red=67, green=133, yellow=153, blue=185)


def test_a_detective_reads_why_their_move_is_not_legal():
    game = engine.Game.at(engine.Edition.named("ravensburger-2000"), PLACES)
    game.play("taxi 112")
    for move, why in (
        ("taxi 103", "Purple stands on 127, and no line joins it to 103; taxi leads from there to 115, 116, 126 and"),
        ("underground 102", "No underground runs from 127 to 102; go there by bus."),
        ("taxi 133", "Another detective stands on 133; move to a free station."),
        ("taxi 200", "There is no station 200; the stations are 1 to 199."),
        ("black 115", "Only Mr. X has black tickets; a detective pays taxi, bus or underground."),
        ("double taxi 115 taxi 127", "Only Mr. X makes double moves; a detective makes one trip."),
        ("taxi 127", "Purple stands on 127 already; nobody may stay, move to another station."),
    ):
        with pytest.raises(engine.Illegal) as refused:
            game.check(game.read(move, "purple"))
        assert str(refused.value).startswith(why)
