"""Blocking: no invitations from a player and none of their talk to all, and nothing tells them of it."""

from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from werkzeug.test import TestResponse

from server.application.lobby import opening
from server.application.people.accounts import blocks
from server.models import Address, Block, Player, session, transaction
from server.vocabulary import limits
from tests.kept import again
from tests.scenes import mail_only_to
from tests.table import Person, Playing, Table

EDITION = "condensed"


def block(person: Person, **wanted: str) -> TestResponse:
    return person.post("/me/blocks", wanted)


def blocked(person: Person, whom: Person) -> str:
    made = block(person, player=whom.id)
    assert made.status_code == 201, made.json
    return str(made.json["id"])


def opened(host: Person, **guest: str) -> TestResponse:
    seats = [{"role": "mr_x", "player": host.id}, {"role": "detective", **guest}]
    return host.post("/games", {"edition": EDITION, "seats": seats, "visibility": "private"})


def path_of(made: TestResponse) -> str:
    assert made.status_code == 201, made.json
    return f"/games/{made.json['id']}"


def said(person: Person, game: Playing) -> list[tuple[int, str]]:
    listed = person.get(f"{game.path}/messages").json["messages"]
    return [(message["number"], message["text"]) for message in listed]


def say(person: Person, game: Playing, text: str, to: str = "all") -> TestResponse:
    return person.post(f"{game.path}/messages", {"to": to, "text": text})


# What the blocked player notices: nothing


def announced(table: Table) -> Playing:
    """A game of three whose mails of the start are sent."""
    game = table.dealt(3, clock=opening.UNHURRIED)
    table.tick()
    return game


def as_seen_by_the_host(folder: Path, guests: tuple[str, ...], *, is_blocked: bool, bounces: bool) -> list[Any]:
    """All that Ada is answered and mailed who invites Ben again and again, until the invitation runs out.

    She names him in each of the ways `guests` in turn.
    """
    folder.mkdir()
    table = Table(folder, secret_key="k" * 32)
    game = again(table, announced)
    ada, ben, _cleo = game.people
    with table.app.app_context():
        session.get_one(Player, ben.id).bounces = bounces
        session.query(Address).filter_by(player_id=ben.id).one().bounced_at = table.clock() if bounces else None
        session.commit()
    if is_blocked:
        blocked(ben, ada)
    mail_only_to(table, "Ada", "Ben")
    ways = {"id": {"player": ben.id}, "name": {"invite": "Ben"}, "address": {"invite": ben.address}}
    names = cycle([ways[guest] for guest in guests])
    answers = [opened(ada, **next(names))]
    path = path_of(answers[0])
    seat = f"{path}/seats/2"

    def look() -> None:
        table.tick()
        asked = (path, "/games?mine=true", f"{path}/events", "/me/events", "/me/export", f"{path}/messages")
        answers.extend(map(ada.get, asked))

    look()
    answers.append(ada.request("PUT", seat, json=next(names)))
    answers.append(ada.request("DELETE", seat))
    look()
    while (asked := ada.request("PUT", seat, json=next(names))).status_code == 200:
        answers += [asked, ada.request("DELETE", seat)]
    answers += [asked, say(ada, game, "Hello, all")]
    table.clock.turn(days=1)
    answers.append(ada.request("PUT", seat, json=next(names)))
    look()
    table.clock.turn(days=30)
    look()
    answers.append(ada.post(f"{path}/start"))
    for answer in answers:
        answer.headers.remove("Date")  # of the framework, by the clock on the wall
    told = [(answer.status_code, sorted(answer.headers), answer.text) for answer in answers]
    return [told, [letter.raw for letter in table.post.sent if letter.recipient == ada.address]]


@pytest.mark.parametrize(
    ("guests", "bounces"),
    [
        pytest.param(("id", "address", "name"), False, id="all-reached"),
        pytest.param(("address", "name", "id"), True, id="all-bounce"),
        *(
            pytest.param((guest,), bounces, id=f"{guest}-{told}", marks=pytest.mark.campaign)
            for guest in ("id", "name", "address")
            for bounces, told in ((False, "reached"), (True, "bounces"))
        ),
    ],
)
def test_a_host_who_is_blocked_sees_what_any_host_sees(tmp_path: Path, guests: tuple[str, ...], bounces: bool):
    assert limits.INVITATIONS_TO_PLAYER_BY_HOST.most == 10
    seen, open_to = (
        as_seen_by_the_host(tmp_path / str(is_blocked), guests, is_blocked=is_blocked, bounces=bounces)
        for is_blocked in (True, False)
    )
    assert seen == open_to


