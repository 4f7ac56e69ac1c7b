"""How to play: the rules of every edition and of a game, told as the engine plays them, with pictures of the board."""

import re

import pytest

from server.engine import USUAL, Edition
from server.wording.glossary import GLOSSARY
from server.wording.rules import rules
from tests import pseudo
from tests.table import Table
from tests.web.game.test_page import Browser


def text_of(page: str) -> str:
    return re.sub(r"\s+", " ", re.sub("<[^>]*>", "", page)).replace("&#39;", "'")


def test_the_page_of_an_edition_tells_all_its_rules(table: Table):
    for name in Edition.names():
        answer = Browser(table).get(f"/how-to-play/{name}")
        assert answer.status_code == 200, name
        for rule in rules(Edition.named(name)):
            assert rule.text in text_of(answer.text), name
        for word, meaning in GLOSSARY:
            assert f"{word}{meaning}" in text_of(answer.text), name
        assert len(answer.data) < 60_000, name


def test_the_pictures_show_what_the_words_below_them_say(table: Table):
    page = Browser(table).get(f"/how-to-play/{USUAL}").text
    moves, seen, ferry = (part.partition("</figure>")[0] for part in page.split('<figure class="cutting">')[1:])
    assert "by bus to 23, 52, 65, 82 or 102" in moves
    assert (
        moves.count('class="reach"') == 10
    )  # four by taxi, five by bus, and 13; the other underground stops lie outside
    assert "so he is on 1, 34, 58 or 78" in seen
    assert re.search(r'class="place" d="([^"]+)"', seen)[1].count("M") == 4  # type: ignore[index]
    assert "It calls at 108, 115, 157 and 194." in ferry


def test_a_game_has_the_rules_that_its_host_has_chosen(table: Table):
    game = table.game(table.people(3), options={"surfacing": [5], "voluntary_surfacing": True})
    page = text_of(Browser(table).get(f"/games/{game.id}/rules").text)
    assert "On move 5 of the log Mr. X shows his station." in page
    assert "takes one ticket of his choice from each detective" in page
    assert f'href="/games/{game.id}/rules"' in Browser(table).get(f"/games/{game.id}").text


@pytest.mark.parametrize(("name", "is_told"), [(USUAL, True), ("ravensburger-2013", False)])
def test_mr_x_gets_the_tickets_of_detectives_only_where_his_are_counted(table: Table, name: str, is_told: bool):
    assert ("one of your taxi tickets goes to Mr. X" in Browser(table).get(f"/how-to-play/{name}").text) is is_told


def test_the_board_can_be_printed(table: Table):
    answer = Browser(table).get("/maps/london-milton-bradley.pdf")
    assert (answer.mimetype, answer.data[:5]) == ("application/pdf", b"%PDF-")
    with pseudo.offered():
        elsewhere = table.client.get("/maps/london.pdf", headers={"Accept-Language": pseudo.CODE})
    assert (elsewhere.status_code, elsewhere.data[:5]) == (200, b"%PDF-")


def test_what_there_is_not_is_missing(table: Table):
    for path in ("/how-to-play/chess", "/maps/paris.pdf", "/games/aaaaaaaaaaaaaaaa/rules"):
        assert Browser(table).get(path).status_code == 404, path


def test_the_first_page_and_a_new_game_lead_there(table: Table):
    (ada,) = table.people(1)
    assert Browser(table).get("/how-to-play").headers["Location"] == f"/how-to-play/{USUAL}"
    for browser, path in ((Browser(table), "/"), (Browser(table, ada), "/games")):
        assert 'href="/how-to-play"' in browser.get(path).text
