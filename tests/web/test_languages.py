"""In which language a page is: the player's, that of the switch at its foot, or the browser's."""

import re

import pytest

from server.engine import Board
from server.models import Player, session
from server.vocabulary.resources import docs
from server.vocabulary.translation import current, gettext, speaking
from tests import pseudo
from tests.rows import for_each
from tests.scenes import hunt
from tests.table import Person, Playing, Table
from tests.web.game.test_page import BROWSER, HERE, Browser
from tests.web.test_signing_in import ask

GERMAN = {"Accept-Language": "de-AT,de;q=0.9,en;q=0.5"}


ASKED = (
    ("de", "de"), ("de-AT,de;q=0.9,en;q=0.5", "de"), ("en-GB,de;q=0.8", "en"), ("fr, es;q=0.7", "en"), ("", "en"),
    ("klingon", "en"), (";;q=x,,", "en"), ("de," * 1000, "en"), ("fr,de;q=0.2", "de"),
)  # fmt: skip


@for_each("asked, language", ASKED)
def test_a_page_is_in_the_language_that_the_browser_asks_for(table: Table, asked: str, language: str):
    page = table.client.get("/sign-in", headers=BROWSER | {"Accept-Language": asked})
    assert page.headers["Content-Language"] == language


@for_each("path", ["/", "/docs", "/tour", "/how-to-play/ravensburger-2000", "/imprint", "/no"])
def test_so_is_every_other_page_and_a_cache_is_told_of_it(table: Table, path: str):
    page = table.client.get(path, headers=BROWSER | GERMAN)
    assert page.headers["Content-Language"] == "de"
    assert "Accept-Language" in page.headers["Vary"]


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/api/v1/rules", "/style.css", "/operator"])
def test_what_is_no_page_for_players_does_not_depend_on_it(table: Table, path: str):
    english, german = (table.client.get(path, headers=headers) for headers in ({}, GERMAN))
    assert english.data == german.data
    assert german.headers.get("Content-Language") in (None, "en")


def test_the_switch_of_somebody_unknown_is_kept_by_the_browser_alone(table: Table):
    browser = Browser(table)
    form = re.search(r'<form method="post" action="(/language[^"]*)">.*?</form>', browser.get("/docs").text)
    assert form is not None
    assert 'value="de" lang="de">Deutsch</button>' in form[0]
    answer = browser.post(form[1], {"language": "de"})
    assert (answer.status_code, answer.headers["Location"]) == (303, "/docs")
    for path in ("/docs", "/", "/sign-in", "/how-to-play/ravensburger-2000"):
        page = browser.get(path)
        assert page.headers["Content-Language"] == "de", path
        assert 'value="en" lang="en">English</button>' in page.text, path
    browser.post("/language", {"language": "en"})
    assert browser.get("/").headers["Content-Language"] == "en"


def test_the_switch_of_a_player_is_their_preference_and_holds_wherever_they_are(table: Table):
    (ada,) = table.people(1)
    browser = Browser(table, ada)
    assert browser.post("/language?next=/me/settings", {"language": "de"}).headers["Location"] == "/me/settings"
    assert ada.get("/me/preferences").json["language"] == "de"
    elsewhere = Browser(table, ada)
    assert elsewhere.get("/me").headers["Content-Language"] == "de"
    assert elsewhere.get("/docs").headers["Content-Language"] == "de"
    assert "deutsch" not in ada.get("/me").text.lower()
    ada.request("PATCH", "/me/preferences", json={"language": "en"})
    assert (browser.get("/me").headers["Content-Language"], browser.get("/docs").headers["Content-Language"]) == (
        "en", "en",
    )  # fmt: skip


def test_a_language_that_there_is_not_is_refused_with_the_list_and_nothing_is_changed(table: Table):
    (ada,) = table.people(1)
    browser, listed = Browser(table, ada), "hoose en (English) or de (Deutsch)."
    for path in ("/language", "/me/settings"):
        for wrong in ("klingon", "DE" * 1000):
            answer = browser.post(path, {"language": wrong})
            assert (answer.status_code, listed in answer.text) == (422, True), path
    assert browser.post("/language").status_code == 422
    refused = ada.request("PATCH", "/me/preferences", json={"language": "klingon"})
    assert (refused.status_code, "en, de" in refused.text) == (422, True)
    assert ada.get("/me/preferences").json["language"] == "en"


