"""The table of the games with one label, for their host; and the mails to the caller."""

import csv
import io
from typing import Any

import pytest

from server.application.lists import reports
from server.application.lobby.seats import substitute
from server.application.operator import remedies
from server.mail.transport.smtp_client import SendingFailure
from server.models import Game, Player, session, transaction
from server.runtime.game_cache import GameCache
from tests.kept import again
from tests.positions import position
from tests.rows import for_each
from tests.statements import statements
from tests.table import Person, Playing, Table
from tests.web.game.test_page import Browser

HUNT = position(104, red=117)
LEAGUE = "/labels/league"


def page(person: Person, path: str, name: str) -> list[dict[str, Any]]:
    answer = person.get(path)
    assert answer.status_code == 200, answer.json
    return answer.json[name]


def sheet(person: Person, path: str) -> list[dict[str, str]]:
    answer = person.get(path)
    assert answer.mimetype == "text/csv"
    return list(csv.DictReader(io.StringIO(answer.text, newline="")))


def line(person: Person, name: str | None) -> dict[str, Any]:
    (found,) = [line for line in page(person, LEAGUE, "players") if line["player_name"] == name]
    return found


def numbers(person: Person, name: str) -> list[int]:
    """Wins, games, and both as Mr. X, and as a detective."""
    own = line(person, name)
    roles = [own[f"{what}_as_{role}"] for role in ("mr_x", "detective") for what in ("wins", "games")]
    return [own["wins"], own["games"], *roles]


# The table


@pytest.fixture
def league(table: Table) -> tuple[Person, list[Playing]]:
    """Ada, who is the host, and two games of the league: one that Mr. X has won, and one that runs."""
    over = again(table, _league, "two games of a league")
    runs = next(game["game"] for game in page(over.people[0], LEAGUE, "games") if game["status"] == "running")
    return over.people[0], [over, Playing(table, runs, over.people)]


def _league(table: Table) -> Playing:
    people = table.people(2)
    over = table.game(people, position=position(104, red=(117, {})), label="league")
    table.game(people, position=HUNT, label="league")
    table.game(people, position=HUNT, label="cup")
    return over


def test_it_says_who_owes_a_move_until_when_and_what_is_over_and_how(league: tuple[Person, list[Playing]]):
    ada, (over, runs) = league
    first, last = page(ada, LEAGUE, "games")
    mr_x = {"seat": 1, "role": "mr_x", "player": ada.id, "player_name": "Ada", "bot": None}
    ben = {"seat": 2, "role": "detective", "player": runs.people[1].id, "player_name": "Ben", "bot": None}
    assert first | {"name": ""} == {
        "game": runs.id, "name": "", "status": "running", "due_at": runs.view()["due_at"], "waits_for": [mr_x],
        "paused_until": None, "winner": None, "reason": None, "final": False, "final_at": None, "counts": False,
        "started_at": "2026-11-22T18:00:00Z", "ended_at": None, "resigned": [], "replaced": [], "seats": [mr_x, ben],
    }  # fmt: skip
    assert (last["game"], last["winner"], last["reason"], last["counts"]) == (
        over.id, "mr_x", "detectives_stranded", True,
    )  # fmt: skip
    runs.move(ada)
    assert page(ada, LEAGUE, "games")[0]["waits_for"] == [ben]


def test_a_paused_game_waits_for_nobody_but_the_end_of_its_pause(table: Table):
    game = table.game(table.people(2), "condensed", label="league")
    ada, ben = game.people
    made = ada.post(f"{game.path}/votes", {"kind": "pause", "length": "P3D"})
    assert made.status_code == 201, made.text
    ben.post(f"{game.path}/votes/{made.json['id']}", {"for": True})
    (found,) = page(ada, LEAGUE, "games")
    assert (found["paused_until"], reports.waits_for(found)) == ("2026-11-25T18:00:00Z", "the end of the pause")
    assert "<td>the end of the pause</td>" in Browser(table, ada).get("/me/tables/league").text
    table.clock.turn(days=3)
    assert reports.waits_for(page(ada, LEAGUE, "games")[0]) == "Ada"


def test_a_player_has_a_line_with_wins_by_side(league: tuple[Person, list[Playing]]):
    ada, _ = league
    assert [line["player_name"] for line in page(ada, LEAGUE, "players")] == ["Ada", "Ben"]
    assert numbers(ada, "Ada") == [1, 1, 1, 1, 0, 0]
    assert numbers(ada, "Ben") == [0, 1, 0, 0, 0, 1]
    assert (line(ada, "Ada")["running"], line(ada, "Ben")["left"]) == (1, 0)
    assert ada.get(LEAGUE).json["rules"] == [*reports.RULES]


