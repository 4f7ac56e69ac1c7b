"""The page of an invitation, and guests at a table of people."""

import re
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select
from werkzeug.test import TestResponse

from server import worker
from server.application.lobby.seats import substitute
from server.application.people.accounts import guests
from server.models import Game, Player, Seat, session
from tests.table import Person, Table
from tests.web.game.test_page import Browser

OPEN = [{"role": "mr_x"}, {"role": "detective"}, {"role": "detective"}]


@pytest.fixture
def ada(table: Table) -> Person:
    return table.people(1)[0]


def opened(host: Person, seats: Sequence[Any] = OPEN, **more: Any) -> dict[str, Any]:
    """Open a game; its host is Mr. X."""
    mr_x, *others = seats
    seats = [mr_x | {"player": host.id}, *others]
    answer = host.post("/games", {"edition": "condensed", "seats": seats, "visibility": "private", **more})
    assert answer.status_code == 201, answer.text
    return answer.json | {"join": f"/join/{answer.json['code']}"}


def sits_down(table: Table, game: dict[str, Any], name: str, **form: str) -> Browser:
    browser = Browser(table)
    once = re.findall(r'name="once" value="(\w+)"', browser.get(game["join"]).text)[0]
    answer = browser.post(game["join"], {"name": name, "once": once, **form})
    assert (answer.status_code, answer.headers.get("Location")) == (303, f"/games/{game['id']}"), answer.text
    return browser


def names_at(table: Table, game: dict[str, Any]) -> list[str | None]:
    with table.app.app_context():
        query = select(Player.name).select_from(Seat).outerjoin(Player, Player.id == Seat.player_id)
        return list(session.scalars(query.where(Seat.game_id == game["id"]).order_by(Seat.number)))


def test_a_stranger_with_the_link_sees_who_invites_to_what_and_sits_down_with_a_name(table: Table, ada: Person):
    game = opened(ada, options={"max_rounds": 20})
    answer = Browser(table).get(game["join"])
    page = answer.text
    assert (answer.status_code, answer.headers["X-Robots-Tag"]) == (200, "noindex")
    assert "Ada invites you to a game of Scotland Yard" in page
    assert "Condensed" in page
    assert "Mr. X wins when nobody has caught him in 20 rounds" in page
    assert page.count("<input name=") == 1
    assert re.findall(r"/boards/([\w-]+)\.svg", page) == ["london", "london-stations"]
    assert game["name"] not in re.findall("<title>(.*?)</title>", page)[0]
    assert names_at(table, game) == ["Ada", None, None], "to look takes nothing"
    browser = sits_down(table, game, "Anna")
    assert names_at(table, game) == ["Ada", "Anna", None]
    assert "Anna, guest" in Browser(table, ada).get(f"/games/{game['id']}").text
    assert "Anna, guest, you" in browser.get(f"/games/{game['id']}").text


def test_a_whole_game_begins_with_guests_and_each_of_them_moves(table: Table, ada: Person):
    game = opened(ada)
    browsers = [sits_down(table, game, name) for name in ("Anna", "Ben")]
    assert Browser(table, ada).post(f"/games/{game['id']}/start").status_code == 303
    browsers.insert(0, Browser(table, ada))
    for browser in browsers:
        page = browser.get(f"/games/{game['id']}").text
        moves = re.findall(r'name="move" value="([^"]+)"', page)
        turn = re.findall(r'name="turn" value="(\d+)"', page)
        while moves and "It is your turn" in page:
            answer = browser.post(f"/games/{game['id']}/moves", {"turn": turn[0], "move": moves[0]})
            assert answer.status_code == 303
            page = browser.get(f"/games/{game['id']}").text
            moves, turn = (re.findall(rf'name="{name}" value="([^"]+)"', page) for name in ("move", "turn"))
    assert ada.get(f"/games/{game['id']}").json["round"] == 2
    table.tick()
    assert {letter.recipient for letter in table.post.sent} == {ada.address}, "guests get no mail"


