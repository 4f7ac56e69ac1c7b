"""Whole games over REST, to every end the first editions know; their records replay to the same end."""

import random
from typing import Any

import pytest

from blackticket.standalone.client import LegalMove
from server import engine
from tests.positions import position
from tests.table import Person, Playing, Table


def play_at_random(game: Playing, rng: random.Random) -> None:
    """Random legal moves by whoever is to move, until the game is over."""
    clients = [person.client for person in game.people]
    by_pawn = {pawn: client for client in clients for pawn in (client.game(game.id)["you"] or {"pawns": []})["pawns"]}
    while (view := clients[0].game(game.id))["status"] == "running":
        pawn = rng.choice(view["to_move"])
        client = by_pawn[pawn]
        offered = client.legal_moves(game.id)
        assert offered["turn"] == view["turn"]
        move = rng.choice([move for move in offered["moves"] if move["pawn"] == pawn])
        moved = client.move(game.id, view["turn"], submission(move, rng))
        assert not moved.kept
        assert moved.game == client.game(game.id)


def submission(move: LegalMove, rng: random.Random) -> str | dict[str, Any]:
    """A legal move as a client may send it: by notation, or by its fields."""
    if rng.random() < 0.5:
        return move["notation"]
    return {key: value for key, value in move.items() if key != "notation" and value is not None}


def outcome_of(game: Playing, person: Person | None = None) -> tuple[str, str, bool]:
    outcome = game.view(person)["outcome"]
    return outcome["winner"], outcome["reason"], outcome["final"]


@pytest.mark.parametrize(
    ("edition", "people", "seed"),
    [("ravensburger-2000", 3, 4),
     pytest.param("milton-bradley-1985", 4, 1, marks=pytest.mark.campaign),
     pytest.param("milton-bradley-1985", 6, 3, marks=pytest.mark.campaign),
     pytest.param("ravensburger-2000", 6, 2, marks=pytest.mark.campaign)],
)  # fmt: skip
def test_a_random_game_is_played_to_its_end_and_its_record_replays(table: Table, edition: str, people: int, seed: int):
    game = table.game(table.people(people), edition=edition)
    play_at_random(game, random.Random(seed))
    view = game.view(game.people[-1])
    record = game.people[-1].get(f"{game.path}/record").json
    replayed = engine.Game.replay(record)
    assert replayed.outcome is not None
    assert outcome_of(game) == (replayed.outcome.winner, replayed.outcome.reason, True)
    assert [str(move) for move in replayed.history] == view["history"]
    assert [window.station for window in replayed.log] == [entry["station"] for entry in view["log"]]
    assert view["starts"] == replayed.starts


def test_a_game_that_is_decided_as_it_stands_is_over_at_its_start(table: Table):
    game = table.dealt(2, position=position(104, red=(117, {})))
    _ada, ben = game.people
    assert game.view()["status"] == "over"
    assert outcome_of(game) == ("mr_x", "detectives_stranded", True)
    table.tick()
    assert "over" in str(ben.mails[-1]["Subject"]).lower() or "won" in ben.mails[-1].get_body().get_content()


def test_a_double_move_is_one_turn_and_fills_two_windows(table: Table):
    ada, ben = table.people(2)
    game = table.game([ada, ben], position=position(104, red=1, log_used=1))
    body = {"turn": 1, "double": [{"ticket": "taxi", "to": 86}, {"ticket": "bus", "to": 116}]}
    assert ada.post(f"{game.path}/moves", body).status_code == 201
    view = game.view(ben)
    assert (view["turn"], view["history"]) == (2, ["double taxi ? bus 116"])
    assert [(entry["window"], entry["station"]) for entry in view["log"]] == [(2, None), (3, 116)]
    assert view["pawns"]["mr_x"]["tickets"] == {"taxi": 3, "bus": 2, "underground": 3, "black": 2, "double": 1}


def test_mr_x_may_surface_of_his_own_accord_where_the_host_allows_it(table: Table):
    ada, ben = table.people(2)
    place = position(104, red=117)
    game = table.game([ada, ben], "milton-bradley-1985", options={"voluntary_surfacing": True}, position=place)
    missing = ada.post(f"{game.path}/moves", {"turn": 1, "ticket": "taxi", "to": 86, "surface": {}})
    assert (missing.status_code, missing.json["reason"]) == (422, "ticket-to-take-missing")
    body = {"turn": 1, "ticket": "taxi", "to": 86, "surface": {"red": "bus"}}
    assert ada.post(f"{game.path}/moves", body).status_code == 201
    view = game.view(ben)
    assert view["log"] == [{"window": 1, "ticket": "taxi", "station": 86, "surfaced": True}]
    assert view["pawns"]["red"]["tickets"]["bus"] == 7
    assert view["history"] == ["taxi 86 surface red:bus"]


def test_the_record_of_a_running_game_hides_stations_from_all_but_mr_x(table: Table):
    game = table.dealt(2, position=position(104, red=117))
    ada, ben = game.people
    game.move(ada, "double taxi 86 black 69")
    his, theirs = (person.get(f"{game.path}/record").json for person in (ada, ben))
    assert his["moves"] == [["double taxi 86 black 69"]]
    assert theirs["moves"] == [["double taxi ? black ?"]]
    assert "104" not in str(theirs)
    assert engine.Game.replay(his).turn == 2


def test_legal_moves_list_doubles_and_are_empty_when_it_is_not_ones_turn(table: Table):
    game = table.dealt(2, position=position(104, red=117))
    ada, ben = game.people
    moves = ada.get(f"{game.path}/legal-moves").json["moves"]
    assert {"pawn": "mr_x", "notation": "taxi 86", "ticket": "taxi", "to": 86} in moves
    double = [{"ticket": "taxi", "to": 86}, {"ticket": "black", "to": 69}]
    assert {"pawn": "mr_x", "notation": "double taxi 86 black 69", "double": double} in moves
    assert ben.get(f"{game.path}/legal-moves").json == {"turn": 1, "moves": []}
    game.move(ada, "taxi 86")
    assert ada.get(f"{game.path}/legal-moves").json == {"turn": 2, "moves": []}
    assert table.person("Gus").get(f"{game.path}/legal-moves").json["moves"] == []
