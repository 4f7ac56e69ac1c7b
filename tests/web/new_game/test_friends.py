"""Play with friends: a guest opens a game by the form of the first page, and hosts it without an address."""

import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from server.application.game.look import look_at_any
from server.application.lobby import hosting, opening, rematches, seats
from server.application.people.accounts import deletion, guests
from server.models import Game, Player, session, transaction
from server.vocabulary.errors import Problem
from server.wording.seats import seat_label
from tests.rows import for_each
from tests.table import Table
from tests.web.game.test_invitation import names_at, sits_down
from tests.web.game.test_page import Browser, choices

FORM = {"name": "Ada", "people": "3", "pace": "evening"}


def once_of(page: str) -> str:
    form = page.partition('action="/friends"')[2]
    return re.findall(r'name="once" value="([^"]+)"', form)[0]


def opens(browser: Browser, **form: str) -> str:
    """Open a game by the form; return the path of its page."""
    answer = browser.post("/friends", {**FORM, "once": once_of(browser.get("/").text), **form})
    assert answer.status_code == 303, re.findall(r'class="wrong"[^>]*>([^<]*)', answer.text)
    return answer.headers["Location"]


def link_on(page: str) -> str:
    return re.findall(r'id="link">http://[^/]+(/join/\w+)<', page)[0]


def hosted(table: Table, host: Browser, **form: str) -> dict[str, Any]:
    """Return a game that the host has opened, as `sits_down` takes it."""
    path = opens(host, **form)
    return {"id": path.rpartition("/")[2], "join": link_on(host.get(path).text)}


def game_row(table: Table, game: dict[str, Any]) -> Game:
    with table.app.app_context():
        found: Game = session.get_one(Game, game["id"])
        return found


def player_named(name: str) -> Player:
    found = session.scalars(select(Player).where(Player.name == name)).one()
    assert isinstance(found, Player)
    return found


def test_a_newcomer_opens_a_private_game_with_one_form_and_has_its_link(table: Table):
    host = Browser(table)
    game = hosted(table, host)
    row = game_row(table, game)
    assert (row.visibility, row.seating, row.edition, row.starts_when_full) == (
        "private", "lot", "ravensburger-2000", True,
    )  # fmt: skip
    assert row.clock["mr_x"] == "PT10M"
    assert names_at(table, game) == [None, "Ada", None]
    assert table.post.sent == []


def test_two_play_the_edition_for_two_and_days_have_a_clock_of_days(table: Table):
    row = game_row(table, hosted(table, Browser(table), people="2", pace="days"))
    assert (row.edition, row.clock["detectives"]) == ("condensed", "P1D")


def test_a_form_that_is_sent_twice_opens_one_game_of_one_guest(table: Table):
    host = Browser(table)
    once = once_of(host.get("/").text)
    cookie = host.client.get_cookie("blackticket_trial")
    assert cookie is not None
    twin = Browser(table)
    twin.client.set_cookie("blackticket_trial", cookie.value)
    paths = {each.post("/friends", {**FORM, "once": once}).headers["Location"] for each in (host, twin)}
    assert len(paths) == 1


@for_each(
    "field, value, sentence",
    [
        ("people", "7", "Choose how many you are, 2 to 6."),
        ("people", "", "Choose how many you are, 2 to 6."),
        ("pace", "never", "Choose when you play."),
        ("name", "", "Write a name, by which the others know you."),
        ("name", "Red", "is what the game calls a pawn or a role"),
    ],
)
def test_a_wrong_form_keeps_what_was_typed_and_makes_nobody(table: Table, field: str, value: str, sentence: str):
    answer = Browser(table).post("/friends", {**FORM, field: value})
    assert answer.status_code == (409 if value == "Red" else 422)
    assert sentence in answer.text
    assert field == "name" or 'value="Ada"' in answer.text
    with table.app.app_context():
        assert session.query(Player).count() == 0


