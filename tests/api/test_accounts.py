"""Accounts over REST: signing up, tokens and their scopes, preferences, the export, and leaving for good."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from werkzeug.test import TestResponse

from server.application.people import tokens
from server.application.people.names import FORMER
from server.models import SCOPES, Player, session
from server.vocabulary import limits
from tests.positions import position
from tests.profiles import IS_CAMPAIGN
from tests.rows import for_each
from tests.table import Person, Playing, Table


@pytest.fixture
def ada(table: Table) -> Person:
    return table.person("Ada")


def sign_up(table: Table, email: str = "gwen@example.org", name: str = "Gwen", **more: Any) -> TestResponse:
    return table.client.post("/api/v1/players", json={"name": name, "email": email, **more})


def code_to(table: Table, address: str) -> str:
    """The code in the newest mail to an address."""
    table.tick()
    return re.search(r'the code is "([a-z2-7]{16})"', table.post.of(address)[-1].get_content())[1]


def confirm(table: Table, code: str) -> TestResponse:
    return table.client.post("/api/v1/players/confirm", json={"code": code})


def with_token(table: Table, token: str, method: str, path: str, **kwargs: Any) -> TestResponse:
    return table.client.open(f"/api/v1{path}", method=method, headers={"Authorization": f"Bearer {token}"}, **kwargs)


def token_for(person: Person, *scopes: str, **more: Any) -> dict[str, Any]:
    made = person.post("/me/tokens", {"name": "script", "scopes": list(scopes), **more})
    assert made.status_code == 201, made.json
    return made.json


# Signing up


def test_the_code_that_came_by_mail_makes_a_player(table: Table):
    assert sign_up(table, zone="Europe/London").status_code == 202
    made = confirm(table, code_to(table, "gwen@example.org"))
    assert (made.status_code, list(made.json)) == (201, ["id", "token"])
    me = with_token(table, made.json["token"], "GET", "/me").json
    assert me == {"id": made.json["id"], "name": "Gwen", "email": "gwen@example.org", "zone": "Europe/London"}


def test_the_owner_of_a_known_address_is_told_and_gets_no_code(table: Table, ada: Person):
    sign_up(table, ada.address.upper())
    table.tick()
    (mail,) = ada.mails
    assert "signed up with your address" in mail["Subject"]
    assert re.findall(r"\b[a-z2-7]{16}\b", mail.get_content()) == []


def test_what_a_stranger_calls_himself_is_not_in_the_mail_to_the_address_he_gave(table: Table):
    sign_up(table, name="Buy our tickets")
    table.tick()
    assert "Buy our" not in table.post.of("gwen@example.org")[0].as_string()


def test_a_code_is_good_once(table: Table):
    sign_up(table)
    code = code_to(table, "gwen@example.org")
    assert [confirm(table, code).status_code for _ in range(2)] == [201, 422]


@pytest.mark.parametrize(("hours", "status"), [(23, 201), (24, 422)])
def test_a_code_is_good_for_one_day(table: Table, hours: int, status: int):
    sign_up(table)
    code = code_to(table, "gwen@example.org")
    table.clock.turn(hours=hours)
    assert confirm(table, code).status_code == status


def test_a_code_that_is_none_is_refused(table: Table):
    answer = confirm(table, "aaaaaaaaaaaaaaaa")
    assert (answer.status_code, answer.json["type"]) == (422, "bad-code")


def test_a_code_may_be_written_in_capitals(table: Table):
    sign_up(table)
    assert confirm(table, f" {code_to(table, 'gwen@example.org').upper()} ").status_code == 201


def test_of_two_codes_for_one_address_the_second_finds_it_taken(table: Table):
    codes = []
    for _ in range(2):
        sign_up(table)
        codes.append(code_to(table, "gwen@example.org"))
    answers = [confirm(table, code) for code in codes]
    assert [answer.status_code for answer in answers] == [201, 409]
    assert answers[1].json["type"] == "email-taken"


@pytest.mark.parametrize("email", ["gwen@example.org", "ada@example.org"])
def test_an_address_gets_three_mails_a_day_be_it_known_or_not(table: Table, ada: Person, email: str):
    answers = [sign_up(table, email) for _ in range(4)]
    assert [answer.status_code for answer in answers] == [202, 202, 202, 429]
    assert (answers[3].json["type"], answers[3].headers["Retry-After"]) == ("too-many", "86401")
    table.tick()
    assert len(table.post.of(email)) == 3


@for_each(
    "given, named",
    [({"email": "gwen"}, "'gwen'"), ({"name": "a\nb"}, "one line"), ({"zone": "Mars"}, "'Mars'"), ({"x": 1}, "x")],
)
def test_what_cannot_be_an_account_is_refused(table: Table, given: dict[str, Any], named: str):
    answer = table.client.post("/api/v1/players", json={"name": "Gwen", "email": "gwen@example.org", **given})
    assert (answer.status_code, answer.json["type"]) == (422, "form")
    assert named in answer.json["detail"]


# Tokens


def test_a_token_is_made_used_listed_and_taken_away(table: Table, ada: Person):
    made = token_for(ada, "read")
    assert with_token(table, made["token"], "GET", "/me").json["name"] == "Ada"
    listed = ada.get("/me/tokens").json["tokens"]
    assert {token["name"]: token["last_used"] for token in listed} == {"first": "2026-11-22", "script": "2026-11-22"}
    assert ada.request("DELETE", f"/me/tokens/{made['id']}").status_code == 204
    assert with_token(table, made["token"], "GET", "/me").status_code == 401


def test_the_secret_of_a_token_is_shown_once(ada: Person):
    made = token_for(ada, "read")
    assert re.fullmatch("bt_[a-z2-7]{38}", made["token"])
    assert made["token"] not in ada.get("/me/tokens").text
    assert made["token"] not in ada.get("/me/export").text


def test_a_token_is_refused_when_its_time_is_over(table: Table, ada: Person):
    made = token_for(ada, "read", expires_at="2026-11-22T19:30:00+01:00")
    assert made["expires_at"] == "2026-11-22T18:30:00Z"
    table.clock.turn(minutes=29)
    assert with_token(table, made["token"], "GET", "/me").status_code == 200
    table.clock.turn(minutes=1)
    assert with_token(table, made["token"], "GET", "/me").status_code == 401


def test_a_player_has_so_many_tokens_and_expired_ones_make_room(table: Table, ada: Person):
    soon = token_for(ada, "read", expires_at="2026-11-22T18:30:00Z")
    for _ in range(tokens.MOST_TOKENS - 2):
        token_for(ada, "read")
    refused = ada.post("/me/tokens", {"name": "script", "scopes": ["read"]})
    assert (refused.status_code, refused.json["type"]) == (409, "enough")
    assert str(tokens.MOST_TOKENS) in refused.json["detail"]
    table.clock.turn(minutes=30)
    made = token_for(ada, "read")
    assert soon["id"] not in ada.get("/me/tokens").text
    ada.request("DELETE", f"/me/tokens/{made['id']}")
    token_for(ada, "read")


def test_a_request_that_fails_is_no_use_of_a_token(table: Table, ada: Person):
    made = token_for(ada, "read")
    with_token(table, made["token"], "GET", "/games/aaaa")
    listed = ada.get("/me/tokens").json["tokens"]
    assert {token["name"]: token["last_used"] for token in listed}["script"] is None


def test_the_token_of_another_player_is_not_there(table: Table, ada: Person):
    made = token_for(ada, "read")
    ben = table.person("Ben")
    answers = [ben.request("DELETE", f"/me/tokens/{token_id}") for token_id in (made["id"], "aaaa")]
    assert [answer.status_code for answer in answers] == [404, 404]
    assert answers[0].data == answers[1].data


@for_each(
    "given",
    [{"scopes": []}, {"scopes": ["write"]}, {"name": ""}, {"name": "a\nb"}, {"expires_at": "tomorrow"},
     {"expires_at": "2026-11-22T17:00:00Z"}, {"expires_at": "2026-11-23T17:00:00"},
     {"expires_at": "9999-12-31T23:59:59-23:59"}, {"expires_at": "0001-01-01T00:00:00+23:59"}],
)  # fmt: skip
def test_a_token_that_makes_no_sense_is_not_made(ada: Person, given: dict[str, Any]):
    answer = ada.post("/me/tokens", {"name": "script", "scopes": ["read"], **given})
    assert (answer.status_code, answer.json["type"]) == (422, "form")
    assert next(iter(given)) in answer.json["detail"] or "name of a token" in answer.json["detail"]


# Scopes

OPEN = {"/players", "/players/confirm", "/editions", "/boards/<name>", "/inbound/<provider>", "/calendars/<secret>"}
PLAY = {"moves", "ahead", "seats", "messages", "muted", "preferences", "resign", "draw", "votes", "<vote_id>", "cover"}
PLAY |= {"reports", "replay"}


def calls(table: Table) -> Iterator[tuple[str, str]]:
    """Every call that needs a token, by method and rule."""
    for rule in table.app.url_map.iter_rules():
        path = rule.rule.removeprefix("/api/v1")
        if path != rule.rule and path not in OPEN:
            yield from ((method, path) for method in sorted(rule.methods - {"OPTIONS"}))


def scopes_for(method: str, path: str) -> set[str]:
    """The scopes of which one is needed, as the documentation has it."""
    if method in ("GET", "HEAD"):
        return {"read"}
    if path.startswith("/me/absences"):
        return {"play"}
    if path.startswith(("/me", "/webhooks", "/devices")):
        return {"admin"}
    if (method, path) == ("DELETE", "/games/<game_id>/seats/<int:seat>"):
        return {"play", "host"}
    return {"play"} if path.rpartition("/")[2] in PLAY else {"host"}


def filled(path: str, game: Playing) -> str:
    path = path.replace("<game_id>", game.id).replace("<int:seat>", "1")
    return re.sub("<[^>]*>", "aaaa", path)


def lacks_scope(answer: TestResponse) -> bool:
    return answer.status_code == 403 and (not answer.data or "lacks the scope" in answer.json["detail"])


def test_every_call_needs_its_scope_and_no_other(table: Table):
    game = table.dealt(2, position=position(104, red=117))
    tokens = {scope: token_for(game.people[0], scope)["token"] for scope in SCOPES}
    checked = 0
    leaves = ("DELETE", "/games/<game_id>/seats/<int:seat>")
    for number, (method, path) in enumerate(sorted(calls(table), key=leaves.__eq__)):
        if method == "HEAD" and number % 4 and not IS_CAMPAIGN:
            continue  # answered by what answers GET
        wanted = scopes_for(method, path)
        refused_first = sorted(SCOPES, key=wanted.__contains__)  # as who has left the game is not asked
        answers = {scope: with_token(table, tokens[scope], method, filled(path, game)) for scope in refused_first}
        allowed = {scope for scope, answer in answers.items() if not lacks_scope(answer)}
        assert allowed == wanted, (method, path)
        checked += 1
    assert checked > 30


def test_a_token_without_the_scope_is_told_which_one_it_lacks(table: Table, ada: Person):
    answer = with_token(table, token_for(ada, "read", "admin")["token"], "POST", "/games", json={})
    assert (answer.status_code, answer.json["type"], answer.json["scope"]) == (403, "forbidden", ["host"])
    assert answer.json["detail"] == "This token lacks the scope host."


def test_a_scope_is_asked_for_after_the_game_and_before_the_form(table: Table, game: Playing):
    token = token_for(game.people[0], "host")["token"]
    answers = [
        with_token(table, "bt_wrong", "POST", f"{game.path}/moves", data=b"{"),
        with_token(table, token, "POST", "/games/aaaa/moves", data=b"{"),
        with_token(table, token, "POST", f"{game.path}/moves", data=b"{"),
    ]
    assert [answer.status_code for answer in answers] == [401, 404, 403]


def test_a_token_to_play_gives_back_its_own_seat_and_clears_no_other(table: Table):
    ada, ben = table.people(2)
    path = f"/games/{ada.post('/games', {'edition': 'condensed', 'players': 2}).json['id']}"
    for number, person in enumerate((ada, ben), 1):
        person.post(f"{path}/seats", {"seat": number})
    token = token_for(ada, "play")["token"]
    answers = [with_token(table, token, "DELETE", f"{path}/seats/{seat}") for seat in (2, 1)]
    assert [answer.status_code for answer in answers] == [403, 200]
    assert answers[0].json["scope"] == ["host"]


# Preferences


def test_preferences_are_read_and_changed_one_by_one(ada: Person):
    before = ada.get("/me/preferences").json
    assert (before["zone"], before["mail"], before["hold"]) == ("Europe/London", "usual", "doubtful")
    for name, value in (("mail", "off"), ("zone", "UTC"), ("hold", "always")):
        before |= {name: value}
        assert ada.request("PATCH", "/me/preferences", json={name: value}).json == before
    assert ada.get("/me/preferences").json == before


@for_each(
    "given",
    [{"zone": "Mars"}, {"mail": "some"}, {"mail": None}, {"picture": "yes"}, {"hold": True}, {"hold": "yes"}],
)
def test_a_preference_that_there_is_not_is_refused(ada: Person, given: dict[str, Any]):
    before = ada.get("/me/preferences").json
    answer = ada.request("PATCH", "/me/preferences", json=given)
    assert (answer.status_code, answer.json["type"]) == (422, "form")
    assert ada.get("/me/preferences").json == before


def test_a_name_is_changed_in_games_that_run_and_what_is_sealed_stays(table: Table, game: Playing):
    ada, ben = game.people[:2]
    before = ada.get(f"{game.path}/transcript").json
    assert ben.request("PATCH", "/me", json={"name": "  Benedict   B. "}).json == {
        **ben.get("/me").json,
        "name": "Benedict B.",
    }
    told = ada.get(f"{game.path}/events").json["events"]
    assert [event["data"].get("name") for event in told if event["kind"] == "joined"][1] == "Benedict B."
    assert ada.get(f"{game.path}/transcript").json == before
    assert ben.request("PATCH", "/me").json["name"] == "Benedict B."


def test_who_goes_after_a_change_of_name_is_named_by_neither(table: Table):
    over = table.dealt(2, position=position(104, red=(117, {})))
    ada, ben = over.people
    ben.request("PATCH", "/me", json={"name": "Benedict"})
    assert ben.request("DELETE", "/me", json={"name": "Ben"}).status_code == 422
    assert ben.request("DELETE", "/me", json={"name": "Benedict"}).status_code == 204
    assert "Ben" not in ada.get(f"{over.path}/events").text


# The export


def test_the_export_has_all_that_is_held_of_the_player(game: Playing):
    ada = game.people[0]
    move = game.legal(ada)[0]
    game.move(ada, move, headers={"Idempotency-Key": "once"})
    held = ada.get("/me/export").json
    assert held["player"]["email"] == ada.address
    assert [token["name"] for token in held["tokens"]] == ["first"]
    (played,) = held["games"]
    assert (played["id"], played["seat"], played["pawns"], played["is_host"]) == (game.id, 1, ["mr_x"], True)
    assert [made["notation"] for made in played["moves"]] == [move]
    assert {mail["kind"] for mail in held["mails_to_me"]} == {"complete", "turn"}
    assert [kept["key"] for kept in held["kept_answers"]] == ["once"]


def test_the_export_has_nothing_of_others(table: Table, game: Playing):
    game.play_round()
    ada, *others = game.people
    for reader in game.people:
        held = reader.get("/me/export").text
        for other in game.people:
            if other is not reader:
                assert not {word for word in (other.name, other.address, other.id) if f'"{word}"' in held}
    secret = ada.get("/me/export").json["games"][0]["moves"][0]["notation"]
    assert [person.name for person in others if f'"{secret}"' in person.get("/me/export").text] == []


def test_who_was_mr_x_finds_nothing_of_that_game_in_the_export(table: Table, game: Playing):
    from server.application.lobby.seats import substitute
    from server.models import Player, session

    game.move(game.people[0], headers={"Idempotency-Key": "once"})
    table.tick()
    with table.app.app_context():
        substitute(game.id, 1, session.get_one(Player, table.person("Gwen").id), "away")
        session.remove()
    assert game.id not in game.people[0].get("/me/export").text


# Going


def leave(person: Person, name: str | None = None) -> TestResponse:
    return person.request("DELETE", "/me", json={"name": person.name if name is None else name})


def test_nobody_goes_by_mistake(ada: Person):
    answer = leave(ada, "ada")
    assert (answer.status_code, answer.json["type"]) == (422, "form")
    assert ada.get("/me").status_code == 200


def test_nobody_leaves_a_running_game_that_way(game: Playing):
    answer = leave(game.people[1])
    assert (answer.status_code, answer.json["type"], answer.json["games"]) == (409, "still-playing", [game.id])


def test_a_provisional_result_is_not_the_end(table: Table, game: Playing):
    for _ in range(2):
        table.clock.turn(hours=49)
        table.tick()
    assert (game.view()["status"], game.view()["outcome"]["final"]) == ("over", False)
    assert leave(game.people[0]).status_code == 409


def test_a_game_that_is_over_goes_on_without_the_name(table: Table):
    over = table.dealt(2, position=position(104, red=(117, {})))
    ada, ben = over.people
    before = ada.get(f"{over.path}/transcript").json
    assert leave(ben).status_code == 204
    assert [seat["player"] for seat in over.view(ada)["seats"]] == [ada.id, ben.id]
    events = ada.get(f"{over.path}/events").json["events"]
    assert [event["data"] for event in events[:3]] == [
        {"host": "Ada"}, {"seat": 1, "name": "Ada"}, {"seat": 2, "name": FORMER},
    ]  # fmt: skip
    assert ada.get(f"{over.path}/transcript").json == before


def test_a_namesake_keeps_his_name(table: Table):
    ada, ben = table.people(2)
    sign_up(table)
    made = confirm(table, code_to(table, "gwen@example.org")).json
    other = made["token"]
    with table.app.app_context():  # from before names were kept apart
        namesake = session.get_one(Player, made["id"])
        namesake.name, namesake.skeleton = "Ben", None
        session.commit()
    over = table.game([ada, ben], position=position(104, red=(117, {})))
    assert with_token(table, other, "DELETE", "/me", json={"name": "Ben"}).status_code == 204
    assert "Ben" in ada.get(f"{over.path}/events").text


def test_nobody_can_be_invited_who_is_gone(table: Table):
    ada, ben = table.people(2)
    leave(ben)
    seats = [{"role": "mr_x", "player": ada.id}, {"role": "detective", "player": ben.id}]
    assert ada.post("/games", {"edition": "condensed", "seats": seats}).status_code == 422


def test_an_old_reply_address_of_who_is_gone_moves_nobody_to_write_to_him(table: Table):
    ada, ben = table.people(2)
    over = table.game([ada, ben], "condensed", position=position(104, red=(117, {"taxi": 1})))
    over.move(ada)
    table.tick()
    over.move(ben)
    assert over.view()["outcome"]["final"]
    table.tick()
    mail, sent = ben.mails[0], len(table.post.sent)
    leave(ben)
    ben.reply("STATUS", to=mail)
    table.tick()
    assert len(table.post.sent) == sent


# How often somebody may sign up


def sign_up_from(table: Table, network: str, number: int) -> Any:
    """Ask for an account from the address with this number in a network."""
    address = network.format(number)
    wanted = {
        "name": f"Player {chr(97 + number // 26)}{chr(97 + number % 26)}",
        "email": f"x{re.sub('[.:]', 'x', address)}@example.org",
    }
    return table.client.post("/api/v1/players", json=wanted, environ_base={"REMOTE_ADDR": address})


@pytest.mark.parametrize(
    ("flooded", "other"), [("198.51.100.{}", "198.51.101.{}"), ("2001:db8:1:2{:02x}::1", "2001:db8:1:300:{:x}::1")]
)
def test_one_network_that_signs_up_too_often_is_refused_and_others_are_not(table: Table, flooded: str, other: str):
    answers = [sign_up_from(table, flooded, number) for number in range((limits.CODES.most) + 1)]
    assert {answer.status_code for answer in answers[:-1]} == {202}
    assert (answers[-1].status_code, answers[-1].json["type"]) == (429, "too-many")
    assert sign_up_from(table, other, 1).status_code == 202


def test_a_player_who_asks_for_addresses_too_often_is_refused_and_does_not_use_up_what_others_have(table: Table):
    ada = table.person("Ada")
    answers = [
        ada.post("/me/addresses", {"email": f"ada{n}@example.org"}) for n in range(limits.CODES_OF_PLAYER.most + 1)
    ]
    assert [answer.status_code for answer in answers] == [202] * limits.CODES_OF_PLAYER.most + [429]
    assert sign_up(table).status_code == 202


# Names


def test_nobody_has_a_name_that_looks_like_that_of_another(table: Table):
    ben, cleo = table.person("Ben"), table.person("Cleo")
    for name in ("Ben", "BEN", "B\u0435n", "\uff22\uff45\uff4e", "B e n.", "Ben\u3164", "\u0392en"):
        refused = [cleo.request("PATCH", "/me", json={"name": name}), sign_up(table, name=name)]
        assert [(answer.status_code, answer.json["type"]) for answer in refused] == [(409, "name-taken")] * 2, name
    assert ben.request("PATCH", "/me", json={"name": "BEN"}).json["name"] == "BEN", "of one's own name"


@for_each(
    "name",
    ["Mr. X", "mr x", "MRX", "Mister X", "M-r X", "\u041cr. \u0425", "Mr. \u2169", "The real Mr. X", "Black Ticket",
     "B1ackTicket", "Operator", "0perator", "H\u03bfst", "The host", "Admin", "Postmaster", "fugitive",
     "A former player"],
)  # fmt: skip
def test_nobody_is_called_like_the_fugitive_or_the_server(table: Table, name: str):
    refused = sign_up(table, name=name)
    assert (refused.status_code, refused.json["type"]) == (409, "name-taken")


@for_each("name", ["\u3164", "\u2800", "...", "\U0001f98a", "\u00a0", "\u115f\u1160"])
def test_a_name_has_something_to_read(table: Table, name: str):
    assert sign_up(table, name=name).json["type"] == "form"


@pytest.mark.parametrize(
    "name", ["Xaver", "Mr Xavier", "Hostess", "\u0410\u043d\u043d\u0430", "\u674e", "Ada 2", "Playfair"]
)
def test_other_names_are_as_people_have_them(table: Table, name: str):
    assert sign_up(table, name=name).status_code == 202


def test_who_signed_up_with_a_name_that_was_taken_since_chooses_another(table: Table):
    sign_up(table, name="Dana")
    code = code_to(table, "gwen@example.org")
    table.person("Dana")
    assert confirm(table, code).json["type"] == "name-taken"
    assert table.client.post("/api/v1/players/confirm", json={"code": code, "name": "Gwen"}).status_code == 201


def test_a_name_that_was_given_up_is_free(table: Table):
    ben, cleo = table.person("Ben"), table.person("Cleo")
    assert ben.request("PATCH", "/me", json={"name": "Benedict"}).status_code == 200
    assert cleo.request("PATCH", "/me", json={"name": "Ben"}).status_code == 200
    assert ben.request("DELETE", "/me", json={"name": "Benedict"}).status_code == 204
    assert cleo.request("PATCH", "/me", json={"name": "Benedict"}).status_code == 200


def test_a_player_whose_name_collided_before_keeps_it(table: Table):
    ben, cleo = table.person("Ben"), table.person("Cleo")
    with table.app.app_context():
        player = session.get_one(Player, cleo.id)
        player.name, player.skeleton = "Ben", None
        session.commit()
    assert cleo.request("PATCH", "/me", json={"name": "Ben"}).json["name"] == "Ben"
    assert ben.request("PATCH", "/me", json={"name": "Ben"}).json["name"] == "Ben"
