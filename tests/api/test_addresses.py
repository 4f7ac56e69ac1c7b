"""Several mail addresses of one player: he shows each to be his by a code; mail from any of them is his."""

import re

import pytest
from sqlalchemy import select

from server.application.health import health
from server.application.people import players
from server.application.people.accounts import addresses
from server.models import Address, Incoming, Player, SignUp, session, transaction
from server.vocabulary.errors import Problem
from tests.scenes import hunt
from tests.table import Person, Table

SECOND = "ada@work.example"


@pytest.fixture
def ada(table: Table) -> Person:
    return table.person("Ada")


def code_to(table: Table, address: str) -> str:
    """The code in the newest mail to an address."""
    table.tick()
    return re.search(r'the code is "([a-z2-7]{16})"', table.post.of(address)[-1].get_content())[1]


def add(person: Person, email: str = SECOND) -> str:
    """Ask for an address and confirm it; its id."""
    assert person.post("/me/addresses", {"email": email}).status_code == 202
    made = person.post("/me/addresses/confirm", {"code": code_to(person.table, email.lower())})
    assert made.status_code == 201, made.json
    return made.json["id"]


def listed(person: Person) -> dict[str, bool]:
    return {row["email"]: row["primary"] for row in person.get("/me/addresses").json["addresses"]}


def test_an_address_is_added_by_the_code_that_was_mailed_to_it(ada: Person):
    assert listed(ada) == {ada.address: True}
    add(ada, "Ada@Work.example")
    assert listed(ada) == {ada.address: True, SECOND: False}


def test_before_it_is_confirmed_it_is_nobodys(table: Table, ada: Person):
    ada.post("/me/addresses", {"email": SECOND})
    table.tick()
    assert listed(ada) == {ada.address: True}
    assert table.client.post("/api/v1/players", json={"name": "Eve", "email": SECOND}).status_code == 202
    code = code_to(table, SECOND)
    assert table.client.post("/api/v1/players/confirm", json={"code": code}).status_code == 201


def test_asking_for_an_address_is_answered_alike_whether_it_is_somebodys_or_not(table: Table, ada: Person):
    ben = table.person("Ben")
    answers = [ada.post("/me/addresses", {"email": email}) for email in (SECOND, ben.address)]
    assert answers[0].data == answers[1].data
    assert [answer.headers["Content-Length"] for answer in answers] == [answers[0].headers["Content-Length"]] * 2
    assert [answer.status_code for answer in answers] == [202, 202]
    table.tick()
    (mail,) = ben.mails
    assert "the code is" not in mail.get_content()


def test_a_code_is_good_for_the_player_who_asked_for_it_and_for_nothing_else(table: Table, ada: Person):
    ben = table.person("Ben")
    ada.post("/me/addresses", {"email": SECOND})
    code = code_to(table, SECOND)
    refused = [
        ben.post("/me/addresses/confirm", {"code": code}),
        table.client.post("/api/v1/players/confirm", json={"code": code}),
        ada.post("/me/addresses/confirm", {"code": "aaaaaaaaaaaaaaaa"}),
    ]
    assert [answer.json["type"] for answer in refused] == ["bad-code"] * 3
    assert [ada.post("/me/addresses/confirm", {"code": code}).status_code for _ in range(2)] == [201, 422]


@pytest.mark.parametrize(
    ("email", "problem", "says"),
    [("ada", "form", "'ada' is no mail address"), ("ADA@example.org", "email-taken", "yours already")],
)
def test_an_address_that_cannot_be_added_is_refused(ada: Person, email: str, problem: str, says: str):
    answer = ada.post("/me/addresses", {"email": email})
    assert (answer.json["type"], says in answer.json["detail"]) == (problem, True)


def test_nobody_has_more_addresses_than_a_few(ada: Person):
    with ada.table.app.app_context():
        for number in range(addresses.MOST - 1):
            addresses.add(ada.id, f"ada{number}@example.org")
    answer = ada.post("/me/addresses", {"email": SECOND})
    assert (answer.status_code, "at most 10" in answer.json["detail"]) == (422, True)


def test_an_address_that_is_anybodys_cannot_be_signed_up_with_or_added(table: Table, ada: Person):
    add(ada)
    ben = table.person("Ben")
    table.client.post("/api/v1/players", json={"name": "Eve", "email": SECOND})
    ben.post("/me/addresses", {"email": SECOND})
    table.tick()
    assert [mail["Subject"] for mail in ada.mails] == ["Black Ticket: somebody signed up with your address"] * 2
    with table.app.app_context():
        for make in (lambda: players.add_player("Eve", SECOND), lambda: addresses.add(ben.id, SECOND)):
            with pytest.raises(Problem, match="belongs to a player already"):
                make()