def test_guests_take_only_the_seats_that_the_host_gives_them(table: Table, ada: Person):
    nobody = opened(ada, guests={"seats": "none"})
    page = Browser(table).get(nobody["join"]).text
    assert "The host of this game wants players with a mail address." in page
    assert 'name="name"' not in page
    answer = Browser(table).post(nobody["join"], {"name": "Anna"})
    assert (answer.status_code, "sign in to take a seat" in answer.text) == (403, True)
    hunters = opened(ada, seats=[{"role": "mr_x"}, {"role": "detective"}])
    assert Browser(table).post(hunters["join"], {"name": "Ben", "role": "mr_x"}).status_code in (403, 409)
    public = opened(ada, visibility="public")
    assert "wants players with a mail address" in Browser(table).get(public["join"]).text
    Browser(table, ada).post(f"/games/{public['id']}/guests", {"seats": "detectives", "stay": "P1D"})
    guest = sits_down(table, public, "Cleo")
    said = guest.post(f"/games/{public['id']}/talk", {"to": "all", "text": "Hello"})
    assert (said.status_code, "guests only read" in said.text) == (403, True)


def test_nobody_chooses_a_role_where_seats_are_drawn(table: Table, ada: Person):
    seats = [{"role": "mr_x"}, {"role": "detective", "player": ada.id}, {"role": "detective"}]
    for seating, is_asked in (("chosen", True), ("lot", False), ("rotation", False)):
        body = {"edition": "condensed", "seats": seats, "guests": {"seats": "any"}, "seating": seating}
        game = ada.post("/games", body).json
        page = Browser(table).get(f"/join/{game['code']}").text
        assert ("Play as" in page) == is_asked, seating
        assert ("The seats are drawn when the game starts." in page) == (seating == "lot")


def test_mr_x_is_a_guest_only_where_the_host_allows_it(table: Table, ada: Person):
    seats = [{"role": "mr_x"}, {"role": "detective", "player": ada.id}]
    for rules, status in (({}, 403), ({"seats": "any"}, 303)):
        answer = ada.post("/games", {"edition": "condensed", "seats": seats, "visibility": "private", "guests": rules})
        path = f"/join/{answer.json['code']}"
        assert Browser(table).post(path, {"name": "Xaver", "role": "mr_x"}).status_code == status


def test_a_guest_of_one_browser_has_one_seat_in_a_game_and_keeps_the_name_in_others(table: Table, ada: Person):
    first, second = opened(ada), opened(ada)
    browser = sits_down(table, first, "Anna")
    assert "You have a seat in this game." in browser.get(first["join"]).text
    assert browser.post(first["join"]).status_code == 303
    assert names_at(table, first) == ["Ada", "Anna", None]
    assert 'name="name"' not in browser.get(second["join"]).text
    assert browser.post(second["join"]).status_code == 303
    assert names_at(table, second) == ["Ada", "Anna", None]


def test_who_practised_first_gives_a_name_when_they_sit_down(table: Table, ada: Person):
    game = opened(ada)
    browser = Browser(table)
    browser.post("/practice", {"role": "detective"})
    assert browser.post(game["join"], {"name": "Anna"}).status_code == 303
    assert names_at(table, game) == ["Ada", "Anna", None]


@pytest.mark.parametrize("name", ["", "   ", "A" * 41, "<b>\n</b>", "\N{RIGHT-TO-LEFT OVERRIDE}"])
def test_a_name_that_is_none_leaves_the_page_with_the_reason_at_the_field(table: Table, ada: Person, name: str):
    game = opened(ada)
    answer = Browser(table).post(game["join"], {"name": name})
    assert (answer.status_code, 'id="wrong-name"' in answer.text) == (422, True)
    assert names_at(table, game) == ["Ada", None, None]
    with table.app.app_context():
        assert session.query(Player).count() == 1, "nobody was added"


