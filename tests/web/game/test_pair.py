"""Two guests in one browser, such as two children on one phone, where the host of a game allows it."""

import re

import pytest
from werkzeug.test import TestResponse

from tests.table import Person, Table
from tests.web.game.test_invitation import names_at, opened, sits_down
from tests.web.game.test_links_from_hosts import link_for
from tests.web.game.test_page import Browser, choices

SEATS = [{"role": "mr_x"}, {"role": "detective"}, {"role": "detective"}, {"role": "detective"}]


@pytest.fixture
def ada(table: Table) -> Person:
    return table.people(1)[0]


def second_sits_down(browser: Browser, game: dict[str, str], name: str) -> TestResponse:
    once = re.findall(r'name="once" value="(\w+)"', browser.get(game["join"]).text)
    return browser.post(game["join"], {"name": name, "second": "yes", "once": once[0] if once else "none"})


def pair_at(table: Table, host: Person, **more: object) -> tuple[dict[str, str], Browser]:
    """Return a game of Ada's with Anna and Ben, who play in one browser, and that browser."""
    game = opened(host, SEATS, guests={"pairs": True}, **more)
    browser = sits_down(table, game, "Anna")
    assert second_sits_down(browser, game, "Ben").status_code == 303
    return game, browser


def started(table: Table, host: Person) -> tuple[str, Browser]:
    """Return the path of the same game as it begins, with Cleo on the last seat, and Mr. X's first move made."""
    game, browser = pair_at(table, host)
    sits_down(table, game, "Cleo")
    path = f"/games/{game['id']}"
    assert host.post(f"{path}/start").status_code == 200
    host_page = Browser(table, host)
    assert (
        host_page.post(f"{path}/moves", {"turn": "1", "move": choices(host_page.get(path).text)[0]}).status_code == 303
    )
    return path, browser


def whose(page: str) -> str:
    return re.findall(r"Playing now:.*?<b>(\w+)", page)[0]


def test_a_second_guest_sits_down_in_the_same_browser_where_the_host_allows_it(table: Table, ada: Person):
    game = opened(ada, SEATS)
    browser = sits_down(table, game, "Anna")
    assert "Two on one phone" not in browser.get(game["join"]).text
    refused = second_sits_down(browser, game, "Ben")
    assert (refused.status_code, "its host lets no two play in one" in refused.text) == (403, True)
    allowed = Browser(table, ada).post(f"/games/{game['id']}/guests", {"seats": "any", "stay": "P7D", "pairs": "yes"})
    assert allowed.status_code == 303
    assert "Take a second seat in this browser" in browser.get(f"/games/{game['id']}").text
    assert "Two on one phone" in browser.get(game["join"]).text
    assert second_sits_down(browser, game, "Ben").status_code == 303
    assert names_at(table, game) == ["Ada", "Anna", "Ben", None]
    assert "Two on one phone" not in browser.get(game["join"]).text, "no third"
    seats = Browser(table, ada).get(f"/games/{game['id']}").text
    assert "Anna and Ben came from the same network." in seats


def test_nobody_is_mr_x_beside_a_detective_in_one_browser(table: Table, ada: Person):
    seats = [{"role": "mr_x"}, {"role": "detective"}, {"role": "detective", "player": ada.id}]
    wanted = {
        "edition": "condensed",
        "seats": seats,
        "visibility": "private",
        "guests": {"seats": "any", "pairs": True},
    }
    games = []
    for _ in range(2):
        answer = ada.post("/games", wanted)
        games.append(answer.json | {"join": f"/join/{answer.json['code']}"})
    mr_x = sits_down(table, games[0], "Xaver", role="mr_x")
    assert "Two on one phone" not in mr_x.get(games[0]["join"]).text
    refused = second_sits_down(mr_x, games[0], "Ben")
    assert (refused.status_code, "Mr. X needs a browser of his own" in refused.text) == (403, True)
    assert names_at(table, games[0]) == ["Xaver", None, "Ada"], "and no guest is left over"
    # Nor does one of a pair become Mr. X, who leaves the seat and comes again.
    game, browser = pair_at(table, ada)
    browser.post(f"/games/{game['id']}/leave?at_seat=2")
    assert names_at(table, game) == ["Ada", None, "Ben", None]
    Browser(table, ada).post(f"/games/{game['id']}/guests", {"seats": "any", "stay": "P7D", "pairs": "yes"})
    Browser(table, ada).post(f"/games/{game['id']}/leave")
    refused = browser.post(game["join"], {"role": "mr_x"})
    assert (refused.status_code, names_at(table, game)) == (403, [None, None, "Ben", None])


