"""A Mr. X who mixes: anybody can compute his policy, and still not tell where he is."""

import math
import random
from collections import Counter, defaultdict

import pytest

from server import bots
from server.bots import mixing, public_game
from server.bots.mr_x import POLICIES
from server.bots.public_game import public_view
from server.engine import Edition, Game, deduce
from tests.engine.playing import MIXES, random_game
from tests.positions import position

from .match import CONSTABLE, at_level

RAVENSBURGER = Edition.named("ravensburger-2000")


def game_of(view):
    return public_game.read(public_view(view))


@pytest.mark.parametrize("level", bots.LEVELS)
@pytest.mark.parametrize("mix", MIXES[::3], ids=str)
def test_every_station_has_a_distribution_over_legal_moves(mix, level):
    """Whichever station he is on, his draw is from moves that are legal there."""
    for number, game in enumerate(random_game(mix, 2)):
        if game.to_move == ("mr_x",) and number % 4 == 0:
            here = game.station("mr_x")
            drawn = mixing.chances(game_of(game.view("mr_x")), POLICIES[level], here)
            legal = {move.legs for move in game.legal_moves()}
            assert drawn.keys() <= legal
            assert not drawn or math.isclose(sum(drawn.values()), 1)


@pytest.mark.parametrize("level", bots.LEVELS)
def test_the_policy_does_not_depend_on_where_he_is(level):
    """A spectator computes the same chances for his station as he does."""
    for game in random_game(MIXES[0], 6):
        if game.to_move == ("mr_x",):
            here = game.station("mr_x")
            policies = [
                mixing.chances(public_game.read(view), POLICIES[level], here)
                for view in (game.view("spectator"), public_view(game.view("mr_x")))
            ]
            assert policies[0] == policies[1]


@pytest.mark.parametrize("level", bots.LEVELS)
def test_he_draws_what_the_policy_says(level):
    game = Game.at(RAVENSBURGER, position(46, last_seen=(3, 46), log_used=3, red=1, green=47, blue=145, yellow=34))
    view, moves = game.view("mr_x"), game.legal_moves()
    chances = mixing.chances(game_of(view), POLICIES[level], 46)
    draws = 3000
    drawn = Counter(bots.choose("fugitive", view, moves, random.Random(n), level).legs for n in range(draws))
    assert drawn.keys() <= chances.keys()
    for move, chance in chances.items():
        assert abs(drawn[move] - draws * chance) <= 5 * math.sqrt(draws * chance * (1 - chance)) + 1


@pytest.mark.parametrize("level", bots.LEVELS)
def test_what_everybody_can_think_is_the_exact_posterior(level):
    """Every way he can have gone is weighed by the chances of its moves, one by one, as in the first book on chance."""
    policy = POLICIES[level]
    game = Game.deal(RAVENSBURGER, 6, random.Random(8))
    ways = {(station,): 1.0 for station in deduce(game.view("spectator"))}
    for _ in range(2):
        before = game_of(game.view("spectator"))
        shown = None
        while shown is None or game.to_move not in ((), ("mr_x",)):
            pawn = game.to_move[0]
            choose = at_level("fugitive", level) if pawn == "mr_x" else CONSTABLE
            move = choose(game.view(pawn), game.legal_moves(pawn), random.Random(len(game.history)))
            game.play(move)
            if pawn == "mr_x":
                shown = mixing.public(move.legs, before.now)
                ways = {
                    (*way, end): weight * chance
                    for way, weight in ways.items()
                    for legs, chance in mixing.chances(before, policy, way[-1]).items()
                    for _, end in legs[-1:]
                    if mixing.public(legs, before.now) == shown
                }
            else:
                ways = {way: weight for way, weight in ways.items() if way[-1] != move.station}
        assert game.outcome is None
        naive = defaultdict(float)
        for way, weight in ways.items():
            naive[way[-1]] += weight / sum(ways.values())
        known = mixing.posterior(game_of(game.view("spectator")), policy)
        assert {s: pytest.approx(w) for s, w in naive.items() if w > 1e-12} == {
            s: w for s, w in known.items() if w > 1e-12
        }