# What the player notices


@pytest.mark.parametrize("guest", ["id", "name", "address"])
def test_an_invitation_of_a_blocked_host_reaches_the_player_in_no_way(table: Table, guest: str):
    ada, ben, _cleo = table.dealt(3).people
    table.tick()
    blocked(ben, ada)
    before = [len(ben.mails), *(ben.get(path).text for path in ("/games?mine=true", "/me/events", "/me/deliveries"))]
    named = {"id": {"player": ben.id}, "name": {"invite": "Ben"}, "address": {"invite": ben.address}}[guest]
    path = path_of(opened(ada, **named))
    table.tick()
    after = [len(ben.mails), *(ben.get(path).text for path in ("/games?mine=true", "/me/events", "/me/deliveries"))]
    assert after == before
    assert ben.get(path).status_code == 404
    assert ada.get(path).json["seats"][1]["state"] == "invited"


def test_an_invitation_that_was_open_disappears_for_the_player_alone(table: Table):
    ada, ben = table.people(2)
    path = path_of(opened(ada, player=ben.id))
    before = ada.get(path)
    assert ben.get(path).status_code == 200
    assert block(ben, who="Ada").status_code == 201, "she has invited Ben, so the name is known"
    assert ben.get(path).status_code == 404
    table.tick()
    assert ben.mails == []
    after = ada.get(path)
    assert (after.text, after.headers["ETag"]) == (before.text, before.headers["ETag"])
    assert ada.get(path).json["seats"][1]["state"] == "invited"


def test_one_who_was_blocked_and_has_the_code_of_the_game_may_still_join_it(table: Table):
    ada, ben = table.people(2)
    blocked(ben, ada)
    made = opened(ada, player=ben.id)
    joined = ben.post(f"{path_of(made)}/seats", {"code": made.json["code"]})
    assert (joined.status_code, joined.json["you"]["seat"]) == (201, 2)


def test_an_address_that_is_given_to_a_blocked_host_later_is_not_invited_by_it(table: Table):
    ada, ben = table.people(2)
    blocked(ben, ada)
    path = path_of(opened(ada, invite="ben@example.net"))
    table.tick()
    ben.post("/me/addresses", {"email": "ben@example.net"})
    table.tick()
    code = table.post.of("ben@example.net")[-1].get_content().partition('code is "')[2][:16]
    assert ben.post("/me/addresses/confirm", {"code": code}).status_code == 201
    assert ben.get(path).status_code == 404


# Talk


def test_what_is_said_to_all_by_a_blocked_player_is_not_heard_and_what_the_team_says_is(table: Table):
    game = table.dealt(3)
    ada, ben, cleo = game.people
    say(cleo, game, "Before")
    table.clock.turn(seconds=1)
    blocked(ben, cleo)
    table.tick()
    mailed = len(ben.mails)
    assert say(cleo, game, "Can anybody hear me?").json["number"] == 2
    table.tick()
    assert len(ben.mails) == mailed
    say(cleo, game, "Take the bus", "team")
    table.tick()
    assert len(ben.mails) == mailed + 1
    assert said(ben, game) == [(1, "Before"), (2, "Take the bus")]
    assert said(ada, game) == [(1, "Before"), (2, "Can anybody hear me?")]
    assert [text for _, text in said(cleo, game)] == ["Before", "Can anybody hear me?", "Take the bus"]


def test_the_end_of_a_block_changes_no_number_and_brings_nothing_back(table: Table):
    game = table.dealt(3)
    _ada, ben, cleo = game.people
    made = blocked(ben, cleo)
    say(cleo, game, "Hidden")
    table.clock.turn(minutes=1)
    assert ben.request("DELETE", f"/me/blocks/{made}").status_code == 204
    say(cleo, game, "Heard")
    assert said(ben, game) == [(1, "Heard")]
    table.clock.turn(minutes=1)
    blocked(ben, cleo)
    assert said(ben, game) == [(1, "Heard")]


