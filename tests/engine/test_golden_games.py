"""Whole games in tests/games/, one for each edition and for each way a game ends, worked out by hand from the rules.

to_move and possible are given by the number of the move awaited.
"""

import json
from pathlib import Path

import pytest

from server.engine import Edition, Game, deduce
from server.engine.events import REASONS

GAMES = {file.stem: json.loads(file.read_text()) for file in Path(__file__).parents[1].glob("games/*.json")}


def test_there_is_a_golden_game_for_every_edition():
    assert {golden["edition"] for golden in GAMES.values()} >= set(Edition.names())


def test_there_is_a_golden_game_for_every_way_a_game_ends():
    assert {golden["outcome"][1] for golden in GAMES.values()} == set(REASONS)


@pytest.fixture(params=sorted(GAMES))
def golden(request):
    return GAMES[request.param]


def begin(golden):
    edition = Edition.named(golden["edition"]).with_options(**golden.get("options", {}))
    return Game(edition, golden["players"], golden["starts"])


def moves(golden):
    return [move for moves in golden["rounds"] for move in moves]


def played(golden):
    game = begin(golden)
    for move in moves(golden):
        game.play(move)
    return game


def test_the_golden_game_goes_round_by_round(golden):
    game = begin(golden)
    assert [list(pawns) for pawns in game.seats] == golden["seats"]
    for number, its_moves in enumerate(golden["rounds"], 1):
        assert game.round == number
        for move in its_moves:
            assert golden["to_move"].get(str(game.turn), list(game.to_move)) == list(game.to_move)
            game.play(move)
    assert golden["to_move"][str(game.turn)] == list(game.to_move)


def test_the_golden_game_ends_as_it_should_and_not_before(golden):
    game = begin(golden)
    for move in moves(golden):
        assert game.outcome is None
        game.play(move)
    assert [game.outcome.winner, game.outcome.reason] == golden["outcome"]


def test_the_golden_game_leaves_these_tickets(golden):
    game = played(golden)
    assert {pawn: game.tickets(pawn) for pawn in ("mr_x", *game.pawns)} == golden["tickets"]


def test_the_golden_game_shows_the_public_this(golden):
    view = played(golden).view("spectator")
    assert view["log"] == golden["log"]
    assert [text for text in view["history"] if text.split()[0] not in view["starts"]] == golden["shown"]
    assert "mr_x" not in view["starts"]


def test_the_golden_game_leaves_mr_x_these_stations(golden):
    game = begin(golden)
    for move in [*moves(golden), None]:
        if str(game.turn) in golden["possible"]:
            assert sorted(deduce(game.view("spectator"))) == golden["possible"][str(game.turn)]
        if move:
            game.play(move)


def test_the_golden_game_replays_from_its_record(golden):
    game = played(golden)
    again = Game.replay(game.record())
    assert again.record() == game.record()
    assert again.outcome == game.outcome


def test_the_opened_golden_game_hides_nothing(golden):
    view = played(golden).view("spectator", opened=True)
    assert view["history"] == moves(golden)
    assert view["starts"] == golden["starts"]
    assert all(entry["station"] and entry["transport"] for entry in view["log"])
