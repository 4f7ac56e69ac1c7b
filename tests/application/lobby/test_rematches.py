"""A rematch: the same people and rules, and Mr. X is passed on."""

from typing import Any

import pytest

from tests.table import Person, Playing, Table
from tests.web.game.test_page import Browser

EDITION = "ravensburger-2000"


def over(table: Table, people: list[Person], **more: Any) -> Playing:
    """A game that Mr. X, the first of the people, has given up."""
    game = table.game(people, **{"edition": EDITION, **more})
    assert people[0].post(f"{game.path}/resign").status_code == 200
    return game


def seats(view: dict[str, Any], people: list[Person]) -> list[str]:
    """Return who sits on or is invited to each seat; invitations are read from the lists of the invited."""
    names = {person.id: person.name for person in people}
    return [names.get(seat["player"], seat["state"]) for seat in view["seats"]]


def test_the_people_are_invited_one_seat_further_and_who_asks_sits(table: Table):
    people = table.people(3)
    ada, ben, cleo = people
    wanted = {"label": "league", "options": {"cut_off": True}, "seating": "chosen"}
    game = over(table, people, **wanted)
    table.tick()
    made = cleo.post(f"{game.path}/rematch")
    assert made.status_code == 201
    assert made.headers["Location"].endswith(f"/api/v1/games/{made.json['id']}")
    old, new = game.view(ada), made.json
    for same in ("edition", "options", "clock", "visibility", "label", "seating"):
        assert new[same] == old[same]
    assert (new["status"], new["host"]) == ("open", cleo.id)
    assert seats(new, people) == ["invited", "Cleo", "invited"]
    table.tick()
    assert [person.mails[-1]["Subject"].split("] ")[1] for person in (ada, ben)] == [
        "You are invited: a seat as Green and Yellow is reserved for you",
        "You are invited: a seat as Mr. X is reserved for you",
    ]
    assert f"It is a rematch of {old['name']}" in " ".join(ben.mails[-1].get_content().split())
    assert [game.view(person)["rematch"] for person in people] == [new["id"]] * 3


def test_asked_twice_or_by_two_it_is_the_same_game_and_each_has_his_seat(table: Table):
    people = table.people(3)
    game = over(table, people)
    first, again, other = (person.post(f"{game.path}/rematch") for person in (people[0], people[0], people[1]))
    assert first.json["id"] == again.json["id"] == other.json["id"]
    assert seats(other.json, people) == ["Ben", "invited", "Ada"]
    guest = table.person("Gwen")
    assert guest.get(game.path).json["rematch"] is None


def test_in_the_next_one_mr_x_is_passed_on_again(table: Table):
    people = table.people(3)
    game = over(table, people)
    was = []
    for _ in range(3):
        following = people[0].post(f"{game.path}/rematch").json["id"]
        for person in people[1:]:
            assert person.post(f"{game.path}/rematch").json["id"] == following
        game = Playing(table, following, people)
        by_id = {person.id: person for person in people}
        mr_x = by_id[game.view()["seats"][0]["player"]]
        was.append(mr_x.name)
        mr_x.post(f"{game.path}/resign")
    assert was == ["Ben", "Cleo", "Ada"]


def test_players_of_the_house_keep_their_role(table: Table):
    ada, ben = table.people(2)
    wanted = [{"role": "mr_x", "bot": "fugitive"}, {"role": "detective", "player": ada.id},
              {"role": "detective", "bot": "constable"}, {"role": "detective"}]  # fmt: skip
    path = f"/games/{ada.post('/games', {'edition': EDITION, 'seats': wanted}).json['id']}"
    ben.post(f"{path}/seats")
    ada.post(f"{path}/start")
    for person in (ada, ben):
        person.post(f"{path}/resign")
    # Who has given up has no seat any more, and the house plays it on.
    assert ada.post(f"{path}/rematch").json["type"] == "forbidden"
    new = ben.post(f"{path}/rematch").json
    assert [seat["bot"] for seat in new["seats"]] == ["fugitive", "constable", "constable", None]
    assert new["you"]["seat"] == 4


def test_a_former_player_leaves_his_seat_open(table: Table):
    people = table.people(3)
    game = over(table, people, clock={"kind": "per_phase", "mr_x": "P2D", "detectives": "P2D", "provisional": "PT0S"})
    assert people[2].request("DELETE", "/me", json={"name": "Cleo"}).status_code == 204
    assert seats(people[0].post(f"{game.path}/rematch").json, people) == ["invited", "open", "Ada"]


