"""Once a result is final, everybody who may see the game reads what the player of a seat knew at each turn."""

import pytest

from server import engine
from tests.kept import again
from tests.positions import position
from tests.scenes import hunt
from tests.table import Playing, Table


@pytest.fixture
def caught(table: Table) -> Playing:
    return again(table, _caught)


def _caught(table: Table) -> Playing:
    """A game of two rounds in which Mr. X shows himself on move 2, hides with a black ticket, and is caught at 116."""
    game = table.game(table.people(2), position=position(116, red=103), options={"surfacing": [2]})
    for mover, notation in ((0, "taxi 104"), (1, "red taxi 85"), (0, "taxi 86"), (1, "red taxi 103")):
        assert game.move(game.people[mover], notation).status_code == 201
    for mover, notation in ((0, "black 104"), (1, "red taxi 86"), (0, "taxi 116"), (1, "red bus 116")):
        assert game.move(game.people[mover], notation).status_code == 201
    return game


def known(game: Playing, seat: int, turn: int | None = None, status: int = 200):
    answer = game.people[1].get(f"{game.path}/seats/{seat}/view{f'?turn={turn}' if turn else ''}")
    assert answer.status_code == status, answer.json
    return answer.json


def test_at_each_turn_a_seat_knew_what_its_player_had_been_shown_then(table: Table):
    """Each view is taken while the game runs, and compared when it is over."""
    game = table.game(table.people(2), position=position(116, red=103), options={"surfacing": [2]})
    then = {(seat, 1): game.view(game.people[seat - 1]) for seat in (1, 2)}
    turn = 1
    for mover, notation in ((0, "taxi 104"), (1, "red taxi 85"), (0, "taxi 86"), (1, "red taxi 103"),
                            (0, "black 104"), (1, "red taxi 86"), (0, "taxi 116"), (1, "red bus 116")):  # fmt: skip
        game.move(game.people[mover], notation)
        turn += 1
        if turn < 9:
            then |= {(seat, turn): game.view(game.people[seat - 1]) for seat in (1, 2)}
    for (seat, moment), view in then.items():
        now = known(game, seat, moment)
        same = now.keys() & view.keys()
        assert {name: now[name] for name in same} == {name: view[name] for name in same}, (seat, moment)
        assert {"pawns", "log", "history", "starts", "to_move", "round", "turn", "outcome"} <= same


def test_a_detective_did_not_know_what_the_end_has_opened(caught: Playing):
    detective, mr_x = known(caught, 2, 7), known(caught, 1, 7)
    assert (detective["pawns"]["mr_x"]["station"], mr_x["pawns"]["mr_x"]["station"]) == (None, 104)
    assert [entry["station"] for entry in detective["log"]] == [None, 86, None]
    assert all("transport" not in entry for entry in detective["log"])
    assert "mr_x" not in detective["starts"]
    assert detective["stations"] == mr_x["stations"]
    assert {104, 69} <= set(detective["stations"])


def test_without_a_turn_it_is_the_end_with_the_result(caught: Playing):
    end = known(caught, 2)
    assert (end["turn"], end["to_move"], end["outcome"]["reason"]) == (9, [], "captured")
    assert end == known(caught, 2, 9)
    assert known(caught, 2, 8)["outcome"] is None
    assert end["stations"] == [116]
    assert engine.deduce(end) == {116}


def test_before_the_result_is_final_there_is_nothing_for_anybody_whatever_is_asked(table: Table):
    running = hunt(table)
    nothing = running.people[0].get(f"/games/{running.id}/seats/9/view").json
    for _ in ("running", "provisional"):
        for person in running.people[:2]:
            for seat, query in ((1, ""), (2, ""), (1, "?turn=1"), (2, "?turn=99"), (9, "")):
                answer = person.get(f"{running.path}/seats/{seat}/view{query}")
                assert (answer.status_code, answer.json) == (404, nothing), (seat, query)
        running.contest()
        running.people[0].post(f"{running.path}/resign")
    view = running.view()
    assert (view["status"], view["outcome"]["final"]) == ("over", False)
    hidden = running.people[0].get(f"/games/{'a' * 16}/seats/1/view").json
    assert hidden == nothing


def test_a_seat_and_a_turn_that_there_are_not_are_named_with_those_that_there_are(caught: Playing):
    assert known(caught, 3, status=404)["detail"] == "There is no such seat; the seats are 1 (Mr. X) to 2."
    beyond = known(caught, 2, 10, status=422)
    assert beyond["detail"] == "turn: a number from 1 to 9, which is the end of this game."
    for turn in ("0", "-1", "x", "1" * 50, "1&turn=2"):
        assert caught.people[1].get(f"{caught.path}/seats/2/view?turn={turn}").status_code == 422, turn


def test_in_a_game_that_did_not_tell_where_he_could_be_nobody_was_told(table: Table):
    options = {"surfacing": [2], "deduction": False}
    game = table.game(table.people(2), position=position(116, red=103), options=options,
                      clock={"kind": "per_phase", "provisional": "PT0S"})  # fmt: skip
    game.move(game.people[0], "taxi 104")
    game.people[0].post(f"{game.path}/resign")
    assert known(game, 2, 2)["stations"] is None