def test_the_link_of_a_game_that_is_full_begun_or_over_says_so(table: Table, ada: Person):
    game = opened(ada, seats=[{"role": "mr_x"}, {"role": "detective"}])
    sits_down(table, game, "Anna")
    assert "No seat of this game is free any more." in Browser(table).get(game["join"]).text
    assert Browser(table).post(game["join"], {"name": "Zoe"}).status_code == 409
    Browser(table, ada).post(f"/games/{game['id']}/start")
    page = Browser(table).get(game["join"]).text
    assert "This game has begun, and no seat of it is free." in page
    assert f"/games/{game['id']}" not in page, "the game is private"
    Browser(table, ada).post(f"/games/{game['id']}/resign", {"sure": "yes"})
    ada.post(f"/games/{game['id']}/resign", {})
    assert "This game is over." in Browser(table).get(game["join"]).text
    mistyped = Browser(table).get("/join/nothing")
    assert (mistyped.status_code, "ask the host for it again" in mistyped.text) == (404, True)
    assert "If it is one of your games" not in mistyped.text


def test_the_host_alone_sees_that_two_guests_came_from_one_network_and_takes_a_seat_back(table: Table, ada: Person):
    game = opened(ada)
    anna, _ = (sits_down(table, game, name) for name in ("Anna", "Ben"))
    told = "Anna and Ben came from the same network."
    assert Browser(table, ada).get(f"/games/{game['id']}").text.count(told) == 1
    assert told not in anna.get(f"/games/{game['id']}").text
    assert Browser(table, ada).post(f"/games/{game['id']}/seats/2/clear").status_code == 303
    assert names_at(table, game) == ["Ada", None, "Ben"]
    assert anna.get(f"/games/{game['id']}").status_code == 404


def test_a_guest_who_stays_away_loses_an_open_seat_and_keeps_one_of_a_running_game(table: Table, ada: Person):
    waiting = opened(ada, guests={"stay": "P3D"})
    running = opened(ada, seats=[{"role": "mr_x"}, {"role": "detective"}], clock={"kind": "none"})
    sits_down(table, waiting, "Anna")
    sits_down(table, running, "Ben")
    assert Browser(table, ada).post(f"/games/{running['id']}/start").status_code == 303
    for days, name in ((2, "Anna"), (2, None)):
        table.clock.turn(days=days)
        with table.app.app_context():
            worker.tidy_up()
        assert names_at(table, waiting) == ["Ada", name, None]
    table.clock.turn(days=guests.IDLE.days + 1)
    with table.app.app_context():
        worker.tidy_up()
    assert names_at(table, running) == ["Ada", "Ben"]
    table.tick()
    assert any("The guest on the seat of" in mail.get_content() for mail in table.post.of(ada.address))
    with table.app.app_context():
        assert session.scalars(select(Player.name).order_by(Player.name)).all() == ["Ada", "Ben"], "Anna is forgotten"


def test_when_the_result_is_final_a_guest_who_stays_away_becomes_nameless(table: Table, ada: Person):
    game = opened(ada, seats=[{"role": "mr_x"}, {"role": "detective"}], clock={"kind": "none", "provisional": "PT0S"})
    sits_down(table, game, "Ben").post("/practice", {"role": "detective"})
    assert Browser(table, ada).post(f"/games/{game['id']}/start").status_code == 303
    ada.post(f"/games/{game['id']}/resign", {})
    table.tick()
    table.clock.turn(days=guests.IDLE.days + 2)
    table.tick()
    with table.app.app_context():
        worker.tidy_up()
        assert session.scalar(select(Game.status).where(Game.id == game["id"])) == "over"
        assert session.query(Game).count() == 1, "the practice game is gone"
    assert names_at(table, game) == ["Ada", "a former player"]


def test_a_guest_among_people_makes_no_room_for_others(table: Table, ada: Person):
    game = opened(ada)
    sits_down(table, game, "Anna")
    table.clock.turn(seconds=(guests.NEW + timedelta(minutes=1)).total_seconds())
    with table.app.app_context():
        assert not guests._with_idle()


def test_a_guest_is_the_host_of_a_private_game_where_nobody_has_an_address(table: Table, ada: Person):
    game = opened(ada)
    sits_down(table, game, "Anna")
    assert Browser(table, ada).post(f"/games/{game['id']}/leave").status_code == 303
    assert names_at(table, game) == [None, "Anna", None]
    with table.app.app_context():
        host = session.get_one(Player, session.get_one(Game, game["id"]).host_id)
        assert host.name == "Anna"


