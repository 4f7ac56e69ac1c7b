"""The development mailbox."""

import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from server import worker
from server.mail.transport.smtp_client import transport_for
from server.models import Incoming, session
from tests.scenes import dealing
from tests.table import Playing, Table

HERE = {"Origin": "http://localhost", "Accept": "text/html"}


@pytest.fixture
def game(tmp_path: Path) -> Playing:
    """A game whose mails lie in the Maildir that the page shows: Ben has his turn mail."""
    table = Table(tmp_path, dev_mail="yes")
    people = table.people(3)
    people[1].request("PATCH", "/me/preferences", json={"picture": "on"})
    with dealing(table, 103, 26, 29, 34, 50):
        game = table.game(people)
    game.move(people[0], "taxi 86")
    with table.app.app_context():
        worker.send_mail(transport_for(table.app.extensions["blackticket"].settings))
    return game


@pytest.fixture
def mailbox(game: Playing) -> FlaskClient:
    return game.table.client


def path_of(mailbox: FlaskClient, who: str, subject: str) -> str:
    """Return the path of the newest mail to somebody with these words in its subject."""
    listed = mailbox.get(f"/dev/mail?who={who}").text
    found = [
        (unescape(path), words) for path, words in re.findall(r'<li class="card"><a href="([^"]+)">([^<]+)', listed)
    ]
    return next(path for path, words in found if subject in words)


def form_of(page: TestResponse, **changed: str) -> dict[str, str]:
    hidden = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page.text))
    return {name: unescape(value) for name, value in hidden.items()} | changed


def received(table: Table) -> list[Any]:
    with table.app.app_context():
        found = list(session.query(Incoming).all())
        for row in found:
            _ = row.raw, row.recipient
        session.expunge_all()
    return found


def test_the_mailbox_does_not_exist_unless_it_is_asked_for(table: Table):
    for method, path in (("GET", "/dev/mail"), ("POST", "/dev/mail"), ("GET", "/dev/mail/html")):
        assert table.client.open(path, method=method).status_code == 404


def test_everybody_has_a_list_of_their_own_mails(mailbox: FlaskClient):
    assert all(f"{name}@example.org" in mailbox.get("/dev/mail").text for name in ("ada", "ben", "cleo"))
    assert "Answer above this line." in mailbox.get(path_of(mailbox, "ben@example.org", "Round")).text


def test_no_browser_keeps_what_the_mailbox_shows(mailbox: FlaskClient):
    mail = path_of(mailbox, "ben@example.org", "Round")
    for path in ("/dev/mail", mail, mail.replace("/dev/mail", "/dev/mail/html")):
        assert mailbox.get(path).headers["Cache-Control"] == "no-store"


def test_an_unknown_mail_is_not_found(mailbox: FlaskClient):
    for path in ("/dev/mail", "/dev/mail/html"):
        assert mailbox.get(f"{path}?key=../../secret_key").status_code == 404


def test_the_mailbox_is_not_shown_under_another_name(mailbox: FlaskClient):
    for path in ("/dev/mail", "/dev/mail/html"):
        assert mailbox.get(path, headers={"Host": "play.example.org"}).status_code == 404


def test_nobody_from_another_machine_sees_the_mailbox(mailbox: FlaskClient):
    for path in ("/dev/mail", "/dev/mail/html"):
        assert mailbox.get(path, environ_base={"REMOTE_ADDR": "192.0.2.7"}).status_code == 404


def test_the_html_of_a_mail_is_a_document_in_which_nothing_runs(mailbox: FlaskClient):
    path = path_of(mailbox, "ben@example.org", "Round")
    page = mailbox.get(path)
    assert "frame-src 'self'" in page.headers["Content-Security-Policy"]
    (frame,) = re.findall(r'<iframe sandbox="allow-top-navigation-by-user-activation" src="([^"]+)"', page.text)
    shown = mailbox.get(unescape(frame))
    policy = shown.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "sandbox allow-top-navigation-by-user-activation" in policy
    assert "script" not in policy
    assert not re.search(r"cid:|mailto:|<script", shown.text)
    assert "data:image/png;base64," in shown.text


def test_a_link_of_a_move_fills_the_answer_in(mailbox: FlaskClient):
    path = path_of(mailbox, "ben@example.org", "Round")
    shown = mailbox.get(path.replace("/dev/mail?", "/dev/mail/html?")).text
    links = [unescape(link) for link in re.findall(r'target="_top" href="([^"]+)"', shown)]
    assert "taxi" not in "".join(links)
    answer = mailbox.get(links[0].partition("#")[0]).text
    assert re.search(r"<textarea[^>]*>purple taxi \d+</textarea>", answer)
    assert re.search(r'name="subject"[^>]*value="Re: ', answer)
    for wrong in ("99", "x", "-1"):
        assert re.search(r"<textarea[^>]*></textarea>", mailbox.get(f"{path}&link={wrong}").text)


