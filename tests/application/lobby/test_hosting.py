"""The duties of a host: handed over on purpose, and passed on when he is gone."""

from typing import Any

import pytest

from server.application.lobby import hosting, seats
from server.models import Player, session
from server.vocabulary.errors import Problem
from tests.kept import again
from tests.rows import for_each
from tests.scenes import hunt, pairs, text_of
from tests.table import Person, Playing, Table


@pytest.fixture
def opened(table: Table) -> Playing:
    """A game that has not begun: Ada, the host, sits on seat 2, Ben on 3, Cleo on 1."""
    return again(table, _opened, "three in a lobby of four")


def _opened(table: Table) -> Playing:
    ada, ben, cleo = table.people(3)
    game_id = ada.post("/games", {"edition": "ravensburger-2000", "players": 4}).json["id"]
    for seat, person in ((2, ada), (3, ben), (1, cleo)):
        person.post(f"/games/{game_id}/seats", {"seat": seat})
    return Playing(table, game_id, [ada, ben, cleo])


def host(game: Playing) -> str:
    """The name of who is the host now."""
    reader = game.table.person(f"Reader{game.table.count()}")
    found = reader.get(game.path).json["host"]
    return next(person.name for person in game.people if person.id == found)


def changes(game: Playing) -> list[dict[str, Any]]:
    events = game.people[1].get(f"{game.path}/events").json["events"]
    return [event["data"] for event in events if event["kind"] == "host"]


def substitute(game: Playing, number: int, person: Person) -> None:
    with game.table.app.app_context():
        seats.substitute(game.id, number, session.get_one(Player, person.id), "illness")
        session.remove()


def test_a_host_who_leaves_before_the_start_is_followed_by_the_next_in_the_order_of_seats(opened: Playing):
    opened.people[0].request("DELETE", f"{opened.path}/seats/2")
    assert host(opened) == "Ben"
    assert [change["seat"] for change in changes(opened)] == [3]
    opened.table.tick()
    mail = opened.people[1].mails[-1]
    assert mail["Subject"].endswith("You are the host from now on")
    assert "the word START on a line of its own" in " ".join(text_of(mail).split())


def test_the_new_host_can_start_the_game_and_the_old_one_cannot(opened: Playing):
    ada, ben, cleo = opened.people
    assert ada.post(f"{opened.path}/host", {"seat": 3}).json["host"] == ben.id
    dan = opened.table.person("Dan")
    dan.post(f"{opened.path}/seats", {"seat": 4})
    assert [person.post(f"{opened.path}/start").status_code for person in (ada, cleo, ben)] == [403, 403, 200]


@for_each(
    "who, seat, problem",
    [("Ben", 1, "forbidden"), ("Ada", 4, "form"), ("Ada", 2, "form"), ("Ada", 6, "form"), ("Ada", 0, "form")],
)
def test_duties_go_only_from_the_host_and_only_to_a_person_at_the_table(
    opened: Playing, who: str, seat: int, problem: str
):
    person = next(person for person in opened.people if person.name == who)
    assert person.post(f"{opened.path}/host", {"seat": seat}).json["type"] == problem
    assert host(opened) == "Ada"


def test_a_host_who_gives_up_passes_his_duties_on(table: Table):
    game = pairs(table)
    game.people[0].post(f"{game.path}/host", {"seat": 2})
    game.people[1].post(f"{game.path}/resign")
    assert host(game) == "Cleo"
    table.tick()
    assert "You are the host of Midnight Soho from now on" in " ".join(text_of(game.people[2].mails[-1]).split())


def test_a_host_who_is_substituted_passes_his_duties_on_but_not_to_the_newcomer(table: Table):
    game = pairs(table)
    substitute(game, 1, table.person("Gus"))
    assert host(game) == "Ben"


def test_where_nobody_else_is_at_the_table_the_newcomer_is_the_host(table: Table):
    ada, gus = table.person("Ada"), table.person("Gus")
    seats = [{"role": "mr_x", "bot": "fugitive"}, {"role": "detective", "player": ada.id}]
    game = Playing(table, ada.post("/games", {"edition": "condensed", "seats": seats}).json["id"], [ada, gus])
    ada.post(f"{game.path}/start")
    substitute(game, 2, gus)
    assert host(game) == "Gus"


def test_the_name_of_who_opened_a_game_goes_with_his_account_though_he_handed_it_over(opened: Playing):
    ada, ben, _ = opened.people
    ada.post(f"{opened.path}/host", {"seat": 3})
    assert ada.request("DELETE", "/me", json={"name": "Ada"}).status_code == 204
    assert "Ada" not in ben.get(f"{opened.path}/events").text


def test_by_mail_the_duties_go_to_whoever_plays_a_pawn(table: Table):
    game = hunt(table)
    ada, ben, *_ = game.people
    ada.reply("HOST purple")
    table.tick()
    assert host(game) == "Ben"
    ben.reply("host Mr. X")
    table.tick()
    assert host(game) == "Ada"
    ben.reply("HOST red", to=ben.mails[-2])
    table.tick()
    assert host(game) == "Ada"


def test_the_operator_appoints_a_host_with_a_public_reason(opened: Playing):
    with opened.table.app.app_context():
        hosting.appoint(opened.id, 1, "the host does not answer any more")
        with pytest.raises(Problem, match="names nobody"):
            hosting.appoint(opened.id, 3, "Cleo wants it")
        session.remove()
    assert host(opened) == "Cleo"
    assert changes(opened)[-1]["reason"] == "the host does not answer any more"
    opened.table.tick()
    assert '"the host does not answer any more"' in text_of(opened.people[2].mails[-1])
