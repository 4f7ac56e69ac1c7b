"""A form that makes something has one effect, however often it is sent."""

import re
import threading

import pytest

from tests.table import Person, Table
from tests.web.game.test_page import Browser
from tests.web.new_game.test_form import USUAL


def key_in(page: str) -> str:
    return re.findall(r'name="once" value="(\w+)"', page)[0]


def number_of_games(person: Person) -> int:
    return len(person.get("/games?mine=true").json["games"])


def test_a_form_sent_twice_opens_one_game_and_leads_to_it_each_time(table: Table):
    (ada,) = table.people(1)
    browser = Browser(table, ada)
    form = USUAL | {"once": key_in(browser.get("/games").text)}
    first, second = (browser.post("/games", form) for _ in range(2))
    assert (first.status_code, first.headers["Location"]) == (second.status_code, second.headers["Location"])
    assert number_of_games(ada) == 1


def test_the_same_form_sent_five_times_at_the_same_moment_opens_one_game(table: Table):
    (ada,) = table.people(1)
    form = USUAL | {"others": "bots", "once": key_in(Browser(table, ada).get("/games").text)}
    browsers = [Browser(table, ada) for _ in range(5)]
    led: list[str] = []
    start = threading.Barrier(len(browsers))

    def send(browser: Browser) -> None:
        start.wait()
        led.append(browser.post("/games", form).headers["Location"])

    threads = [threading.Thread(target=send, args=(browser,)) for browser in browsers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(led), len(set(led)), number_of_games(ada)) == (5, 1, 1)


def test_a_form_that_was_shown_anew_or_changed_opens_another_game(table: Table):
    (ada,) = table.people(1)
    browser = Browser(table, ada)
    form = USUAL | {"once": key_in(browser.get("/games").text)}
    for sent in (form, form | {"players": "2"}, form | {"once": key_in(browser.get("/games").text)}):
        assert browser.post("/games", sent).status_code == 303
    assert number_of_games(ada) == 3


def test_a_form_that_was_refused_can_be_sent_again(table: Table):
    (ada,) = table.people(1)
    browser = Browser(table, ada)
    form = USUAL | {"once": key_in(browser.get("/games").text), "who_2": "Ben"}
    assert browser.post("/games", form).status_code == 422
    ben = table.person("Ben")
    open_to_both = browser.post("/games", USUAL | {"visibility": "public"}).headers["Location"]
    assert Browser(table, ben).post(f"{open_to_both}/seats").status_code == 303
    assert browser.post("/games", form).status_code == 303


def test_two_players_with_one_key_have_a_game_each(table: Table):
    for person in table.people(2):
        assert Browser(table, person).post("/games", USUAL | {"once": "same"}).status_code == 303
        assert number_of_games(person) == 1


@pytest.mark.parametrize("page", ["/", "/me"])
def test_practice_asked_for_twice_is_one_game(table: Table, page: str):
    (ada,) = table.people(1)
    browser = Browser(table, ada)
    form = {"role": "detective", "once": key_in(browser.get(page).text)}
    first, second = (browser.post("/practice", form).headers["Location"] for _ in range(2))
    assert first == second
    assert number_of_games(ada) == 1
    assert browser.post("/practice", form | {"role": "mr_x"}).headers["Location"] != first


def test_a_guest_who_asks_twice_for_practice_has_one_game(table: Table):
    browser = Browser(table)
    assert browser.post("/practice", {"role": "mr_x"}).status_code == 303
    form = {"role": "mr_x", "once": key_in(browser.get("/me").text)}
    first, second = (browser.post("/practice", form).headers["Location"] for _ in range(2))
    assert first == second
