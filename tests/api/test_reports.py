"""Reports by label, as JSON and CSV: results of games and late players; and the mails to the caller."""

import csv
import io
from typing import Any

import pytest

from server.application.lists import reports
from server.application.lobby.seats import substitute
from server.mail.transport.smtp_client import SendingFailure
from server.models import Player, session
from tests.kept import again
from tests.positions import position
from tests.rows import for_each
from tests.scenes import chase
from tests.table import Person, Playing, Table

HUNT = position(104, red=117)


def page(person: Person, path: str, name: str) -> list[dict[str, Any]]:
    answer = person.get(path)
    assert answer.status_code == 200, answer.json
    return answer.json[name]


def sheet(person: Person, path: str) -> list[dict[str, str]]:
    answer = person.get(path)
    assert answer.mimetype == "text/csv"
    return list(csv.DictReader(io.StringIO(answer.text, newline="")))


# Results


@pytest.fixture
def league(table: Table) -> tuple[Person, list[Playing]]:
    """Gus, who plays in none of them, and three games: one of the league that is over, one that runs, and another."""
    over = again(table, _league, "two games of a league")
    ada, ben, gus = over.people
    found = {(row["label"], row["status"]): row["game"] for row in page(gus, "/results", "results")}
    runs, other = found["league", "running"], found["cup", "running"]
    players = {over.id: [ada, ben], runs: [ben, ada], other: [ada, ben]}
    return gus, [Playing(table, game_id, people) for game_id, people in players.items()]


def _league(table: Table) -> Playing:
    """Return the game that is over, with Ada, Ben and Gus."""
    ada, ben = table.people(2)
    over = table.game([ada, ben], position=position(104, red=(117, {})), label="league")
    table.game([ben, ada], position=HUNT, label="league")
    table.game([ada, ben], position=HUNT, label="cup")
    return Playing(table, over.id, [ada, ben, table.person("Gus")])


def test_results_tell_how_each_game_of_a_label_stands_and_who_sits_in_it(league: tuple[Person, list[Playing]]):
    gus, (over, runs, _) = league
    ada, ben = over.people
    rows = {row["game"]: row for row in page(gus, "/results?label=league", "results")}
    assert rows.keys() == {over.id, runs.id}
    row = rows[over.id]
    assert row | {"name": "", "game": ""} == {
        "game": "", "name": "", "label": "league", "edition": "ravensburger-2000", "status": "over",
        "winner": "mr_x", "reason": "detectives_stranded", "final": True, "rounds": 1,
        "started_at": "2026-11-22T18:00:00Z", "ended_at": "2026-11-22T18:00:00Z",
        "seats": [
            {"seat": 1, "role": "mr_x", "player": ada.id, "player_name": "Ada", "bot": None},
            {"seat": 2, "role": "detective", "player": ben.id, "player_name": "Ben", "bot": None},
        ],
    }  # fmt: skip
    assert (rows[runs.id]["winner"], rows[runs.id]["final"]) == (None, False)
    assert [row["game"] for row in page(gus, "/results?label=league&status=over", "results")] == [over.id]
    assert len(page(gus, "/results", "results")) == 3


def test_the_same_as_csv_has_a_column_for_each_seat(league: tuple[Person, list[Playing]]):
    gus, (over, *_) = league
    rows = {row["game"]: row for row in sheet(gus, "/results?label=league&format=csv")}
    row = rows[over.id]
    assert (row["mr_x"], row["detective_2"], row["detective_3"], row["winner"]) == ("Ada", "Ben", "", "mr_x")


def test_results_come_in_pages(league: tuple[Person, list[Playing]]):
    gus, games = league
    path, seen = "/results?limit=2", []
    while path:
        answer = gus.get(path)
        seen += [row["game"] for row in answer.json["results"]]
        path = answer.headers.get("Link", "").partition("/api/v1")[2].partition(">")[0]
    assert seen == sorted(game.id for game in games)


def test_a_game_that_one_may_not_see_is_in_no_report(league: tuple[Person, list[Playing]], table: Table):
    gus, (_, runs, _) = league
    ben, ada = runs.people  # Ben is Mr. X in it
    secret = ada.post("/games", {"edition": "condensed", "label": "league", "visibility": "private"}).json["id"]
    with table.app.app_context():
        substitute(runs.id, 1, session.get_one(Player, table.person("Hana").id), "illness")
        session.remove()
    table.clock.turn(hours=49)
    table.tick()
    named = {who: {row["game"] for row in page(who, "/results?label=league", "results")} for who in (gus, ada, ben)}
    assert (secret in named[gus], secret in named[ada]) == (False, True)
    assert (runs.id in named[ben], runs.id in named[gus]) == (False, True)
    assert {row["game"] for row in page(gus, "/late", "late")} == {runs.id} | {league[1][2].id}
    assert runs.id not in {row["game"] for row in page(ben, "/late", "late")}


@pytest.mark.parametrize(
    ("name", "cell"),
    [("=1+1", "'=1+1"), ("+49", "'+49"), ("-x", "'-x"), ("@x", "'@x"), ("\tx", "'\tx"), ("a=b", "a=b"), ('a"b', 'a"b')],
)
def test_no_cell_can_be_taken_for_a_formula(name: str, cell: str):
    (row,) = csv.DictReader(io.StringIO(reports.as_csv(["name", "n"], [{"name": name, "n": -1}]), newline=""))
    assert row == {"name": cell, "n": "-1"}


