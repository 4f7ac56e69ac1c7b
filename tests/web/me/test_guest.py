"""What a guest does on pages of their own: an address, the export, and requests that cross with their deletion."""

import re
import threading
from collections.abc import Callable
from datetime import timedelta

import pytest
from sqlalchemy import select

from server.application.people import codes
from server.application.people.accounts import deletion
from server.models import Player, session
from server.vocabulary import limits
from tests.table import Table
from tests.web.game.test_page import Browser

ADDRESS = "anna@example.org"


def guest(table: Table) -> Browser:
    browser = Browser(table)
    assert browser.post("/practice", {"role": "detective"}).status_code == 303
    return browser


def test_what_others_ask_for_an_address_keeps_its_owner_from_nothing(table: Table):
    stranger, owner = guest(table), guest(table)
    asked = [
        stranger.post("/me/addresses", {"email": ADDRESS}).status_code for _ in range(limits.CODES_FOR_ADDRESS.most + 1)
    ]
    assert asked == [303] * limits.CODES_FOR_ADDRESS.most + [429]
    assert owner.post("/me/addresses", {"email": ADDRESS}).status_code == 303
    table.tick()
    assert len(table.post.of(ADDRESS)) == limits.CODES_FOR_ADDRESS.most + 1


def test_where_many_ask_for_one_address_whoever_asks_first_waits_ten_minutes_at_most(table: Table):
    for _ in range(limits.CODES_OF_PLAYERS.most // 2):
        stranger = guest(table)
        for _ in range(2):
            assert stranger.post("/me/addresses", {"email": ADDRESS}).status_code == 303
    owner = guest(table)
    refused = owner.post("/me/addresses", {"email": ADDRESS})
    assert (refused.status_code, "ask again in ten minutes" in refused.text) == (429, True)
    table.clock.turn(minutes=codes.REST / timedelta(minutes=1))
    assert stranger.post("/me/addresses", {"email": ADDRESS}).status_code == 429
    assert owner.post("/me/addresses", {"email": ADDRESS}).status_code == 303


def test_a_guest_without_a_name_is_called_so_in_the_language_in_which_they_came_and_may_choose_one(table: Table):
    for language, called in (("en", "Guest"), ("de", "Gast")):
        browser = Browser(table)
        browser.client.environ_base["HTTP_ACCEPT_LANGUAGE"] = language
        assert browser.post("/practice", {"role": "detective"}).status_code == 303
        assert re.search(rf"\b{called} \d{{4}}\b", browser.get("/me").text)
        browser.post("/language", {"language": "en"})
        assert 'name="name"' in browser.get("/").text, "they have not chosen one yet"


def test_a_guest_has_no_address_in_the_export(table: Table):
    answer = guest(table).get("/me/export")
    assert answer.json is not None
    assert (answer.json["player"]["email"], answer.json["addresses"]) == (None, [])
    assert "guest.invalid" not in answer.text


@pytest.fixture
def deleted_meanwhile(table: Table) -> Callable[[], None]:
    """Deletes all guests once more requests are under way: the next one is found signed in, and acts for nobody."""
    waits: list[bool] = []

    def delete_all() -> None:
        with table.app.app_context():
            for player in session.scalars(select(Player).where(Player.network.is_not(None))).all():
                deletion.delete_account(player.id, player.name)

    def meanwhile() -> None:
        if waits:
            waits.clear()
            other = threading.Thread(target=delete_all)
            other.start()
            other.join()

    table.app.before_request_funcs["pages"].append(meanwhile)
    return lambda: waits.append(True)


@pytest.mark.parametrize(
    ("path", "form"),
    [
        ("/practice", {"role": "detective"}),
        ("/me/name", {"name": "Bert"}),
        ("/me/zone", {"zone": "Europe/London"}),
        ("/me/addresses", {"email": ADDRESS}),
        ("/me/addresses/confirm", {"code": "123456"}),
        ("/me/delete", {"name": "Guest 1234"}),
        ("/me/device", {}),
        ("/join/{code}", {"name": "Anna"}),
    ],
)
def test_a_form_that_crosses_with_the_deletion_of_its_guest_leads_to_signing_in(
    table: Table, deleted_meanwhile: Callable[[], None], path: str, form: dict[str, str]
):
    host = table.people(1)[0]
    seats = [{"role": "mr_x", "player": host.id}, {"role": "detective"}]
    game = host.post("/games", {"edition": "condensed", "seats": seats}).json
    browser = guest(table)
    deleted_meanwhile()
    answer = browser.post(path.format(code=game["code"]), form)
    assert answer.status_code == 303, answer.text
    assert "undone=form" in answer.headers["Location"]
    assert host.get(f"/games/{game['id']}").json["seats"][1]["state"] == "open"


def test_a_form_without_its_key_acts_as_often_as_it_is_sent(table: Table):
    browser = guest(table)
    for _ in range(2):
        assert browser.post("/practice", {"role": "detective"}).status_code == 303
    assert browser.get("/me").text.count('href="/games/') >= 3