@for_each(
    "settings, may_open",
    [
        ({}, True),
        ({"admission": "invited"}, False),
        ({"admission": "nobody"}, False),
        ({"guests": "no"}, False),
    ],
)
def test_a_guest_opens_a_game_only_where_everybody_may_come_in(
    tmp_path_factory: pytest.TempPathFactory, settings: dict[str, str], may_open: bool
):
    table = Table(tmp_path_factory.mktemp("table"), **settings)
    browser = Browser(table)
    page = browser.get("/").text
    assert ('action="/friends"' in page) == may_open
    assert ("Here it is opened by players with a mail address" in page) != may_open
    answer = browser.post("/friends", FORM)
    assert answer.status_code == (303 if may_open else 403)
    assert Browser(table, table.person("Bea")).post("/friends", FORM).status_code == 303


def test_where_turns_last_longer_there_is_no_evening(tmp_path: Path):
    table = Table(tmp_path, min_turn="PT1H")
    browser = Browser(table)
    assert 'value="evening"' not in browser.get("/").text
    assert browser.post("/friends", FORM).status_code == 422
    assert browser.post("/friends", FORM | {"pace": "days"}).status_code == 303


# The lobby ---------------------------------------------------------------------------------------


def test_the_lobby_has_a_qr_code_of_the_link_but_none_that_leads_to_this_machine_alone(table: Table):
    path = opens(host := Browser(table, host="192.0.2.7:8000"))
    page = host.get(path).text
    assert 'aria-label="The link as a QR code"' in page
    assert "http://192.0.2.7:8000/join/" in page
    here = Browser(table)
    page = here.get(opens(here)).text
    assert "QR code" not in page
    assert "This link works on this machine alone." in page


def test_the_game_starts_when_its_last_seat_is_taken(table: Table):
    host = Browser(table)
    game = hosted(table, host)
    sits_down(table, game, "Ben")
    assert game_row(table, game).status == "open"
    cleo = sits_down(table, game, "Cleo")
    assert game_row(table, game).status == "running"
    assert sorted(map(str, names_at(table, game))) == ["Ada", "Ben", "Cleo"]
    assert "You are" in cleo.get(f"/games/{game['id']}").text


def test_one_press_too_many_for_the_last_seat_is_told_so_and_makes_nobody(table: Table):
    game = hosted(table, Browser(table), people="2")
    late = Browser(table)
    once = re.findall(r'name="once" value="(\w+)"', late.get(game["join"]).text)[0]
    sits_down(table, game, "Ben")
    answer = late.post(game["join"], {"name": "Cleo", "once": once})
    assert (answer.status_code, "This game has started, and its seats are given." in answer.text) == (409, True)
    with table.app.app_context():
        assert session.query(Player).count() == 2


def test_the_host_starts_at_any_time_and_bots_have_the_other_seats(table: Table):
    host = Browser(table)
    game = hosted(table, host, people="6")
    sits_down(table, game, "Ben")
    assert host.post(f"/games/{game['id']}/start", {"level": "fair"}).status_code == 303
    assert game_row(table, game).status == "running"
    assert sum(name is not None for name in names_at(table, game)) == 2


def test_a_guest_names_hands_on_and_closes_the_game_and_the_link_says_that_it_is_closed(table: Table):
    host = Browser(table)
    game = hosted(table, host)
    ben = sits_down(table, game, "Ben")
    assert host.post(f"/games/{game['id']}/host", {"seat": "1"}).status_code == 303
    assert ben.post(f"/games/{game['id']}/name", {"name": "Friday night"}).status_code == 303
    assert ben.post(f"/games/{game['id']}/close").status_code == 303
    assert game_row(table, game).name == "Friday night"
    page = Browser(table).get(game["join"])
    assert "This game was closed before it began." in page.text


