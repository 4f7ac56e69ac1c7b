"""The buttons of a held move on the page of the game, which nobody else sees."""

import re

import pytest

from tests.scenes import hunt, text_of
from tests.table import Playing, Table
from tests.web.game.test_page import Browser, choices

MOVE = "purple taxi 115"


@pytest.fixture
def held(public_table: Table) -> Playing:
    """A hunt in which Ben has mailed a move that waits."""
    game = hunt(public_table)
    ben = game.people[1]
    ben.request("PATCH", "/me/preferences", json={"hold": "always"})
    ben.reply("taxi 115")
    game.table.tick()
    return game


def history(game: Playing) -> list[str]:
    made: list[str] = game.view()["history"][1:]
    return made


def test_the_page_of_the_game_shows_it_to_its_player_alone_with_two_buttons(held: Playing):
    ben, cleo = held.people[1:3]
    page = Browser(held.table, ben).get(f"/games/{held.id}").text
    assert f"{MOVE} waits until 18:15 in London" in page
    assert page.count('name="do"') == 2
    assert "waits until" not in Browser(held.table, cleo).get(f"/games/{held.id}").text
    name = re.findall(r'name="hold" value="(\w+)"', page)[0]
    assert Browser(held.table, cleo).post(f"/games/{held.id}/held", {"hold": name, "do": "play"}).status_code == 422
    assert Browser(held.table, ben).post(f"/games/{held.id}/held", {"hold": name, "do": "perhaps"}).status_code == 422
    assert history(held) == []
    assert Browser(held.table, ben).post(f"/games/{held.id}/held", {"hold": name, "do": "play"}).status_code == 303
    assert history(held) == [MOVE]


def test_a_move_by_the_page_waits_for_who_wishes_that_of_all_moves(held: Playing):
    cleo = held.people[2]
    cleo.request("PATCH", "/me/preferences", json={"hold": "always"})
    browser = Browser(held.table, cleo)
    page = browser.get(f"/games/{held.id}").text
    turn = re.findall(r'name="turn" value="([^"]+)"', page)[0]
    answer = browser.post(f"/games/{held.id}/moves", {"turn": turn, "move": choices(page)[0]})
    assert answer.status_code == 303
    assert held.view(cleo)["ahead"] == []
    assert f"{choices(page)[0]} waits until 18:15" in browser.get(f"/games/{held.id}").text
    cleo.reply("NO")
    held.table.tick()
    assert "Not set" in text_of(cleo.mails[-1])
    assert "waits until" not in browser.get(f"/games/{held.id}").text


def test_where_the_time_is_too_short_a_move_by_the_page_is_played_at_once(public_table: Table):
    game = public_table.game(public_table.people(3), clock={"mr_x": "PT15M", "detectives": "PT15M"})
    ada = game.people[0]
    ada.request("PATCH", "/me/preferences", json={"hold": "always"})
    browser = Browser(public_table, ada)
    page = browser.get(f"/games/{game.id}").text
    browser.post(f"/games/{game.id}/moves", {"turn": "1", "move": choices(page)[0]})
    assert game.view()["turn"] == 2
