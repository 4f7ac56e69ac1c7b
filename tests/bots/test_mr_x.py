"""The bot "fugitive", a Mr. X who keeps away from detectives, and keeps them guessing."""

import random

import pytest

from server import bots
from server.bots.mixing import chances
from server.bots.mr_x import POLICIES
from server.bots.public_game import public_view, read
from server.engine import Edition, Game
from tests.engine.playing import MIXES, crowded, random_game
from tests.positions import HIS, position
from tests.profiles import IS_CAMPAIGN

from .match import at_level, by_chance, winners

POSITIONS = 40 if IS_CAMPAIGN else 8  # for each mix of options
GAMES = 10 if IS_CAMPAIGN else 5
# Of his turns in a game every second is looked at, and in a campaign all.
EVERY = 1 if IS_CAMPAIGN else 2
RAVENSBURGER = Edition.named("ravensburger-2000")


def asked(game, seed=0, level="good"):
    return bots.choose("fugitive", game.view("mr_x"), game.legal_moves(), random.Random(seed), level)


def at(station, edition=RAVENSBURGER, **more):
    return Game.at(edition, position(station, **more))


def turns_of_mr_x(games):
    return [game.copy() for game in games if game.to_move == ("mr_x",)][::EVERY]


def test_it_plays_mr_x():
    assert bots.names("mr_x") == ("fugitive",)


# The best takes seconds for a game: it plays each third, and in a campaign all; from any position it plays them below.
WHOLE = [
    (mix, level)
    for number, mix in enumerate(MIXES)
    for level in bots.LEVELS
    if IS_CAMPAIGN or level != "good" or number % 3 == 0
]


@pytest.mark.parametrize(("mix", "level"), WHOLE, ids=str)
def test_it_plays_legal_moves_under_every_option(mix, level):
    for game in turns_of_mr_x(random_game(mix, 0)):
        assert asked(game, level=level) in game.legal_moves()


@pytest.mark.parametrize("level", bots.LEVELS)
@pytest.mark.parametrize("mix", MIXES, ids=str)
def test_it_plays_legal_moves_from_any_position(mix, level):
    for seed in range(POSITIONS):
        game = crowded(mix, random.Random(seed))
        if game.to_move == ("mr_x",):
            assert asked(game, level=level) in game.legal_moves()


def test_its_choice_does_not_depend_on_the_order_of_the_moves():
    for game in turns_of_mr_x(random_game(MIXES[4], 2)):
        moves = game.legal_moves()
        shuffled = random.Random(2).sample(moves, len(moves))
        view = game.view("mr_x")
        chosen = [bots.choose("fugitive", view, order, random.Random(3)) for order in (moves, shuffled)]
        assert chosen[0] == chosen[1]


def test_it_leaves_the_view_and_the_moves_as_they_were():
    game = at(1, red=18, green=67)
    view, moves = game.view("mr_x"), game.legal_moves()
    bots.choose("fugitive", view, moves, random.Random(0))
    assert (view, moves) == (game.view("mr_x"), game.legal_moves())


@pytest.mark.parametrize("mix", MIXES, ids=str)
def test_it_knows_what_the_public_knows_of_the_log(mix):
    for game in random_game(mix, 1):
        if game.outcome is None:
            logs = [public_view(game.view("mr_x"))["log"], game.view("spectator")["log"]]
            shown = [[entry["station"] for entry in log] for log in logs]
            assert shown[0] == shown[1]


def test_it_does_not_step_beside_a_detective():
    """From 1 a taxi leads to 8 and 9; Red on 18 could take 8."""
    few = {"taxi": 1, "bus": 0, "underground": 0, "black": 0, "double": 0}
    assert str(asked(at(1, his=few, log_used=3, red=18, green=199))) == "taxi 9"


@pytest.mark.parametrize("station", [1, 46, 140])
def test_it_does_not_give_itself_up(station):
    edition = RAVENSBURGER.with_options(mr_x_onto_detective="loses")
    beside = {1: 9, 46: 47, 140: 154}[station]
    assert asked(at(station, edition, red=beside, green=199)).legs[0].station != beside


def test_it_gives_itself_up_where_there_is_no_other_way():
    edition = RAVENSBURGER.with_options(mr_x_onto_detective="loses")
    few = {"taxi": 1, "bus": 0, "underground": 0, "black": 0, "double": 0}
    assert asked(at(1, edition, his=few, red=8, green=9)).station in (8, 9)


def cards(game):
    """Return the chance that a good fugitive spends a black ticket or a double-move card."""
    drawn = chances(read(public_view(game.view("mr_x"))), POLICIES["good"], game.station("mr_x"))
    return sum(chance for legs, chance in drawn.items() if len(legs) == 2 or legs[0][0] == "black")


def test_it_saves_its_cards_while_nobody_knows_where_it_is():
    assert cards(at(100, log_used=3, red=8, green=18)) < 0.5


def test_it_spends_them_when_it_has_been_seen_beside_detectives():
    on_foot = {"taxi": 4, "bus": 3, "underground": 0, "black": 2, "double": 2}
    seen = at(46, his=on_foot, log_used=3, last_seen=(3, 46), red=1, green=47, blue=45, yellow=34)
    assert cards(seen) > 0.6


def test_it_plays_without_a_double_when_one_window_is_left():
    assert not asked(at(46, log_used=23, red=1, green=47)).double


@pytest.mark.parametrize("level", bots.LEVELS)
@pytest.mark.parametrize("edition", ["ravensburger-2000", "milton-bradley-1985"])
def test_it_escapes_detectives_who_move_by_chance(edition, level):
    mr_x = at_level("fugitive", level)
    assert winners(edition, GAMES, detectives=by_chance, mr_x=mr_x).count("mr_x") >= GAMES * 9 / 10


@pytest.mark.campaign
@pytest.mark.parametrize("edition", ["ravensburger-2000", "milton-bradley-1985"])
def test_against_constables_either_side_wins_often(edition):
    assert 3 <= winners(edition, 16).count("mr_x") <= 13


def test_unlimited_tickets_are_no_trouble():
    unlimited = HIS | dict.fromkeys(("taxi", "bus", "underground", "black"))
    assert asked(at(1, his=unlimited, red=18, green=67)).pawn == "mr_x"
