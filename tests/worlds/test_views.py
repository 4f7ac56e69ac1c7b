"""Nobody but Mr. X can tell apart two histories that are equal to the public, by anything the engine gives out."""

import json
import random
from collections import Counter
from dataclasses import dataclass, field
from itertools import islice

import pytest

from server.engine import Board, deduce, deduce_after, game, record, refusals, view
from server.engine.events import REASONS
from server.engine.reasons import Reason
from server.engine.rules import State
from server.engine.ticket_kinds import TICKETS
from tests.planting import planting
from tests.worlds.comparing import difference, everything, in_turn, now_and_then
from tests.worlds.histories import KINDS, Histories, begun, path_of, placed, told

# Thousands of games take a while on a busy machine.
pytestmark = [pytest.mark.timeout(600), pytest.mark.long]
# Pairs compared at every step: each step for one viewer in turn, the end for all of them.
PAIRS = 560
# Of these there are so many at least of each kind.
OF_EACH_KIND = 25
# Of these everything is compared, for all viewers at every step.
THOROUGH = 12


@dataclass
class Tally:
    """The pairs that were compared, and the differences found."""

    differences: list[str] = field(default_factory=list)
    kinds: Counter = field(default_factory=Counter)
    hidden: set = field(default_factory=set)
    tickets: set = field(default_factory=set)
    ends: set = field(default_factory=set)

    @property
    def pairs(self):
        return self.kinds.total()

    def take(self, worlds, ask):
        self.differences += filter(None, [difference(worlds, ask)])
        one = worlds.one
        self.kinds[worlds.kind] += len(worlds.paths)
        self.ends.add(one.outcome and one.outcome.reason)
        moves = [(leg.ticket, move) for move in one.history if move.pawn == "mr_x" for leg in move.legs]
        for path in worlds.paths:
            for place, (mine, theirs) in enumerate(zip(path_of(one), path, strict=True)):
                if mine != theirs:
                    self.hidden |= {(one.edition.board.name, mine), (one.edition.board.name, theirs)}
                    ticket, move = moves[place - 1] if place else ("start", None)
                    self.tickets |= {ticket, "double"} if move and move.double else {ticket}


@pytest.fixture(scope="module")
def run():
    """Some hundred pairs, compared; `make campaign` has a million."""
    rng, tally = random.Random(1), Tally()
    for board in Board.names():
        for worlds in placed(board, rng):
            tally.take(worlds, in_turn(worlds, rng))
    more = told(seed=25, each=4)  # in which games come to every end
    while tally.pairs < PAIRS:
        worlds = next(more)
        tally.take(worlds, in_turn(worlds, rng))
    return tally


def test_no_outsider_can_tell_two_worlds_apart(run):
    assert run.differences == []


def test_every_viewer_is_shown_the_same_of_two_worlds_at_every_step():
    rng = random.Random(2)
    short = (worlds for worlds in told(seed=2, each=1) if len(worlds.one.history) < 15)
    assert [difference(worlds, everything(worlds, rng)) for worlds in islice(short, THOROUGH)] == [None] * THOROUGH


def test_so_many_pairs_were_compared(run):
    assert run.pairs >= PAIRS


@pytest.mark.parametrize("kind", KINDS)
def test_pairs_of_every_kind_were_compared(run, kind):
    assert run.kinds[kind] >= OF_EACH_KIND


@pytest.mark.parametrize("board", Board.names())
def test_every_station_of_the_board_was_a_hidden_one(run, board):
    assert {station for name, station in run.hidden if name == board} == set(Board.named(board).stations)


def test_every_ticket_and_the_start_hid_something(run):
    assert run.tickets == {*TICKETS, "double", "start"}


def test_every_end_of_a_game_was_reached_in_two_worlds(run):
    assert run.ends >= set(REASONS)


def test_two_worlds_are_different_once_they_are_opened():
    for worlds in islice(told(seed=3), 25):
        views = [game.view("spectator", opened=True) for game in (worlds.one, *(p.other for p in worlds.pairs))]
        assert len({json.dumps(view) for view in views}) == len(views)