# An address for a guest ----------------------------------------------------------------------------------------------


def asked_for_address(table: Table, browser: Browser, address: str) -> tuple[str, str]:
    """Ask for an address as a guest; return the six digits and the code of the link in the mail."""
    assert browser.post("/me/addresses", {"email": address}).status_code == 303
    table.tick()
    texts = [mail.get_content() for mail in table.post.of(address)]
    text = [text for text in texts if "the digits are" in text][-1]
    return re.findall(r'the digits are "(\d{6})"', text)[0], re.findall(r"/address/(\w+)", text)[0]


@pytest.fixture
def site(tmp_path: Path) -> Table:
    """A server that knows its own address, so that mails have links."""
    return Table(tmp_path, public_url="http://localhost", min_turn="PT1S")


@pytest.fixture
def host(site: Table) -> Person:
    return site.people(1)[0]


def test_six_digits_count_in_the_browser_that_asked_and_nowhere_else(site: Table, host: Person):
    game = opened(host)
    anna, ben = (sits_down(site, game, name) for name in ("Anna", "Ben"))
    assert "Where shall we write?" in anna.get(f"/games/{game['id']}").text
    later = anna.get(f"/games/{game['id']}?later=yes")
    assert later.headers["Location"] == f"/games/{game['id']}"
    assert "Expires" not in later.headers["Set-Cookie"], "it is forgotten when the browser is closed"
    assert "Where shall we write?" not in anna.get(f"/games/{game['id']}").text
    digits, _ = asked_for_address(site, anna, "anna@example.org")
    wrong = ben.post("/me/addresses/confirm", {"code": digits})
    assert (wrong.status_code, "not in this browser" in wrong.text) == (422, True)
    answer = anna.post("/me/addresses/confirm", {"code": digits, "next": f"/games/{game['id']}"})
    assert (answer.status_code, answer.headers["Location"]) == (303, f"/games/{game['id']}")
    again = anna.post("/me/addresses/confirm", {"code": digits, "next": f"/games/{game['id']}"})
    assert (again.status_code, again.headers["Location"]) == (303, f"/games/{game['id']}"), "as by a double click"
    assert anna.post("/me/addresses/confirm", {"code": "000000"}).status_code == 422
    page = anna.get(f"/games/{game['id']}").text
    assert "Where shall we write?" not in page
    assert "Anna, you" in page
    assert names_at(site, game) == ["Ada", "Anna", "Ben"]
    assert anna.get("/me/account").text.count("last used on") == 1


def test_digits_take_five_attempts_and_the_link_still_counts_then(site: Table, host: Person):
    anna = sits_down(site, opened(host), "Anna")
    digits, code = asked_for_address(site, anna, "anna@example.org")
    for number in range(5):
        wrong = f"{(int(digits) + number + 1) % 10**6:06}"
        assert anna.post("/me/addresses/confirm", {"code": wrong}).status_code == 422
    assert anna.post("/me/addresses/confirm", {"code": digits}).status_code == 422
    other = Browser(site)
    assert "Play as Anna by anna@example.org?" in other.get(f"/address/{code}").text
    assert other.post(f"/address/{code}").status_code == 303
    assert "Your games, Anna" in other.get("/me").text
    assert Browser(site).post(f"/address/{code}").status_code == 422, "good once"


@pytest.mark.parametrize("status", ["open", "running"])
def test_if_the_address_is_a_player_s_the_seat_passes_to_that_player(site: Table, host: Person, status: str):
    zoe = site.person("Zoe")
    game = opened(host)
    anna, _ = (sits_down(site, game, name) for name in ("Anna", "Ben"))
    if status == "running":
        assert Browser(site, host).post(f"/games/{game['id']}/start").status_code == 303
    anna.post(f"/games/{game['id']}/talk", {"to": "all", "text": "Hello"})
    anna.post("/practice", {"role": "detective"})
    before = asked_for_address(site, anna, zoe.address)
    assert anna.post("/me/addresses/confirm", {"code": before[0]}).status_code == 303
    assert names_at(site, game) == ["Ada", "Zoe", "Ben"]
    assert "Zoe, you" in anna.get(f"/games/{game['id']}").text or "Your games, Zoe" in anna.get("/me").text
    assert zoe.get(f"/games/{game['id']}").json["you"]["seat"] == 2
    site.tick()
    with site.app.app_context():
        assert session.scalars(select(Player.name).order_by(Player.name)).all() == ["Ada", "Ben", "Zoe"]
        assert session.query(Game).count() == 2, "the practice game goes on"
    if status == "running":
        assert "goes on with an account" in site.post.of(host.address)[-1].get_content()


