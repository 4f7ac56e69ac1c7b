"""The preview of a link to a game: for public games alone, and of what a stranger sees."""

import re
from pathlib import Path

import pytest

from server.models import FormerHolder, Game, session, transaction
from tests.scenes import hunt
from tests.table import Playing, Table
from tests.web.game.test_page import Browser

SITE = "https://play.example.org"


@pytest.fixture
def linked(tmp_path: Path) -> Playing:
    return hunt(Table(tmp_path, public_url=SITE, sandbox="1"))


def tags(page: str) -> dict[str, str]:
    return dict(re.findall(r'<meta property="og:([\w:]+)" content="([^"]*)">', page))


def test_a_public_game_has_a_preview_of_what_a_stranger_sees(linked: Playing):
    found = tags(Browser(linked.table).get(f"/games/{linked.id}").text)
    assert found["title"].startswith("Foggy Thames")
    assert "Mr. X was seen at 111 on move 8, then took black." in found["description"]
    anywhere = "He is on 79, 100, 110, 112, 124 or 163."  # all that everybody can work out, of which 100 is right
    assert anywhere in found["description"]
    assert anywhere in found["image:alt"]
    assert found["url"] == f"{SITE}/games/{linked.id}"
    answer = linked.table.client.get(found["image"].removeprefix(SITE))
    assert (answer.mimetype, answer.data[:4]) == ("image/png", b"\x89PNG")
    assert len(answer.data) < 120_000


def test_the_picture_of_a_preview_is_the_same_for_everybody(linked: Playing):
    drawn = {Browser(linked.table, who).get(f"/games/{linked.id}/preview.png").data for who in (None, *linked.people)}
    assert len(drawn) == 1


def test_the_page_of_a_player_has_no_preview(linked: Playing):
    assert tags(Browser(linked.table, linked.people[0]).get(f"/games/{linked.id}").text) == {}


def test_a_private_game_has_no_preview_and_no_picture_for_one(linked: Playing):
    with linked.table.app.app_context(), transaction():
        session.get_one(Game, linked.id).visibility = "private"
    path = f"/games/{linked.id}"
    page = Browser(linked.table, linked.people[1]).get(path)
    assert (page.status_code, tags(page.text)) == (200, {})
    for who in (None, linked.people[1]):
        assert Browser(linked.table, who).get(f"{path}/preview.png").status_code == 404


def test_a_game_with_a_former_mr_x_has_no_preview(linked: Playing):
    zoe = linked.table.person("Zoe")
    with linked.table.app.app_context(), transaction():
        session.add(FormerHolder(game_id=linked.id, player_id=zoe.id, role="mr_x"))
    assert Browser(linked.table).get(f"/games/{linked.id}/preview.png").status_code == 404


def test_a_server_that_does_not_know_its_address_gives_none(table: Table):
    game = hunt(table)
    found = tags(Browser(table).get(f"/games/{game.id}").text)
    assert {"url", "image"} & found.keys() == set()
    assert found["title"]


def test_a_game_that_has_not_begun_has_a_preview_without_a_picture(tmp_path: Path):
    table = Table(tmp_path, public_url=SITE)
    ada = table.people(1)[0]
    form = {"edition": "condensed", "players": "2", "seat": "mr_x", "others": "open", "visibility": "public"}
    path = Browser(table, ada).post("/games", form).headers["Location"]
    found = tags(Browser(table).get(path).text)
    assert found["description"] == "A game of Scotland Yard that waits for its players."
    assert "image" not in found
    assert Browser(table).get(f"{path}/preview.png").status_code == 404