def test_two_play_in_one_browser_only_where_seats_stay_as_they_were_chosen(table: Table, ada: Person):
    form = {"edition": "condensed", "seats": SEATS, "seating": "lot"}
    refused = ada.post("/games", form | {"guests": {"pairs": True}})
    assert (refused.status_code, "keeps the seat that they chose" in refused.text) == (422, True)
    drawn = ada.post("/games", form).json
    host = Browser(table, ada)
    assert 'name="pairs"' not in host.get(f"/games/{drawn['id']}").text
    answer = host.post(f"/games/{drawn['id']}/guests", {"seats": "detectives", "stay": "P7D", "pairs": "yes"})
    assert (answer.status_code, "keeps the seat that they chose" in answer.text) == (422, True)


def test_both_move_on_one_page_which_goes_on_to_who_is_to_move(table: Table, ada: Person):
    path, browser = started(table, ada)
    moved = []
    for _ in range(2):
        page = browser.get(path).text
        assert "It is your turn" in page
        moved.append(whose(page))
        action = re.findall(r'action="([^"]+/moves[^"]*)"', page)[0]
        turn = re.findall(r'name="turn" value="(\d+)"', page)[0]
        answer = browser.post(action, {"turn": turn, "move": choices(page)[0]})
        assert (answer.status_code, answer.headers["Location"]) == (303, path), answer.text
    assert sorted(moved) == ["Anna", "Ben"]
    made = [event["data"] for event in ada.get(f"{path}/events").json["events"] if event["kind"] == "moved"]
    assert [move["by"] for move in made] == ["player"] * 3
    assert "It is your turn" not in browser.get(path).text
    for number, name in ((2, "Anna"), (3, "Ben")):
        assert whose(browser.get(f"{path}?at_seat={number}").text) == name


def test_each_of_a_pair_speaks_for_the_own_seat(table: Table, ada: Person):
    path, browser = started(table, ada)
    page = browser.get(f"{path}?at_seat=3").text
    talk = re.findall(r'action="([^"]+/talk[^"]*)"', page)[0]
    assert browser.post(talk.replace("&amp;", "&"), {"to": "all", "text": "Ben here", "after": "0"}).status_code == 303
    messages = ada.get(f"{path}/messages").json["messages"]
    assert [(said["from"]["seat"], said["text"]) for said in messages] == [(3, "Ben here")]
    strange = browser.get(f"{path}?at_seat=1")
    assert (strange.status_code, whose(strange.text)) == (200, "Anna"), "no seat of others is open to them"


def test_a_pair_that_lost_its_cookies_comes_back_by_two_links_of_the_host(table: Table, ada: Person):
    path, _ = started(table, ada)
    game, phone = {"id": path.rsplit("/", 1)[1]}, Browser(table)
    for seat in (2, 3):
        assert phone.post(link_for(table, ada, game, seat)).status_code == 303
    pages = [phone.get(f"{path}?at_seat={number}").text for number in (2, 3)]
    assert [whose(page) for page in pages] == ["Anna", "Ben"]


def test_signing_out_ends_both_sessions(table: Table, ada: Person):
    path, browser = started(table, ada)
    assert browser.post("/sign-out").status_code == 303
    assert browser.get(path).status_code in (303, 404)
    assert "Playing now" not in browser.get(path).text