def test_a_result_counts_when_it_is_final_and_who_resigned_has_left(league: tuple[Person, list[Playing]], table: Table):
    ada, (_, runs) = league
    runs.contest()
    ada.post(f"{runs.path}/resign")
    (game,) = [game for game in page(ada, LEAGUE, "games") if game["game"] == runs.id]
    assert (game["final"], game["counts"], game["resigned"]) == (False, False, [1])
    assert game["final_at"]
    assert numbers(ada, "Ben") == [0, 1, 0, 0, 0, 1]
    table.clock.turn(hours=25)
    table.tick()
    assert numbers(ada, "Ben") == [1, 2, 0, 0, 1, 2]
    assert (line(ada, "Ada")["left"], line(ada, "Ben")["left"]) == (1, 0)


def test_a_game_that_the_operator_ended_does_not_count(league: tuple[Person, list[Playing]], table: Table):
    ada, (_, runs) = league
    with table.app.app_context():
        remedies.void(runs.id, "somebody cheated")
        session.remove()
    table.clock.turn(hours=25)
    table.tick()
    (game,) = [game for game in page(ada, LEAGUE, "games") if game["game"] == runs.id]
    assert (game["reason"], game["final"], game["counts"]) == ("voided", True, False)
    assert numbers(ada, "Ada")[:2] == [1, 1]


def test_a_draw_counts_and_nobody_wins_it(league: tuple[Person, list[Playing]], table: Table):
    ada, (_, runs) = league
    for player in runs.people:
        player.post(f"{runs.path}/draw")
    table.clock.turn(hours=25)
    table.tick()
    assert numbers(ada, "Ada")[:2] == [1, 2]
    assert numbers(ada, "Ben")[:2] == [0, 2]


def test_missed_deadlines_are_counted_once_each_however_many_pawns_and_turns(table: Table):
    people = table.people(3)  # two pawns to a detective
    game = table.game(people, label="league")
    ada = people[0]
    table.clock.turn(hours=49)
    table.tick()
    assert line(ada, "Ada")["missed"] == 1
    game.move(ada)
    for _ in range(2):
        table.clock.turn(hours=49)
        table.tick()
        game.move(ada)
    assert [line(ada, name)["missed"] for name in ("Ben", "Cleo")] == [2, 2]
    table.clock.turn(hours=200)
    table.tick()


def test_a_newcomer_has_not_missed_what_was_missed_before_them(table: Table):
    people = table.people(3)
    game = table.game(people, label="league")
    game.move(people[0])
    table.clock.turn(hours=49)
    table.tick()
    with table.app.app_context():
        substitute(game.id, 2, session.get_one(Player, table.person("Hana").id), "illness")
        session.remove()
    ada = people[0]
    assert (line(ada, "Hana")["missed"], line(ada, "Hana")["left"]) == (0, 0)
    assert (line(ada, "Ben")["left"], line(ada, "Cleo")["missed"]) == (1, 1)
    assert page(ada, LEAGUE, "games")[0]["replaced"] == [2]


def test_a_move_that_was_sent_ahead_is_nobodys_business(table: Table):
    people = table.people(3)
    game = table.game(people, label="league")
    ada, _, cleo = people
    game.move(ada)
    before = page(ada, LEAGUE, "games")
    assert game.move(cleo).status_code == 202
    assert page(ada, LEAGUE, "games") == before


def test_who_has_deleted_their_account_has_a_line_without_a_name(league: tuple[Person, list[Playing]], table: Table):
    ada, (_, runs) = league
    ben = runs.people[1]
    for game in page(ada, "/games?mine=true", "games"):
        ben.post(f"/games/{game['id']}/resign")
    table.clock.turn(hours=25)
    table.tick()
    gone = ben.request("DELETE", "/me", json={"name": "Ben"})
    assert gone.status_code == 204, gone.json
    assert line(ada, None)["player"] == ben.id
    assert line(ada, None)["games"] == 2


