"""Many at once on a real database: one effect each, and whoever came second is told so.

On the embedded database by threads of one process, as `serve` has them; on PostgreSQL as `web` would.
"""

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from werkzeug.test import TestResponse

from server.application.lobby import opening
from server.application.people.accounts import blocks
from server.models import Event, Move, Outgoing, QueuedMove, db, session
from tests.positions import position
from tests.profiles import IS_CAMPAIGN
from tests.table import Person, Playing, Table

CROWD = 8 if IS_CAMPAIGN else 5


@pytest.fixture
def crowded(tmp_path: Path, database: str) -> Iterator[Table]:
    """A table on each kind of database in turn."""
    table = Table(tmp_path, sandbox="1", min_turn="PT1S", database_url=database)
    yield table
    with table.app.app_context():
        db.engine.dispose()


def at_once(*asks: Callable[[Any], TestResponse]) -> list[TestResponse]:
    """Send all requests at the same moment, each by a thread and a client of its own."""
    start = threading.Barrier(len(asks))
    answers: list[TestResponse | None] = [None] * len(asks)

    def ask(number: int) -> None:
        start.wait()
        answers[number] = asks[number](number)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(len(asks))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert None not in answers
    return answers  # type: ignore[return-value]


def posting(person: Person, path: str, body: Any = None, **headers: str) -> Callable[[Any], TestResponse]:
    def post(_number: int) -> TestResponse:
        sent = {"Authorization": f"Bearer {person.token}", **{k.replace("_", "-"): v for k, v in headers.items()}}
        return person.table.app.test_client().post(f"/api/v1{path}", json=body, headers=sent)

    return post


def statuses(answers: list[TestResponse]) -> Counter[int]:
    return Counter(answer.status_code for answer in answers)


def count(table: Table, model: Any) -> int:
    with table.app.app_context():
        number: int = session.query(model).count()
        return number


@pytest.fixture
def duel(crowded: Table) -> Playing:
    """Mr. X at 104 against red at 117 and green at 46."""
    return crowded.game(crowded.people(3), position=position(104, red=117, green=46))


def test_of_the_same_move_sent_many_times_at_once_one_counts(duel: Playing):
    body = {"turn": 1, "notation": "taxi 86"}
    answers = at_once(*[posting(duel.people[0], f"{duel.path}/moves", body)] * CROWD)
    assert statuses(answers) == {201: 1, 409: CROWD - 1}
    assert {answer.json["type"] for answer in answers if answer.status_code == 409} == {"stale-turn"}
    assert duel.view()["history"] == ["taxi 86"]
    assert count(duel.table, Move) == 1


def test_under_one_key_all_get_the_answer_of_the_one_that_counts(duel: Playing):
    body = {"turn": 1, "notation": "taxi 86"}
    asks = [posting(duel.people[0], f"{duel.path}/moves", body, Idempotency_Key="k")] * CROWD
    answers = at_once(*asks)
    assert statuses(answers) == {201: CROWD}
    assert {answer.data for answer in (*answers, *at_once(*asks))} == {answers[0].data}
    assert count(duel.table, Move) == 1


def test_different_moves_at_once_leave_one_history(duel: Playing):
    ada = duel.people[0]
    bodies = [{"turn": 1, "notation": move} for move in ("taxi 86", "taxi 116", "black 86", "black 116") * 2][:CROWD]
    answers = at_once(*[posting(ada, f"{duel.path}/moves", body) for body in bodies])
    assert statuses(answers) == {201: 1, 409: CROWD - 1}
    (won,) = [bodies[n]["notation"] for n, answer in enumerate(answers) if answer.status_code == 201]
    assert duel.view()["history"] == [won]


def test_a_move_and_a_move_ahead_at_once_are_both_played_in_order(duel: Playing):
    ada, ben, cleo = duel.people
    ada.post(f"{duel.path}/moves", {"turn": 1, "notation": "taxi 86"})
    answers = at_once(
        posting(ben, f"{duel.path}/moves", {"turn": 2, "notation": "red taxi 129"}),
        posting(cleo, f"{duel.path}/moves", {"turn": 2, "notation": "green bus 78"}),
    )
    first, second = (answer.status_code for answer in answers)
    assert first == 201
    if second == 409:  # red was first, so that green's was meant for a turn that is over
        assert cleo.post(f"{duel.path}/moves", {"turn": 3, "notation": "green bus 78"}).status_code == 201
    else:
        assert second == 202
    assert duel.view(ada)["history"] == ["taxi 86", "red taxi 129", "green bus 78"]
    assert count(duel.table, QueuedMove) == 0


