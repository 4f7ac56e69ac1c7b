"""Practice with the whole team, by REST: one seat has all detectives."""

from typing import Any

import pytest

from server.engine import Edition
from tests.table import Person, Playing, Table


def opened(host: Person, **wanted: Any) -> Playing:
    made = host.post("/games", wanted)
    assert made.status_code == 201, made.json
    return Playing(host.table, made.json["id"], [host])


@pytest.mark.parametrize("edition", Edition.names())
@pytest.mark.parametrize("players", [None, 5])
def test_a_program_moves_all_detectives_against_a_bot(table: Table, edition: str, players: int | None):
    ada = table.person("Ada")
    seats = [{"role": "mr_x", "bot": "fugitive", "level": "easy"}, {"role": "detective", "player": ada.id}]
    game = opened(ada, edition=edition, team=True, seats=seats, **({"players": players} if players else {}))
    assert ada.post(f"{game.path}/start").status_code == 200
    own = 4 if edition == "condensed" else 5
    as_five = len([pawn for hand in Edition.named(edition).seats(5)[1:] for pawn in hand])
    table.tick()
    for number in range(as_five if players else own):
        view = game.view()
        assert [view["to_move"][0] in view["you"]["pawns"], view["turn"]] == [True, number + 2]
        (first, *_) = [move for move in game.legal(ada) if move.startswith(view["to_move"][0])]
        assert game.move(ada, first).status_code == 201
    assert game.view()["status"] == "over" or game.view()["to_move"] == ["mr_x"]


def test_two_people_can_play_like_that_too(table: Table):
    ada, ben = table.people(2)
    game = opened(ada, edition="ravensburger-2000", team=True, players=4)
    assert [seat["pawns"] for seat in game.view()["seats"]] == [["mr_x"], ["purple", "red", "green"]]
    for person in (ada, ben):
        assert person.post(f"{game.path}/seats").status_code == 201
    assert ada.post(f"{game.path}/start").status_code == 200


def test_a_whole_team_has_no_seats_beside_its_own(table: Table):
    ada = table.person("Ada")
    seats = [{"role": "mr_x"}, *[{"role": "detective"}] * 5]
    refused = ada.post("/games", {"edition": "ravensburger-2000", "team": True, "seats": seats})
    assert (refused.status_code, refused.json["detail"]) == (422, "This game is for 2 players, and seats lists 6.")


def test_a_rematch_is_with_the_whole_team_again(table: Table):
    ada = table.person("Ada")
    seats = [{"role": "mr_x", "bot": "fugitive"}, {"role": "detective", "player": ada.id}]
    game = opened(ada, edition="milton-bradley-1985", team=True, seats=seats)
    assert ada.post(f"{game.path}/start").status_code == 200
    assert ada.post(f"{game.path}/resign").status_code == 200
    following = ada.post(f"{game.path}/rematch")
    assert following.status_code == 201
    assert [len(seat["pawns"]) for seat in following.json["seats"]] == [1, 5]