def test_a_player_who_gave_a_seat_back_before_the_start_did_not_leave(table: Table):
    ada, ben, cleo, dan = table.people(4)
    opened = ada.post("/games", {"edition": "ravensburger-2000", "players": 3, "label": "league"}).json
    path = f"/games/{opened['id']}"
    for number, person in ((1, ada), (2, ben), (3, cleo)):
        person.post(f"{path}/seats", {"seat": number})
    ben.post(f"{path}/messages", {"to": "team", "text": "Who can cover 100?"})
    cleo.request("DELETE", f"{path}/seats/3")
    dan.post(f"{path}/seats", {"seat": 3})
    ada.post(f"{path}/start")
    assert dan.post(f"{path}/resign").status_code == 200
    assert [(each["player_name"], each["left"]) for each in page(ada, LEAGUE, "players")] == [
        ("Ada", 0), ("Ben", 0), ("Dan", 1),
    ]  # fmt: skip


def test_a_season_is_counted_as_it_was_played(table: Table):
    ada, ben, cleo, dan, organiser = table.people(5)

    def play(players: list[Person], **placed: Any) -> Playing:
        game = table.game(players, position=position(104, **placed), label="league")
        with table.app.app_context(), transaction():
            session.get_one(Game, game.id).host_id = organiser.id
        return game

    caught = play([ada, ben, cleo], red=116, green=34)
    caught.move(ada, "taxi 86")
    caught.move(ben, "red bus 86")
    play([ben, ada, cleo], red=(117, {}), green=(34, {}))  # nobody can move: Mr. X has won
    given_up = play([cleo, ada, ben], red=117, green=34)
    ada.post(f"{given_up.path}/resign")
    ben.post(f"{given_up.path}/resign")
    drawn = play([ada, cleo], red=117)
    for person in drawn.people:
        person.post(f"{drawn.path}/draw")
    late = play([ben, cleo, dan], red=117, green=34)
    late.move(ben)
    table.clock.turn(hours=49)
    table.tick()  # both detectives are late
    with table.app.app_context():
        substitute(late.id, 2, session.get_one(Player, ada.id), "illness")
        session.remove()
    ben.post(f"{late.path}/resign")  # provisional
    forfeited = play([dan, cleo], red=117)
    for _ in range(2):
        table.clock.turn(hours=49)
        table.tick()
    table.clock.turn(hours=25)
    table.tick()
    play([dan, ben], red=117)
    names = ("player_name", "wins_as_mr_x", "games_as_mr_x", "wins_as_detective", "games_as_detective", "running",
             "missed", "left")  # fmt: skip
    assert [[each[name] for name in names] for each in page(organiser, LEAGUE, "players")] == [
        ["Cleo", 1, 1, 2, 4, 0, 0, 1],
        ["Ben", 1, 2, 1, 2, 1, 0, 2],
        ["Dan", 0, 1, 1, 1, 1, 3, 0],
        ["Ada", 0, 2, 1, 2, 0, 0, 1],
    ]
    assert {game["game"]: (game["resigned"], game["replaced"]) for game in page(organiser, LEAGUE, "games")
            if game["resigned"] or game["replaced"]} == {
        given_up.id: ([2, 3], []), late.id: ([1], [2]),
    }  # fmt: skip
    assert forfeited.view()["outcome"]["reason"] == "out_of_time"


def test_only_the_host_has_it(league: tuple[Person, list[Playing]], table: Table):
    ada, (over, _) = league
    for other in (over.people[1], table.person("Gus")):
        assert other.get(LEAGUE).status_code == 404
    theirs = over.people[1].post("/games", {"edition": "condensed", "label": "league"}).json["id"]
    assert theirs not in {game["game"] for game in page(ada, LEAGUE, "games")}
    assert [game["game"] for game in page(over.people[1], LEAGUE, "games")] == [theirs]
    assert ada.get("/labels/none").status_code == 404
    assert ada.get("/labels/league%00").status_code == 404


def test_a_host_who_was_mr_x_does_not_see_that_game_before_its_end(league: tuple[Person, list[Playing]], table: Table):
    ada, (_, runs) = league
    with table.app.app_context():
        substitute(runs.id, 1, session.get_one(Player, table.person("Hana").id), "illness")
        session.remove()
    assert runs.id not in {game["game"] for game in page(ada, LEAGUE, "games")}


def test_games_come_in_pages_and_players_are_counted_over_all(league: tuple[Person, list[Playing]]):
    ada, games = league
    path, seen, lines = f"{LEAGUE}?limit=1", [], []
    while path:
        answer = ada.get(path)
        seen += [game["game"] for game in answer.json["games"]]
        lines.append(answer.json["players"])
        path = answer.headers.get("Link", "").partition("/api/v1")[2].partition(">")[0]
    assert seen == sorted(game.id for game in games)
    assert lines == [page(ada, LEAGUE, "players")] * 2


