"""Chats are told whose turn it is, until when, and the result: what a spectator may know, and nothing that is said."""

import json
import ssl
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from ipaddress import ip_address
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from server.models import FormerHolder, Game, session, transaction
from server.webhooks import chats, transport
from tests.databases import stored
from tests.rows import for_each
from tests.table import Person, Playing, Table
from tests.web.game.test_page import Browser
from tests.webhooks.receiver import Receiver
from tests.webhooks.subscription import DEVICE
from tests.webhooks.test_sender import rows, settle, webhook

DISCORD = "https://discord.com/api/webhooks/1/abc"
SLACK = "https://hooks.slack.com/services/T0/B0/abc"
NTFY = "https://ntfy.example.org/our-games"
URLS = {"discord": DISCORD, "slack": SLACK, "ntfy": NTFY}


def chat(person: Person, kind: str = "ntfy", **more: Any) -> dict[str, Any]:
    made = person.post("/webhooks", {"url": URLS[kind], "format": kind} | more)
    assert made.status_code == 201, made.json
    return dict(made.json)


def texts(table: Table) -> list[str]:
    """What the topic of ntfy was told."""
    settle(table)
    return [body.decode() for *_, body in table.hook.taken]


def hunt(table: Table, people: list[Person], **more: Any) -> Playing:
    return table.game(people, edition="condensed", name="Rainy Camden", **more)


def make_private(table: Table, game: Playing) -> None:
    with table.app.app_context(), transaction():
        session.get_one(Game, game.id).visibility = "private"


# What it is told


def test_a_chat_is_told_whose_turn_has_begun_and_until_when(table: Table, people: list[Person]):
    ada, *_ = people
    chat(ada)
    game = hunt(table, people)
    settle(table)
    table.clock.turn(hours=1)
    game.move(ada)
    team = "Purple (Ben), Red (Ben), Green (Cleo) and Yellow (Cleo)"
    assert texts(table) == [
        "Rainy Camden: It is the turn of Mr. X (Ada), until Tuesday 24 November, 18:00 UTC.",
        f"Rainy Camden: It is the turn of {team}, until Tuesday 24 November, 19:00 UTC.",
    ]


def test_what_is_no_news_any_more_is_not_told_and_leaves_no_line(table: Table, people: list[Person]):
    hook = chat(people[0])
    game = hunt(table, people)
    game.move(people[0])
    assert len(texts(table)) == 1
    assert "Purple" in texts(table)[0]
    listed = people[0].get(f"/webhooks/{hook['id']}/deliveries").json["deliveries"]
    assert [entry["state"] for entry in listed] == ["delivered"]


def test_where_each_has_a_time_of_their_own_each_turn_is_told(table: Table, people: list[Person]):
    ada, *_ = people
    chat(ada)
    game = hunt(table, people, clock={"kind": "per_move", "mr_x": "P1D", "detectives": "P1D"})
    table.hook.taken.clear()
    game.move(ada)
    settle(table)
    movers = [game.mover().name]
    while game.mover() is not ada:
        game.move(game.mover())
        settle(table)
        movers.append(game.mover().name)
    assert [text.split("(")[1].split(")")[0] for text in texts(table)] == [name for name, _ in groupby(movers)]


def test_the_result_is_told_and_again_once_it_is_final(table: Table, people: list[Person]):
    ada, *_ = people
    chat(ada)
    game = hunt(table, people)
    game.contest()
    settle(table)
    table.hook.taken.clear()
    assert ada.post(f"{game.path}/resign").status_code == 200
    settle(table)
    table.clock.turn(days=8)
    table.tick()
    won = "Rainy Camden: The detectives have won: Mr. X gave the game up."
    first, second = texts(table)
    assert first.startswith(f"{won} The result is provisional until ")
    assert second == won


