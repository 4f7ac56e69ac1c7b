"""The links with which a guest goes on in another browser: what ends them, and where they lead."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.table import Person, Table
from tests.web.game.test_invitation import asked_for_address, sits_down
from tests.web.game.test_links_from_hosts import against_bot, link_for
from tests.web.game.test_page import Browser


@pytest.fixture
def site(tmp_path: Path) -> Table:
    """A server that knows its own address, so that mails have links."""
    return Table(tmp_path, public_url="http://localhost", min_turn="PT1S")


@pytest.fixture
def host(site: Table) -> Person:
    return site.people(1)[0]


def own_link(browser: Browser) -> str:
    return re.findall(r"/continue/\w+", browser.post("/me/device").text)[0]


def started(table: Table, host: Person) -> tuple[dict[str, Any], Browser]:
    game = against_bot(host)
    anna = sits_down(table, game, "Anna")
    assert Browser(table, host).post(f"/games/{game['id']}/start").status_code == 303
    return game, anna


def digits(table: Table, _host: Person, _game: dict[str, Any], anna: Browser) -> None:
    code, _ = asked_for_address(table, anna, "anna@example.org")
    assert anna.post("/me/addresses/confirm", {"code": code}).status_code == 303


def digits_of_an_account(table: Table, _host: Person, _game: dict[str, Any], anna: Browser) -> None:
    code, _ = asked_for_address(table, anna, table.person("Zoe").address)
    assert anna.post("/me/addresses/confirm", {"code": code}).status_code == 303


def link_of_mail(table: Table, _host: Person, _game: dict[str, Any], anna: Browser) -> None:
    _, code = asked_for_address(table, anna, "anna@example.org")
    assert Browser(table).post(f"/address/{code}").status_code == 303


def sign_out(_table: Table, _host: Person, _game: dict[str, Any], anna: Browser) -> None:
    assert anna.post("/sign-out").status_code == 303


def sign_out_there(table: Table, _host: Person, _game: dict[str, Any], anna: Browser) -> None:
    other = Browser(table)
    assert other.post(own_link(anna)).status_code == 303
    kept = own_link(other)
    ids = re.findall(r"/me/browsers/(\w+)", anna.get("/me/account").text)
    assert len(ids) == 1
    assert anna.post(f"/me/browsers/{ids[0]}").status_code == 303
    assert Browser(table).post(kept).status_code == 422


def newer(_table: Table, _host: Person, _game: dict[str, Any], anna: Browser) -> None:
    own_link(anna)


def of_host(table: Table, host: Person, game: dict[str, Any], _anna: Browser) -> None:
    link_for(table, host, game, 2)


@pytest.mark.parametrize("end", [digits, digits_of_an_account, link_of_mail, sign_out, sign_out_there, newer, of_host])
def test_a_link_to_another_browser_ends_with(site: Table, host: Person, end: Callable[..., None]):
    game, anna = started(site, host)
    link = own_link(anna)
    assert Browser(site).get(link).status_code == 200
    end(site, host, game, anna)
    assert Browser(site).get(link).status_code == 422
    answer = Browser(site).post(link)
    assert (answer.status_code, "Set-Cookie" in answer.headers) == (422, False)


@pytest.mark.parametrize("first", ["host's", "own"])
def test_of_a_link_of_the_host_and_one_s_own_one_is_good(site: Table, host: Person, first: str):
    game, anna = started(site, host)
    links = [link_for(site, host, game, 2)] if first == "host's" else [own_link(anna)]
    links.append(own_link(anna) if first == "host's" else link_for(site, host, game, 2))
    browsers = [Browser(site), Browser(site)]
    assert [browser.post(link).status_code for browser, link in zip(browsers, links, strict=True)] == [422, 303]


def test_a_link_of_the_host_is_good_for_a_day_and_leads_to_the_game(site: Table, host: Person):
    game, anna = started(site, host)
    page = Browser(site, host).post(f"/games/{game['id']}/seats/2/link").text
    assert "It is good once, for 24 hours" in page
    assert 'class="copy' in page
    (link,) = re.findall(r"/continue/\w+", page)
    site.clock.turn(hours=23)
    phone = Browser(site)
    answer = phone.post(link)
    assert (answer.status_code, answer.headers["Location"]) == (303, f"/games/{game['id']}")
    assert "Anna, guest" in phone.get(f"/games/{game['id']}").text
    late = link_for(site, host, game, 2)
    site.clock.turn(hours=25)
    assert Browser(site).post(late).status_code == 422
    assert anna.get("/me").status_code == 303


def test_a_guest_with_an_address_is_none_in_the_api_at_once(site: Table, host: Person):
    game, anna = started(site, host)
    before = host.get(f"/games/{game['id']}")
    assert before.json["seats"][1]["guest"] is True
    digits(site, host, game, anna)
    after = host.get(f"/games/{game['id']}", headers={"If-None-Match": before.headers["ETag"]})
    assert (after.status_code, after.json["seats"][1]["guest"]) == (200, False)


def test_the_link_leads_to_the_game_from_which_its_maker_came_and_nowhere_else(table: Table):
    for then, leads_to in (("/games/abc", "/games/abc"), ("", "/me"), ("//evil.example", "/me"), ("https://x", "/me")):
        first, other = Browser(table), Browser(table)
        first.post("/practice")
        page = first.post("/me/device", {"next": then}).text
        assert "Copy the link" in page
        answer = other.post(re.findall(r"/continue/\w+", page)[0])
        assert (answer.status_code, answer.headers["Location"]) == (303, leads_to)
