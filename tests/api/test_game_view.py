"""`GET /games/{id}` has the shape that clients were promised, before, during and after the game."""

import re

from tests.positions import position
from tests.table import Playing, Table

KEYS = {
    "id", "edition", "options", "status", "turn", "round", "to_move", "due_at", "you", "starts", "pawns", "log",
    "history", "outcome",
}  # fmt: skip
KINDS = {"taxi", "bus", "underground"}


def test_every_promised_key_is_there_in_every_state_of_a_game(table: Table):
    ada, ben = table.people(2)
    place = position(104, red=117)
    opened = ada.post("/games", {"edition": "ravensburger-2000", "position": place}).json
    assert opened.keys() >= KEYS
    assert (opened["status"], opened["turn"], opened["outcome"]) == ("open", None, None)
    running = table.game([ada, ben], position=position(104, red=(117, {"taxi": 1}), his={"taxi": 2}))
    assert running.view(ben).keys() >= KEYS
    assert (running.view(ben)["status"], running.view(ben)["turn"]) == ("running", 1)
    running.move(ada, "taxi 86")
    running.move(ben, "taxi 88")
    over = running.view(ben)
    assert over.keys() >= KEYS
    assert (over["status"], over["to_move"], over["due_at"]) == ("over", [], None)


def test_a_detective_sees_his_seat_and_everybodys_pawns_but_not_mr_x(game: Playing):
    view = game.view(game.people[2])
    assert view["you"] == {"seat": 3, "pawns": ["red"]}
    assert list(view["pawns"]) == ["mr_x", "purple", "red", "green", "yellow", "blue"]
    assert view["starts"].keys() == set(view["pawns"]) - {"mr_x"}
    mr_x = view["pawns"]["mr_x"]
    assert (mr_x["station"], mr_x["last_seen"]) == (None, None)
    assert mr_x["tickets"] == {"taxi": 4, "bus": 3, "underground": 3, "black": 5, "double": 2}
    assert view["pawns"]["red"] == {
        "station": view["starts"]["red"],
        "tickets": {"taxi": 10, "bus": 8, "underground": 4},
        "state": "active",
        "seat": 3,
    }


def test_mr_x_sees_himself(game: Playing):
    view = game.view()
    assert view["you"] == {"seat": 1, "pawns": ["mr_x"]}
    assert view["pawns"]["mr_x"]["station"] == view["starts"]["mr_x"] > 0


def test_a_spectator_of_a_public_game_has_no_seat_and_no_code(game: Playing, table: Table):
    view = game.view(table.person("Gus"))
    assert (view["you"], view["code"], view["pawns"]["mr_x"]["station"]) == (None, None, None)


def test_the_options_in_a_view_are_all_of_them_with_the_hosts_changes(table: Table):
    made = table.person("Ada").post("/games", {"edition": "milton-bradley-1985", "options": {"cut_off": True}}).json
    listed = table.client.get("/api/v1/editions").json["editions"]
    usual = next(edition["options"] for edition in listed if edition["name"] == "milton-bradley-1985")
    assert made["options"] == usual | {"cut_off": True}


def test_unlimited_tickets_are_null(table: Table):
    game = table.game(table.people(5), edition="ravensburger-2013")
    assert game.view()["pawns"]["mr_x"]["tickets"]["taxi"] is None


def test_times_are_utc_to_the_second(game: Playing):
    view = game.view()
    assert view["due_at"] == "2026-11-24T18:00:00Z"
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", view["created_at"])


def test_the_log_hides_and_shows_stations_window_by_window(table: Table):
    ada, ben = table.people(2)
    game = table.game([ada, ben], position=position(104, red=1, log_used=1))
    game.move(ada, "taxi 86")
    game.move(ben)
    game.move(ada, "bus 116")
    view = game.view(ben)
    assert view["log"] == [
        {"window": 2, "ticket": "taxi", "station": None},
        {"window": 3, "ticket": "bus", "station": 116, "surfaced": True},
    ]
    assert view["history"] == ["taxi ?", "red taxi 8", "bus 116"]
    assert view["pawns"]["mr_x"]["last_seen"] == {"window": 3, "station": 116}
    assert view["pawns"]["mr_x"]["station"] == 116, "he stands in the open until his next move"
    assert ben.get(f"{game.path}/log").json == {"log": view["log"]}


def test_what_a_move_answers_is_the_new_view(game: Playing):
    answer = game.move(game.people[0])
    assert answer.status_code == 201
    assert answer.json == game.view()


def test_the_deadline_says_how_it_came_about(game: Playing):
    half = {
        "due_at": "2026-11-24T18:00:00Z",
        "steps": ["from 2026-11-22T18:00:00Z", "Mr. X has 2 days", "due 2026-11-24T18:00:00Z"],
    }
    assert game.people[3].get(f"{game.path}/deadline").json == {**half, "goes": [{"seat": None, **half}]}


def test_an_open_game_has_no_deadline(table: Table):
    ada = table.person("Ada")
    made = ada.post("/games", {"edition": "condensed"}).json
    assert ada.get(f"/games/{made['id']}/deadline").json == {"due_at": None, "steps": [], "goes": []}


def test_boards_are_data_for_everybody(table: Table):
    board = table.client.get("/api/v1/boards/london").json
    assert len(board["stations"]) == 199
    missing = table.client.get("/api/v1/boards/paris")
    assert (missing.status_code, missing.json["type"]) == (404, "not-found")
    assert "london" in missing.json["detail"]


def test_everybody_can_ask_who_he_is(table: Table):
    ada = table.person("Ada")
    me = {"id": ada.id, "name": "Ada", "email": "ada@example.org", "zone": "Europe/London"}
    assert ada.get("/me").json == me


def test_the_games_that_wait_for_me_are_those_where_my_move_is_missing(table: Table):
    ada, ben, cleo = table.people(3)
    game = table.game([ada, ben, cleo], edition="condensed")
    waiting = {person.name: bool(person.get("/me/waiting").json["games"]) for person in (ada, ben, cleo)}
    assert waiting == {"Ada": True, "Ben": False, "Cleo": False}
    game.move(ada)
    waiting = {person.name: bool(person.get("/me/waiting").json["games"]) for person in (ada, ben, cleo)}
    assert waiting == {"Ada": False, "Ben": True, "Cleo": True}, "a detective may send his move ahead"
    listed = {person.name: len(person.get("/games?waiting=true").json["games"]) for person in (ada, ben, cleo)}
    assert listed == {"Ada": 0, "Ben": 1, "Cleo": 1}