def test_nothing_that_is_said_or_asked_or_reminded_reaches_a_chat(table: Table, people: list[Person]):
    _, ben, cid = people
    for person in people:
        chat(person)
    game = hunt(table, people)
    game.move(people[0])
    settle(table)
    table.hook.taken.clear()
    cid.post(f"{game.path}/messages", {"to": "team", "text": "He is at 46"})
    cid.post(f"{game.path}/messages", {"to": "all", "text": "Hello"})
    assert cid.post(f"{game.path}/votes", {"kind": "extend", "length": "P1D"}).status_code == 201
    ben.post(f"{game.path}/draw")
    table.clock.turn(hours=40)
    table.tick()
    assert texts(table) == []
    assert {row.state for row in rows(table)} == {"delivered"}


def test_a_move_of_mr_x_is_in_no_message(table: Table, people: list[Person]):
    chat(people[0])
    game = hunt(table, people)
    for _ in range(3):
        game.move(people[0])
        settle(table)
        while game.mover() is not people[0]:
            game.move(game.mover())
        settle(table)
    told = " ".join(texts(table))
    assert told.count("Mr. X") >= 3
    for word in ("taxi", "bus", "underground", "black", "double", "station"):
        assert word not in told.lower()


def test_who_plays_a_private_game_is_not_told(table: Table, people: list[Person]):
    chat(people[0])
    game = hunt(table, people)
    make_private(table, game)
    game.move(people[0])
    (text,) = texts(table)
    assert "Purple" in text
    assert not any(person.name in text for person in people)


def test_a_former_mr_x_hears_nothing_of_the_game_in_his_chat(table: Table, people: list[Person]):
    ada, *_ = people
    chat(ada)
    game = hunt(table, people)
    settle(table)
    table.hook.taken.clear()
    game.move(ada)
    with table.app.app_context(), transaction():
        session.add(FormerHolder(game_id=game.id, player_id=ada.id, role="mr_x"))
    assert texts(table) == []


def test_a_webhook_may_be_about_some_games_alone(table: Table, people: list[Person]):
    ada, ben, _ = people
    one, other = (hunt(table, people) for _ in range(2))
    for format_ in ("ntfy", "json"):
        made = ben.post("/webhooks", {"url": NTFY, "format": format_, "games": [one.id]})
        assert made.json["games"] == [one.id]
    for game in (one, other):
        game.move(ada)
        ada.post(f"{game.path}/messages", {"to": "all", "text": "Hello"})
    table.tick()
    bodies = [body for *_, body in table.hook.taken]
    assert len([body for body in bodies if not body.startswith(b"{")]) == 1
    assert {json.loads(body)["data"]["game"] for body in bodies if body.startswith(b"{")} == {one.id}


def test_a_game_that_its_owner_may_not_see_is_no_game(table: Table, people: list[Person]):
    zoe = table.person("Zoe")
    game = hunt(table, people)
    make_private(table, game)
    for name in (game.id, "a\0b", "aaaa aaaa"):
        refused = zoe.post("/webhooks", {"url": NTFY, "format": "ntfy", "games": [name]})
        assert (refused.status_code, refused.json["type"]) == (404, "not-found"), name


# How it is written


def body_of(table: Table, people: list[Person], kind: str) -> tuple[dict[str, str], bytes]:
    chat(people[0], kind)
    table.game(people, edition="condensed", name="Rainy (& wet) Camden").move(people[0])
    settle(table)
    ((_, _, headers, body),) = table.hook.taken
    return headers, body


def test_discord_mentions_nobody_and_takes_a_name_as_it_is(table: Table, people: list[Person]):
    _, body = body_of(table, people, "discord")
    sent = json.loads(body)
    assert sent["allowed_mentions"] == {"parse": []}
    assert sent["content"].startswith(r"Rainy \(\& wet\) Camden: It is the turn of Purple \(Ben\), ")
    due = int(datetime(2026, 11, 24, 18, tzinfo=UTC).timestamp())
    assert sent["content"].endswith(f", until <t:{due}:f>.")


def test_slack_mentions_nobody(table: Table, people: list[Person]):
    _, body = body_of(table, people, "slack")
    text = json.loads(body)["text"]
    assert text.startswith("Rainy (&amp; wet) Camden: It is the turn of Purple (Ben), ")
    due = int(datetime(2026, 11, 24, 18, tzinfo=UTC).timestamp())
    assert text.endswith(f", until <!date^{due}^{{date_short}}, {{time}}|Tuesday 24 November, 18:00 UTC>.")