@for_each(
    "path, named",
    [("/results?format=xml", "format"), ("/results?after=A", "after"), ("/late?after=aaaa", "after"),
     ("/late?status=over", "status"), ("/results?limit=1001", "limit"), ("/me/deliveries?after=aaaa", "after"),
     ("/me/deliveries?limit=0", "limit")],
)  # fmt: skip
def test_what_cannot_be_asked_is_named(league: tuple[Person, list[Playing]], path: str, named: str):
    answer = league[0].get(path)
    assert (answer.status_code, answer.json["type"], named in answer.json["detail"]) == (422, "form", True)


# Lateness


def test_who_missed_deadlines_in_a_row_is_late_until_he_moves_himself(table: Table):
    game = chase(table)
    gus = table.person("Gus")
    assert page(gus, "/late", "late") == []
    for _ in range(2):
        game.move(game.people[0])
        game.move(game.people[1])
        table.clock.turn(hours=49)
        table.tick()
    rows = page(gus, "/late", "late")
    assert [row["seat"] for row in rows] == [3, 4, 5, 6]
    assert rows[0] | {"game": "", "player": ""} == {
        "game": "", "name": "Foggy Thames", "label": None, "seat": 3, "role": "detective", "player": "",
        "player_name": "Cleo", "due_at": None, "late_since": "2026-11-24T18:00:00Z", "late_for": "P2DT2H", "misses": 2,
    }  # fmt: skip
    game.move(game.people[0])
    game.move(game.people[2])
    (first, *_) = page(gus, "/late", "late")
    assert (first["seat"], first["due_at"]) == (3, "2026-11-28T20:00:00Z"), "a move ahead is nobody's business yet"
    game.move(game.people[1])
    assert [row["seat"] for row in page(gus, "/late", "late")] == [4, 5, 6]


def test_mr_x_is_late_too_until_he_uses_his_one_more_turn(table: Table):
    game = chase(table)
    gus = table.person("Gus")
    table.clock.turn(hours=50)
    table.tick()
    (row,) = page(gus, "/late", "late")
    assert (row["role"], row["misses"], row["late_since"]) == ("mr_x", 1, "2026-11-24T18:00:00Z")
    assert row["due_at"] == game.view()["due_at"]
    game.move(game.people[0])
    assert page(gus, "/late", "late") == []


def test_late_seats_come_in_pages_and_as_csv(table: Table):
    game = chase(table)
    game.move(game.people[0])
    table.clock.turn(hours=49)
    table.tick()
    gus = table.person("Gus")
    path, seen = "/late?limit=2", []
    while path:
        answer = gus.get(path)
        seen += [row["seat"] for row in answer.json["late"]]
        path = answer.headers.get("Link", "").partition("/api/v1")[2].partition(">")[0]
    assert seen == [2, 3, 4, 5, 6]
    assert [row["player_name"] for row in sheet(gus, "/late?format=csv")] == ["Ben", "Cleo", "Dan", "Eve", "Finn"]


# Deliveries


def test_a_player_sees_what_was_mailed_to_him_and_what_became_of_it(table: Table):
    ada, ben = table.people(2)
    game = table.game([ada, ben], position=HUNT)
    game.move(ada, "taxi 86")
    rows = {row["kind"]: row for row in page(ben, "/me/deliveries", "deliveries")}
    assert rows["turn"] | {"id": ""} == {
        "id": "", "kind": "turn", "game": game.id, "state": "pending", "attempts": 0, "error": None,
        "created_at": "2026-11-22T18:00:00Z", "not_before": "2026-11-22T18:00:00Z", "sent_at": None, "told_in": None,
    }  # fmt: skip
    table.tick()
    states = {row["kind"]: (row["state"], row["sent_at"]) for row in page(ben, "/me/deliveries", "deliveries")}
    assert states["turn"] == ("sent", "2026-11-22T18:00:00Z")


def test_a_mail_that_could_not_be_sent_says_why_and_when_it_is_tried_again(table: Table):
    ada, ben = table.people(2)
    table.game([ada, ben], position=HUNT)
    table.post.send = lambda *_: _fail("the relay refused the recipient (550)", lasting=True)
    table.tick()
    row = page(ben, "/me/deliveries", "deliveries")[0]
    assert (row["state"], row["attempts"], row["error"]) == ("dead", 1, "the relay refused the recipient (550)")
    assert row["not_before"] is None


def _fail(why: str, *, lasting: bool) -> None:
    raise SendingFailure(why, lasting=lasting)


def test_deliveries_come_in_pages_the_newest_first(table: Table):
    ada = table.person("Ada")
    for _ in range(3):
        ada.post("/games", {"edition": "condensed", "seats": [{"role": "mr_x", "player": ada.id},
                                                              {"role": "detective", "bot": "constable"}]})  # fmt: skip
        table.client.post("/api/v1/players", json={"name": "Eve", "email": ada.address})
        table.clock.turn(hours=1)
    whole = [row["id"] for row in page(ada, "/me/deliveries", "deliveries")]
    assert len(whole) >= 3
    path, seen = "/me/deliveries?limit=2", []
    while path:
        answer = ada.get(path)
        seen += [row["id"] for row in answer.json["deliveries"]]
        path = answer.headers.get("Link", "").partition("/api/v1")[2].partition(">")[0]
    assert seen == whole
    times = [row["created_at"] for row in page(ada, "/me/deliveries", "deliveries")]
    assert times == sorted(times, reverse=True)


def test_who_was_mr_x_sees_no_mail_about_that_game_any_more(table: Table):
    ada, ben = table.people(2)
    game = table.game([ada, ben], position=HUNT)
    assert page(ada, "/me/deliveries", "deliveries") != []
    with table.app.app_context():
        substitute(game.id, 1, session.get_one(Player, table.person("Gus").id), "illness")
        session.remove()
    assert page(ada, "/me/deliveries", "deliveries") == []
