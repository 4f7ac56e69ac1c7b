"""The story of a hunt: what could be known after each move, and that what it tells of each moment is so."""

import random
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest

from server.bots import hunt
from server.bots.belief import belief
from server.bots.hunt import Hunt, Moment, Point
from server.engine import Edition, Game, deduce
from server.engine.ticket_kinds import PLAIN
from tests.engine.playing import MIXES, any_move, crowded, dealt
from tests.positions import position

RAVENSBURGER = Edition.named("ravensburger-2000")


def played(game: Game, rng: random.Random, most: int = 10_000) -> Iterator[Game]:
    """Yield a random game as it was before each of at most so many moves, and after the last."""
    yield game.copy()
    while game.outcome is None and len(game.history) < most:
        game.play(any_move(game, rng))
        yield game.copy()


def told(states: list[Game], reason: str | None = None) -> Hunt:
    outcome = states[-1].outcome
    views: Any = [state.view("mr_x") for state in states]
    return hunt.story(views, states[-1].rounds, reason or (outcome.reason if outcome else "resigned"))


def moved(start: Game, *moves: str) -> list[Game]:
    """Return a game before its first move, and after each of these."""
    states = [start.copy()]
    for move in moves:
        start.play(move)
        states.append(start.copy())
    return states


def within_one_ride(game: Game, station: int) -> set[str]:
    """Return the detectives whose tickets lead to a station, by the board alone."""
    board = game.edition.board
    return {
        pawn
        for pawn in game.pawns
        if any(station in board.reach[kind][game.station(pawn)] for kind in PLAIN if game.tickets(pawn)[kind] != 0)
    }


def of_kind(story: Hunt, kind: str) -> tuple[Point, Point, Moment]:
    """Return the point before the only moment of a kind, that of it, and the moment."""
    (moment,) = (each for each in story.moments if each.kind == kind)
    return story.points[moment.ply - 1], story.points[moment.ply], moment


@pytest.mark.parametrize("mix", MIXES, ids=str)
@pytest.mark.parametrize("start", [dealt, crowded])
def test_the_curve_has_what_a_spectator_could_know_after_each_move_of_any_game(mix: Any, start: Any):
    states = list(played(start(mix, random.Random(1)), random.Random(1), most=60))
    points = told(states).points
    assert [point.ply for point in points] == list(range(len(states)))
    for state, point in list(zip(states, points, strict=True))[::3]:
        public = state.view("spectator")
        likely, here = belief(public), state.station("mr_x")
        assert (point.station, point.stations) == (here, len(deduce(public)))
        assert (point.belief, point.even) == (round(likely[here], 4), round(1 / len(likely), 4))
        assert point.chance == round(max(likely.values()), 4) == round(likely[point.likeliest], 4)
        if point.rides == 1:
            assert set(point.near) == within_one_ride(state, here)


@pytest.mark.parametrize("mix", [MIXES[2], MIXES[7], MIXES[10], MIXES[14]], ids=str)
def test_a_way_out_is_a_move_of_his_to_where_no_detective_could_be(mix: Any):
    states = list(played(dealt(mix, random.Random(1)), random.Random(1)))
    ways_out = 0
    for state, point in zip(states, told(states).points, strict=True):
        if state.to_move == ("mr_x",):
            stops = {move.station for move in state.legal_moves() if not move.double}
            free = {stop for stop in stops if stop not in map(state.station, state.pawns)}
            assert set(point.ways) == {stop for stop in free if not within_one_ride(state, stop)}
            ways_out += len(point.ways)
    assert ways_out


@pytest.mark.parametrize("mix", [MIXES[0], MIXES[2], MIXES[9], MIXES[14]], ids=str)
def test_a_move_of_a_detective_ruled_out_what_it_took_from_the_deduction(mix: Any):
    states = list(played(dealt(mix, random.Random(4)), random.Random(4)))
    ruled_out: Counter[bool] = Counter()
    for (before, after), point in zip(pairwise(states), told(states).points[1:], strict=True):
        gone = deduce(before.view("spectator")) - deduce(after.view("spectator"))
        is_detective = point.pawn != "mr_x" and not (after.outcome and after.outcome.reason == "captured")
        assert point.ruled_out == (sorted(gone) if is_detective else [])
        ruled_out[bool(point.ruled_out)] += 1
    assert ruled_out[True]


