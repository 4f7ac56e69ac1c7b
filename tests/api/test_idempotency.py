"""One submission has one effect: an Idempotency-Key gives the same answer again; a dry run has no effect at all."""

from typing import Any

import pytest
from werkzeug.test import TestResponse

from server.models import Answered, Deadline, Event, Move, Outgoing, QueuedMove, session
from tests.positions import position
from tests.rows import for_each
from tests.table import Person, Playing, Table

KEY = {"Idempotency-Key": "first"}


def play(person: Person, game: Playing, turn: int, notation: str, **kwargs: Any) -> TestResponse:
    return person.post(f"{game.path}/moves", {"turn": turn, "notation": notation}, **kwargs)


@pytest.fixture
def duel(table: Table) -> Playing:
    """Mr. X at 104 against red at 117 and green at 46."""
    return table.dealt(3, position=position(104, red=117, green=46))


def rows(game: Playing) -> dict[str, int]:
    with game.table.app.app_context():
        return {table.__name__: session.query(table).count() for table in (Move, QueuedMove, Event, Outgoing, Deadline)}


def test_the_same_request_has_one_effect_and_the_same_answer(duel: Playing):
    ada, ben, _ = duel.people
    first = play(ada, duel, 1, "taxi 86", headers=KEY)
    play(ben, duel, 2, "red taxi 129")
    before = rows(duel)
    again = play(ada, duel, 1, "taxi 86", headers=KEY)
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.data == first.data
    assert rows(duel) == before


def test_without_a_key_the_same_move_again_is_stale(duel: Playing):
    ada = duel.people[0]
    assert play(ada, duel, 1, "taxi 86").status_code == 201
    assert play(ada, duel, 1, "taxi 86").json["type"] == "stale-turn"


def test_a_key_used_for_another_body_is_refused(duel: Playing):
    ada = duel.people[0]
    play(ada, duel, 1, "taxi 86", headers=KEY)
    other = play(ada, duel, 1, "taxi 116", headers=KEY)
    assert (other.status_code, other.json["type"]) == (422, "key-reused")
    assert "Idempotency-Key" in other.json["detail"]


@for_each("key", ["", "x" * 65, "two\tcolumns", "\xe9"])
def test_what_cannot_be_a_key_is_refused_and_nothing_is_done(duel: Playing, key: str):
    answer = play(duel.people[0], duel, 1, "taxi 86", headers={"Idempotency-Key": key})
    assert (answer.status_code, answer.json["type"]) == (422, "form")
    assert "Idempotency-Key" in answer.json["detail"]
    assert duel.view()["history"] == []


def test_the_same_key_in_another_game_or_for_another_call_is_another_key(table: Table):
    ada, ben = table.people(2)
    wanted = {"edition": "ravensburger-2000", "position": position(104, red=117)}
    ids = {
        ada.post("/games", wanted | {"label": str(n)}, headers={"Idempotency-Key": f"k{n}"}).json["id"] for n in (1, 2)
    }
    assert len(ids) == 2
    for game_id in ids:
        assert ada.post(f"/games/{game_id}/seats", {"seat": 1}, headers=KEY).status_code == 201
        assert ben.post(f"/games/{game_id}/seats", {"seat": 2}, headers=KEY).status_code == 201
        assert ada.post(f"/games/{game_id}/start", headers=KEY).status_code == 200
        assert ada.post(f"/games/{game_id}/start", headers=KEY).status_code == 200
        assert ada.post(f"/games/{game_id}/start").status_code == 409


def test_a_request_that_failed_does_not_use_its_key_up(duel: Playing):
    ada = duel.people[0]
    assert play(ada, duel, 1, "taxi 999", headers=KEY).status_code == 422
    assert play(ada, duel, 7, "taxi 86", headers=KEY).status_code == 409
    assert play(ada, duel, 1, "taxi 86", headers=KEY).status_code == 201


def test_a_move_ahead_under_a_key_is_kept_once_and_stays_replaced(duel: Playing):
    ada, _ben, cleo = duel.people
    play(ada, duel, 1, "taxi 86")
    first = play(cleo, duel, 2, "green bus 78", headers=KEY)
    play(cleo, duel, 2, "green bus 1")
    again = play(cleo, duel, 2, "green bus 78", headers=KEY)
    assert (first.status_code, again.status_code, again.data) == (202, 202, first.data)
    assert cleo.get(f"{duel.path}/ahead").json["moves"] == [{"pawn": "green", "notation": "green bus 1"}]


def test_the_answer_is_kept_sealed(duel: Playing):
    ada = duel.people[0]
    play(ada, duel, 1, "taxi 86", headers=KEY)
    with duel.table.app.app_context():
        (kept,) = session.connection().exec_driver_sql("SELECT answer FROM answered").scalars().all()
        assert b"taxi" not in kept
        assert session.query(Answered).one().answer["status"] == 201


def test_a_dry_run_says_what_would_be_done_and_changes_nothing(duel: Playing):
    ada, ben, cleo = duel.people
    before = rows(duel), duel.view().items()
    answer = play_dry(ada, duel, 1, "double taxi 86 taxi 69")
    assert (answer.status_code, answer.json) == (200, {"notation": "double taxi 86 taxi 69", "ahead": False})
    assert (rows(duel), duel.view().items()) == before
    play(ada, duel, 1, "taxi 86")
    before = rows(duel), duel.view().items()
    assert play_dry(cleo, duel, 2, "bus 78").json == {"notation": "green bus 78", "ahead": True}
    assert play_dry(ben, duel, 2, "TAXI  129").json == {"notation": "red taxi 129", "ahead": False}
    assert (rows(duel), duel.view().items()) == before


def play_dry(person: Person, game: Playing, turn: int, notation: str) -> TestResponse:
    return person.post(f"{game.path}/moves?dry_run=true", {"turn": turn, "notation": notation})


def test_a_dry_run_leaves_its_key_to_the_move(duel: Playing):
    ada, key = duel.people[0], {"Idempotency-Key": "first-turn"}
    for query, status in (("?dry_run=true", 200), ("", 201), ("", 201), ("?dry_run=True", 409)):
        body = {"turn": 1, "notation": "double taxi 86 taxi 69"}
        assert ada.post(f"{duel.path}/moves{query}", body, headers=key).status_code == status


def test_a_dry_run_does_not_tell_whether_a_move_would_capture(duel: Playing):
    """Red's two moves look the same beforehand; one of them ends the game."""
    ada, ben, _ = duel.people
    play(ada, duel, 1, "taxi 116")
    dry = [play_dry(ben, duel, 2, f"red taxi {station}") for station in (116, 129)]
    assert [answer.json["ahead"] for answer in dry] == [False, False]
    assert len({answer.data.replace(b"116", b"129") for answer in dry}) == 1
    assert duel.view(ben)["status"] == "running"
    assert play(ben, duel, 2, "red taxi 116").json["outcome"]["reason"] == "captured"
