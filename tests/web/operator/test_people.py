"""The operator's page about people: reports, closing a game, removing a guest or a name, blocking a network."""

import re
from html import unescape

import pytest

from server.application.game.look import standing_of
from server.application.operator import operators
from server.application.people import blocked_networks
from server.application.people.accounts import abuse_reports, renaming
from server.models import AbuseReport, Game, Outgoing, Player, session
from server.vocabulary.errors import Problem
from server.web.operator import people
from tests.scenes import hunt
from tests.table import Person, Playing, Table
from tests.web.game.test_page import Browser
from tests.web.operator.test_pages import operator

PATH = "/operator/people"
SURE = {"sure": "yes"}
FORMS = (f"{PATH}/reports/aaaa", f"{PATH}/games", f"{PATH}/names", f"{PATH}/guests", f"{PATH}/networks",
         f"{PATH}/networks/end")  # fmt: skip


@pytest.fixture
def hunted(table: Table) -> Playing:
    return hunt(table)


@pytest.fixture
def operating(hunted: Playing) -> Browser:
    """The browser of an operator who does not play."""
    return operator(hunted.table, hunted.table.person("Zoe"))


def report(game: Playing, reporter: Person, seat: int) -> str:
    with game.table.app.app_context():
        abuse_reports.report_name(game.id, session.get_one(Player, reporter.id), seat)
        return str(abuse_reports.open_reports()[-1]["id"])


def test_the_page_and_its_forms_are_missing_for_everybody_else(hunted: Playing):
    table = hunted.table
    for browser in (Browser(table), Browser(table, hunted.people[1])):
        assert browser.get(PATH).status_code == 404
        assert {browser.post(path, SURE).status_code for path in FORMS} == {404}


def test_a_form_of_another_site_does_nothing(hunted: Playing, operating: Browser):
    elsewhere = {"Sec-Fetch-Site": "cross-site"}
    assert {operating.post(path, SURE, **elsewhere).status_code for path in FORMS} == {403}


def test_a_report_is_listed_until_it_is_settled(hunted: Playing, operating: Browser):
    report_id = report(hunted, hunted.people[2], 2)
    page = unescape(operating.get(PATH).text)
    assert "Cleo reports the name <b>Ben</b>" in page
    assert f"{PATH}?game={hunted.id}#close" in page
    assert operating.post(f"{PATH}/reports/{report_id}").status_code == 303
    assert "reports the name" not in operating.get(PATH).text
    assert operating.post(f"{PATH}/reports/{report_id}").status_code == 404
    with hunted.table.app.app_context():
        assert session.query(AbuseReport).one().settled_at is not None


def test_a_report_keeps_the_name_that_was_reported(hunted: Playing, operating: Browser):
    ben = hunted.people[1]
    report(hunted, hunted.people[2], 2)
    assert ben.request("PATCH", "/me", json={"name": "Good Soul"}).status_code == 200
    assert "the name <b>Ben</b> (called <b>Good Soul</b> now)" in unescape(operating.get(PATH).text)


def test_the_page_says_what_each_form_has_done():
    forms_of_page = {endpoint for _, endpoint, _, methods in people.ROUTES if "POST" in methods}
    assert set(people.DONE) == forms_of_page


def test_what_cannot_be_undone_needs_a_tick(hunted: Playing, operating: Browser):
    ben = hunted.people[1]
    for path, form in (
        (f"{PATH}/games", {"game": hunted.id, "reason": "abuse"}),
        (f"{PATH}/names", {"player": ben.id}),
        (f"{PATH}/guests", {"player": ben.id}),
        (f"{PATH}/networks", {"network": "203.0.113.0/24", "length": "P1D"}),
    ):
        answer = operating.post(path, form)
        assert (answer.status_code, "Tick the box" in answer.text) == (422, True)
        assert all(f'value="{value}"' in answer.text for value in form.values()), "what was typed is kept"
    assert hunted.view()["status"] == "running"
    with hunted.table.app.app_context():
        assert session.get_one(Player, ben.id).name == "Ben"
        assert blocked_networks.blocked() == []


def test_a_running_game_is_closed_without_a_winner_and_everybody_hears_why(hunted: Playing, operating: Browser):
    answer = operating.post(f"{PATH}/games", SURE | {"game": hunted.id, "reason": "somebody was insulted"})
    assert answer.status_code == 303
    assert "The game is closed" in operating.get(answer.headers["Location"]).text
    assert (hunted.view()["status"], hunted.view()["outcome"]["winner"]) == ("over", "draw")
    hunted.table.tick()
    for person in hunted.people:
        assert "somebody was insulted" in person.mails[-1].get_content()
        assert "REMATCH" not in person.mails[-1].get_content(), "nobody thanks for it"


def test_a_game_that_has_not_begun_is_closed_and_its_people_hear_why(table: Table):
    ada, ben, zoe = table.persons("Ada", "Ben", "Zoe")
    seats = [{"role": "mr_x", "player": ada.id}, {"role": "detective", "player": ben.id}, {"role": "detective"}]
    game = ada.post("/games", {"edition": "condensed", "seats": seats}).json["id"]
    form = SURE | {"game": game, "reason": "the name of the game"}
    assert operator(table, zoe).post(f"{PATH}/games", form).status_code == 303
    table.tick()
    with table.app.app_context():
        closed = session.get_one(Game, game)
        assert (closed.status, closed.final, any(seat.is_reserved for seat in standing_of(closed).seats)) == (
            "over",
            True,
            False,
        )
    for person in (ada, ben):
        assert "the name of the game" in person.mails[-1].get_content()
        assert "The operator of this server has closed" in person.mails[-1].get_content()
    assert ben.post(f"/games/{game}/seats").status_code in (404, 409)