@for_each(
    "kind, written",
    [
        ("discord", r"\@everyone \<\@1\> \[a\]\(http\:\/\/b\) \*\_\`"),
        ("slack", "@everyone &lt;@1&gt; [a](http://b) *_`"),
        ("ntfy", "@everyone <@1> [a](http://b) *_`"),
    ],
)
def test_no_word_of_anybody_is_more_than_text(kind: str, written: str):
    assert chats._WORDS[kind]("@everyone <@1> [a](http://b) *_`") == written


def test_ntfy_gets_plain_text(table: Table, people: list[Person]):
    headers, body = body_of(table, people, "ntfy")
    assert headers["Content-Type"] == "text/plain; charset=utf-8"
    assert body.decode().startswith("Rainy (& wet) Camden: It is the turn of ")


@pytest.mark.parametrize("kind", list(URLS))
def test_a_chat_can_be_tested(table: Table, people: list[Person], kind: str):
    hook = chat(people[0], kind)
    assert people[0].post(f"/webhooks/{hook['id']}/test").status_code == 202
    settle(table)
    ((url, *_, body),) = table.hook.taken
    assert url == URLS[kind]
    assert "This is a test" in body.decode()


def test_a_message_names_the_page_of_the_game_if_the_server_has_one(table: Table, people: list[Person]):
    chat(people[0])
    settings = table.runtime.settings
    game = hunt(table, people)
    object.__setattr__(settings, "public_url", "https://play.example.org")
    try:
        assert texts(table)[0].endswith(f"\nhttps://play.example.org/games/{game.id}")
    finally:
        object.__setattr__(settings, "public_url", None)


# Where it goes


@for_each(
    "kind, url",
    [
        ("discord", "https://discord.com/"), ("discord", "https://discord.com/api/webhooks/"),
        ("discord", "https://discord.com.example.org/api/webhooks/1/abc"), ("discord", SLACK),
        ("discord", "https://example.org/https://discord.com/api/webhooks/1/abc"),
        ("discord", "https://discord.com:8443/api/webhooks/1/abc"), ("slack", DISCORD),
        ("slack", "https://slack.com/services/1"), ("slack", "https://hooks.slack.com/"), ("ntfy", "https://ntfy.sh/"),
        ("ntfy", "https://ntfy.sh"), ("ntfy", "https://ntfy.sh/?a=b"),
    ],
)  # fmt: skip
def test_an_address_that_is_none_of_the_service_is_refused_with_one_that_is(
    table: Table, people: list[Person], kind: str, url: str
):
    refused = people[0].post("/webhooks", {"url": url, "format": kind})
    assert (refused.status_code, refused.json["type"]) == (422, "form")
    assert refused.json["detail"].startswith(f"url: the address of a webhook for {kind} is such as https://")
    hook = chat(people[0], kind)["id"]
    assert people[0].request("PATCH", f"/webhooks/{hook}", json={"url": url}).status_code == 422
    assert people[0].request("DELETE", f"/webhooks/{hook}").status_code == 204


@for_each("url", ["https://discordapp.com/api/webhooks/1/abc", "https://DISCORD.com:443/api/webhooks/1/abc"])
def test_each_address_of_discord_is_one(table: Table, people: list[Person], url: str):
    assert people[0].post("/webhooks", {"url": url, "format": "discord"}).status_code == 201


@for_each(
    "body",
    [{"format": "teams"}, {"format": None}, {"games": []}, {"games": "abc"}, {"games": ["a"] * 21}, {"games": [""]}],
)
def test_another_format_or_a_list_without_games_is_refused(table: Table, people: list[Person], body: dict[str, Any]):
    assert people[0].post("/webhooks", {"url": NTFY} | body).status_code == 422


def test_a_channel_that_was_removed_switches_its_webhook_off(table: Table, people: list[Person]):
    chat(people[0], "discord")
    table.hook.words = ["missing"]
    hunt(table, people)
    settle(table)
    assert webhook(table).off_because == "gone"


