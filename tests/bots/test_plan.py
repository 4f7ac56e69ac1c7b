"""Good detectives make one plan for all pawns that have still to move in a round."""

import random

import pytest

from server.bots.journeys import kinds_of, stops
from server.engine import Edition, Game
from tests.engine.playing import MIXES, random_game
from tests.positions import position

from .match import at_level

RAVENSBURGER = Edition.named("ravensburger-2000")
GOOD = at_level("constable", "good")


def asked(game):
    """Return what good detectives play for the first pawn to move."""
    pawn = game.to_move[0]
    return GOOD(game.view(pawn), game.legal_moves(pawn), random.Random(0))


def seen_on(station, edition=RAVENSBURGER, **pawns):
    """Return a game in which Mr. X has just been seen, and the detectives are to move."""
    return Game.at(edition, position(station, to_move="red", last_seen=(3, station), log_used=3, **pawns))


def covered(game):
    """Return the stations on which a detective is or can be at once."""
    detectives = [facts for pawn, facts in game.view("spectator")["pawns"].items() if pawn != "mr_x"]
    return {
        end
        for facts in detectives
        for end in (facts["station"], *stops(game.edition.board, kinds_of(facts), facts["station"]))
    }


@pytest.mark.parametrize(("station", "red", "green"), [(70, 89, 107), (93, 73, 45), (170, 198, 141), (172, 141, 173)])
def test_two_pawns_close_all_ways_out_together(station, red, green):
    game = seen_on(station, red=red, green=green)
    game.play(asked(game))
    game.play(asked(game))
    assert stops(game.edition.board, ("black",), station) <= covered(game)


@pytest.mark.parametrize(
    ("more", "ticket"), [({}, "bus"), ({"yellow": 190}, "taxi"), ({"yellow": 190, "purple": 199}, "taxi")]
)
def test_three_pawns_save_their_taxis_for_the_end(more, ticket):
    """From 13 to 23 a taxi and a bus go."""
    assert asked(seen_on(23, red=13, green=185, blue=173, **more)).legs[0] == (ticket, 23)


def test_in_a_free_order_the_pawn_that_can_capture_moves_first():
    game = seen_on(46, RAVENSBURGER.with_options(turn_order="any"), red=1, green=185, blue=199)
    assert GOOD(game.view("red"), game.legal_moves(), random.Random(0)).legs[0].station == 46


def test_a_plan_does_not_depend_on_the_order_of_the_moves():
    games = [game.copy() for game in random_game(MIXES[8], 1) if game.to_move not in ((), ("mr_x",))]
    for game in games[::3]:
        view, moves = game.view(game.to_move[0]), game.legal_moves(game.to_move[0])
        shuffled = random.Random(2).sample(moves, len(moves))
        assert GOOD(view, moves, random.Random(3)) == GOOD(view, shuffled, random.Random(3))