def test_a_player_with_a_seat_in_the_game_gets_no_second_one(site: Table, host: Person):
    game = opened(host)
    anna = sits_down(site, game, "Anna")
    digits, _ = asked_for_address(site, anna, host.address)
    refused = anna.post("/me/addresses/confirm", {"code": digits})
    assert (refused.status_code, "a seat in this game already" in refused.text) == (409, True)
    assert names_at(site, game) == ["Ada", "Anna", None]


def test_the_answer_and_the_mail_are_the_same_whether_the_address_is_known(site: Table, host: Person):
    anna = sits_down(site, opened(host), "Anna")
    answers, mails = [], []
    for address in (host.address, "nobody@example.org"):
        answers.append(anna.post("/me/addresses", {"email": address}).headers["Location"])
        site.tick()
        mails.append(re.sub(r"\d{6}|/address/\w+", "", site.post.of(address)[-1].get_content()))
    assert answers[0] == answers[1]
    assert mails[0] == mails[1]


# Another device ------------------------------------------------------------------------------------------------------


def test_a_guest_goes_on_in_another_browser_by_a_link_that_is_good_once(table: Table, ada: Person):
    game = opened(ada)
    anna, phone = sits_down(table, game, "Anna"), Browser(table)
    page = anna.post("/me/device").text
    link = re.findall(r"(/continue/\w+)", page)[0]
    assert "Continue as Anna in this browser?" in phone.get(link).text
    assert phone.get("/me").status_code == 303, "to look signs nobody in"
    answer = phone.post(link)
    assert (answer.status_code, answer.headers["Location"]) == (303, "/me")
    assert "Anna, guest, you" in phone.get(f"/games/{game['id']}").text
    assert Browser(table).post(link).status_code == 422
    table.clock.turn(minutes=1)
    link = re.findall(r"(/continue/\w+)", anna.post("/me/device").text)[0]
    table.clock.turn(minutes=16)
    assert Browser(table).get(link).status_code == 422


# What a guest was and heard before ------------------------------------------------------------------------------------


def gives_address(site: Table, guest: Browser, address: str) -> TestResponse:
    return guest.post("/me/addresses/confirm", {"code": asked_for_address(site, guest, address)[0]})


def test_a_game_is_closed_to_the_account_of_a_guest_who_was_mr_x_in_it(site: Table, host: Person):
    ben, zoe, leo = (site.person(name) for name in ("Ben", "Zoe", "Leo"))
    seats = [{"role": "mr_x"}, {"role": "detective", "player": host.id}, {"role": "detective"}]
    game = host.post("/games", {"edition": "condensed", "seats": seats, "guests": {"seats": "any"}}).json
    game["join"] = f"/join/{game['code']}"
    guest = sits_down(site, game, "Xaver", role="mr_x")
    ben.post(f"/games/{game['id']}/seats", {"code": game["code"]})
    assert Browser(site, host).post(f"/games/{game['id']}/start").status_code == 303
    with site.app.app_context():
        substitute(game["id"], 1, session.get_one(Player, leo.id), "a test")
    assert gives_address(site, guest, ben.address).status_code == 403, "Ben is a detective there"
    assert gives_address(site, guest, zoe.address).status_code == 303
    assert zoe.get(f"/games/{game['id']}").status_code == 404
    assert guest.get(f"/games/{game['id']}").status_code == 404