@pytest.mark.parametrize(
    ("who", "ends", "status", "problem"),
    [(0, False, 409, "still-playing"), (3, True, 403, "forbidden")],
    ids=["a game that runs", "a spectator"],
)
def test_who_cannot_ask(table: Table, who: int, ends: bool, status: int, problem: str):
    people = table.people(4)
    game = over(table, people[:3]) if ends else table.game(people[:3])
    refused = people[who].post(f"{game.path}/rematch")
    assert (refused.status_code, refused.json["type"]) == (status, problem)


def test_who_comes_when_no_seat_is_left_is_told_so(table: Table):
    people = table.people(3)
    game = over(table, people)
    made = people[0].post(f"{game.path}/rematch").json
    path = f"/games/{made['id']}"
    people[1].request("DELETE", f"{path}/seats/1")
    table.person("Gwen").post(f"{path}/seats", {"seat": 1})
    refused = people[1].post(f"{game.path}/rematch")
    assert (refused.status_code, refused.json["type"]) == (409, "seat-taken")


def test_a_position_is_played_again_only_when_it_has_nothing_to_hide(table: Table):
    from tests.positions import position

    game = table.dealt(2, position=position(104, red=117))
    ada, ben = game.people
    game.contest()
    ada.post(f"{game.path}/resign")
    assert ben.post(f"{game.path}/rematch").json["type"] == "game-not-running"
    table.clock.turn(days=1)
    table.tick()
    assert ben.post(f"{game.path}/rematch").status_code == 201


def test_a_mail_of_the_end_is_answered_with_the_rematch(table: Table):
    people = table.people(3)
    game = over(table, people)
    table.tick()
    people[1].reply("Good game!\n\nREMATCH")
    table.tick()
    said = " ".join(people[1].mails[-1].get_content().split())
    assert "There is a rematch, called" in said
    assert "Before the start, Mr. X." in said
    people[2].reply("Rematch", to=next(mail for mail in people[2].mails if "is over" in mail["Subject"]))
    table.tick()
    assert seats(people[1].post(f"{game.path}/rematch").json, people) == ["Ben", "Cleo", "invited"]


def test_it_begins_when_the_last_of_them_has_asked_and_everybody_has_a_mail_of_their_turn(table: Table):
    people = table.people(3)
    game = over(table, people)
    views = [person.post(f"{game.path}/rematch").json for person in people]
    assert [view["status"] for view in views] == ["open", "open", "running"]
    assert {view["id"] for view in views} == {views[0]["id"]}
    table.tick()
    assert any("your move" in mail["Subject"] for mail in people[1].mails), [m["Subject"] for m in people[1].mails]


def test_it_begins_when_the_last_accepts_the_invitation_by_mail(table: Table):
    people = table.people(2)
    game = over(table, people, edition="condensed")
    following = Playing(table, people[0].post(f"{game.path}/rematch").json["id"], people)
    table.tick()
    people[1].reply("YES", to=next(mail for mail in people[1].mails if "You are invited" in mail["Subject"]))
    table.tick()
    assert following.view()["status"] == "running"


def test_against_bots_it_begins_at_once(table: Table):
    (ada,) = table.people(1)
    seats = [{"role": "mr_x", "player": ada.id}, {"role": "detective", "bot": "constable"}]
    path = f"/games/{ada.post('/games', {'edition': 'condensed', 'seats': seats}).json['id']}"
    for act in ("start", "resign"):
        assert ada.post(f"{path}/{act}").status_code == 200
    assert ada.post(f"{path}/rematch").json["status"] == "running"


def test_a_game_that_is_no_rematch_waits_for_its_host(table: Table):
    ada, ben = table.people(2)
    path = f"/games/{ada.post('/games', {'edition': 'condensed', 'players': 2}).json['id']}"
    for person in (ada, ben):
        view = person.post(f"{path}/seats").json
    assert (view["status"], [seat["state"] for seat in view["seats"]]) == ("open", ["taken"] * 2)


def test_mr_x_is_the_next_of_those_who_came_where_bots_fill_the_rest(table: Table):
    people = table.people(4)
    game = over(table, people)
    following = people[0].post(f"{game.path}/rematch").json["id"]
    people[2].post(f"{game.path}/rematch")
    page = Browser(table, people[0])
    assert page.post(f"/games/{following}/start", {"level": "easy"}).status_code == 303
    view = people[0].get(f"/games/{following}").json
    assert [(seat["player"], seat["bot"]) for seat in view["seats"]] == [
        (people[2].id, None), (None, "constable"), (None, "constable"), (people[0].id, None),
    ]  # fmt: skip
