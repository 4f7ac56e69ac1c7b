"""The operator's pages: only for players with the capability, and no secret on them."""

import re

import pytest

from server.application.operator import operators
from server.application.people.accounts import guests
from server.models import Incoming, Outgoing, session, transaction
from server.vocabulary.errors import Problem
from tests.scenes import hunt
from tests.table import Person, Playing, Table
from tests.web.game.test_page import Browser

PATHS = ("/operator", "/operator/mail", "/operator/deadlines", "/operator/settings")


def operator(table: Table, person: Person) -> Browser:
    with table.app.app_context():
        operators.change(person.id, granted=True)
    return Browser(table, person)


@pytest.fixture
def hunted(table: Table) -> Playing:
    return hunt(table)


def test_the_pages_are_missing_for_everybody_else(table: Table):
    ada, ben = table.people(2)
    operator(table, ada)
    for browser in (Browser(table), Browser(table, ben)):
        missing = browser.get("/operators")
        for path in PATHS:
            answer = browser.get(path)
            assert (answer.status_code, answer.text.replace(path, "/operators")) == (404, missing.text)
        for what in ("send", "read"):
            assert browser.post(f"/operator/mail/aaaa/{what}").status_code == 404


def test_an_operator_opens_them_until_that_is_withdrawn(table: Table):
    (ada,) = table.people(1)
    browser = operator(table, ada)
    assert [browser.get(path).status_code for path in PATHS] == [200] * 4
    assert 'href="/operator"' in browser.get("/me").text
    with table.app.app_context():
        operators.change(ada.id, granted=False)
    assert [browser.get(path).status_code for path in PATHS] == [404] * 4
    assert 'href="/operator"' not in browser.get("/me").text


def test_a_guest_cannot_be_an_operator(table: Table):
    with table.app.app_context():
        guest, _ = guests.begin("192.0.2.0/24", "Firefox")
        with pytest.raises(Problem, match="guest"):
            operators.change(guest.id, granted=True)


def test_the_mails_of_a_game_are_listed_by_their_envelopes(hunted: Playing):
    table = hunted.table
    with table.app.app_context(), transaction():
        dead = session.query(Outgoing).filter_by(kind="turn").first()
        assert dead is not None
        dead.state, dead.error = "dead", "550 no such mailbox"
    page = operator(table, hunted.people[1]).get("/operator/mail").text
    assert "550 no such mailbox" in page
    assert "turn+" not in page
    assert "Mr. X" not in page


def test_a_dead_letter_is_sent_again_by_a_button(hunted: Playing):
    table = hunted.table
    with table.app.app_context(), transaction():
        dead = session.query(Outgoing).filter_by(kind="turn").first()
        assert dead is not None
        dead.state, mail_id = "dead", dead.id
    browser = operator(table, hunted.people[1])
    answer = browser.post(f"/operator/mail/{mail_id}/send")
    assert answer.status_code == 303
    with table.app.app_context():
        assert session.get_one(Outgoing, mail_id).state == "pending"
    again = browser.post(f"/operator/mail/{mail_id}/read")
    assert (again.status_code, 'role="alert"' in again.text) == (404, True)


def test_a_mail_that_was_set_aside_is_read_again_by_a_button(hunted: Playing):
    table = hunted.table
    hunted.people[1].reply("STATUS")
    with table.app.app_context(), transaction():
        aside = session.query(Incoming).one()
        aside.state, aside.verdict, mail_id = "aside", "failed", aside.id
    browser = operator(table, hunted.people[2])
    assert f'action="/operator/mail/{mail_id}/read"' in browser.get("/operator/mail").text
    browser.post(f"/operator/mail/{mail_id}/read")
    with table.app.app_context():
        assert session.get_one(Incoming, mail_id).state == "new"


def test_what_is_scheduled_and_who_is_late_are_told(hunted: Playing):
    table = hunted.table
    table.clock.turn(hours=49)
    table.tick()
    browser = operator(table, hunted.people[1])
    assert hunted.id in browser.get("/operator/deadlines").text
    overview = browser.get("/operator").text
    assert "Players who are late" in overview
    assert "Foggy Thames" in overview


def test_no_secret_of_the_settings_is_shown(tmp_path):
    table = Table(
        tmp_path, smtp_url="smtps://user:hunter2@mail.example.org", metrics_token="m" * 40, mail_limit="5/P1D"
    )
    page = operator(table, table.person("Ada")).get("/operator/settings").text
    told = dict(re.findall(r"<code>(\w+)</code></th><td>([^<]*)</td>", page))
    assert (told["SMTP_URL"], told["METRICS_TOKEN"], told["SECRET_KEY"]) == ("set, and not shown",) * 3
    assert (told["MAIL_LIMIT"], told["DEV_MAIL"], told["IMAP_URL"]) == ("5/P1D", "no", "not set")
    assert "hunter2" not in page


@pytest.mark.parametrize("path", ["/operator", "/operator/mail"])
def test_what_is_wrong_is_said_first(table: Table, path: str):
    (ada,) = table.people(1)
    table.app.extensions["blackticket"].began = 0.0
    table.clock.turn(hours=1)
    assert ("No worker ticks" in operator(table, ada).get(path).text) is (path == "/operator")