def test_a_guest_has_the_server_write_to_nobody_and_lists_no_game(table: Table):
    host = Browser(table)
    game = hosted(table, host)
    path = f"/games/{game['id']}"
    assert 'name="who"' not in host.get(path).text
    refused = host.post(f"{path}/seats/1", {"who": "kim@example.org"})
    assert (refused.status_code, "add your address first" in refused.text) == (403, True)
    assert host.post(f"{path}/publish").status_code == 403
    table.tick()
    assert table.post.sent == []


def test_a_guest_waits_for_friends_in_three_games_at_most(table: Table):
    host = Browser(table)
    for _ in range(opening.MOST_OPEN_OF_GUEST):
        opens(host)
    refused = host.post("/friends", FORM)
    assert (refused.status_code, "You host 3 games that have not begun" in refused.text) == (409, True)
    assert host.post("/practice", {"role": "detective"}).status_code == 303


def test_games_that_bots_have_filled_count_too(table: Table):
    host = Browser(table)
    for _ in range(opening.MOST_OF_GUEST):
        path = opens(host)
        assert host.post(f"{path}/start", {"level": "easy"}).status_code == 303
    refused = host.post("/friends", FORM)
    assert (refused.status_code, "You host 8 games that are not over." in refused.text) == (409, True)


def test_what_it_means_to_have_no_address_is_told_after_the_first_move_and_can_be_shut(table: Table):
    game, browsers, mr_x = running(table)
    path, told = f"/games/{game['id']}", "Only this browser knows you"
    page = browsers[mr_x].get(path).text
    assert told not in page
    form = {"turn": re.findall(r'name="turn" value="(\d+)"', page)[0], "move": choices(page)[0]}
    assert browsers[mr_x].post(f"{path}/moves", form).status_code == 303
    assert told in browsers[mr_x].get(path).text
    assert browsers[mr_x].get(f"{path}?later=yes").status_code == 303
    assert told not in browsers[mr_x].get(path).text


# Hosts who go ------------------------------------------------------------------------------------


def test_a_host_among_friends_is_kept_and_one_who_waits_alone_makes_room_after_a_day(table: Table):
    game = hosted(table, Browser(table))
    sits_down(table, game, "Ben")
    opens(Browser(table), name="Cleo")
    table.clock.turn(hours=1)
    with table.app.app_context():
        assert not guests._with_idle()
    table.clock.turn(days=2)
    with table.app.app_context(), transaction():
        (branch,) = guests._with_idle()
        assert guests._makes_way(branch)
        names = set(session.scalars(select(Player.name)))
        assert not guests._makes_way(branch)
    assert {"Ada", "Ben"} <= names
    assert "Cleo" not in names


def test_a_host_who_stays_away_is_not_deleted_with_the_game_of_friends(table: Table):
    game = hosted(table, Browser(table), people="2")
    sits_down(table, game, "Ben")
    table.clock.turn(days=guests.IDLE / timedelta(days=1) + 1)
    with table.app.app_context():
        guests.forget_idle()
        assert session.get(Game, game["id"]) is not None
        assert player_named("Ada").gone_at is None


def test_a_deleted_host_leaves_the_game_to_a_friend(table: Table):
    host = Browser(table)
    game = hosted(table, host)
    sits_down(table, game, "Ben")
    with table.app.app_context():
        ada = player_named("Ada")
        deletion.delete_account(ada.id, ada.name)
        assert session.get_one(Game, game["id"]).host_id == player_named("Ben").id


def test_a_guest_opens_the_rematch_of_a_private_game(table: Table):
    host = Browser(table)
    game = hosted(table, host, people="2")
    ben = sits_down(table, game, "Ben")
    mr_x = names_at(table, game)[0]
    (host if mr_x == "Ada" else ben).post(f"/games/{game['id']}/resign")
    assert game_row(table, game).status == "over"
    with table.app.app_context():
        following = rematches.rematch(game["id"], player_named("Ada"))
        assert (following.starts_when_full, following.visibility) == (True, "private")


