"""The pages by which people report to the operator: a page only shows, and a form reports."""

import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from server.application.lobby import seats
from server.application.people.accounts import abuse_reports
from server.models import AbuseReport, Game, Player, session
from tests.scenes import hunt
from tests.table import Playing, Table
from tests.web.game.test_page import Browser

SITE = "https://play.example.org"
JO = "jo@else.example"


@pytest.fixture
def hunted(table: Table) -> Playing:
    return hunt(table)


def reports(table: Table) -> list[dict[str, Any]]:
    with table.app.app_context():
        return abuse_reports.open_reports()


def test_a_message_and_a_name_are_reported_from_the_page_of_the_game(hunted: Playing):
    table, ben, cleo = hunted.table, hunted.people[1], hunted.people[2]
    ben.post(f"{hunted.path}/messages", {"to": "all", "text": "you <b>fool</b>"})
    browser, path = Browser(table, cleo), f"/games/{hunted.id}/report"
    assert f'href="{path}"' in browser.get(f"/games/{hunted.id}").text
    page = browser.get(path).text
    assert "you <b>fool</b>" in unescape(page)
    assert "<b>fool" not in page
    offered = re.findall(r'name="what" value="([^"]+)"', page)
    assert {"name-1", "name-2", "message-1"} <= set(offered)
    assert reports(table) == [], "a page only shows"
    for what in ("message-1", "name-2"):
        answer = browser.post(path, {"what": what})
        assert "has your report" in browser.get(answer.headers["Location"]).text
    assert [(report["kind"], report["about"]) for report in reports(table)] == [("message", "Ben"), ("name", "Ben")]


@pytest.mark.parametrize("what", ["", "message", "message-", "message-99", "name-x", "name-99", "invitation", "game-1"])
def test_what_cannot_be_reported_is_refused_on_the_page(hunted: Playing, what: str):
    answer = Browser(hunted.table, hunted.people[1]).post(f"/games/{hunted.id}/report", {"what": what})
    assert (answer.status_code, 'role="alert"' in answer.text) == (422, True)
    assert reports(hunted.table) == []


def test_the_page_says_what_the_operator_reads_of_a_message_to_the_team(hunted: Playing):
    table, (mr_x, ben, cleo) = hunted.table, hunted.people[:3]
    ben.post(f"{hunted.path}/messages", {"to": "team", "text": "he is on 101"})
    path = f"/games/{hunted.id}/report"
    assert "only when the result of the game is final" in Browser(table, cleo).get(path).text
    told = Browser(table, mr_x).get(path).text
    assert "101" not in told
    assert "to the team" not in told


def test_a_stranger_reports_nothing_of_a_private_game(table: Table):
    ada, ben = table.people(2)
    game = ada.post("/games", {"edition": "condensed", "players": 3, "visibility": "private"}).json["id"]
    for answer in (Browser(table, ben).get(f"/games/{game}/report"), Browser(table, ben).post(f"/games/{game}/report")):
        assert answer.status_code == 404
    assert Browser(table).get(f"/games/{game}/report").status_code == 303


def invite(table: Table, who: dict[str, str]) -> str:
    """Ada's game, to which somebody is invited."""
    seats = [{"role": "mr_x"}, {"role": "detective", **who}, {"role": "detective"}]
    made = table.person("Ada").post("/games", {"edition": "condensed", "seats": seats, "visibility": "private"})
    assert made.status_code == 201, made.text
    table.tick()
    return str(made.json["id"])


def test_an_invited_player_reports_the_invitation_from_the_page_of_the_game(table: Table):
    ben = table.person("Ben")
    game = invite(table, {"player": ben.id})
    browser = Browser(table, ben)
    (path,) = re.findall(r'href="(/games/\w+/report\?what=invitation)"', browser.get(f"/games/{game}").text)
    assert 'value="invitation" checked' in browser.get(path).text
    assert browser.post(path.partition("?")[0], {"what": "invitation"}).status_code == 303
    assert [(report["kind"], report["about"]) for report in reports(table)] == [("invitation", "Ada")]


@pytest.fixture
def public(tmp_path: Path) -> Table:
    return Table(tmp_path / "var", public_url=SITE)


def link_in(table: Table) -> str:
    """The path of the page that the newest mail to Jo links to."""
    text = table.post.of(JO)[-1].get_content()
    (path,) = re.findall(rf"{SITE}(/reports/\w+)", text.replace("\n", " "))
    return str(path)


def test_somebody_without_an_account_reports_the_invitation_by_the_link_in_its_mail(public: Table):
    game = invite(public, {"invite": JO})
    browser, path = Browser(public), link_in(public)
    for _ in range(2):
        assert "Report this invitation?" in browser.get(path).text
    assert reports(public) == [], "mail programs open every link"
    for _ in range(2):
        answer = browser.post(path)
        assert "has your report" in browser.get(answer.headers["Location"]).text
    (report,) = reports(public)
    assert (report["kind"], report["about"], report["reporter"], report["game"]) == ("invitation", "Ada", None, game)
    with public.app.app_context():
        assert JO not in str([row.__dict__ for row in session.query(AbuseReport)])


def test_the_invitation_of_somebody_without_an_account_names_imprint_and_privacy(public: Table):
    invite(public, {"invite": JO})
    text = public.post.of(JO)[-1].get_content()
    assert f"{SITE}/imprint" in text
    assert f"{SITE}/privacy" in text


def test_without_a_public_url_an_invitation_has_no_link(table: Table):
    invite(table, {"invite": JO})
    assert "http" not in table.post.of(JO)[-1].get_content()


def test_a_link_that_was_made_up_is_not_there(public: Table):
    invite(public, {"invite": JO})
    path = link_in(public)
    for made_up in (path[:-4], path[:-1] + ("a" if path[-1] == "b" else "b"), "/reports/a"):
        for answer in (Browser(public).get(made_up), Browser(public).post(made_up)):
            assert answer.status_code == 404
    assert reports(public) == []


def test_a_link_works_when_the_invitation_is_withdrawn(public: Table):
    game = invite(public, {"invite": JO})
    path = link_in(public)
    with public.app.app_context():
        of_game = {seat.number: seat for seat in session.get_one(Game, game).seats}
        seats.leave(game, session.get_one(Player, session.get_one(Game, game).host_id), 2)
        assert of_game[2].invited_id is None
    assert Browser(public).post(path).status_code == 303
    assert [(report["game"], report["about"]) for report in reports(public)] == [(game, "Ada")]
