"""BLOCK and UNBLOCK by mail: in an answer to any mail of a game, or to the invitation itself."""

import pytest

from tests.scenes import hunt, text_of
from tests.table import Person, Table


def reply(person: Person, text: str) -> str:
    """Answer the newest mail; the text of what comes back, on one line."""
    person.reply(text)
    person.table.tick()
    return " ".join(text_of(person.mails[-1]).split())


def invite(host: Person, guest: Person) -> str:
    seats = [{"role": "mr_x", "player": host.id}, {"role": "detective", "player": guest.id}]
    made = host.post("/games", {"edition": "condensed", "seats": seats})
    assert made.status_code == 201, made.json
    return f"/games/{made.json['id']}"


def test_a_player_is_blocked_listed_and_unblocked_by_name(table: Table):
    game = hunt(table)
    _, ben, cleo, *_ = game.people
    assert 'You have blocked "Cleo".' in reply(ben, "BLOCK Cleo")
    assert [held["name"] for held in ben.get("/me/blocks").json["blocks"]] == ["Cleo"]
    assert 'You have blocked "Cleo".' in reply(ben, "BLOCK list")
    before = len(ben.mails)
    cleo.post(f"{game.path}/messages", {"to": "all", "text": "Hello, all"})
    table.tick()
    assert len(ben.mails) == before
    assert 'You have unblocked "Cleo".' in reply(ben, 'UNBLOCK "cleo"')
    assert "You have blocked nobody." in reply(ben, "Block list")
    assert ben.get("/me/blocks").json["blocks"] == []


@pytest.mark.parametrize("text", ["BLOCK cleo", "block cleo", "block cleo.", "BLOCKIEREN cleo", "block: CLEO"])
def test_a_name_of_somebody_in_the_game_needs_no_capital_where_the_line_is_the_whole_mail(table: Table, text: str):
    ben = hunt(table).people[1]
    assert 'You have blocked "Cleo".' in reply(ben, text)
    assert 'You have unblocked "Cleo".' in reply(ben, "unblock cleo")


@pytest.mark.parametrize(
    "text", ["block cleo at 115", "block cl", "block nobody", "Hm\nblock cleo", "block the bridge"]
)
def test_talk_blocks_nobody(table: Table, text: str):
    ben = hunt(table).people[1]
    reply(ben, text)
    assert ben.get("/me/blocks").json["blocks"] == []


def test_the_answer_to_an_invitation_blocks_the_host_who_sees_it_waiting_still(table: Table):
    ada, ben = table.people(2)
    path = invite(ada, ben)
    table.tick()
    before = ada.get(path).text
    assert 'You have blocked "Ada".' in reply(ben, "BLOCK Ada")
    assert ada.get(path).text == before
    assert ben.get("/games?mine=true").json["games"] == []
    mails = len(ben.mails)
    invite(ada, ben)
    table.tick()
    assert (len(ben.mails), ada.mails) == (mails, [])
    ben.reply("YES", to=ben.mails[0])
    table.tick()
    assert ada.get(path).json["seats"][1]["state"] == "invited", "an answer to the old mail comes too late"


def test_an_address_is_blocked_whoever_has_it(table: Table):
    game = hunt(table)
    ben = game.people[1]
    answers = [reply(ben, f"BLOCK {name}@example.org") for name in ("cleo", "nobody")]
    assert answers[0].replace("cleo@", "X@") == answers[1].replace("nobody@", "X@")


@pytest.mark.parametrize("text", ["BLOCK Nobody", "UNBLOCK Cleo", "BLOCK Ben"])
def test_who_is_not_known_or_not_blocked_is_told_and_nothing_is_done(table: Table, text: str):
    ben = hunt(table).people[1]
    assert "Nothing was done." in reply(ben, text)
    assert ben.get("/me/blocks").json["blocks"] == []