def test_worlds_of_the_kind_black_differ_only_where_a_black_ticket_lies():
    for worlds in islice(told(4, "black"), 25):
        legs = [leg for move in worlds.one.history if move.pawn == "mr_x" for leg in move.legs]
        for start, *stations in worlds.paths:
            assert start == worlds.one.starts["mr_x"]
            differing = {leg.ticket for leg, theirs in zip(legs, stations, strict=True) if leg.station != theirs}
            assert differing == {"black"}


def test_some_worlds_of_the_kind_black_differ_in_the_transport_too():
    transports = [
        (mine.transport, theirs.transport)
        for worlds in islice(told(4, "black"), 25)
        for pair in worlds.pairs
        for mine, theirs in zip(pair.one.log, pair.other.log, strict=True)
    ]
    assert any(mine != theirs for mine, theirs in transports)


def test_worlds_of_the_kind_start_differ_only_in_the_start():
    for worlds in islice(told(5, "start"), 25):
        for pair in worlds.pairs:
            assert pair.one.starts != pair.other.starts
            assert pair.one.history == pair.other.history


def test_worlds_of_the_kind_caught_end_with_a_capture_and_differ_only_in_the_last_move_of_mr_x():
    for worlds in islice(told(6, "caught"), 12):
        for pair in worlds.pairs:
            *before, (mine, theirs) = zip(his_moves(pair.one), his_moves(pair.other), strict=True)
            assert pair.one.outcome.reason == pair.other.outcome.reason == "captured"
            assert all(one == other for one, other in before)
            assert mine != theirs


def his_moves(game):
    return [str(move) for move in game.history if move.pawn == "mr_x"]


def test_worlds_of_the_kind_last_are_parted_by_the_next_move_which_captures_mr_x_in_one():
    for worlds in islice(told(6, "last"), 25):
        for pair in worlds.pairs:
            *_, (one, other) = pair.steps()
            one.play(worlds.capture)
            other.play(worlds.capture)
            assert one.outcome.reason == "captured"
            assert other.station("mr_x") != one.station("mr_x")
            assert other.outcome is None or other.outcome.reason != "captured"


# What a leak looks like -----------------------------------------------------------------------------


def shows_black_windows(plant):
    shown = view.is_shown
    plant(view, "is_shown", lambda game, window: window.ticket == "black" or shown(game, window))


def shows_transports_of_open_windows(plant):
    entry = view._entry
    plant(view, "_entry", lambda game, window, *rest: entry(game, window, window.surfaced, *rest[1:]))


def shows_the_start(plant):
    plant(view, "_starts", lambda game, sees_all: game.starts)


def shows_all_in_records(plant):
    by_round = record._by_round
    plant(record, "_by_round", lambda game, sees_all: by_round(game, True))


def shows_the_station_to_blue_alone(plant):
    build = view.build
    plant(view, "build", lambda game, viewer, opened: build(game, viewer, opened or viewer == "blue"))


def shows_the_station_while_it_is_his_turn(plant):
    mr_x = view._mr_x
    plant(view, "_mr_x", lambda game, sees_all: mr_x(game, sees_all or game.to_move == ("mr_x",)))


def counts_his_moves(plant):
    mr_x = view._mr_x
    plant(view, "_mr_x", lambda game, all_: mr_x(game, all_) | {"moves": len(game._state._mr_x_moves())})


def says_that_he_stands_there(plant):
    way = refusals._explain_ticket

    def told(table, pawn, here, leg):
        is_his = leg.station == table.stations["mr_x"]
        return Reason("occupied", "Mr. X!") if is_his else way(table, pawn, here, leg)

    plant(refusals, "_explain_ticket", told)


def forbids_the_station_on_which_he_stands(plant):
    moves = State._detective_moves
    plant(State, "_detective_moves", lambda self, pawn, _: moves(self, pawn, {*self.stations.values()}))


def keeps_moves_ahead_off_him(plant):
    ahead = State.ahead

    def kept(self, pawn):
        return [move for move in ahead(self, pawn) if move.station != self.stations["mr_x"]]

    plant(State, "ahead", kept)


