"""The house moves sensibly, legally, and from what everybody may know."""

import random
from functools import cache
from typing import Any

import pytest
from positions import position

from server.application.house import choose
from server.engine import Edition, Game, deduce

EDITION = Edition.named("ravensburger-2000")


def game_at(place: dict[str, Any]) -> Game:
    return Game.at(EDITION, place)


def choice(game: Game, seed: int = 1) -> str:
    """The move of the house for the pawn that is to move."""
    moves = game.legal_moves(game.to_move[0])
    return str(choose(game.view("spectator"), EDITION.board, moves, random.Random(seed)))


def seen_at(station: int, **pawns: Any) -> Game:
    """A game in which Mr. X has just shown himself at `station`, and red is to move."""
    return game_at(position(station, log_used=3, last_seen=(3, station), to_move="red", **pawns))


def test_the_house_catches_mr_x_where_he_stands_in_the_open():
    assert choice(seen_at(116, red=118)) == "red taxi 116"


def test_the_house_comes_nearer_to_where_mr_x_was_seen():
    assert choice(seen_at(86, red=118)) == "red taxi 116"


def test_no_other_move_ends_nearer_to_all_the_places_where_mr_x_can_be():
    dice = random.Random(5)
    for _ in range(3):
        game = Game.deal(EDITION, 6, dice)
        while game.outcome is None and game.round < 5:
            if game.to_move != ("mr_x",):
                places = deduce(game.view("spectator"))
                ways = {
                    str(move): sum(journeys(move.station, place) for place in places) for move in game.legal_moves()
                }
                assert ways[choice(game)] == min(ways.values())
            game.play(dice.choice(game.legal_moves()))


@cache
def journeys(origin: int, goal: int) -> int:
    """How many moves a detective needs from one station to another."""
    reached, n = {origin}, 0
    while goal not in reached:
        reached |= {
            stop
            for station in reached
            for ticket in ("taxi", "bus", "underground")
            for stop in EDITION.board.reach[ticket].get(station, ())
        }
        n += 1
    return n


def test_of_two_tickets_to_one_station_the_house_takes_the_commoner():
    tickets = {"taxi": 3, "bus": 5, "underground": 0}
    assert choice(seen_at(127, red=(116, tickets))) == "red bus 127"
    assert choice(seen_at(127, red=(116, {"taxi": 5, "bus": 3, "underground": 0}))) == "red taxi 127"


def test_ties_are_broken_by_the_dice_and_by_nothing_else():
    game = seen_at(1, red=32)
    assert len({choice(game, seed=1) for _ in range(5)}) == 1
    by_dice = {choice(game, seed) for seed in range(40)}
    assert by_dice == {"red taxi 19", "red taxi 33", "red taxi 44", "red taxi 45"}


def test_without_a_tie_the_dice_decide_nothing():
    assert len({choice(seen_at(86, red=118), seed) for seed in range(10)}) == 1


@pytest.mark.parametrize("seed", range(5))
def test_the_same_public_history_gives_the_same_move_wherever_mr_x_hides(seed: int):
    here, there = (game_at(position(station, log_used=4, to_move="red", red=118)) for station in (86, 190))
    for game, ride in ((here, "taxi 69"), (there, "taxi 191")):
        game.play("red taxi 116")
        game.play(ride)
    assert here.station("mr_x") != there.station("mr_x")
    assert here.view("spectator") == there.view("spectator")
    assert choice(here, seed) == choice(there, seed)


@pytest.mark.parametrize("name", Edition.names())
@pytest.mark.parametrize("fewest_or_most", [0, 1])
def test_whole_games_played_by_the_house_are_legal_to_the_end(name: str, fewest_or_most: int):
    dice = random.Random(name)
    edition = Edition.named(name)
    game = Game.deal(edition, edition.options["players"][fewest_or_most], dice)
    while game.outcome is None:
        moves = game.legal_moves(game.to_move[0])
        if game.to_move == ("mr_x",):
            game.play(dice.choice(moves))
        else:
            move = choose(game.view("spectator"), game.edition.board, moves, dice)
            assert move in moves
            game.play(move)


def test_a_fugitive_who_runs_blindly_is_nearly_always_caught():
    caught = 0
    for seed in range(20):
        dice = random.Random(seed)
        game = Game.deal(EDITION, 6, dice)
        while game.outcome is None:
            moves = game.legal_moves(game.to_move[0])
            blind = game.to_move == ("mr_x",)
            game.play(dice.choice(moves) if blind else choose(game.view("spectator"), EDITION.board, moves, dice))
        caught += game.outcome.winner == "detectives"
    assert caught >= 18
