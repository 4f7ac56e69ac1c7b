"""The learnt belief: what it is made of, that it sees what everybody sees, and the file of its weights."""

import json
import math
import random
from functools import cache
from importlib import resources
from pathlib import Path

import pytest

from bench import fit_bots, fitting
from server.bots import following, freedom, public_game
from server.bots.belief import belief, load
from server.bots.estimate import estimate, even, last_sighting
from server.bots.journeys import journeys
from server.bots.public_game import public_view
from server.engine import Edition, Game, deduce
from server.engine.ticket_kinds import TICKETS
from tests.engine.playing import MIXES, crowded, random_game
from tests.positions import position

RAVENSBURGER = Edition.named("ravensburger-2000")
REFIT = Path(__file__).parent / "refit.json"
TEXT = resources.files("server.bots").joinpath("weights.json").read_text(encoding="utf-8")
ESTIMATES = (estimate, even, belief)


@pytest.mark.parametrize("mix", MIXES, ids=str)
def test_it_makes_one_over_the_stations_of_the_deduction(mix):
    for number, game in enumerate(random_game(mix, 3)):
        if game.outcome is None and number % 4 == 0:
            view = game.view("spectator")
            likely = belief(view)
            assert likely.keys() == deduce(view)
            assert math.isclose(sum(likely.values()), 1)
            assert all(weight > 0 for weight in likely.values())


@pytest.mark.parametrize("mix", MIXES, ids=str)
def test_it_needs_no_history(mix):
    for seed in range(4):
        view = crowded(mix, random.Random(seed)).view("spectator")
        if view["outcome"] is None:
            assert belief(view).keys() == deduce(view)


@pytest.mark.parametrize("estimated", [*ESTIMATES, last_sighting])
def test_it_sees_the_same_wherever_mr_x_is(estimated):
    """He went by a black ticket to one of two stations, which nobody saw; after that everybody sees the same."""

    def world(hidden):
        game = Game.at(RAVENSBURGER, position(46, last_seen=(3, 46), log_used=3, red=67, green=22, blue=128))
        game.play(f"black {hidden}")
        game.play("red taxi 51")
        return [estimated(game.view(viewer)) for viewer in ("spectator", "red", "blue")]

    assert all(view == world(1)[0] for hidden in (1, 34, 47, 79) for view in world(hidden))


@pytest.mark.parametrize("mix", [MIXES[0], MIXES[2], MIXES[12]], ids=str)
def test_mr_x_and_the_public_read_the_same_game(mix):
    for game in random_game(mix, 4):
        if game.outcome is None:
            assert public_game.read(public_view(game.view("mr_x"))) == public_game.read(game.view("spectator"))


@pytest.mark.parametrize("mix", [MIXES[2], MIXES[4], MIXES[8], MIXES[16]], ids=str)
def test_the_tickets_before_each_move_are_those_that_were_held(mix):
    held = []
    for game in random_game(mix, 5):
        if game.outcome is None:
            read = public_game.read(game.view("spectator"))
            assert [turn.scene.held for turn in read.turns] == held[: len(read.turns)]
            if game.to_move == ("mr_x",):
                held.append({"black": 0, "double": 0} | game.tickets("mr_x"))
                assert read.now.held == held[-1]


def test_it_is_worked_out_once_a_phase():
    """All detectives of a round begin with what followed from his move."""
    game = Game.deal(RAVENSBURGER, 6, random.Random(37))
    worked_out = []
    while game.round < 4:
        moves = game.legal_moves()
        if game.to_move == ("mr_x",):
            worked_out.append(0)
        else:
            before = following._moved.cache_info().misses
            belief(game.view(game.to_move[0]))
            worked_out[-1] += following._moved.cache_info().misses - before
        game.play(moves[0])
    assert worked_out == [1, 1, 0]  # the third move shows him


def test_a_sighting_says_where_he_is():
    game = Game.at(RAVENSBURGER, position(46, log_used=2, red=1, green=199))
    game.play("bus 58")
    assert belief(game.view("spectator")) == {58: 1.0}