def test_a_real_receiver_takes_what_discord_is_told(table: Table, people: list[Person], tmp_path: Path):
    receiver = Receiver()
    trust = receiver.with_tls(tmp_path, "discord.com")
    table.hook = here(receiver, trust)
    with receiver.running():
        chat(people[0], "discord")
        hunt(table, people)
        settle(table)
    (taken,) = receiver.taken
    assert (taken.path, taken.headers["host"]) == ("/api/webhooks/1/abc", f"discord.com:{receiver.port}")
    assert set(json.loads(taken.body)) == {"content", "allowed_mentions", "flags"}


def here(receiver: Receiver, trust: ssl.SSLContext) -> Any:
    def post(target: Any, _addresses: Any, headers: dict[str, str], body: bytes) -> str:
        there = replace(target, port=receiver.port)
        return transport.post(there, [ip_address("127.0.0.1")], headers, body, trust)

    return post


def test_a_real_receiver_that_redirects_is_not_followed(table: Table, people: list[Person]):
    table.hook = transport.post
    with Receiver(302, 302).running() as receiver:
        made = people[0].post("/webhooks", {"url": receiver.url, "format": "ntfy"})
        assert made.status_code == 201, made.json
        hunt(table, people)
        settle(table)
    assert [taken.path for taken in receiver.taken] == ["/hook"]
    assert {row.outcome for row in rows(table) if row.outcome} == {"redirected"}


# Where it may go at home


@pytest.fixture
def home(table: Table, people: list[Person]) -> Iterator[None]:
    """Ada may reach a host at home, which the name service knows; nothing here is for trying out."""
    settings = table.runtime.settings
    hosts = ((people[0].id, "ntfy.lan", 80), (people[0].id, "192.168.1.20", 8123))
    before = {name: getattr(settings, name) for name in ("webhook_hosts", "mail_domain")}
    for name, value in (("webhook_hosts", hosts), ("mail_domain", "play.example.org")):
        object.__setattr__(settings, name, value)
    leads_to(table, "192.168.1.9")
    yield
    for name, value in before.items():
        object.__setattr__(settings, name, value)


def leads_to(table: Table, *found: str) -> None:
    table.app.extensions["blackticket"].resolve = lambda _host: list(found)


HOME = {"url": "http://ntfy.lan/our-games", "format": "ntfy"}


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(
    ("body", "to"), [(HOME, "192.168.1.9"), ({"url": "http://192.168.1.20:8123/api/webhook/a"}, "192.168.1.20")]
)
def test_a_host_at_home_is_reached_by_the_player_whom_the_operator_named(
    table: Table, people: list[Person], body: dict[str, str], to: str
):
    made = people[0].post("/webhooks", body)
    assert made.status_code == 201, made.json
    hunt(table, people)
    settle(table)
    assert [(url.removesuffix("/"), addresses) for url, addresses, *_ in table.hook.taken] == [
        (made.json["url"], [to])
    ] * len(table.hook.taken)
    assert table.hook.taken


@pytest.mark.usefixtures("home")
def test_nobody_else_reaches_it(table: Table, people: list[Person]):
    for body in (HOME, HOME | {"url": "https://ntfy.lan/a"}, {"url": "http://192.168.1.20:8123/"}):
        refused = people[1].post("/webhooks", body)
        assert (refused.status_code, refused.json["type"]) == (422, "form")


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(
    "url",
    ["http://ntfy.lan:81/a", "https://ntfy.lan/a", "http://192.168.1.20/a", "http://192.168.1.21:8123/a",
     "http://a.ntfy.lan/a", "http://x@ntfy.lan/a", "http://ntfy.lan/a#b", "ftp://ntfy.lan:80/a", "http://NTFY.lan./a"],
)  # fmt: skip
def test_only_that_host_and_port_are_reached(people: list[Person], url: str):
    assert people[0].post("/webhooks", {"url": url}).status_code == 422


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(
    "found",
    [["127.0.0.1"], ["169.254.169.254"], ["fe80::1"], ["fd00:ec2::254"], ["100.100.100.200"], ["::1"], ["0.0.0.0"],
     ["192.168.1.9", "169.254.169.254"], ["93.184.216.34"], ["::ffff:192.168.1.9"], []],
)  # fmt: skip
def test_a_name_at_home_that_leads_out_of_the_private_network_is_refused(
    table: Table, people: list[Person], found: list[str]
):
    leads_to(table, *found)
    refused = people[0].post("/webhooks", HOME)
    assert (refused.status_code, refused.json["detail"]) == (422, "url: its host has no public address.")


