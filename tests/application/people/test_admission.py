"""Who may come in: one setting for new players and one for guests, the same through REST, pages, mail and terminal."""

import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from server.cli import main
from server.models import Player, session
from server.settings.kinds import Admission
from tests.injected import for_command
from tests.mail.commands.test_strangers import JO, send
from tests.table import Table
from tests.web.game.test_page import Browser

ONLY_INVITED, NOBODY = "only people who are invited", "takes no new players"
FRONT = "mx.example.net"  # the mail server in front, which says who a mail is from
PROVEN = {"Authentication_Results": f"{FRONT}; spf=pass smtp.mailfrom={JO}"}
SENTENCES = {Admission.INVITED: ONLY_INVITED, Admission.NOBODY: NOBODY}


def table_of(tmp_path: Path, admission: Admission, **settings: Any) -> Table:
    return Table(tmp_path / admission.value, admission=admission.value, **settings)


def players(table: Table) -> int:
    with table.app.app_context():
        number = session.query(Player).count()
        session.remove()
    return number


def code_for(table: Table, email: str) -> str:
    """The code in the newest mail to an address."""
    table.tick()
    found = re.search(r'(?:code is|digits are) "(\w+)"', table.post.of(email)[-1].get_content())
    assert found
    return found[1]


def signed_up(table: Table, email: str = JO, **more: Any) -> Any:
    """Sign up by REST, and return the last answer."""
    asked = table.client.post("/api/v1/players", json={"name": "Jo", "email": email})
    if asked.status_code != 202:
        return asked
    return table.client.post("/api/v1/players/confirm", json={"code": code_for(table, email), **more})


def signed_in(table: Table, email: str = JO, then: str = "") -> Any:
    """Sign in with a browser as somebody new, and return the last answer."""
    browser = Browser(table)
    assert browser.post("/sign-in", {"email": email, "next": then}).status_code == 303
    return browser.post(f"/sign-in/code/{code_for(table, email)}", {"name": "Jo", "next": then})


@pytest.mark.parametrize("admission", [Admission.INVITED, Admission.NOBODY])
def test_somebody_without_an_invitation_does_not_become_a_player(tmp_path: Path, admission: Admission):
    table, sentence = table_of(tmp_path, admission), SENTENCES[admission]
    by_rest = signed_up(table)
    assert (by_rest.status_code, by_rest.json["type"]) == (403, "not-admitted")
    assert sentence in by_rest.json["detail"]
    on_page = signed_in(table)
    assert (on_page.status_code, sentence in on_page.text) == (403, True)
    assert players(table) == 0


@pytest.mark.parametrize("line", ["PLAY", "NEW", "JOIN 1", "SIGNUP", "What is this?"])
@pytest.mark.parametrize("admission", [Admission.INVITED, Admission.NOBODY])
def test_a_stranger_who_writes_hears_why_and_a_yes_changes_nothing(tmp_path: Path, admission: Admission, line: str):
    table = table_of(tmp_path, admission, authserv_id=FRONT)
    (told,) = send(table, line, **PROVEN)
    assert SENTENCES[admission] in " ".join(told.get_content().split())
    send(table, "YES", told, **PROVEN)
    assert players(table) == 0


def test_the_answer_to_a_sign_up_is_the_same_for_a_known_an_invited_and_any_other_address(tmp_path: Path):
    for admission in Admission:
        table = table_of(tmp_path, admission)
        ada = table.person("Ada")
        ada.post("/games", {"seats": [{"role": "mr_x", "player": ada.id}, {"role": "detective", "invite": JO}]})
        answers = {
            (answer.status_code, answer.data)
            for email in (ada.address, JO, "nobody@else.example")
            for answer in [table.client.post("/api/v1/players", json={"name": "Jo", "email": email})]
        }
        assert len(answers) == 1


def test_a_player_signs_in_whatever_the_setting_is(tmp_path: Path):
    for admission in Admission:
        table = table_of(tmp_path, admission)
        ada = table.person("Ada")
        answer = signed_in(table, ada.address)
        assert answer.status_code == 303
        assert Browser(table, ada).get("/me").status_code == 200