def test_of_eight_who_race_for_the_last_seat_one_gets_it(crowded: Table):
    host = crowded.person("Gwen")
    people = [crowded.person(f"Racer{n}") for n in range(CROWD)]
    path = f"/games/{host.post('/games', {'edition': 'ravensburger-2000', 'players': 3}).json['id']}"
    for number in (1, 2):
        crowded.person(f"Early{number}").post(f"{path}/seats", {"seat": number})
    answers = at_once(*[posting(person, f"{path}/seats", {"seat": 3}) for person in people])
    assert statuses(answers) == {201: 1, 409: CROWD - 1}
    assert {answer.json["type"] for answer in answers if answer.status_code == 409} == {"seat-taken"}
    (winner,) = [person.id for person, answer in zip(people, answers, strict=True) if answer.status_code == 201]
    assert host.get(path).json["seats"][2]["player"] == winner


def test_one_player_who_asks_for_all_seats_at_once_gets_one(crowded: Table):
    ada = crowded.person("Ada")
    path = f"/games/{ada.post('/games', {'edition': 'ravensburger-2000', 'players': 6}).json['id']}"
    answers = at_once(*[posting(ada, f"{path}/seats", {"seat": number}) for number in range(1, 7)])
    assert statuses(answers) == {201: 1, 409: 5}
    assert {answer.json["type"] for answer in answers if answer.status_code == 409} == {"already-seated"}
    assert [seat["player"] for seat in ada.get(path).json["seats"]].count(ada.id) == 1


def test_a_game_that_is_started_many_times_at_once_is_dealt_once(crowded: Table):
    people = crowded.people(3)
    path = f"/games/{people[0].post('/games', {'edition': 'ravensburger-2000', 'players': 3}).json['id']}"
    for number, person in enumerate(people, 1):
        person.post(f"{path}/seats", {"seat": number})
    answers = at_once(*[posting(people[0], f"{path}/start")] * CROWD)
    assert statuses(answers) == {200: 1, 409: CROWD - 1}
    with crowded.app.app_context():
        assert session.query(Event).filter_by(kind="started").count() == 1
        assert session.query(Outgoing).filter_by(kind="turn").count() == 1


def test_a_start_and_a_leaving_at_once_do_not_leave_an_empty_seat_in_a_running_game(crowded: Table):
    people = crowded.people(3)
    path = f"/games/{people[0].post('/games', {'edition': 'ravensburger-2000', 'players': 3}).json['id']}"
    for number, person in enumerate(people, 1):
        person.post(f"{path}/seats", {"seat": number})

    def leave(_number: int) -> TestResponse:
        headers = {"Authorization": f"Bearer {people[2].token}"}
        return crowded.app.test_client().delete(f"/api/v1{path}/seats/3", headers=headers)

    started, left = at_once(posting(people[0], f"{path}/start"), leave)
    assert {started.status_code, left.status_code} == {200, 409}
    view = people[0].get(path).json
    assert (view["status"] == "running") == all(seat["player"] for seat in view["seats"])


def test_a_person_who_is_blocked_many_times_at_once_is_blocked_once(crowded: Table):
    ada, ben = crowded.people(2)
    answers = at_once(*[posting(ben, "/me/blocks", {"player": ada.id})] * CROWD)
    assert {answer.json["id"] for answer in answers} == {ben.get("/me/blocks").json["blocks"][0]["id"]}
    assert len(ben.get("/me/blocks").json["blocks"]) == 1


def test_many_blocks_at_once_are_no_more_than_there_may_be(crowded: Table, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(blocks, "MOST", 2)
    ben, *others = crowded.people(CROWD)
    at_once(*(posting(ben, "/me/blocks", {"player": other.id}) for other in others))
    assert len(ben.get("/me/blocks").json["blocks"]) == 2


def test_many_games_that_are_opened_at_once_are_no_more_than_there_may_be(
    crowded: Table, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(opening, "MOST_OPEN", 2)
    ada = crowded.person("Ada")
    answers = at_once(*[posting(ada, "/games", {"edition": "condensed", "players": 3})] * CROWD)
    assert statuses(answers) == {201: 2, 409: CROWD - 2}