def test_all_mail_goes_to_the_address_that_was_made_the_primary_one(table: Table, ada: Person):
    made = ada.post(f"/me/addresses/{add(ada)}/primary")
    assert (made.status_code, made.json["primary"]) == (200, True)
    assert listed(ada) == {ada.address: False, SECOND: True}
    assert ada.get("/me").json["email"] == SECOND
    ada.post("/games", {"edition": "condensed", "players": 2})
    table.client.post("/api/v1/players", json={"name": "Eve", "email": ada.address})
    table.tick()
    assert [mail["To"] for mail in table.post.of(SECOND)[1:]] == [f"Ada <{SECOND}>"]
    assert ada.mails == []


def test_a_move_is_obeyed_from_any_address_of_the_player_and_from_no_other(table: Table):
    game = hunt(table)
    ben = game.people[1]
    with table.app.app_context():
        addresses.add(ben.id, "ben@work.example")
    ben.reply("taxi 115", sender="ben@work.elsewhere")
    table.tick()
    assert len(game.view()["history"]) == 1
    ben.reply("taxi 115", to=ben.mails[0], sender="Ben at work <BEN@work.example>")
    table.tick()
    assert game.view()["history"][-1] == "purple taxi 115"


def test_an_address_that_was_taken_away_is_his_no_longer_and_named_nowhere(table: Table, ada: Person):
    number = add(ada)
    table.deliver(b"From: ada@work.example\n\nHELP\n", SECOND, "play@localhost")
    table.tick()
    assert ada.request("DELETE", f"/me/addresses/{number}").status_code == 204
    assert listed(ada) == {ada.address: True}
    with table.app.app_context():
        assert [(row.sender, row.raw) for row in session.scalars(select(Incoming))] == [("", None)]


def test_the_primary_address_stays(ada: Person):
    (own,) = ada.get("/me/addresses").json["addresses"]
    answer = ada.request("DELETE", f"/me/addresses/{own['id']}")
    assert (answer.status_code, "make another one that first" in answer.json["detail"]) == (403, True)


def test_the_address_of_another_player_is_not_there(table: Table, ada: Person):
    number, ben = add(ada), table.person("Ben")
    for method, path in (("DELETE", f"/me/addresses/{number}"), ("POST", f"/me/addresses/{number}/primary")):
        missing = ben.request(method, path.replace(number, "aaaa"))
        assert (missing.status_code, missing.data) == (404, ben.request(method, path).data)


def test_the_export_has_all_addresses_and_what_came_from_them(table: Table, ada: Person):
    add(ada)
    table.deliver(b"From: ada@work.example\n\nHELP\n", "Ada@Work.example", "play@localhost")
    table.tick()
    held = ada.get("/me/export").json
    assert [row["email"] for row in held["addresses"]] == [ada.address, SECOND]
    assert (len(held["mails_from_me"]), len(held["sign_ups"])) == (1, 1)


def test_with_the_account_all_addresses_go(table: Table, ada: Person):
    add(ada)
    ada.post("/me/addresses", {"email": "ada@third.example"})
    assert ada.request("DELETE", "/me", json={"name": "Ada"}).status_code == 204
    with table.app.app_context():
        assert session.query(Address).count() == session.query(SignUp).count() == 0
    assert table.person("Ada").id != ada.id


def test_whoever_is_written_to_is_one_of_his_addresses(table: Table, ada: Person):
    """The primary address is named with the player; all that is his stands in the table of addresses."""
    table.person("Ben")
    ada.post(f"/me/addresses/{add(ada)}/primary")
    with table.app.app_context():
        primary = set(session.scalars(select(Player.email)))
        assert primary <= set(session.scalars(select(Address.email)))


def test_the_doctor_warns_of_any_address_that_is_a_mailbox_of_the_server(table: Table, ada: Person):
    with table.app.app_context():
        with transaction():  # it was added before the server had it
            session.add(Address(id="a" * 16, email="play@localhost", player_id=ada.id, confirmed_at=table.clock()))
        (warning,) = [told for told in health.report()["warnings"] if "play@localhost" in told]
    assert "Ada has the address play@localhost" in warning


def test_a_seat_that_is_kept_for_an_address_is_kept_for_whose_it_becomes(table: Table, ada: Person):
    ben = table.person("Ben")
    seats = [{"role": "mr_x", "player": ben.id}, {"role": "detective", "invite": SECOND}]
    made = ben.post("/games", {"edition": "condensed", "visibility": "private", "seats": seats})
    path = f"/games/{made.json['id']}"
    table.tick()
    assert ada.get(path).status_code == 404
    add(ada)
    assert ada.post(f"{path}/seats").json["you"]["seat"] == 2
