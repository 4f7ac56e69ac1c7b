"""Invitations: a seat is reserved for somebody, by address, name or id, and nobody learns from it who is known here."""

from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import event, select
from werkzeug.test import TestResponse

from server.application.lobby import seats
from server.models import Invitation, Outgoing, Player, Seat, db, session
from server.vocabulary import limits
from tests.databases import stored
from tests.table import Person, Table

ANNA = "anna@example.org"
EDITION = "condensed"


def opened(host: Person, *others: dict[str, Any], **more: Any) -> TestResponse:
    """A game in which the host is Mr. X and these are detectives."""
    seats = [{"role": "mr_x", "player": host.id}, *({"role": "detective", **other} for other in others)]
    return host.post("/games", {"edition": EDITION, "seats": seats, **more})


def invited(host: Person, *emails: str) -> str:
    made = opened(host, *({"invite": email} for email in emails))
    assert made.status_code == 201, made.json
    return f"/games/{made.json['id']}"


def code_to(table: Table, address: str = ANNA) -> str:
    table.tick()
    return table.post.of(address)[-1].get_content().partition('code is "')[2][:16]


def confirm(table: Table, code: str, **more: Any) -> TestResponse:
    return table.client.post("/api/v1/players/confirm", json={"code": code, **more})


def states(person: Person, path: str) -> list[tuple[str, str | None]]:
    return [(seat["state"], seat["invite"]) for seat in person.get(path).json["seats"]]


@pytest.fixture
def ada(table: Table) -> Person:
    return table.person("Ada")


# Who is known


def test_the_host_cannot_tell_an_address_that_is_known_from_one_that_is_not(table: Table, ada: Person):
    table.person("Known")
    told = []
    for address in ("known@example.org", "stranger@example.org"):
        made = opened(ada, {"invite": address})
        path = f"/games/{made.json['id']}"
        table.tick()
        seen = [made, ada.get(path), ada.get("/games"), ada.get(f"{path}/events"), ada.get("/me/export")]
        blank = {made.json["id"]: "ID", made.json["code"]: "CODE", made.json["name"]: "NAME", address: "ADDRESS"}
        texts = [answer.text for answer in seen]
        for word, instead in blank.items():
            texts = [text.replace(word, instead) for text in texts]
        told.append((texts[0], texts[1], texts[3], [answer.status_code for answer in seen], len(ada.mails)))
    assert told[0] == told[1]
    assert [len(table.post.of(f"{name}@example.org")) for name in ("known", "stranger")] == [1, 1]


def test_inviting_and_reminding_asks_the_database_the_same_for_both(table: Table, ada: Person):
    table.person("Known")
    counted = []
    for address in ("first@example.org", "known@example.org", "stranger@example.org"):
        asked: list[str] = []

        def note(_connection, _cursor, statement, *_rest, asked=asked):
            asked.append(statement.partition(" SET ")[0].partition(" IN (")[0].partition("INSERT INTO news")[0])

        with table.app.app_context():
            event.listen(db.engine, "before_cursor_execute", note)
            path = invited(ada, address)
            table.clock.turn(days=1, seconds=1)
            seats.remind(path.rpartition("/")[2], session.get_one(Player, ada.id), 2)
            event.remove(db.engine, "before_cursor_execute", note)
        counted.append(asked)
    assert counted[1] == counted[2]


def test_the_address_of_the_host_is_the_host(ada: Person):
    seats = [{"role": "mr_x", "invite": ada.address}, {"role": "detective"}]
    assert ada.post("/games", {"edition": EDITION, "seats": seats}).json["you"]["seat"] == 1


# By code


def test_the_code_makes_a_player_and_seats_him_once(table: Table, ada: Person):
    path = invited(ada, ANNA)
    code = code_to(table)
    made = confirm(table, code.upper(), name="Anna Lee")
    assert (made.status_code, list(made.json)) == (201, ["id", "token"])
    anna = ada.get(path).json["seats"][1]
    assert (anna["player"], anna["state"], anna["invite"]) == (made.json["id"], "taken", None)
    assert ada.get(f"{path}/events").json["events"][-1]["data"] == {"seat": 2, "name": "Anna Lee"}
    assert confirm(table, code).json["type"] == "bad-code"


