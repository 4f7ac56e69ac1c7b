"""The purpose of a move of a bot detective is true to the board, and the same wherever Mr. X is."""

import random
from collections.abc import Iterator
from itertools import islice

import pytest

from server import bots
from server.bots.belief import belief
from server.bots.detective import LEVELS
from server.bots.purpose import Purpose, purpose
from server.engine import BoardView, Edition, Game, Move
from tests.bots.test_plan import seen_on
from tests.worlds.histories import pairs

KINDS = {"only", "catch", "close", "near", "cover", "room"}
PLAIN = ("taxi", "bus", "underground")


def played(level: str, games: int = 2) -> Iterator[tuple[Game, BoardView, Move, list[Move]]]:
    """Yield each move of bot detectives in some games, with the game and what everybody sees before it."""
    for seed in range(games):
        rng = random.Random(seed)
        game = Game.deal(Edition.named("ravensburger-2000"), 6, rng)
        while game.outcome is None:
            (pawn, *_) = game.to_move
            moves = game.legal_moves(pawn)
            if pawn == "mr_x":
                game.play(bots.choose("fugitive", game.view(pawn), moves, rng, "easy"))
                continue
            move = bots.choose("constable", game.view(pawn), moves, rng, level)
            yield game, game.view("spectator"), move, moves
            game.play(move)


def ways_out(game: Game, station: int) -> set[int]:
    """Return the stations that have a line of any kind to a station, by the board alone."""
    return {end for ends in game.edition.board.links.values() for end in ends.get(station, ())}


def around(game: Game, view: BoardView, pawn: str, at: int, spent: str = "") -> set[int]:
    """Return where a detective is or can be in one move, with the tickets that are left."""
    tickets, links = view["pawns"][pawn]["tickets"], game.edition.board.links
    held = [kind for kind in PLAIN if (tickets[kind] or 0) - (kind == spent) > 0]
    is_stuck = view["pawns"][pawn]["state"] == "stranded"
    return {at} | {end for kind in held if not is_stuck for end in links[kind].get(at, ())}


def moves_away(game: Game, view: BoardView, move: Move, station: int) -> int:
    """Return how many moves a detective is away from a station after its move, by the kinds of ticket it has then."""
    at, moves = {move.legs[0].station}, 0
    ticket = move.legs[0].ticket
    while station not in at:
        at, moves = {end for one in at for end in around(game, view, move.pawn, one, ticket)}, moves + 1
    return moves


@pytest.mark.parametrize("level", bots.LEVELS)
def test_each_number_is_that_of_the_board(level: str):
    kinds = set()
    for game, view, move, moves in played(level):
        found, (ticket, at) = purpose(view, move, moves, level), move.legs[0]
        kinds.add(found.kind)
        chances = LEVELS[level].estimate(view)
        own = around(game, view, move.pawn, at, ticket)
        others = [name for name in view["pawns"] if name not in ("mr_x", move.pawn)] if level != "easy" else []
        closed = {end for name in others for end in around(game, view, name, view["pawns"][name]["station"])}
        seen = view["pawns"]["mr_x"]["last_seen"]
        if found.station:
            assert found.chance == pytest.approx(chances.get(found.station, 0))
            assert found.was_seen == (seen is not None and seen["station"] == found.station)
        if found.kind == "only":
            assert len(moves) == 1
        elif found.kind == "catch":
            assert found.station == at
            assert found.chance > 0
        elif found.kind == "close":
            ways = ways_out(game, found.station)
            assert (found.ways, found.number) == (len(ways), len((ways & own) - closed))
            assert found.number > 0
            assert found.others_close == bool(ways & closed)
        elif found.kind == "near":
            assert found.number == moves_away(game, view, move, found.station)
        elif found.kind == "cover":
            assert found.number == len(own & chances.keys())
            assert found.chance == pytest.approx(sum(chances.get(end, 0) for end in own))
        else:
            within = {end for one in own for end in around(game, view, move.pawn, one, ticket)}
            assert found == Purpose("room", number=len(within | own))
    assert kinds >= {"catch", "near", "room"}
    assert kinds <= KINDS


def test_the_last_way_out_is_closed_by_the_plan_that_says_so():
    """Two good pawns close all ways out of 93, where Mr. X was just seen; the second closes what the first left."""
    told = []
    rng = random.Random(0)
    game = seen_on(93, red=73, green=45)
    for _ in range(2):
        (pawn, *_) = game.to_move
        move = bots.choose("constable", game.view(pawn), game.legal_moves(pawn), rng, "good")
        told.append(purpose(game.view("spectator"), move, game.legal_moves(pawn), "good"))
        game.play(move)
    assert [each.station for each in told if each.kind in ("close", "near")] == [93] * 2
    assert all(each.was_seen for each in told)


def test_the_purpose_and_the_belief_are_the_same_in_two_worlds_that_differ_in_where_mr_x_is():
    compared = 0
    for pair in islice(pairs(seed=5), 12):
        for one, other in pair.steps():
            if one.outcome is not None or other.outcome is not None or "mr_x" in one.to_move:
                continue
            views = one.view("spectator"), other.view("spectator")
            pawn = one.to_move[0]
            for move in one.legal_moves(pawn)[:2]:
                told = [
                    purpose(view, move, game.legal_moves(pawn), level)
                    for view, game in zip(views, (one, other), strict=True)
                    for level in bots.LEVELS
                ]
                assert told[:3] == told[3:]
            assert belief(views[0]) == belief(views[1])
            compared += one.view("mr_x")["pawns"]["mr_x"]["station"] != other.view("mr_x")["pawns"]["mr_x"]["station"]
    assert compared > 10, "Mr. X was elsewhere"