def test_a_station_beside_a_detective_is_less_likely():
    game = Game.at(RAVENSBURGER, position(1, last_seen=(3, 1), log_used=3, red=18, green=199))
    game.play("taxi 8")
    likely = belief(game.view("spectator"))
    assert likely[8] < likely[9]


def test_the_last_sighting_is_all_that_is_known_until_it_is_stale():
    game = Game.at(RAVENSBURGER, position(1, last_seen=(3, 1), log_used=3, red=18, green=199))
    assert last_sighting(game.view("spectator")) == {1: 1.0}
    game.play("taxi 8")
    assert last_sighting(game.view("spectator")) == {1: 1.0}
    unseen = last_sighting(Game.deal(RAVENSBURGER, 6, random.Random(1)).view("spectator"))
    assert len(unseen) == 199
    assert len(set(unseen.values())) == 1


def test_once_it_is_stale_the_marked_stations_near_it_are_as_likely_as_each_other():
    game = Game.at(RAVENSBURGER, position(46, last_seen=(3, 46), log_used=3, red=18, green=199))
    back_and_forth = ("red taxi 43", "green taxi 188", "red taxi 18", "green taxi 199") * 2
    for number, move in enumerate(("black 79", "black 63", "taxi 64", "taxi 63")):
        game.play(move)
        if number < 3:
            assert last_sighting(game.view("spectator")) == {46: 1.0}
            game.play(back_and_forth[2 * number])
            game.play(back_and_forth[2 * number + 1])
    likely = last_sighting(game.view("spectator"))
    assert likely.keys() < deduce(game.view("spectator"))
    assert len(set(likely.values())) == 1
    assert all(journeys(game.edition.board, TICKETS, 46)[station] <= 2 for station in likely)


# The file of weights --------------------------------------------------------------------------------------


def test_the_file_of_weights_is_small_and_says_what_it_was_made_of():
    data = json.loads(TEXT)
    assert len(TEXT) < 8000
    assert data["hashes"].keys() == {"features", "seeds", "code", "weights"}
    assert data["seeds"]["kinds"]
    assert all(weight == round(weight, 3) for weights in data["weights"].values() for weight in weights)
    told = json.loads(fitting.document(load(TEXT), freedom.fitted(), data["seeds"]))["hashes"]
    assert told | {"code": data["hashes"]["code"]} == data["hashes"]  # the code is compared by the whole fit


# The fit --------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_a_fit_of_twenty_games_is_as_it_was():
    """To take a new one: `python -m tests.bots.test_belief`."""
    assert json.loads(REFIT.read_text()) == weights_of_refit()


@pytest.mark.long
def test_a_fit_is_less_surprised_than_even_weights():
    model, _, games = refit()
    assert fitting.surprise(games, fitting.learnt(model)) < fitting.surprise(games, fitting.evenly) - 0.3


@cache
def refit():
    games = []

    def play_all(tasks):
        games.extend(map(fit_bots.play, tasks))
        return games[-len(tasks) :]

    model, free, _ = fit_bots.fitted(play_all, (5,), ("greedy", "fugitive"))
    return model, free, games


def weights_of_refit():
    model, free, _ = refit()
    return {kind: list(weights) for kind, weights in (*model._asdict().items(), ("free", free))}


@pytest.mark.long
def test_the_chance_to_stay_free_is_that_of_the_chases():
    """It was fitted to some games; in others it comes nearer than their mean."""
    told = [share for one in refit()[2][::4] for share in fitting.chased(one)]
    mean = sum(share for _, share in told) / len(told)
    guessed = [1 / (1 + math.exp(-fitting._dot(freedom.fitted(), options[0]))) for options, _ in told]
    errors = [(share - guess) ** 2 for (_, share), guess in zip(told, guessed, strict=True)]
    assert sum(errors) < 0.25 * sum((share - mean) ** 2 for _, share in told)


@pytest.mark.campaign
def test_the_whole_fit_gives_the_weights_in_the_file():
    model, free, seeds = fit_bots.fitted(lambda tasks: list(map(fit_bots.play, tasks)), fit_bots.ROUNDS)
    assert fitting.document(model, free, seeds) == TEXT


if __name__ == "__main__":
    REFIT.write_text(json.dumps(weights_of_refit(), indent=1) + "\n")