def test_a_name_is_taken_away_and_its_player_hears_of_it(hunted: Playing, operating: Browser):
    ben = hunted.people[1]
    assert operating.post(f"{PATH}/names", SURE | {"player": ben.address}).status_code == 303
    name = ben.get("/me").json["name"]
    assert name.startswith("Player ")
    hunted.table.tick()
    told = " ".join(ben.mails[-1].get_content().split())
    assert f'taken the name "Ben" away from you. You are called "{name}" now' in told
    assert "Ben" not in str(hunted.people[2].get(hunted.path).json)


def test_a_guest_whose_name_is_taken_away_gets_no_mail_and_who_has_gone_no_name(hunted: Playing, operating: Browser):
    table = hunted.table
    Browser(table).post("/practice", {"role": "detective"})
    with table.app.app_context():
        guest = session.query(Player).filter(Player.network.is_not(None)).one().id
    assert operating.post(f"{PATH}/names", SURE | {"player": guest}).status_code == 303
    gone = table.person("Hal")
    assert gone.request("DELETE", "/me", json={"name": "Hal"}).status_code == 204
    with table.app.app_context():
        assert session.query(Outgoing).filter(Outgoing.kind == "renamed").count() == 0
        assert session.get_one(Player, guest).name.startswith("Player ")
        former = session.get_one(Player, gone.id).name
        with pytest.raises(Problem, match="deleted their account"):
            operators.take_name(gone.id)
        assert session.get_one(Player, gone.id).name == former


def test_a_name_that_was_taken_away_is_refused_to_its_player_from_then_on(hunted: Playing, operating: Browser):
    table, ben = hunted.table, hunted.people[1]
    for _ in range(2):  # a double click
        operating.post(f"{PATH}/names", SURE | {"player": ben.id})
    table.tick()
    assert sum("name" in mail["Subject"] for mail in ben.mails[1:]) == 1
    for name in ("Ben", "BEN", "B\u0435n"):
        refused = ben.request("PATCH", "/me", json={"name": name})
        assert (refused.status_code, refused.json["type"][-10:]) == (409, "name-taken")
        assert "The operator has taken the name" in refused.json["detail"]
    assert "The operator has taken the name" in Browser(table, ben).post("/me/name", {"name": "Ben"}).text
    table.tick()
    ben.reply("SET name Ben", to=ben.mails[0])
    table.tick()
    assert "The operator has taken the name" in " ".join(ben.mails[-1].get_content().split())
    assert ben.request("PATCH", "/me", json={"name": "Benedict"}).status_code == 200
    with table.app.app_context():
        renaming.rename(ben.id, "Ben", by_operator=True)
    assert ben.request("PATCH", "/me", json={"name": "Benedict"}).status_code == 200
    assert ben.request("PATCH", "/me", json={"name": "Ben"}).status_code == 200, "the operator has given it back"


def test_a_guest_is_removed_with_their_games_and_nobody_else_is(hunted: Playing, operating: Browser):
    table, ben = hunted.table, hunted.people[1]
    Browser(table).post("/practice", {"role": "detective"})
    with table.app.app_context():
        guest = session.query(Player).filter(Player.network.is_not(None)).one().id
    assert operating.post(f"{PATH}/guests", SURE | {"player": guest}).status_code == 303
    refused = operating.post(f"{PATH}/guests", SURE | {"player": ben.id})
    assert (refused.status_code, "Ben is no guest" in refused.text) == (422, True)
    with table.app.app_context():
        assert session.get(Player, guest) is None
        assert session.query(Game).count() == 1


def test_a_network_is_blocked_and_let_in_again(hunted: Playing, operating: Browser):
    table = hunted.table
    form = SURE | {"network": "203.0.113.0/24", "length": "P30D"}
    assert operating.post(f"{PATH}/networks", form).status_code == 303
    assert "203.0.113.0/24" in operating.get(PATH).text
    at = {"REMOTE_ADDR": "203.0.113.5"}
    refused = table.client.get("/", environ_base=at, headers={"Accept": "text/html"})
    assert (refused.status_code, re.findall(r'<a [^>]*href="([^"]+)"', refused.text)) == (403, ["/imprint", "/privacy"])
    assert operating.post(f"{PATH}/networks/end", {"network": "203.0.113.0/24"}).status_code == 303
    assert table.client.get("/", environ_base=at).status_code == 200


def test_an_operator_does_not_shut_themselves_out(hunted: Playing, operating: Browser):
    at = {"REMOTE_ADDR": "203.0.113.5"}
    answer = operating.client.post(
        f"{PATH}/networks", data=SURE | {"network": "203.0.113.0/24", "length": "P1D"}, environ_base=at,
        headers={"Accept": "text/html", "Sec-Fetch-Site": "same-origin"},
    )  # fmt: skip
    assert (answer.status_code, "shut yourself out" in answer.text) == (422, True)


def test_the_page_shows_nothing_of_what_a_team_says_while_the_game_runs(hunted: Playing, operating: Browser):
    table, ben, cleo = hunted.table, hunted.people[1], hunted.people[2]
    ben.post(f"{hunted.path}/messages", {"to": "team", "text": "he is on 101, you fool"})
    with table.app.app_context():
        abuse_reports.report_message(hunted.id, session.get_one(Player, cleo.id), 1)
    page = operating.get(PATH).text
    assert "You can read it when the result of the game is final" in page
    assert "101" not in page
    assert "fool" not in page
