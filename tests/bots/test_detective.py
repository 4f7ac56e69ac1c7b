"""The bot "constable", a fair player that sees what everybody sees."""

import random

import pytest

from server import bots
from server.bots.estimate import estimate
from server.engine import Edition, Game, deduce
from tests.engine.playing import MIXES, crowded, random_game
from tests.positions import position
from tests.profiles import IS_CAMPAIGN

from .match import CONSTABLE, by_chance, winners

POSITIONS = 40 if IS_CAMPAIGN else 8  # for each mix of options
GAMES = 12 if IS_CAMPAIGN else 6
# Of the turns of a game every third is looked at, and in a campaign all.
EVERY = 1 if IS_CAMPAIGN else 3
RAVENSBURGER = Edition.named("ravensburger-2000")


def asked(game, seed=0, level="good"):
    """Return what the constable plays for the first pawn to move."""
    pawn = game.to_move[0]
    return bots.choose("constable", game.view(pawn), game.legal_moves(pawn), random.Random(seed), level)


def turns_of_detectives(games):
    return [game.copy() for game in games if game.to_move not in ((), ("mr_x",))][::EVERY]


def test_it_plays_detectives():
    assert bots.names("detective") == ("constable",)


@pytest.mark.parametrize("level", bots.LEVELS)
@pytest.mark.parametrize("mix", MIXES, ids=str)
@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.campaign)])
def test_it_plays_legal_moves_under_every_option(mix, seed, level):
    for game in turns_of_detectives(random_game(mix, seed)):
        assert asked(game, level=level) in game.legal_moves(game.to_move[0])


@pytest.mark.parametrize("level", bots.LEVELS)
@pytest.mark.parametrize("mix", MIXES, ids=str)
def test_it_plays_legal_moves_from_any_position(mix, level):
    for seed in range(POSITIONS):
        game = crowded(mix, random.Random(seed))
        if game.to_move not in ((), ("mr_x",)):
            assert asked(game, level=level) in game.legal_moves(game.to_move[0])


def test_it_can_choose_among_the_moves_of_several_pawns():
    edition = RAVENSBURGER.with_options(turn_order="any")
    game = Game.at(edition, position(46, to_move="red", last_seen=(3, 46), log_used=3, red=1, green=45))
    assert CONSTABLE(game.view("red"), game.legal_moves(), random.Random(0)).station == 46


@pytest.mark.parametrize("station", [13, 33, 34, 45, 47, 58, 61, 74, 78])
def test_its_choice_is_the_same_wherever_mr_x_hides(station):
    def world(hidden):
        game = Game.at(RAVENSBURGER, position(46, last_seen=(3, 46), log_used=3, red=67, green=22, blue=128))
        game.play(f"black {hidden}")
        return game

    assert asked(world(station)) == asked(world(1))


def test_its_choice_does_not_depend_on_the_order_of_the_moves():
    for game in turns_of_detectives(random_game(MIXES[8], 1)):
        view, moves = game.view(game.to_move[0]), game.legal_moves(game.to_move[0])
        shuffled = random.Random(2).sample(moves, len(moves))
        assert CONSTABLE(view, moves, random.Random(3)) == CONSTABLE(view, shuffled, random.Random(3))


def test_it_sees_no_more_as_a_detective_than_as_a_spectator():
    for game in turns_of_detectives(random_game(MIXES[0], 1)):
        moves = game.legal_moves(game.to_move[0])
        chosen = [CONSTABLE(game.view(viewer), moves, random.Random(0)) for viewer in (game.to_move[0], "spectator")]
        assert chosen[0] == chosen[1]


def test_it_leaves_the_view_and_the_moves_as_they_were():
    game = Game.at(RAVENSBURGER, position(46, to_move="red", last_seen=(3, 46), log_used=3, red=1, green=45))
    view, moves = game.view("red"), game.legal_moves("red")
    CONSTABLE(view, moves, random.Random(0))
    assert (view, moves) == (game.view("red"), game.legal_moves("red"))


def test_it_takes_a_sure_capture():
    game = Game.at(RAVENSBURGER, position(46, to_move="red", last_seen=(3, 46), log_used=3, red=1, green=45))
    assert asked(game).station == 46


def test_it_leaves_to_a_teammate_what_only_they_can_reach():
    """Mr. X is on 8 or 9; from 19 both can be reached, from 18 only 8."""
    game = Game.at(RAVENSBURGER, position(1, last_seen=(3, 1), log_used=3, red=19, green=18))
    game.play("taxi 8")
    assert asked(game).station == 9


def test_two_who_search_two_stations_search_both():
    game = Game.at(RAVENSBURGER, position(1, last_seen=(3, 1), log_used=3, red=18, green=19))
    game.play("taxi 9")
    game.play(asked(game))
    game.play(asked(game))
    assert game.outcome.reason == "captured"


def test_a_station_beside_a_detective_is_less_likely():
    game = Game.at(RAVENSBURGER, position(1, last_seen=(3, 1), log_used=3, red=18, green=199))
    game.play("taxi 8")
    likely = estimate(game.view("spectator"))
    assert likely[8] < likely[9]


@pytest.mark.parametrize("mix", [MIXES[2], MIXES[3]], ids=str)
def test_the_estimate_makes_one_over_the_stations_of_the_deduction(mix):
    for number, game in enumerate(random_game(mix, 3)):
        if game.outcome is None and number % EVERY == 0:
            view = game.view("spectator")
            likely = estimate(view)
            assert likely.keys() == deduce(view)
            assert sum(likely.values()) == pytest.approx(1)


@pytest.mark.parametrize("edition", ["ravensburger-2000", "milton-bradley-1985"])
def test_it_catches_a_mr_x_who_moves_by_chance(edition):
    assert winners(edition, GAMES, mr_x=by_chance).count("detectives") >= GAMES * 11 / 12
