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
from tests.profiles import IS_CAMPAIGN

from .match import CONSTABLE, at_level, played

GAMES = 100 if IS_CAMPAIGN else 6
EDITIONS = ("ravensburger-2000", "milton-bradley-1985")
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


class Attack:
    """What an attacker who runs the published bot knows of him before his moves, where eight stations are possible."""

    def __init__(self, level):
        self.left, self.is_likeliest = [], []
        for seed in range(GAMES):
            game = played(Edition.named(EDITIONS[seed % 2]), 6, 4000 + seed, mr_x=self.watched(level))
            assert game.outcome

    def watched(self, level):
        def choose(view, moves, rng):
            public = public_view(view)
            possible = deduce(public)
            known = mixing.posterior(public_game.read(public), POLICIES[level])
            weights = [known[station] for station in possible if known.get(station)]
            if len(possible) >= 8 and weights:
                entropy = -sum(w / sum(weights) * math.log(w / sum(weights)) for w in weights)
                self.left.append(math.exp(entropy) / len(possible))
                here = view["pawns"]["mr_x"]["station"]
                self.is_likeliest.append(known.get(here, 0.0) >= max(weights) - 1e-12)
            return bots.choose("fugitive", view, moves, rng, level)

        return choose


@pytest.mark.long
@pytest.mark.parametrize("level", bots.LEVELS)
def test_the_replay_attack_does_not_find_him(level):
    """0.13 of the stations were left, and he was on the likeliest at 98 of 100 moves, while he was a plain function."""
    attack = Attack(level)
    assert len(attack.left) >= 2 * GAMES
    assert math.exp(sum(map(math.log, attack.left)) / len(attack.left)) > 0.33
    assert sum(attack.is_likeliest) / len(attack.is_likeliest) < 0.6


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
