"""Names that mail programs make a link of, or that read as a command, are refused wherever a name comes in."""

import pytest

from server.application.people import players
from server.models import session
from tests.rows import for_each
from tests.table import Person, Table
from tests.web.game.test_invitation import opened
from tests.web.game.test_page import Browser

LINK = "A name cannot contain an address or a link. Behind a full stop, put a space."
COMMAND = "{!r} reads as a command that players mail to this server; choose another name."
REFUSED = {
    "https://evil.example/buy now": LINK,
    "www.evil-pills.example/win": LINK,
    "evil\u3002com": LINK,
    "mailto:ben": LINK,
    "taxi 46": COMMAND,
    "Red taxi 46": COMMAND,
    "46": COMMAND,
    "Resign": COMMAND,
}


@pytest.fixture
def ada(table: Table) -> Person:
    return table.people(1)[0]


@for_each("name", list(REFUSED))
def test_such_a_name_is_refused_by_rest_mail_and_page_with_the_reason(table: Table, name: str):
    host = table.person(f"Host{table.count()}")
    sentence = REFUSED[name].format(name)
    guest = Browser(table).post(opened(host)["join"], {"name": name})
    page = Browser(table, host).post("/me/name", {"name": name})
    game = Browser(table, host).post("/games", {"edition": "condensed", "players": "3", "seat": "mr_x", "name": name})
    for answer in (guest, page, game):
        shown = answer.text.replace("&#39;", "'")
        assert (answer.status_code, sentence in shown) == (422, True), shown
    for answer in (
        host.request("PATCH", "/me", json={"name": name}),
        host.post("/games", {"edition": "condensed", "players": 3, "name": name}),
        table.client.post("/api/v1/players", json={"name": name, "email": "new@example.org"}),
    ):
        assert (answer.status_code, answer.json["detail"]) == (422, sentence)


def test_a_family_emoji_and_a_refused_mark_are_called_what_they_are(ada: Person):
    for name, reason in (
        ("Ada \U0001f468\u200d\U0001f469\u200d\U0001f467", "made of several"),
        ("Ada \u2060B", "invisible characters"),
        ("Ada <3", "without <"),
    ):
        answer = ada.request("PATCH", "/me", json={"name": name})
        assert (answer.status_code, reason in answer.json["detail"]) == (422, True), answer.text


def test_short_names_and_numbers_behind_a_name_are_none_of_these(table: Table):
    with table.app.app_context():
        for name in ("Si", "Ja", "Anna 2", "Mia 7", "Louis XIV", "Foggy Thames", "Guest 1234", "Dr. Who"):
            assert players.check_name(name) == name
        session.remove()