def test_the_switch_leads_to_pages_of_here_alone_and_a_form_of_another_site_does_nothing(table: Table):
    browser = Browser(table)
    for then in ("https://evil.example/", "//evil.example", "/\\evil"):
        answer = browser.post(f"/language?next={then}", {"language": "de"})
        assert answer.headers["Location"] == "/me", then
    assert browser.client.post("/language", data={"language": "de"}, headers=BROWSER).status_code == 403
    assert browser.get("/language").headers["Location"] == "/"


def test_a_guest_and_somebody_who_signs_up_get_the_language_of_the_page(table: Table):
    Browser(table).post("/practice", **HERE, **GERMAN)
    code = ask(table, Browser(table), "gwen@example.org")
    Browser(table).post(f"/sign-in/code/{code}", {"name": "Gwen"}, **HERE, **GERMAN)
    with table.app.app_context():
        assert [player.language for player in session.query(Player)] == ["de", "de"]
        session.remove()


def test_the_picture_of_the_first_page_is_in_the_language_of_its_reader_and_kept_for_good(table: Table):
    for asked, said in (("en", "Mr. X was seen at"), ("de", "Mr. X wurde bei Zug")):
        page = table.client.get("/", headers=BROWSER | {"Accept-Language": asked}).text
        (address,) = re.findall(r'src="(/example\.svg[^"#]*)', page)
        answer = table.client.get(address)
        assert (answer.status_code, said in answer.text) == (200, True), asked
        assert "immutable" in answer.headers["Cache-Control"]
    assert "Mr. X was seen at" in table.client.get("/example.svg").text


def test_the_board_to_print_is_in_the_language_of_its_reader(table: Table):
    english, german = (table.client.get("/maps/london.pdf", headers=headers) for headers in ({}, GERMAN))
    assert english.data == (docs() / "maps" / "london.pdf").read_bytes()
    assert german.data == (docs() / "maps" / "london-de.pdf").read_bytes()
    assert table.client.get("/maps/paris.pdf", headers=BROWSER | GERMAN).headers["Content-Language"] == "de"
    guide = table.client.get("/docs/how-to-play", headers=BROWSER | GERMAN).text
    assert all(f'href="/maps/{name}.pdf"' in guide for name in Board.names())


def test_privacy_is_told_in_the_language_of_its_reader_and_else_in_english_as_english(table: Table):
    german = table.client.get("/privacy", headers=BROWSER | GERMAN).text
    assert "bis das Konto gelöscht wird" in german
    assert '<article lang="en">' not in german
    with pseudo.offered():
        other = table.client.get("/privacy", headers=BROWSER | {"Accept-Language": pseudo.CODE}).text
    assert '<article lang="en">' in other


def test_german_is_over_with_the_request(table: Table):
    table.client.get("/", headers=BROWSER | GERMAN)
    assert current() == "en"
    game: Playing = hunt(table)
    ben: Person = game.people[1]
    ben.request("PATCH", "/me/preferences", json={"language": "de"})
    page = Browser(table, ben).get(f"/games/{game.id}")
    assert page.headers["Content-Language"] == "de"
    (title,) = re.findall("<title>(.*?): ", page.text)
    with speaking("de"):
        assert title == gettext("Your move"), "by which the script of the tab knows that it is their turn"
    assert current() == "en"
    assert ben.get(game.path, headers=GERMAN).json == ben.get(game.path).json


def test_the_index_of_guides_says_which_of_them_are_in_english_to_readers_of_another_language(table: Table):
    english, german = (table.client.get("/docs", headers=BROWSER | headers).text for headers in ({}, GERMAN))
    assert re.search(r'href="/docs/deadlines">[^<]*</a> <small lang="de">\(auf Englisch\)</small>', german)
    assert re.search(r'href="/docs/mail">[^<]*</a></dt>', german)
    assert "(in English)" not in english


def test_a_day_is_written_as_in_the_language_of_its_reader(table: Table):
    (ada,) = table.people(1)
    browser = Browser(table, ada)
    english = browser.get("/me/account").text
    browser.post("/language", {"language": "de"})
    german = browser.get("/me/account").text
    assert re.findall(r"last used on (\S+?)<", english) == ["2026-11-22"]
    assert re.findall(r"zuletzt benutzt am (\S+?)<", german) == ["22.11.2026"]