# The list


def test_the_list_names_players_by_name_and_addresses_as_they_were_given(table: Table):
    ada, ben, cleo = table.dealt(3).people
    first = block(ben, who="cleo")
    assert (first.status_code, first.json["player"], first.json["name"]) == (201, cleo.id, "Cleo")
    for address in ("ada@example.org", "nobody@example.org"):
        table.clock.turn(minutes=1)
        made = block(ben, who=address.upper())
        assert (made.status_code, made.json["player"], made.json["email"]) == (201, None, address)
    assert [held["name"] or held["email"] for held in ben.get("/me/blocks").json["blocks"]] == [
        "Cleo", "ada@example.org", "nobody@example.org",
    ]  # fmt: skip
    assert ben.get("/me/export").json["blocks"] == ben.get("/me/blocks").json["blocks"]
    assert ada.get("/me/blocks").json == {"blocks": []}
    assert block(ben, who="Cleo").json["id"] == first.json["id"], "twice is once"


def test_a_blocked_address_is_about_invitations_alone_so_that_nobody_finds_out_whose_it_is(table: Table):
    game = table.dealt(3)
    _ada, ben, cleo = game.people
    block(ben, who="cleo@example.org")
    say(cleo, game, "Hello")
    assert said(ben, game) == [(1, "Hello")]
    path = path_of(opened(cleo, player=ben.id))
    assert ben.get(path).status_code == 404


def test_who_cannot_be_meant_is_refused(table: Table):
    _ada, ben, _cleo = table.dealt(3).people
    table.person("Eve")
    rows = [
        ({}, "Name one"), ({"player": "a", "who": "b"}, "Name one"), ({"who": "Eve"}, "Nobody"),
        ({"who": "x@"}, "address"), ({"player": "aaaaaaaaaaaaaaaa"}, "no player"), ({"who": "Ben"}, "Nobody"),
    ]  # fmt: skip
    for wanted, named in rows:
        refused = block(ben, **wanted)
        assert (refused.status_code, refused.json["type"]) == (422, "form"), wanted
        assert named in refused.json["detail"], wanted


def test_a_name_that_two_have_asks_which(table: Table):
    ada, ben, cleo = table.people(3)
    with table.app.app_context():
        namesake = session.get_one(Player, cleo.id)
        namesake.name, namesake.skeleton = "ADA", None
        session.commit()
    table.game([ada, ben, cleo])
    refused = block(ben, who="Ada")
    assert (refused.json["type"], refused.json["players"]) == ("form", [ada.id, cleo.id])
    assert "which of them?" in refused.json["detail"]
    assert block(ben, who=cleo.id).json["player"] == cleo.id


def test_a_player_blocks_so_many_and_not_themselves_and_ends_only_blocks_of_their_own(table: Table):
    ada, ben = table.people(2)
    made = blocked(ben, ada)
    for number in range(blocks.MOST - 1):
        assert block(ben, who=f"x{number}@example.org").status_code == 201
    assert block(ben, who="x@example.org").json["type"] == "enough"
    assert block(ben, player=ben.id).json["type"] == "form"
    assert ada.request("DELETE", f"/me/blocks/{made}").status_code == 404
    assert ben.request("DELETE", f"/me/blocks/{made}").status_code == 204
    assert ben.request("DELETE", f"/me/blocks/{made}").status_code == 404


def test_who_goes_leaves_no_blocks(table: Table):
    ada, ben = table.people(2)
    blocked(ben, ada)
    assert ben.request("DELETE", "/me", json={"name": "Ben"}).status_code == 204
    blocked(ada, table.person("Cleo"))
    assert len(ada.get("/me/blocks").json["blocks"]) == 1


# How often somebody may be invited