def test_an_answer_is_read_as_a_mail_that_came_from_outside(mailbox: FlaskClient, game: Playing):
    path = path_of(mailbox, "ben@example.org", "Round")
    form = form_of(mailbox.get(path), subject="Re: my turn", text=game.legal(game.people[1])[0])
    answer = mailbox.post("/dev/mail", data=form, headers=HERE)
    assert (answer.status_code, answer.headers["Location"]) == (303, "/dev/mail?who=ben@example.org&sent=yes")
    (row,) = received(game.table)
    assert (row.sender, row.source) == ("ben@example.org", "smtp")
    assert row.recipient.startswith("turn+")
    assert b"> " in row.raw
    before = game.view()["turn"]
    game.table.tick()
    assert game.view()["turn"] == before + 1
    assert "Your mail has arrived." in mailbox.get(answer.headers["Location"]).text


def test_a_new_mail_goes_to_the_address_for_questions(mailbox: FlaskClient, game: Playing):
    form = form_of(mailbox.get("/dev/mail"), who="zoe@example.org", subject="", text="HELP")
    assert mailbox.post("/dev/mail", data=form, headers=HERE).status_code == 303
    (row,) = received(game.table)
    assert (row.sender, row.recipient) == ("zoe@example.org", "play@localhost")


def test_whose_list_is_empty_reads_that_and_not_that_nobody_has_mail(mailbox: FlaskClient):
    assert "No mail to zoe@example.org has been sent yet." in mailbox.get("/dev/mail?who=zoe@example.org").text


def test_a_stranger_is_answered_where_all_mail_stays_on_the_machine(mailbox: FlaskClient, game: Playing):
    form = form_of(mailbox.get("/dev/mail"), who="zoe@example.org", subject="", text="PLAY")
    page = mailbox.get(mailbox.post("/dev/mail", data=form, headers=HERE).headers["Location"])
    assert "The answer will be here in a moment." in page.text
    game.table.tick()
    assert game.table.post.of("zoe@example.org")


def test_a_stranger_is_told_that_no_answer_comes_where_mail_leaves_the_machine(tmp_path: Path):
    table = Table(tmp_path, dev_mail="yes", smtp_url="smtp://127.0.0.1:2525")
    form = form_of(table.client.get("/dev/mail"), who="zoe@example.org", subject="", text="HELP")
    page = table.client.get(table.client.post("/dev/mail", data=form, headers=HERE).headers["Location"])
    assert "The answer will be here" not in page.text
    assert "SPF or DKIM" in page.text
    assert "blackticket player add NAME zoe@example.org" in page.text
    table.tick()
    assert table.post.of("zoe@example.org") == []
    table.person("Zoe")
    page = table.client.get(table.client.post("/dev/mail", data=form, headers=HERE).headers["Location"])
    assert "The answer will be here in a moment." in page.text
    table.tick()
    assert table.post.of("zoe@example.org")


def test_a_form_with_a_field_twice_sends_nothing(mailbox: FlaskClient, game: Playing):
    form = form_of(mailbox.get("/dev/mail"), who="zoe@example.org") | {"text": ["HELP", "RESIGN"]}
    answer = mailbox.post("/dev/mail", data=form, headers=HERE)
    assert (answer.status_code, "&#39;text&#39; is sent more than once" in answer.text) == (422, True)
    assert received(game.table) == []


def test_a_mail_that_cannot_be_sent_is_shown_again(mailbox: FlaskClient, game: Playing):
    for changed, sentence in (
        ({"who": "nobody"}, "Write the address"),
        ({"text": " "}, "Write something"),
        ({"who": ""}, "Write the address"),
    ):
        form = form_of(mailbox.get("/dev/mail"), **{"who": "zoe@example.org", "text": "HELP", **changed})
        answer = mailbox.post("/dev/mail", data=form, headers=HERE)
        assert (answer.status_code, sentence in answer.text) == (422, True), changed
        assert received(game.table) == [], changed


def test_a_form_of_another_site_sends_nothing(mailbox: FlaskClient, game: Playing):
    for headers, token in (
        ({"Origin": "https://evil.example"}, None),
        ({"Origin": ""}, None),
        ({"Sec-Fetch-Site": "cross-site"}, None),
        ({"Sec-Fetch-Site": "same-site"}, None),
        ({}, ""),
        ({}, "x" * 32),
    ):
        form = form_of(mailbox.get("/dev/mail"), who="ben@example.org", text="RESIGN")
        form |= {} if token is None else {"token": token}
        assert mailbox.post("/dev/mail", data=form, headers=HERE | headers).status_code == 403, (headers, token)
        hidden = mailbox.post("/dev/mail", data=form, headers={**HERE, "Host": "rebound.example"})
        assert hidden.status_code == 404, (headers, token)
        assert received(game.table) == [], (headers, token)