def test_who_heard_the_detectives_does_not_become_mr_x_by_a_guest_s_seat(site: Table, host: Person):
    eve = site.person("Eve")
    seats = [{"role": "mr_x"}, {"role": "detective"}, {"role": "detective", "player": host.id}]
    answer = host.post("/games", {"edition": "condensed", "seats": seats, "guests": {"seats": "any"}})
    game = answer.json | {"join": f"/join/{answer.json['code']}"}
    path = f"/games/{game['id']}"
    assert eve.post(f"{path}/seats", {"code": game["code"], "seat": 2}).status_code in (200, 201)
    host.post(f"{path}/messages", {"to": "team", "text": "Meet at 100"})
    assert eve.request("DELETE", f"{path}/seats/2").status_code in (200, 204)
    guest = sits_down(site, game, "Xaver", role="mr_x")
    assert gives_address(site, guest, eve.address).status_code == 403
    assert names_at(site, game) == ["Xaver", None, "Ada"]


def test_an_account_keeps_what_its_guest_heard(site: Table, host: Person):
    fay = site.person("Fay")
    seats = [{"role": "mr_x"}, {"role": "detective"}, {"role": "detective", "player": host.id}]
    answer = host.post("/games", {"edition": "condensed", "seats": seats})
    game = answer.json | {"join": f"/join/{answer.json['code']}"}
    path = f"/games/{game['id']}"
    host.post(f"{path}/guests", {"seats": "detectives"})
    Browser(site, host).post(f"{path}/guests", {"seats": "detectives", "stay": "P7D"})
    guest = sits_down(site, game, "Anna")
    host.post(f"{path}/messages", {"to": "team", "text": "Meet at 100"})
    assert guest.post(f"{path}/leave").status_code == 303
    assert gives_address(site, guest, fay.address).status_code == 303
    assert fay.post(f"{path}/seats", {"code": game["code"], "seat": 1}).status_code == 403


def test_a_public_game_whose_host_is_gone_and_that_has_only_guests_is_closed_and_a_private_one_is_a_guest_s(
    site: Table, host: Person
):
    rules = {"seats": [{"role": "mr_x"}, {"role": "detective"}], "guests": {"seats": "any"}}
    public, private = opened(host, **rules, visibility="public"), opened(host, **rules)
    guest, other = sits_down(site, public, "Anna"), sits_down(site, private, "Ben")
    assert host.request("DELETE", "/me", json={"name": "Ada"}).status_code == 204
    assert "This game was closed before it began." in Browser(site).get(public["join"]).text
    assert guest.get(f"/games/{public['id']}").status_code == 200
    assert "Close the game" in other.get(f"/games/{private['id']}").text


def test_the_link_of_a_mail_signs_the_browser_out_that_asked(site: Table, host: Person):
    asker, owner = sits_down(site, opened(host), "Anna"), Browser(site)
    _, code = asked_for_address(site, asker, "anna@example.org")
    assert owner.post(f"/address/{code}").status_code == 303
    assert asker.get("/me").headers["Location"].startswith("/sign-in")


@pytest.mark.parametrize("name", ["Mr. X", "Operator"])
def test_a_guest_is_not_called_as_the_server_is(table: Table, ada: Person, name: str):
    answer = Browser(table).post(opened(ada)["join"], {"name": name})
    assert (answer.status_code, "choose another name" in answer.text) == (409, True)


def test_the_page_that_signs_in_warns_a_guest_of_the_seat(site: Table, host: Person):
    guest = sits_down(site, opened(host), "Anna")
    guest.post("/sign-in", {"email": host.address})
    site.tick()
    code = re.findall(r"/sign-in/code/(\w+)", site.post.of(host.address)[-1].get_content())[0]
    assert "You play here as Anna, a guest" in guest.get(f"/sign-in/code/{code}").text


def test_who_finds_no_seat_is_led_to_another_game_and_not_to_sign_in(site: Table, host: Person):
    game = opened(host, seats=[{"role": "mr_x"}, {"role": "detective"}])
    sits_down(site, game, "Anna")
    page = Browser(site).get(game["join"]).text
    assert "No seat of this game is free any more." in page
    assert f"The game is called {game['name']}." in page
    assert re.findall(r'class="button main" href="([^"]+)"', page) == ["/"]
    assert "Do you have a seat in it?" in page
