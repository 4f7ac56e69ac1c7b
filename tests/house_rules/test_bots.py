"""Bots in a decision: what they do and when is the same in two worlds, and late pawns know only the deduction."""

from datetime import timedelta
from typing import Any

import pytest

from server import clock
from server.bots.detective import FOR_LATE
from server.bots.estimate import even, last_sighting
from server.engine import Game
from tests.house_rules.situations import NAMES, Match, begun
from tests.positions import position

HIDDEN = (1, 34, 47, 79)  # where a black ticket leads from 46, and no detective is near enough to catch him


def world(hidden: int, level: str = "good", *, late: str = "") -> Match:
    """Return a game in which Mr. X went from 46 with a black ticket, and all detectives have moved after it.

    Bots of a level have moved them, or the server has as the players were late, in the way `late`.
    """
    placed = position(46, last_seen=(3, 46), log_used=3, red=199, green=128, blue=135)
    match = begun(position=placed, bots=() if late else (2, 3, 4), clock={"detectives_late": late} if late else None)
    for seat in match.game.seats:
        seat.level = seat.level and level
    match.later(seconds=5)
    match.move(NAMES[0], f"black {hidden}")
    if late:
        match.fire("timeout")
    while match.state.to_move not in ((), ("mr_x",)):
        match.fire("move")
    return match


def made(match: Match) -> list[tuple[Any, ...]]:
    """Return what everybody sees of the detectives' moves, and when each was entered."""
    return [
        (move.pawn, move.notation, move.by, move.made_at)
        for decision in match.decisions
        for move in decision.moves
        if move.pawn != "mr_x"
    ]


@pytest.mark.parametrize("level", ["easy", "fair", "good"])
def test_bots_do_the_same_at_the_same_time_wherever_mr_x_is(level: str):
    worlds = [made(world(hidden, level)) for hidden in HIDDEN]
    assert len(worlds[0]) == 3
    assert all(other == worlds[0] for other in worlds)


@pytest.mark.parametrize("way", FOR_LATE)
def test_a_late_pawn_is_moved_alike_wherever_mr_x_is(way: str):
    worlds = [made(world(hidden, late=way)) for hidden in HIDDEN]
    assert {by for _, _, by, _ in worlds[0]} == {"house"}
    assert all(other == worlds[0] for other in worlds)


def test_a_bot_moves_two_seconds_after_its_turn_began():
    match = begun(players=4, bots=(1,), people={})
    turn = match.now
    match.fire("move")
    assert match.now - turn == timedelta(seconds=2)


def test_every_turn_and_pawn_has_chance_of_its_own():
    match = begun(players=4, bots=(1,))
    draws = {match.sources().draw("move", "game", turn, pawn).random() for turn in (1, 2) for pawn in ("mr_x", "red")}
    assert len(draws) == 4


@pytest.mark.parametrize(("way", "goes_back"), [("deduction", False), ("easy", True)])
def test_a_clock_may_have_late_pawns_go_where_mr_x_was_last_seen(way: str, goes_back: bool):
    """He was seen on 1 and took the underground, so everybody can know that he is on 46."""
    taxis = {"taxi": 9, "bus": 0, "underground": 0}
    placed = position(1, last_seen=(3, 1), log_used=3, red=(8, taxis), green=128, blue=135)
    match = begun(position=placed, clock={"detectives_late": way})
    match.move(NAMES[0], "underground 46")
    match.fire("timeout")
    assert (match.state.station("red") == 1) is goes_back


def test_no_way_to_move_late_pawns_knows_more_than_where_mr_x_can_be():
    assert FOR_LATE.keys() == set(clock.LATE["detectives_late"])
    assert {level.estimate for level in FOR_LATE.values()} == {even, last_sighting}


def test_late_pawns_count_every_possible_station_the_same():
    game: Game = world(1).state
    weights = even(game.view("spectator"))
    assert len(set(weights.values())) == 1
    assert weights.keys() != last_sighting(game.view("spectator")).keys()
