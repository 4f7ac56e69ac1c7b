"""The client against the server itself: every call works, even where answers are lost."""

from collections.abc import Callable
from typing import Any

import pytest

from blackticket.standalone.client import Answer, Client, Problem
from tests.positions import position
from tests.table import Table

URL = "http://black.example:8000"
LOST = ConnectionResetError("gone")


def test_every_call_finds_what_it_is_for(table: Table):
    ada, ben = (person.client for person in table.people(2))
    assert ada.me()["name"] == "Ada"
    assert len(ada.editions()) == 4
    assert len(ada.board("london")["stations"]) == 199
    game_id = ada.open_game("condensed", players=2, visibility="public", position=position(104, red=117))["id"]
    ben.join(game_id, seat=2)
    assert ben.leave(game_id, 2)["seats"][1]["state"] == "open"
    ben.join(game_id, role="detective")
    ada.join(game_id, seat=1)
    assert ada.start(game_id)["status"] == "running"
    assert [game["id"] for game in ada.waiting()] == [game_id]
    legal = ada.legal_moves(game_id)
    assert ada.dry_run(game_id, legal["turn"], "taxi 86") == {"notation": "taxi 86", "ahead": False}
    assert ada.move(game_id, 1, "taxi 86").game["log"][0]["station"] == 86
    assert ben.log(game_id) == [{"window": 1, "ticket": "taxi", "station": None}]
    assert 86 in ben.deduction(game_id)
    assert ben.picture(game_id).startswith(b"<svg")
    assert ben.ahead(game_id) == []
    ben.forget_ahead(game_id)
    assert ben.record(game_id)["moves"] == [["taxi ?"]]
    assert ben.deadline(game_id)["due_at"]
    assert ben.events(game_id)["events"][-1]["kind"] == "moved"
    assert ben.my_events()["events"][-1]["game"] == game_id
    assert ben.say(game_id, "Is he near?", to="all")["from"]["seat"] == 2
    assert [said["text"] for said in ada.messages(game_id)["messages"]] == ["Is he near?"]
    assert ben.transcript(game_id)["header"]["game"] == game_id
    assert ben.resign(game_id)["status"] == "over"


def test_a_refused_move_tells_why_and_what_would_have_been_right(table: Table):
    ada, ben = table.people(2)
    game = table.game([ada, ben], "condensed", position=position(104, red=117))
    with pytest.raises(Problem) as caught:
        ada.client.move(game.id, 1, "taxi 1")
    problem = caught.value
    assert (problem.status, problem.type, problem.reason) == (422, "illegal", "not-connected")
    assert "taxi 86" in [move["notation"] for move in problem.legal]
    assert problem.detail in str(problem)


class LosesEverySecondAnswer:
    """A line on which every request arrives, and every second answer is lost."""

    def __init__(self, transport: Callable[..., Answer]) -> None:
        self.transport = transport
        self.number = 0

    def __call__(self, *request: Any) -> Answer:
        answer = self.transport(*request)
        self.number += 1
        if self.number % 2:
            raise LOST
        return answer


def test_a_client_that_loses_every_second_answer_ends_with_the_game_that_was_meant(table: Table):
    ada, ben = table.people(2)
    line = LosesEverySecondAnswer(table.transport)
    lossy = {person.name: Client(URL, person.token, sleep=lambda _: None, transport=line) for person in (ada, ben)}
    game_id = lossy["Ada"].open_game("condensed", players=2, visibility="public", position=position(104, red=117))["id"]
    for number, client in enumerate(lossy.values(), 1):
        client.join(game_id, seat=number)
    lossy["Ada"].start(game_id)
    wanted = ["taxi 86", "red taxi 88", "taxi 69", "red taxi 89"]
    for turn, notation in enumerate(wanted, 1):
        lossy["Ada" if turn % 2 else "Ben"].move(game_id, turn, notation)
    assert lossy["Ada"].game(game_id)["history"] == wanted
    assert len(list(lossy["Ada"].games(mine=True))) == 1