# Having to go ------------------------------------------------------------------------------------


def running(table: Table) -> tuple[dict[str, Any], dict[str, Browser], str]:
    """Return a game of three guests that runs, their browsers by name, and the name of Mr. X."""
    host = Browser(table)
    game = hosted(table, host)
    browsers = {"Ada": host} | {name: sits_down(table, game, name) for name in ("Ben", "Cleo")}
    mr_x = names_at(table, game)[0]
    assert mr_x is not None
    return game, browsers, mr_x


def test_a_detective_who_has_to_go_leaves_the_seat_to_a_bot_and_somebody_with_the_link_takes_it(table: Table):
    game, browsers, mr_x = running(table)
    name = next(name for name in browsers if name != mr_x)
    assert "I have to go" in browsers[name].get(f"/games/{game['id']}").text
    answer = browsers[name].post(f"/games/{game['id']}/leave", {"to_bot": "yes"})
    assert answer.headers["Location"].startswith(game["join"])
    assert "A bot has your seat now." in browsers[name].get(answer.headers["Location"]).text
    assert name not in names_at(table, game)
    link = f'<code class="link" id="link">http://localhost{game["join"]}</code>'
    others = [each for each in browsers if each != name]
    assert all(link in browsers[each].get(f"/games/{game['id']}").text for each in others)
    with table.app.app_context():
        free = seat_label(next(seat for seat in look_at_any(game["id"]).seats if seat.is_offered))
    lead = Browser(table).get(game["join"]).text.split('<p class="lead">')[1]
    assert lead.startswith(f"This game runs: it is in round 1. The seat of {free} is free, and you can take over,")
    gus = sits_down(table, game, "Gus")
    assert "Gus" in names_at(table, game)
    assert not any(link in browsers[each].get(f"/games/{game['id']}").text for each in others)
    assert "You are" in gus.get(f"/games/{game['id']}").text


def test_the_page_of_before_the_start_leaves_no_game_that_has_begun_meanwhile(table: Table):
    game, browsers, _ = running(table)
    before = names_at(table, game)
    for name, browser in browsers.items():
        answer = browser.post(f"/games/{game['id']}/leave")
        assert (answer.status_code, "This game has started" in answer.text) == (409, True), name
        assert "Pawns and tickets" in answer.text, "the game is shown"
    assert names_at(table, game) == before


def test_nobody_leaves_by_a_form_that_no_page_has(table: Table):
    game, browsers, _ = running(table)
    before = names_at(table, game)
    for browser in browsers.values():
        refused = browser.post(f"/games/{game['id']}/leave", {"to_bot": "x"})
        assert (refused.status_code, "Choose one of these." in refused.text) == (422, True)
    assert names_at(table, game) == before


def test_nobody_has_to_go_before_the_start(table: Table):
    host = Browser(table)
    refused = host.post(f"{opens(host)}/leave", {"to_bot": "yes"})
    assert (refused.status_code, "This game has not begun" in refused.text) == (409, True)


def test_who_had_to_go_comes_back_by_the_link(table: Table):
    game, browsers, mr_x = running(table)
    name = next(name for name in browsers if name != mr_x)
    browsers[name].post(f"/games/{game['id']}/leave", {"to_bot": "yes"})
    assert browsers[name].post(game["join"]).status_code == 303
    assert name in names_at(table, game)


def test_only_mr_x_is_asked_before_he_leaves_his_seat_for_good(table: Table):
    game, browsers, mr_x = running(table)
    for name, browser in browsers.items():
        page = browser.get(f"/games/{game['id']}").text
        is_asked = "<summary>I have to go</summary>" in page and "Leave my seat to a bot</button>" in page
        assert is_asked == (name == mr_x)
        assert (">I have to go</button>" in page) == (name != mr_x)