def test_a_player_is_invited_so_often_by_one_host_and_by_all(table: Table):
    ada, ben, *hosts = table.people(6)
    by_one, by_all = limits.INVITATIONS_TO_PLAYER_BY_HOST.most, limits.INVITATIONS_TO_PLAYER.most
    last = hosts.pop()
    assert [opened(ada, player=ben.id).status_code for _ in range(by_one + 1)] == [201] * by_one + [429]
    assert [opened(last, player=ben.id).status_code for _ in range(by_one - 5)] == [201] * (by_one - 5)
    for host in hosts[: by_all // by_one - 2]:
        assert [opened(host, player=ben.id).status_code for _ in range(by_one)] == [201] * by_one
    assert [opened(last, player=ben.id).status_code for _ in range(6)] == [201] * 5 + [429]
    assert opened(hosts[-1], player=ben.id).status_code == 429, "whoever invites"
    assert opened(ada, player=last.id).status_code == 201, "others can be invited"
    table.tick()
    assert len(ben.mails) == by_all
    table.clock.turn(days=1)
    assert opened(last, player=ben.id).status_code == 201


def test_what_a_player_has_had_enough_of_is_not_mailed_and_the_host_cannot_tell_whose_the_address_is(table: Table):
    ada, ben = table.people(2)
    for _ in range(limits.INVITATIONS_TO_PLAYER_BY_HOST.most):
        opened(ada, player=ben.id)
    table.tick()
    known, unknown = (opened(ada, invite=address) for address in ("ben@example.org", "nobody@example.org"))
    table.tick()
    assert (known.status_code, unknown.status_code) == (201, 201)
    assert len(ben.mails) == limits.INVITATIONS_TO_PLAYER_BY_HOST.most
    assert ben.get(path_of(known)).status_code == 200, "it can be seen and taken all the same"


def test_one_host_does_not_use_up_what_an_address_may_get_from_others(table: Table):
    ada, _, cleo = table.people(3)
    sent = [opened(ada, invite="anna@example.org").status_code for _ in range(4)]
    assert sent == [201] * limits.INVITATIONS_TO_ADDRESS_BY_HOST.most + [429]
    assert opened(cleo, invite="anna@example.org").status_code == 201


def test_an_address_is_protected_from_all_hosts_together(table: Table):
    hosts = [table.person(f"Host-{letter}") for letter in "abcdef"]
    answers = [opened(host, invite="anna@example.org") for host in hosts for _ in range(2)]
    refused = [answer for answer in answers if answer.status_code != 201]
    assert len(answers) - len(refused) == limits.INVITATIONS_TO_ADDRESS.most
    assert {answer.json["type"] for answer in refused} == {"too-many"}


def test_a_host_invites_so_many_a_day(table: Table):
    ada, *others = table.persons("Ada", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gwen")
    rest = cycle(others)
    for _ in range(limits.INVITATIONS.most // 5):
        seats = [{"role": "detective", "player": next(rest).id} for _ in range(5)]
        made = ada.post("/games", {"edition": EDITION, "seats": [{"role": "mr_x", "player": ada.id}, *seats]})
        assert made.status_code == 201, made.json
    assert opened(ada, player=table.person("Hal").id).status_code == 429


def test_two_open_blocks_of_one_person_end_together(table: Table):
    ada, ben = table.people(2)
    for remove in ("by mail", "by id"):
        with table.app.app_context(), transaction():
            for number in (1, 2):
                row = {"player_id": ben.id, "blocked_id": ada.id, "created_at": table.clock()}
                session.add(Block(id=f"{remove} {number}", **row))
        if remove == "by mail":
            with table.app.app_context():
                blocks.unblock(session.get_one(Player, ben.id), ada.name)
        else:
            assert ben.request("DELETE", "/me/blocks/by id 1").status_code == 204
        assert ben.get("/me/blocks").json["blocks"] == []


def test_a_host_has_so_many_games_that_have_not_begun(table: Table):
    ada, ben = table.people(2)
    paths = [path_of(opened(ada)) for _ in range(opening.MOST_OPEN)]
    refused = opened(ada)
    assert (refused.status_code, refused.json["type"]) == (409, "enough")
    assert len(ada.get("/games").json["games"]) == opening.MOST_OPEN
    assert opened(ben).status_code == 201
    ben.post(f"{paths[0]}/seats", {"code": ada.get(paths[0]).json["code"]})
    assert ada.post(f"{paths[0]}/start").status_code == 200
    assert opened(ada).status_code == 201