def test_who_signs_up_by_himself_finds_the_seat_kept_for_him(table: Table, ada: Person):
    path = invited(ada, ANNA)
    code = code_to(table)
    anna = table.person("Anna")
    assert anna.get("/games?mine=true").json["games"][0]["seats"][1]["state"] == "invited"
    assert confirm(table, code).json["type"] == "bad-code"
    assert anna.post(f"{path}/seats").json["you"]["seat"] == 2


# Until when


def kept(table: Table) -> list[tuple[Any, ...]]:
    with table.app.app_context():
        mails = session.execute(select(Outgoing.details, Outgoing.message).where(Outgoing.player_id.is_(None))).all()
        rows = session.execute(select(Invitation.email, Invitation.digest)).all()
        return [tuple(row) for row in (*rows, *mails)]


@pytest.mark.parametrize("end", ["withdrawn", "declined", "taken", "expired", "expired before it was sent"])
def test_an_invitation_that_is_over_leaves_no_address_and_no_code(table: Table, ada: Person, end: str):
    path = invited(ada, ANNA)
    code = "" if "before" in end else code_to(table)
    match end:
        case "withdrawn":
            assert ada.request("DELETE", f"{path}/seats/2").status_code == 200
        case "declined":
            anna = table.person("Anna")
            assert anna.request("DELETE", f"{path}/seats/2").status_code == 200
        case "taken":
            assert confirm(table, code).status_code == 201
        case _:
            table.clock.turn(days=30)
            table.tick()
    assert set(kept(table)) <= {(None, None)}
    if code:
        assert confirm(table, code).json["type"] == "bad-code"
    assert states(ada, path)[1] == (("taken" if end == "taken" else "open"), None)
    table.tick()
    assert [mail["Subject"].split("] ")[1] for mail in ada.mails] == (
        ["Everybody is here; the game can start"] if end == "taken" else [] if end == "withdrawn"
        else ["Purple, Red, Green and Yellow: the seat is open again"]
    )  # fmt: skip


def test_nothing_of_who_is_invited_can_be_read_in_the_database(table: Table, ada: Person):
    invited(ada, ANNA)
    code = code_to(table)
    dump = stored(table.app)
    assert not [text for text in (ANNA.encode(), code.encode()) if text in dump]


# How often


def test_an_address_is_written_to_three_times_a_day_and_a_host_invites_twenty(table: Table, ada: Person):
    for _ in range(limits.INVITATIONS_TO_ADDRESS_BY_HOST.most):
        path = invited(ada, ANNA)
        table.clock.turn(hours=1)
    ada.request("DELETE", f"{path}/seats/2")
    refused = ada.request("PUT", f"{path}/seats/2", json={"invite": ANNA})
    assert (refused.status_code, refused.json["type"]) == (429, "too-many")
    assert int(refused.headers["Retry-After"]) == 21 * 3600 + 1
    assert states(ada, path)[1][0] == "open", "nothing is half done"
    with table.app.app_context():
        for number in range(limits.INVITED_ADDRESSES.most - 3):
            session.add(
                Invitation(id=str(number), host_id=ada.id, address=str(number), nonce="", created_at=table.clock())
            )
        session.commit()
    assert opened(ada, {"invite": "somebody@example.org"}).json["type"] == "too-many"
    assert len(ada.get("/games").json["games"]) == 3
    table.clock.turn(days=1)
    assert opened(ada, {"invite": ANNA}).status_code == 201


# By name