def drawn_by(level, game):
    """Return the chances of the moves of a Mr. X of a level, where he stands."""
    return mixing.chances(game_of(game.view("mr_x")), POLICIES[level], game.station("mr_x"))


@pytest.mark.parametrize("level", bots.LEVELS)
@pytest.mark.parametrize("log_used", [0, 2, 7], ids=["before the first sighting", "where it is", "where he is shown"])
def test_a_black_ticket_that_hides_nothing_is_not_spent(level, log_used):
    """From 46 a plain ticket leads to every neighbour, and a single move with a black one would hide nothing."""
    game = Game.at(RAVENSBURGER, position(46, log_used=log_used, red=199, green=185))
    drawn = drawn_by(level, game)
    assert drawn
    assert not any(legs[0][0] == "black" for legs in drawn)


@pytest.mark.parametrize("level", bots.LEVELS)
def test_a_black_ticket_is_spent_where_no_plain_one_goes(level):
    few = {"taxi": 0, "bus": 0, "underground": 0, "black": 2, "double": 0}
    assert drawn_by(level, Game.at(RAVENSBURGER, position(46, his=few, log_used=7, red=199, green=185)))


@pytest.mark.parametrize("level", bots.LEVELS)
def test_of_double_moves_that_end_in_sight_alike_he_spends_the_fewest_black_tickets(level):
    game = Game.at(RAVENSBURGER, position(46, last_seen=(3, 46), log_used=6, red=47, green=45, blue=1))
    doubles = [legs for legs in drawn_by(level, game) if len(legs) == 2]
    assert doubles
    plain = {move.legs[1].station for move in game.legal_moves() if move.double and not black(move.legs)}
    assert not any(black(legs) for legs in doubles if legs[1][1] in plain)


def black(legs):
    return sum(ticket == "black" for ticket, _ in legs)


@pytest.mark.parametrize("level", bots.LEVELS)
def test_every_level_doubles_when_it_is_pressed(level):
    game = Game.at(RAVENSBURGER, position(46, last_seen=(3, 46), log_used=3, red=1, green=47, blue=45, yellow=34))
    assert any(len(legs) == 2 for legs in drawn_by(level, game))


def test_a_mr_x_whom_somebody_else_has_moved_goes_on():
    """His own policy would not have brought him there."""
    game = Game.at(RAVENSBURGER, position(100, log_used=3, last_seen=(3, 100), red=8, green=18))
    game.play("taxi 101")
    game.play("red taxi 1")
    game.play("green taxi 43")
    for _ in range(3):
        move = bots.choose("fugitive", game.view("mr_x"), game.legal_moves(), random.Random(0), "good")
        assert move in game.legal_moves()
        game.play(min(game.legal_moves(), key=str))
        while game.to_move not in ((), ("mr_x",)):
            game.play(game.legal_moves()[0])


@pytest.mark.parametrize("name", bots.BOTS)
def test_a_bot_without_a_move_says_so(name):
    view = Game.deal(RAVENSBURGER, 6, random.Random(1)).view("spectator")
    with pytest.raises(ValueError, match=f"no move for the {name}"):
        bots.choose(name, view, [], random.Random(0))


@pytest.mark.parametrize("name", bots.BOTS)
def test_there_is_no_other_level(name):
    game = Game.deal(RAVENSBURGER, 6, random.Random(1))
    with pytest.raises(KeyError):
        bots.choose(name, game.view("mr_x"), game.legal_moves(), random.Random(0), "hard")


def test_only_moves_that_are_offered_are_drawn():
    game = Game.at(RAVENSBURGER, position(100, log_used=3, last_seen=(3, 100), red=8, green=18))
    few = sorted(game.legal_moves(), key=str)[:2]
    assert {bots.choose("fugitive", game.view("mr_x"), few, random.Random(n), "good") for n in range(20)} <= set(few)