def invited(table: Table) -> str:
    """A game of Ada's to which the reader of an address is invited; return its code."""
    ada = table.person("Ada")
    seats = [{"role": "mr_x", "player": ada.id}, {"role": "detective", "invite": JO}, {"role": "detective"}]
    made = ada.post("/games", {"seats": seats, "edition": "ravensburger-2000", "visibility": "private"})
    assert made.status_code == 201, made.text
    table.tick()
    return str(made.json["code"])


def test_a_person_who_is_invited_by_mail_comes_in_by_every_way(tmp_path: Path):
    def by_rest(table: Table) -> None:
        assert signed_up(table).status_code == 201

    def by_page(table: Table) -> None:
        assert signed_in(table).status_code == 303

    def by_the_code_of_the_invitation(table: Table) -> None:
        answer = table.client.post("/api/v1/players/confirm", json={"code": code_for(table, JO)})
        assert answer.status_code == 201

    def by_mail(table: Table) -> None:
        send(table, "YES", table.post.of(JO)[-1])

    for number, come in enumerate((by_rest, by_page, by_the_code_of_the_invitation, by_mail)):
        table = table_of(tmp_path / str(number), Admission.INVITED)
        invited(table)
        come(table)
        assert players(table) == 2, come.__name__


def test_the_code_of_a_game_lets_somebody_in_by_every_way(tmp_path: Path):
    other = "kim@else.example"

    def by_rest(table: Table, code: str) -> None:
        assert signed_up(table, other).status_code == 403
        assert signed_up(table, other, game_code="a" * 16).status_code == 403
        assert signed_up(table, other, game_code=code).status_code == 201

    def by_page(table: Table, code: str) -> None:
        assert signed_in(table, other, then=f"/join/{code}").status_code == 303

    def by_mail(table: Table, code: str) -> None:
        asked = send(table, f"JOIN {code}", sender=f"Kim <{JO}>", **PROVEN)
        send(table, "YES", asked[-1], sender=f"Kim <{JO}>", **PROVEN)

    for number, come in enumerate((by_rest, by_page, by_mail)):
        table = table_of(tmp_path / str(number), Admission.INVITED, authserv_id=FRONT)
        ada = table.person("Ada")
        seats = [{"role": "mr_x", "player": ada.id}, {"role": "detective"}, {"role": "detective"}]
        code = ada.post("/games", {"seats": seats, "edition": "condensed"}).json["code"]
        come(table, code)
        assert players(table) == 2, come.__name__


def test_where_nobody_may_come_in_an_invitation_is_not_mailed_and_lets_nobody_in(tmp_path: Path):
    table = table_of(tmp_path, Admission.NOBODY)
    invited(table)
    assert table.post.of(JO) == []


def test_the_operator_may_always_add_a_player(tmp_path: Path):
    table = table_of(tmp_path, Admission.NOBODY)
    environ = {"BLACKTICKET_ADMISSION": "nobody"}
    added = CliRunner().invoke(main, ["player", "add", "Jo", JO], env=environ, obj=for_command(table.app))
    assert added.exit_code == 0
    assert players(table) == 1


def test_without_guests_nothing_offers_to_practise_and_the_form_says_why(tmp_path: Path):
    table = Table(tmp_path / "var", guests="no")
    browser = Browser(table)
    assert 'action="/practice"' not in browser.get("/").text
    refused = browser.post("/practice", {"role": "detective"})
    assert (refused.status_code, "has no guests" in refused.text) == (403, True)
    assert players(table) == 0
    ada = Browser(table, table.person("Ada"))
    assert 'action="/practice"' in ada.get("/").text
    assert ada.post("/practice", {"role": "detective"}).status_code == 303


@pytest.mark.parametrize(("admission", "status"), [("everybody", 303), ("invited", 403), ("nobody", 403)])
def test_a_guest_becomes_a_player_only_where_they_may_come_in(tmp_path: Path, admission: str, status: int):
    table = Table(tmp_path / "var", admission=admission)
    browser = Browser(table)
    browser.post("/practice", {"role": "detective"})
    browser.post("/me/addresses", {"email": JO})
    answer = browser.post("/me/addresses/confirm", {"code": code_for(table, JO)})
    assert answer.status_code == status, answer.text
