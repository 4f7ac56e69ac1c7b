"""Seats are taken, declined and given back by mail, and the game is started."""

import pytest

from tests.kept import again
from tests.mail.commands.test_dispatch import answer
from tests.table import Person, Playing, Table


@pytest.fixture
def invited(table: Table) -> tuple[Table, list[Person], str]:
    """Ada hosts and is Mr. X; Ben and Cleo are invited as detectives with two pawns each."""
    game = again(table, _inviting)
    return table, game.people, game.id


def _inviting(table: Table) -> Playing:
    people = table.people(3)
    seats = [{"role": "mr_x", "player": people[0].id}]
    seats += [{"role": "detective", "player": person.id} for person in people[1:]]
    made = people[0].post("/games", {"edition": "ravensburger-2000", "seats": seats})
    table.tick()
    return Playing(table, made.json["id"], people)


def test_a_whole_game_is_set_up_by_mail(invited: tuple[Table, list[Person], str]):
    _, (ada, ben, cleo), game_id = invited
    answer(ben, "Yes")
    answer(cleo, "YES!")
    assert ada.mails[-1]["Subject"].endswith("Everybody is here; the game can start")
    before = len(ada.mails)
    ada.reply("START")
    ada.table.tick()
    (turn,) = ada.mails[before:]
    assert "Mr. X, your move by" in turn["Subject"], "it is the answer to START"
    assert ada.get(f"/games/{game_id}").json["status"] == "running"


def test_no_to_an_invitation_opens_the_seat_to_others(invited: tuple[Table, list[Person], str]):
    _, (ada, ben, _cleo), game_id = invited
    assert "You have declined the invitation, and the seat is open to others." in answer(ben, "no")
    assert ada.get(f"/games/{game_id}").json["seats"][1]["state"] == "open"


def test_start_is_for_the_host_and_for_a_full_table(invited: tuple[Table, list[Person], str]):
    _, (ada, ben, cleo), game_id = invited
    answer(ben, "YES")
    assert "Only the host starts the game. Nothing was done." in answer(ben, "START")
    said = ada.post(f"/games/{game_id}/start").json["detail"]
    assert said == "The game cannot start: Cleo has not accepted seat 3 (Green and Yellow) yet."
    answer(cleo, "YES")
    cleo.request("DELETE", f"/games/{game_id}/seats/3")
    assert "The game cannot start: seat 3 (Green and Yellow) is open. Nothing was done." in answer(
        ada, "START", to=ada.mails[0]
    )


def test_a_move_before_the_start_is_told_so(invited: tuple[Table, list[Person], str]):
    _, (_ada, ben, _cleo), _ = invited
    answer(ben, "YES")
    assert "The game has not begun, so there is nothing to move. Nothing was done." in answer(ben, "red taxi 46")


def test_leave_gives_the_seat_back_before_the_start_and_not_after(invited: tuple[Table, list[Person], str]):
    _, (ada, ben, cleo), game_id = invited
    answer(ben, "YES")
    answer(cleo, "YES")
    answer(cleo, "LEAVE")
    assert ada.get(f"/games/{game_id}").json["seats"][2]["state"] == "open"
    cleo.post(f"/games/{game_id}/seats", {"seat": 3})
    ada.post(f"/games/{game_id}/start")
    ada.table.tick()
    assert "This game has started" in answer(ben, "LEAVE", to=ben.mails[-1])