def test_the_page_has_some_games_and_its_sheet_has_all(
    league: tuple[Person, list[Playing]], table: Table, monkeypatch: pytest.MonkeyPatch
):
    ada, games = league
    first, last = sorted(game.id for game in games)
    monkeypatch.setattr(reports, "MOST_GAMES", 1)
    monkeypatch.setattr(reports.of_label, "__defaults__", (None, "", 1))
    browser = Browser(table, ada)
    shown = browser.get("/me/tables/league").text
    assert (first in shown, f"/games/{last}" in shown) == (True, False)
    assert f"/me/tables/league?after={first}" in shown
    rest = browser.get(f"/me/tables/league?after={first}").text
    assert (f"/games/{last}" in rest, "More games" in rest) == (True, False)
    rows = csv.DictReader(io.StringIO(browser.get("/me/tables/league?csv=games").text, newline=""))
    assert [row["game"] for row in rows] == [first, last]


def test_both_parts_are_sheets(league: tuple[Person, list[Playing]]):
    ada, (over, runs) = league
    assert [(row["player_name"], row["wins"]) for row in sheet(ada, f"{LEAGUE}?csv=players")] == [
        ("Ada", "1"), ("Ben", "0"),
    ]  # fmt: skip
    rows = {row["game"]: row for row in sheet(ada, f"{LEAGUE}?csv=games")}
    assert (rows[over.id]["mr_x"], rows[over.id]["detective_2"], rows[over.id]["detective_3"]) == ("Ada", "Ben", "")
    assert rows[runs.id]["waits_for"] == "Ada"


def test_a_label_may_have_any_letters(table: Table):
    ada = table.person("Ada")
    for label in ("Liga / Süd", "a b?c", "100%"):
        ada.post("/games", {"edition": "condensed", "label": label})
        with table.app.test_request_context():
            from flask import url_for

            path = url_for("reports.table", label=label).removeprefix("/api/v1")
        assert ada.get(path).json["label"] == label


def test_the_table_takes_six_statements_for_many_games_as_for_one(league: tuple[Person, list[Playing]], table: Table):
    ada, (over, _) = league

    def asked() -> int:
        with table.app.app_context():
            player = session.get_one(Player, ada.id)
            session.expunge(player)
            session.remove()
            table.app.extensions["blackticket"].game_cache = GameCache()
            with statements(table) as sent:
                reports.of_label("league", player)
        return len(sent)

    assert asked() == 6
    for _ in range(3):
        game = table.game(over.people, position=HUNT, label="league")
        game.move(ada)
    assert asked() == 6


@for_each(
    "path, named",
    [(f"{LEAGUE}?csv=xml", "csv"), (f"{LEAGUE}?after=A", "after"), (f"{LEAGUE}?limit=1001", "limit"),
     ("/me/deliveries?after=aaaa", "after"), ("/me/deliveries?limit=0", "limit")],
)  # fmt: skip
def test_what_cannot_be_asked_is_named(league: tuple[Person, list[Playing]], path: str, named: str):
    answer = league[0].get(path)
    assert (answer.status_code, answer.json["type"], named in answer.json["detail"]) == (422, "form", True)


@pytest.mark.parametrize(
    ("name", "cell"),
    [("=1+1", "'=1+1"), ("+49", "'+49"), ("-x", "'-x"), ("@x", "'@x"), ("\tx", "'\tx"), ("a=b", "a=b"), ('a"b', 'a"b')],
)
def test_no_cell_can_be_taken_for_a_formula(name: str, cell: str):
    (row,) = csv.DictReader(io.StringIO(reports.as_csv(["name", "n"], [{"name": name, "n": -1}]), newline=""))
    assert row == {"name": cell, "n": "-1"}


# A game that starts when it is full


def test_a_game_starts_when_its_last_seat_is_taken_if_its_host_wants_so(table: Table):
    ada, ben, cleo = table.people(3)
    wanted = {"edition": "condensed", "players": 2, "visibility": "public", "starts_when_full": True}
    opened = ada.post("/games", wanted).json
    assert (opened["starts_when_full"], opened["status"]) == (True, "open")
    path = f"/games/{opened['id']}"
    assert ben.post(f"{path}/seats", {"seat": 1}).status_code == 201
    assert ada.get(path).json["status"] == "open"
    assert cleo.post(f"{path}/seats", {"seat": 2}).status_code == 201
    begun = ada.get(path).json
    assert (begun["status"], begun["to_move"]) == ("running", ["mr_x"])
    kinds = [mail["kind"] for mail in page(ada, "/me/deliveries", "deliveries")]
    assert "complete" not in kinds


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