def test_only_who_was_met_in_a_game_is_invited_by_his_name(table: Table):
    game = table.dealt(3)
    ada, ben, _ = game.people
    table.person("Eve")
    refused = [opened(ada, {"invite": name}) for name in ("Eve", "Fay")]
    assert [answer.json["type"] for answer in refused] == ["form", "form"]
    assert refused[0].text.replace("Eve", "Fay") == refused[1].text
    made = opened(ada, {"invite": "ben"}).json
    assert made["seats"][1]["state"] == "invited"
    assert ben.post(f"/games/{made['id']}/seats").status_code == 201


def test_a_name_that_two_have_is_no_name(table: Table):
    ada, ben = table.people(2)
    namesake = table.person("Ben2")
    with table.app.app_context():
        session.get_one(Player, namesake.id).name = "Ben"
        session.commit()
    table.game([ada, ben, namesake])
    assert "More than one" in opened(ada, {"invite": "Ben"}).json["detail"]


# PUT


@pytest.fixture
def path(ada: Person) -> str:
    return f"/games/{opened(ada, {}, {}).json['id']}"


def puts(host: Person, path: str) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield a name, a body that puts somebody on seat 2, and the expected answer."""
    yield "nobody", {}, "form"
    yield "two", {"bot": "constable", "invite": ANNA}, "form"
    yield "no address", {"invite": "anna@"}, "form"
    yield "no player", {"player": "aaaa"}, "form"
    yield "no bot", {"bot": "fugitive"}, "form"
    yield "the host, who sits", {"player": host.id}, "already-seated"
    yield "anna", {"invite": ANNA}, "invited"
    yield "anna again", {"invite": "Anna@Example.org"}, "invited"
    yield "another", {"bot": "constable"}, "seat-taken"


def test_the_host_keeps_an_open_seat_for_somebody(table: Table, ada: Person, path: str):
    for title, body, outcome in puts(ada, path):
        answer = ada.request("PUT", f"{path}/seats/2", json=body)
        found = answer.json["seats"][1]["state"] if answer.status_code == 200 else answer.json["type"]
        assert found == outcome, title
    table.tick()
    assert len(table.post.of(ANNA)) == 1, "twice the same is the same as once"
    assert ada.request("PUT", f"{path}/seats/3", json={"invite": ANNA}).json["type"] == "form"
    assert ada.request("PUT", f"{path}/seats/9", json={"bot": "constable"}).json["type"] == "form"
    assert ada.request("PUT", f"{path}/seats/3", json={"bot": "constable"}).json["seats"][2]["bot"] == "constable"


# What is held


def test_the_export_tells_when_one_was_invited_and_going_leaves_nothing_of_it(table: Table, ada: Person):
    path = invited(ada, "ben@example.org")
    ben = table.person("Ben")
    assert ben.get("/me/export").json["invitations"] == ["2026-11-22T18:00:00Z"]
    assert ben.request("DELETE", "/me", json={"name": "Ben"}).status_code == 204
    with table.app.app_context():
        assert session.scalars(select(Invitation)).all() == []
        assert session.get_one(Seat, (path.removeprefix("/games/"), 2)).invitation_id is None


def test_invitations_die_with_a_host_who_goes_and_has_no_heir(table: Table, ada: Person):
    invited(ada, ANNA)
    code = code_to(table)
    assert ada.request("DELETE", "/me", json={"name": "Ada"}).status_code == 204
    assert set(kept(table)) <= {(None, None)}
    assert confirm(table, code).json["type"] == "bad-code"


def test_a_start_too_early_names_whose_answer_is_missing_and_no_owner_of_an_address(table: Table):
    ada, ben = table.people(2)
    seats = [{"role": "mr_x", "player": ada.id}, {"role": "detective", "invite": ben.address}, {"role": "detective"}]
    path = f"/games/{ada.post('/games', {'edition': 'condensed', 'seats': seats}).json['id']}"
    said = ada.post(f"{path}/start").json["detail"]
    assert f"seat 3 (Green and Yellow) is open, and {ben.address} has not accepted seat 2 (Purple and Red) yet." in said
    assert "Ben" not in said.replace(ben.address, "")
