"""The form of an invitation: whom it finds again, which names it takes, and why somebody may take no seat."""

import re
from dataclasses import replace

import pytest

from server.application.people import names
from server.application.people.accounts import guests
from server.models import FormerHolder, Player, session, transaction
from server.vocabulary import limits
from server.web.new_game import cards
from tests.rows import for_each
from tests.table import Person, Table
from tests.web.game.test_invitation import names_at, opened, sits_down
from tests.web.game.test_links_from_hosts import against_bot, link_for
from tests.web.game.test_page import Browser

OF_FORM = "blackticket_trial"


@pytest.fixture
def ada(table: Table) -> Person:
    return table.people(1)[0]


def once_in(browser: Browser, path: str) -> str:
    return re.findall(r'name="once" value="(\w+)"', browser.get(path).text)[0]


def twin_of(table: Table, browser: Browser) -> Browser:
    """Return the same browser as it was before anybody was signed in."""
    twin, cookie = Browser(table), browser.client.get_cookie(OF_FORM)
    assert cookie is not None
    twin.client.set_cookie(OF_FORM, cookie.value)
    return twin


def players(table: Table) -> int:
    with table.app.app_context():
        return session.query(Player).count()


def test_a_form_sent_twice_takes_one_seat(table: Table, ada: Person):
    game = opened(ada)
    browser = Browser(table)
    form = {"name": "ADA", "once": once_in(browser, game["join"])}
    assert players(table) == 1, "to look makes nobody"
    for each in (twin_of(table, browser), twin_of(table, browser)):  # as by a double click: nobody is signed in yet
        assert each.post(game["join"], form).status_code == 303
        assert "ADA 2, guest, you" in each.get(f"/games/{game['id']}").text
    assert names_at(table, game) == ["Ada", "ADA 2", None]


def test_another_browser_with_the_hidden_field_is_somebody_else(table: Table, ada: Person):
    game = opened(ada)
    browser = Browser(table)
    once = once_in(browser, game["join"])
    assert browser.post(game["join"], {"name": "Anna", "once": once}).status_code == 303
    other = Browser(table)
    other.get(game["join"])
    assert other.post(game["join"], {"name": "Eve", "once": once}).status_code == 303
    assert names_at(table, game) == ["Ada", "Anna", "Eve"]


@for_each("once", ["0", "", "_", "x_y_z", "é_é_é", "5f_0_0"])
def test_words_of_the_sender_s_own_find_nobody(table: Table, once: str):
    host = table.person(f"Host{table.count()}")
    game = opened(host)
    for name in ("Anna", "Eve"):
        other = Browser(table)
        other.get(game["join"])
        assert other.post(game["join"], {"name": f"{name}{table.count()}", "once": once}).status_code == 303
    assert None not in names_at(table, game)


def test_the_form_of_another_game_finds_nobody(table: Table, ada: Person):
    game, other = opened(ada), opened(ada)
    browser = Browser(table)
    form = {"name": "Anna", "once": once_in(browser, game["join"])}
    assert browser.post(game["join"], form).status_code == 303
    assert twin_of(table, browser).post(other["join"], form).status_code == 303
    assert names_at(table, other) == ["Ada", "Anna 2", None]


@pytest.mark.parametrize("end", ["time", "sign-out", "host's link"])
def test_a_form_finds_the_guest_for_minutes_until_they_sign_out_or_get_a_link_from_the_host(
    table: Table, ada: Person, end: str
):
    game = against_bot(ada)
    browser = Browser(table)
    form = {"name": "Anna", "once": once_in(browser, game["join"])}
    twin = twin_of(table, browser)
    assert browser.post(game["join"], form).status_code == 303
    if end == "time":
        table.clock.turn(minutes=16)
    elif end == "sign-out":
        browser.post("/sign-out")
    else:
        assert Browser(table, ada).post(f"/games/{game['id']}/start").status_code == 303
        assert Browser(table).post(link_for(table, ada, game, 2)).status_code == 303
    answer = twin.post(game["join"], form)
    assert answer.status_code in (403, 409)
    assert twin.client.get_cookie("blackticket") is None


def test_who_sends_the_form_again_keeps_the_name(table: Table, ada: Person):
    game, other = opened(ada), opened(ada)
    wanda = sits_down(table, game, "Wanda")
    assert wanda.post(game["join"], {"name": "Wanda"}).status_code == 303
    assert wanda.post(game["join"], {"name": "Xenia"}).headers["Location"] == f"/games/{game['id']}"
    assert wanda.post(other["join"], {"name": "Wanda"}).status_code == 303
    assert names_at(table, game) == names_at(table, other) == ["Ada", "Wanda", None]


