"""The levels as people feel them: who looks at the marks, and who runs away, wins as often as wished."""

import random
from typing import Any

import pytest

from bench.opponents.scripted import casual, halo
from bench.players import Leak, bot, leak
from server import bots
from server.bots import arena
from server.bots.mr_x import POLICIES
from server.engine import Edition, Game, deduce
from tests.positions import position
from tests.profiles import IS_CAMPAIGN

GAMES = 200 if IS_CAMPAIGN else 16
SEED = 600_000
RAVENSBURGER = Edition.named("ravensburger-2000")
# The share of games that the person wins, at least and at most: as the detectives, and as Mr. X.
HALO = {"easy": (0.65, 0.80), "fair": (0.45, 0.60), "good": (0.25, 0.45)}
CASUAL = {"easy": (0.60, 0.80), "fair": (0.20, 0.35), "good": (0.0, 0.10)}
# How often, after a move that was not seen, the likeliest station is his, and how often that is more than 90 % sure.
LEAK = {"easy": (0.75, 0.35), "fair": (0.7, 0.25), "good": (0.6, 0.22)}


def games(detectives: Any, mr_x: Any, number: int = GAMES) -> list[Game]:
    sides = {"detective": detectives, "mr_x": mr_x}
    return [arena.play(RAVENSBURGER, 6, SEED + n, sides, {"detective": [], "mr_x": []}) for n in range(number)]


def won_by(side: str, played: list[Game]) -> int:
    return sum(game.outcome is not None and game.outcome.winner == side for game in played)


def may_be(won: int, of: int, least: float, most: float) -> bool:
    """Return whether the share of many games can lie between two bounds (95 %)."""
    low, high = arena.wilson(won, of)
    return low <= most and high >= least


@pytest.mark.long
@pytest.mark.parametrize("level", bots.LEVELS)
def test_who_looks_at_the_marks_wins_as_often_as_wished(level: str) -> None:
    played = games(halo, bot("fugitive", level))
    assert may_be(won_by("detectives", played), GAMES, *HALO[level])
    counted = sum((leak(game, POLICIES[level]) for game in played), Leak())
    assert counted.first < LEAK[level][0] * counted.moves
    assert counted.sure < LEAK[level][1] * counted.moves


@pytest.mark.long
@pytest.mark.parametrize("level", bots.LEVELS)
def test_who_runs_away_wins_as_often_as_wished(level: str) -> None:
    assert may_be(won_by("mr_x", games(bot("constable", level), casual)), GAMES, *CASUAL[level])


@pytest.mark.long
@pytest.mark.parametrize("level", bots.LEVELS)
def test_good_detectives_do_not_make_him_easier_to_find(level: str) -> None:
    played = games(bot("constable", "good"), bot("fugitive", level), GAMES if IS_CAMPAIGN else 12)
    counted = sum((leak(game, POLICIES[level]) for game in played), Leak())
    assert counted.moves > 5 * len(played)
    assert counted.first < LEAK[level][0] * counted.moves
    assert counted.sure < LEAK[level][1] * counted.moves


def test_who_looks_at_the_marks_goes_to_one_in_reach_and_each_pawn_to_another() -> None:
    """Mr. X is on 8 or 9; from 19 both can be reached, from 18 only 8."""
    game = Game.at(RAVENSBURGER, position(1, last_seen=(3, 1), log_used=3, red=18, green=19))
    game.play("taxi 9")
    ends = []
    for _ in range(2):
        pawn = game.to_move[0]
        move = halo(game.view(pawn), game.legal_moves(pawn), random.Random(0))
        ends.append(move.station)
        game.play(move)
    assert ends == [8, 9]


def test_who_looks_at_the_marks_sees_nothing_more() -> None:
    def world(hidden: int) -> Any:
        game = Game.at(RAVENSBURGER, position(46, last_seen=(3, 46), log_used=3, red=67, green=22))
        game.play(f"black {hidden}")
        assert len(deduce(game.view("red"))) > 5
        return halo(game.view("red"), game.legal_moves("red"), random.Random(0))

    assert world(1) == world(78)


def test_who_runs_away_hides_after_a_sighting_and_doubles_when_cornered() -> None:
    seen = Game.at(RAVENSBURGER, position(46, last_seen=(3, 46), log_used=3, red=199, green=185))
    assert casual(seen.view("mr_x"), seen.legal_moves(), random.Random(0)).legs[0].ticket == "black"
    later = Game.at(RAVENSBURGER, position(46, last_seen=(3, 46), log_used=4, red=199, green=185))
    assert casual(later.view("mr_x"), later.legal_moves(), random.Random(0)).legs[0].ticket != "black"
    cornered = Game.at(RAVENSBURGER, position(1, last_seen=(3, 1), log_used=4, red=18, green=20, blue=46))
    assert casual(cornered.view("mr_x"), cornered.legal_moves(), random.Random(0)).double