def test_nobody_takes_the_seat_of_a_mr_x_who_had_to_go(table: Table):
    game, browsers, mr_x = running(table)
    answer = browsers[mr_x].post(f"/games/{game['id']}/leave", {"to_bot": "yes"})
    assert answer.headers["Location"].startswith("/me?")
    assert "You have left the game." in browsers[mr_x].get(answer.headers["Location"]).text
    assert browsers[mr_x].get(game["join"]).status_code == 404
    assert Browser(table).get(game["join"]).status_code == 404
    with table.app.app_context(), pytest.raises(Problem) as refused:
        seats.join(game["id"], player_named(mr_x))
    assert refused.value.code == "not-found"


def test_the_next_friend_is_the_host_when_the_host_has_to_go(table: Table):
    game, browsers, _ = running(table)
    browsers["Ada"].post(f"/games/{game['id']}/leave", {"to_bot": "yes"})
    with table.app.app_context():
        assert session.get_one(Game, game["id"]).host_id != player_named("Ada").id


def test_who_plays_alone_against_bots_has_no_need_to_go(table: Table):
    host = Browser(table)
    path = opens(host)
    host.post(f"{path}/start", {"level": "easy"})
    assert "I have to go" not in host.get(path).text
    refused = host.post(f"{path}/leave", {"to_bot": "yes"})
    assert (refused.status_code, "come back when you like, or resign" in refused.text) == (403, True)


def test_a_public_game_has_no_guest_for_a_host(table: Table):
    ada, ben = table.people(2)
    wanted = {"edition": "condensed", "guests": {"seats": "any"}, "visibility": "public"}
    game = ada.post("/games", {**wanted, "seats": [{"role": "mr_x", "player": ada.id}, *[{"role": "detective"}] * 2]})
    found = game.json | {"join": f"/join/{game.json['code']}"}
    sits_down(table, found, "Gus")
    assert ben.post(f"/games/{found['id']}/seats").status_code == 201
    refused = ada.post(f"/games/{found['id']}/host", {"seat": 2})
    assert (refused.status_code, "the host of a public game" in refused.json["detail"]) == (422, True)
    with table.app.app_context(), pytest.raises(Problem):
        hosting.hand_over(found["id"], session.get_one(Player, ada.id), 2)


# By REST -----------------------------------------------------------------------------------------


def test_a_program_opens_such_a_game_and_leaves_its_seat_to_a_bot(table: Table):
    ada, ben, cleo = table.people(3)
    wanted = {"edition": "condensed", "starts_when_full": True, "visibility": "private"}
    seats_of = [{"role": "mr_x", "player": ada.id}, {"role": "detective"}, {"role": "detective"}]
    game = ada.post("/games", {**wanted, "seats": seats_of}).json
    assert game["starts_when_full"] is True
    ben.post(f"/games/{game['id']}/seats", {"code": game["code"]})
    started = cleo.post(f"/games/{game['id']}/seats", {"code": game["code"]}).json
    assert started["status"] == "running"
    path = f"/games/{game['id']}/seats/2"
    refused = ben.request("DELETE", path)
    assert (refused.status_code, refused.json["type"]) == (409, "game-not-open")
    assert "to_bot=true" in refused.json["detail"]
    left = ben.request("DELETE", path, query_string={"to_bot": "true"})
    assert left.status_code == 200
    seat = ada.get(f"/games/{game['id']}").json["seats"][1]
    assert (seat["bot"], seat["level"], seat["offered"]) == ("constable", "fair", True)
    (event,) = [each for each in ada.get(f"/games/{game['id']}/events").json["events"] if each["kind"] == "resigned"]
    assert event["data"]["had_to_go"] is True
    assert cleo.request("DELETE", f"/games/{game['id']}/seats/2").status_code == 403
    table.tick()
    (mail,) = [each for each in table.post.of(cleo.address) if "had to go" in str(each["Subject"])]
    assert game["code"] in mail.get_content()