@pytest.mark.usefixtures("home")
def test_it_is_checked_for_every_message_again(table: Table, people: list[Person]):
    assert people[0].post("/webhooks", HOME).status_code == 201
    leads_to(table, "169.254.169.254")
    hunt(table, people)
    settle(table)
    assert table.hook.taken == []
    assert "unreachable" in {row.outcome for row in rows(table)}


@pytest.mark.usefixtures("home")
def test_a_host_that_the_operator_names_no_more_is_reached_no_more_and_given_up_by_a_mail(
    table: Table, people: list[Person]
):
    assert people[0].post("/webhooks", HOME).status_code == 201
    object.__setattr__(table.runtime.settings, "webhook_hosts", ())
    for _ in range(9):
        hunt(table, people)
        settle(table)
        table.clock.turn(days=1)
    assert (table.hook.taken, webhook(table).off_because) == ([], "failures")
    table.tick()
    assert any("ntfy.lan" in mail.as_string() for mail in people[0].mails)


@pytest.mark.usefixtures("home")
def test_a_device_never_reaches_a_private_network(table: Table, people: list[Person]):
    object.__setattr__(table.runtime.settings, "push", True)
    try:
        refused = people[0].post("/devices", DEVICE | {"endpoint": HOME["url"]})
        assert (refused.status_code, refused.json["type"]) == (422, "form")
    finally:
        object.__setattr__(table.runtime.settings, "push", False)


def test_the_formats_are_the_same_everywhere():
    assert set(chats._WORDS) == set(chats._TIMES) == set(URLS)


def test_the_address_of_a_chat_lies_sealed(table: Table, people: list[Person]):
    chat(people[0], "discord")
    assert b"api/webhooks/1/abc" not in stored(table.app)


# On the page


def test_the_page_makes_one_for_a_game_and_says_what_it_is(table: Table, people: list[Person]):
    game = hunt(table, people)
    browser = Browser(table, people[0])
    form = browser.get("/me/programs").text
    assert f'<option value="{game.id}">Rainy Camden</option>' in form
    made = browser.post("/me/webhooks", {"url": DISCORD, "format": "discord", "game": game.id})
    assert "Send a test message to see that it works." in made.text
    assert "whsec_" not in made.text
    (listed,) = people[0].get("/webhooks").json["webhooks"]
    assert (listed["url"], listed["format"], listed["games"]) == (DISCORD, "discord", [game.id])
    assert "For a channel of Discord, about Rainy Camden." in browser.get(f"/me/webhooks/{listed['id']}").text


def test_the_page_refuses_what_is_none_of_the_service_and_keeps_what_was_chosen(table: Table, people: list[Person]):
    game = hunt(table, people)
    refused = Browser(table, people[0]).post("/me/webhooks", {"url": NTFY, "format": "slack", "game": game.id})
    assert "the address of a webhook for slack is such as https://hooks.slack.com/services/" in refused.text
    assert '<option value="slack" selected>' in refused.text
    assert f'<option value="{game.id}" selected>' in refused.text


@for_each("format_", ["", "teams"])
def test_the_page_takes_a_format_that_it_does_not_offer_for_a_program(table: Table, people: list[Person], format_: str):
    before = len(people[0].get("/webhooks").json["webhooks"])
    Browser(table, people[0]).post("/me/webhooks", {"url": NTFY, "format": format_})
    assert [each["format"] for each in people[0].get("/webhooks").json["webhooks"][before:]] == ["json"]