def test_why_there_is_no_seat_is_said_as_it_is(tmp_path_factory: pytest.TempPathFactory, table: Table, ada: Person):
    game = opened(ada, seats=[{"role": "detective"}, {"role": "mr_x"}])
    page = Browser(table).get(game["join"]).text
    assert "seat is open, and he needs a mail address in this game" in page
    assert "The host of this game wants" not in page
    closed = Table(tmp_path_factory.mktemp("no_guests"), guests="no")
    path = opened(closed.person("Ada"))["join"]
    for answer in (Browser(closed).get(path), Browser(closed).post(path, {"name": "Anna"})):
        assert "This server has no guests" in answer.text
        assert "The host of this game wants" not in answer.text


def test_those_who_practise_never_keep_a_friend_of_their_network_from_a_seat(table: Table, ada: Person):
    with table.app.app_context(), transaction():
        for _ in range(limits.GUESTS.most):
            guests.begin("127.0.0.0/24", "Firefox")
    refused = Browser(table).post("/practice")
    assert (refused.status_code, "or come back in 15 minutes." in refused.text) == (409, True)
    game = opened(ada)
    anna = sits_down(table, game, "Anna")
    assert names_at(table, game) == ["Ada", "Anna", None]
    assert anna.post(f"/games/{game['id']}/leave").status_code == 303
    sits_down(table, game, "Ben")  # although Anna has a place with those who practise
    assert names_at(table, game) == ["Ada", "Ben", None]