@pytest.mark.parametrize("mix", MIXES, ids=str)
def test_what_is_told_of_a_moment_is_so(mix: Any):
    for seed in range(4):
        start = crowded if seed % 2 else dealt
        states = list(played(start(mix, random.Random(seed)), random.Random(seed), most=5 + 20 * seed))
        story = told(states)
        assert len(story.moments) <= hunt.MOMENTS
        assert [each.ply for each in story.moments] == sorted(each.ply for each in story.moments)
        for moment in story.moments:
            point, before = story.points[moment.ply], story.points[moment.ply - 1]
            check_moment(moment, states, story.points, before, point)


def check_moment(moment: Moment, states: list[Game], points: list[Point], before: Point, point: Point) -> None:
    state = states[moment.ply]
    match moment.kind:
        case "missed":
            could = {move.station for move in states[moment.ply - 1].legal_moves(point.pawn)}
            assert point.station in could
            assert point.stops != [point.station]
        case "closed":
            assert point.pawn not in (None, "mr_x")
            assert set(point.closed) == set(before.ways) - set(point.ways)
            assert len(before.ways) - len(point.ways) == len(point.closed)
        case "narrow":
            assert before.ways == [point.station]
        case "slipped":
            assert len(point.stops) == 2
            assert not within_one_ride(states[moment.ply - 1], point.station)
            assert not before.ways
        case "shown":
            assert state.view("spectator")["pawns"]["mr_x"]["station"] == point.station
        case "found":
            assert point.belief >= hunt.SURE
            assert point.belief > before.belief
        case "walked":
            assert states[-1].outcome
            assert states[-1].outcome.reason == "captured"
            assert states[-1].station("mr_x") == point.station
            assert all(each.pawn != "mr_x" for each in points[moment.ply + 1 :])
        case "stuck":
            assert states[-1].outcome
            assert states[-1].outcome.reason == "mr_x_trapped"
        case "end":
            assert moment.ply == len(states) - 1
        case _:
            assert moment.kind == "lost"
            assert point.pawn == "mr_x"
            assert point.shown != point.station


def test_what_could_be_known_is_the_same_wherever_mr_x_is():
    """He went by a black ticket to one of several stations, which nobody saw."""

    def world(hidden: int) -> list[tuple[Any, ...]]:
        start = Game.at(RAVENSBURGER, position(46, last_seen=(3, 46), log_used=3, red=67, green=22, blue=128))
        points = told(moved(start, f"black {hidden}", "red taxi 51")).points
        return [(each.stations, each.even, each.chance, each.likeliest, each.ruled_out) for each in points]

    assert world(47) == world(79) == world(34)


def test_a_chance_that_a_detective_missed_is_told():
    start = Game.at(RAVENSBURGER, position(46, last_seen=(3, 46), log_used=3, red=78, green=22, blue=128))
    story = told(moved(start, "taxi 61", "red bus 77", "green taxi 34"))
    before, point, moment = of_kind(story, "missed")
    assert (before.station, before.near, point.pawn, moment.ply) == (61, ["red"], "red", 2)


def test_a_detective_who_closes_ways_out_is_told():
    """Mr. X on 1 can go to 8 and 9, and by bus to 46 and 58; by underground to 46."""
    start = Game.at(RAVENSBURGER, position(1, last_seen=(3, 1), log_used=3, red=33, green=199))
    _, point, _ = of_kind(told(moved(start, "taxi 8", "red taxi 20", "green taxi 188")), "end")
    assert point.ways == [1, 18, 19]
    start = Game.at(RAVENSBURGER, position(1, last_seen=(3, 1), log_used=3, red=20, green=199))
    story = told(moved(start, "taxi 8", "red taxi 9", "green taxi 188"))
    before, point, _ = of_kind(story, "closed")
    assert (before.ways, point.ways, point.closed, point.pawn) == ([1, 18, 19], [18], [1, 19], "red")


def test_who_was_caught_is_told_of_their_last_move():
    start = Game.at(RAVENSBURGER, position(1, last_seen=(3, 1), log_used=3, red=20, green=199))
    story = told(moved(start, "taxi 9", "red taxi 9"))
    before, point, moment = of_kind(story, "walked")
    assert (before.station, point.station, moment.ply, story.points[-1].pawn) == (1, 9, 1, "red")
    assert before.ways == [8, 46, 58]


def test_of_a_game_without_a_move_no_moment_is_told():
    assert told([Game.deal(RAVENSBURGER, 6, random.Random(1))]).moments == []


def test_of_a_game_that_was_cut_short_the_end_is_told():
    states = list(played(Game.deal(RAVENSBURGER, 6, random.Random(1)), random.Random(1), most=9))
    for reason in ("resigned", "out_of_time", "voided", "agreed"):
        assert of_kind(told(states, reason), "end")[1].ply == 9