def calls_a_pawn_blocked_that_stands_beside_him(plant):
    def mobility(self, pawn):
        return "blocked" if self.stations[pawn] in self.board.reach["taxi"][self.stations["mr_x"]] else "active"

    plant(State, "mobility", mobility)


def numbers_turns_by_the_station(plant):
    plant(game.Game, "turn", property(lambda self: self.station("mr_x")))


LEAKS = [
    shows_black_windows,
    shows_transports_of_open_windows,
    shows_the_start,
    shows_all_in_records,
    shows_the_station_to_blue_alone,
    shows_the_station_while_it_is_his_turn,
    counts_his_moves,
    says_that_he_stands_there,
    forbids_the_station_on_which_he_stands,
    keeps_moves_ahead_off_him,
    calls_a_pawn_blocked_that_stands_beside_him,
    numbers_turns_by_the_station,
]


@pytest.fixture(scope="module")
def some_worlds():
    """Return a function that yields up to 120 worlds, the same ones in the same order; each is made when needed."""
    made, more = [], islice(told(9, each=2), 120)

    def worlds_in_order():
        yield from made
        for worlds in more:
            made.append(worlds)
            yield worlds

    return worlds_in_order


@pytest.mark.parametrize("ask", [in_turn, now_and_then])
@pytest.mark.parametrize("leak", LEAKS)
def test_a_leak_is_found(some_worlds, leak, ask):
    rng = random.Random(9)

    def shows_it(worlds):
        with planting() as plant:
            leak(plant)
            return difference(worlds, ask(worlds, rng))

    assert any(map(shows_it, some_worlds()))  # each is made before the leak is there


# The second deduction agrees with the first --------------------------------------------------------


def test_the_last_stations_of_the_histories_are_those_of_the_deduction_at_every_step():
    for worlds in islice(told(7, each=1), 15):
        now = begun(worlds.one)
        for move in worlds.one.history:
            assert Histories(now).last_stations == deduce(now.view("spectator"))
            now.play(move)
        assert Histories(now).last_stations == deduce(now.view("spectator"))


def test_where_he_could_be_after_a_move_is_foretold_from_what_is_public_and_his_tickets_alone():
    for worlds in islice(told(7, each=1), 15):
        now = begun(worlds.one)
        for move in worlds.one.history:
            before = now.view("spectator")
            now.play(move)
            if move.pawn == "mr_x" and move.surface is None and now.outcome is None:
                assert deduce_after(before, move) == deduce(now.view("spectator"))


def test_the_histories_are_all_that_can_be_played_without_anybody_seeing_a_difference():
    for worlds in islice(told(8, each=1), 12):
        now = begun(worlds.one)
        for move in worlds.one.history[:8]:
            now.play(move)
        if sum(len(move.legs) for move in now.history if move.pawn == "mr_x") <= 2:
            assert Histories(now).count == len(played_out(now))


def played_out(game):
    """Every path whose game looks to a spectator like this one, found by trying all."""
    cards = game.edition.option("start_cards")
    cards = [*cards["mr_x"]] if isinstance(cards, dict) else cards
    is_dealt = not game.position or not game.position["log_used"]
    taken = {station for pawn, station in game.starts.items() if pawn != "mr_x"}
    seen = game.position and game.position["last_seen"]
    starts = [seen["station"]] if seen and seen["window"] == game.position["log_used"] else game.edition.board.stations
    found = [begun(game, station) for station in set(cards if is_dealt else starts) - taken]
    for move in game.history:
        found = [after for now in found for after in _ways_on(now, move)]
    seen = game.view("spectator")
    return {path_of(world) for world in found if world.view("spectator") == seen}


def _ways_on(game, like):
    """The games that go on with a move that shows the same tickets."""
    if not game.to_move or (game.to_move == ("mr_x",)) != (like.pawn == "mr_x"):
        return
    for move in game.legal_moves() if like.pawn == "mr_x" else [like]:
        if move.redacted() == like._replace(surface=None).redacted() or move == like:
            after = game.copy()
            after.play(move._replace(surface=like.surface))
            yield after