def test_where_a_network_has_enough_guests_at_tables_the_button_that_works_is_to_sign_in(
    table: Table, ada: Person, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(guests, "GUESTS", replace(limits.GUESTS, most=1))
    game = opened(ada)
    browser = sits_down(table, game, "Anna")
    refused = Browser(table).post(game["join"], {"name": "Ben"})
    assert (refused.status_code, "too many guests from your network" in refused.text) == (409, True)
    assert "or come back when one of their games has ended." in refused.text
    assert re.findall(r'class="[^"]*\bmain\b[^"]*"[^>]*>([^<]+)<', refused.text) == ["Sign in"]
    assert "The host of this game wants" not in refused.text
    assert browser.post(f"/games/{game['id']}/leave").status_code == 303
    sits_down(table, game, "Ben")  # who has left takes no room
    assert names_at(table, game) == ["Ada", "Ben", None]


def test_a_game_that_is_closed_gives_the_places_of_its_guests_back(
    table: Table, ada: Person, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(guests, "GUESTS", replace(limits.GUESTS, most=1))
    closed, game = opened(ada), opened(ada)
    sits_down(table, closed, "Anna")
    assert "too many guests" in Browser(table).post(game["join"], {"name": "Ben"}).text
    assert Browser(table, ada).post(f"/games/{closed['id']}/close").status_code == 303
    sits_down(table, game, "Ben")
    assert names_at(table, game) == ["Ada", "Ben", None]


def test_where_mr_x_is_drawn_all_friends_of_the_host_can_sit_down_and_the_pages_say_who_may_be_he(table: Table):
    for seating, rules in (("rotation", None), ("lot", None), ("rotation", {"guests": "detectives"})):
        host = table.person(f"Host{table.count()}")
        form = {**cards.CARDS["club"].fields, "seating": seating} | (rules or {})
        browser = Browser(table, host)
        path = browser.post("/games", form).headers["Location"]
        assert "Everybody who gets this link from you can take a seat:" in browser.get(path).text
        game = host.get(path).json
        link = {"id": game["id"], "join": f"/join/{game['code']}"}
        for number in range(2, len(game["seats"]) + 1):
            sits_down(table, link, f"Friend {game['id'][:4]} {number}")
        assert None not in names_at(table, link)
        said = "A guest becomes Mr. X only if nobody with a mail address plays."
        assert [said in page.get(where).text for page, where in ((browser, path), (Browser(table), link["join"]))] == [
            rules is not None
        ] * 2


@for_each("name", ["Red", "purple", "BOT", "Guest", "Gast", "Detective", "detectives", "Lila", "grün", "Spieler"])
def test_nobody_new_is_called_as_a_pawn_or_a_role(table: Table, name: str):
    game = opened(table.person(f"Host{table.count()}"))
    answer = Browser(table).post(game["join"], {"name": name})
    assert answer.status_code == 409, answer.text
    assert "is what the game calls a pawn or a role; choose another name." in answer.text
    with table.app.app_context():
        assert names.free_like(name) == "Guest 2"


@for_each("name", ["The Host", "der Server", "Betreiber", "Gastgeber", "ein früherer Spieler"])
def test_nobody_new_is_called_as_the_server_or_its_people_in_any_language(table: Table, name: str):
    answer = Browser(table).post(opened(table.person(f"Host{table.count()}"))["join"], {"name": name})
    assert (answer.status_code, "could be taken for Mr. X or for this server" in answer.text) == (409, True)


def test_a_guest_keeps_a_name_that_nobody_may_take_any_more(table: Table, ada: Person):
    anna = sits_down(table, opened(ada), "Anna")
    with table.app.app_context(), transaction():
        session.query(Player).filter_by(name="Anna").update({"name": "Lila"})
    game = opened(ada)
    assert anna.post(game["join"], {"name": "Lila"}).status_code == 303
    assert names_at(table, game) == ["Ada", "Lila", None]


def test_a_guest_who_lost_the_cookie_reads_whom_to_ask(table: Table, ada: Person):
    game = opened(ada, seats=[{"role": "mr_x"}, {"role": "detective"}], seating="lot")
    sits_down(table, game, "Anna")
    assert "The seats are drawn when the game starts." in Browser(table).get(game["join"]).text
    assert Browser(table, ada).post(f"/games/{game['id']}/start").status_code == 303
    asks = "Did you play here? Ask the host for a new link."
    page = Browser(table).get(game["join"]).text
    assert asks in page
    assert "The seats are drawn" not in page
    hidden, missing = (Browser(table).get(f"/games/{each}") for each in (game["id"], "nothing"))
    assert "Ask the host for a new link." in hidden.text
    assert hidden.text.replace(game["id"], "nothing") == missing.text, "it tells nothing of the game"


def test_a_former_mr_x_does_not_see_the_game_as_a_new_guest(table: Table):
    game = table.game(table.people(3))
    with table.app.app_context(), transaction():
        session.add(FormerHolder(game_id=game.id, player_id=game.people[2].id, role="mr_x"))
    browser = Browser(table)
    assert browser.get(f"/games/{game.id}").status_code == 404
    assert browser.post("/practice", {"role": "detective"}).status_code == 303
    assert browser.get(f"/games/{game.id}").status_code == 404
    assert Browser(table, table.person("Zoe")).get(f"/games/{game.id}").status_code == 200


def test_a_guest_s_seat_in_a_game_that_runs_is_not_said_to_be_deleted(table: Table, ada: Person):
    game = opened(ada, seats=[{"role": "mr_x"}, {"role": "detective"}])
    anna = sits_down(table, game, "Anna")
    assert "stays yours until its end" not in anna.get("/me").text
    assert Browser(table, ada).post(f"/games/{game['id']}/start").status_code == 303
    for path in ("/me", "/me/addresses"):
        page = anna.get(path).text
        assert "Your seat in a game that runs stays yours until its end" in page
        assert "Your games are deleted when" not in page


def test_a_guest_reads_that_messages_come_by_no_mail(table: Table, ada: Person):
    game = opened(ada)
    page = sits_down(table, game, "Anna").get(f"/games/{game['id']}").text
    assert "You get no mail about messages" in page
    assert "Messages of others are mailed to you." not in page


def test_a_script_of_a_page_reads_a_page_of_a_refusal(table: Table, ada: Person):
    browser = Browser(table, ada)
    for headers, form in (
        ({"Sec-Fetch-Site": "same-origin"}, "name=a&name=b"),
        ({"Sec-Fetch-Site": "cross-site"}, "name=a"),
    ):
        sent = headers | {"Accept": "*/*"}
        kind = "application/x-www-form-urlencoded"
        answer = browser.client.post("/me/name", data=form, content_type=kind, headers=sent)
        assert (answer.status_code in (403, 422), answer.mimetype) == (True, "text/html")


def test_a_message_that_is_too_long_is_refused_with_its_length_and_stays_in_the_field(table: Table, ada: Person):
    game = opened(ada)
    guest = sits_down(table, game, "Anna")
    text = "x" * 10_000
    answer = guest.post(f"/games/{game['id']}/talk", {"to": "all", "text": text})
    assert (answer.status_code, "this one has 10,000." in answer.text, text in answer.text) == (422, True, True)
    assert "maxlength" not in re.findall("<textarea[^>]*>", answer.text)[0], "a browser would cut it without a word"
    assert guest.post(f"/games/{game['id']}/talk", {"to": "all", "text": "one\ntwo"}).status_code == 303
    page = guest.get(f"/games/{game['id']}").text
    assert '<ol class="talk" tabindex="0" aria-label="Messages">' in page
    assert re.search(r'<time datetime="[^"]+">[^<]+</time></small><br><span class="message">one\ntwo</span>', page)
