"""A device that a player asked to is called when it is their turn, and shows what the subject of the mail says."""

import json
from base64 import urlsafe_b64decode
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import http_ece
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from py_vapid import Vapid02
from sqlalchemy import select, update

from server.application.people import devices
from server.application.people.accounts import browsers, deletion
from server.models import Game, Player, PushKey, Webhook, WebhookDelivery, session, transaction
from server.worker import tidy_up
from tests.rows import for_each
from tests.table import Person, Playing, Table
from tests.web.game.test_page import Browser
from tests.webhooks.receiver import Receiver


class Device:
    """A browser with a push subscription, as it and its push service know it."""

    def __init__(self, service: Receiver, path: str = "one") -> None:
        self.service, self.path = service, path
        self.private, self.auth = ec.generate_private_key(ec.SECP256R1()), b"0123456789abcdef"

    @property
    def subscription(self) -> dict[str, Any]:
        point = self.private.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        keys = {"p256dh": devices.as_text(point), "auth": devices.as_text(self.auth)}
        return {"endpoint": f"http://127.0.0.1:{self.service.port}/{self.path}", "keys": keys}

    def asks(self, person: Person, **more: str) -> Any:
        return person.post("/devices", self.subscription | more)

    @property
    def shown(self) -> list[Any]:
        """What the messages to this device say, which nobody but it can read."""
        mine = [taken.body for taken in self.service.taken if taken.path == f"/{self.path}"]
        return [json.loads(http_ece.decrypt(each, private_key=self.private, auth_secret=self.auth)) for each in mine]


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> list[Person]:
    return Table(tmp_path_factory.mktemp("calls"), push="yes").people(3)


@pytest.fixture
def table(people: list[Person]) -> Table:
    table = people[0].table
    table.retry_from_database()
    return table


@pytest.fixture
def service() -> Iterator[Receiver]:
    with Receiver().running() as receiver:
        yield receiver


@pytest.fixture
def device(service: Receiver) -> Device:
    return Device(service)


def in_app(table: Table, act: Any) -> Any:
    with table.app.app_context():
        try:
            return act()
        finally:
            session.remove()


def called(table: Table) -> list[str]:
    """The states of the messages to devices."""
    query = select(WebhookDelivery.state).where(WebhookDelivery.mail.is_not(None)).order_by(WebhookDelivery.at)
    return in_app(table, lambda: list(session.scalars(query)))


def known(table: Table) -> list[tuple[str, str]]:
    """The players of the devices and their names for them."""
    return in_app(table, lambda: [tuple(row) for row in session.execute(select(Webhook.player_id, Webhook.device))])


def hunt(table: Table, people: list[Person]) -> Playing:
    """A game of Ada as Mr. X and Ben, without a clock."""
    return table.game(people[:2], edition="condensed", name="Rainy Camden", clock={"kind": "none"})


def move_all(game: Playing, person: Person) -> None:
    while game.mover() is person:
        assert game.move(person).status_code == 201


# What it says, and when


def test_a_device_shows_the_subject_of_the_mail_and_its_game_once(table: Table, people: list[Person], device: Device):
    ada, ben, _ = people
    game = hunt(table, people)
    assert device.asks(ben).status_code == 201
    game.move(ada)
    table.tick()
    table.tick()
    assert device.shown == [{"title": ben.mails[-1]["Subject"], "game": game.id}]
    assert "[Rainy Camden] Round 1: " in device.shown[0]["title"]
    assert called(table) == ["delivered"]


def test_how_much_mail_a_player_wants_does_not_count(table: Table, people: list[Person], device: Device):
    ada, ben, _ = people
    game = hunt(table, people)
    in_app(table, lambda: _set(Player, ben.id, mail="off"))
    device.asks(ben)
    game.move(ada)
    table.tick()
    assert len(device.shown) == 1
    in_app(table, lambda: _set(Player, ben.id, mail="usual"))


def _set(model: Any, row: str, **values: Any) -> None:
    with transaction():
        session.execute(update(model).where(model.id == row).values(**values))


def test_a_guest_who_gets_no_mail_is_called(table: Table, people: list[Person], device: Device):
    ada, ben, _ = people
    game = hunt(table, people)
    in_app(table, lambda: _set(Player, ben.id, network="n", provider="p"))
    device.asks(ben)
    game.move(ada)
    table.tick()
    assert len(device.shown) == 1
    in_app(table, lambda: _set(Player, ben.id, network=None, provider=None))


def test_nobody_is_called_whose_move_is_made_when_the_service_answers_again(
    table: Table, people: list[Person], service: Receiver
):
    ada, ben, _ = people
    game = hunt(table, people)
    device = Device(service)
    device.asks(ben)
    service.answers = [503]
    game.move(ada)
    table.tick()
    move_all(game, ben)
    table.clock.turn(minutes=10)
    table.tick()
    assert called(table) == ["dropped"]
    assert len(service.taken) == 1


def test_a_device_is_called_about_the_games_that_it_was_asked_about(table: Table, people: list[Person], device: Device):
    ada, ben, _ = people
    one, other, third = (hunt(table, people) for _ in range(3))
    assert device.asks(ben, game=one.id).json["games"] == [one.id]
    assert device.asks(ben, game=third.id).json["games"] == [one.id, third.id]
    assert device.asks(ben, game=one.id).json["games"] == [one.id, third.id]
    for game in (one, other, third):
        game.move(ada)
    table.tick()
    assert {shown["game"] for shown in device.shown} == {one.id, third.id}
    assert device.asks(ben).json["games"] is None


def test_the_others_are_not_called_and_no_device_gets_events(table: Table, people: list[Person], service: Receiver):
    ada, ben, _ = people
    game = hunt(table, people)
    of_ada, of_ben = (Device(service, name) for name in ("ada", "ben"))
    of_ada.asks(ada)
    of_ben.asks(ben)
    game.move(ada)
    table.tick()
    assert (of_ada.shown, len(of_ben.shown)) == ([], 1)


def test_what_is_said_is_no_message_to_a_device(table: Table, people: list[Person], device: Device):
    _, ben, cid = people
    game = table.game(people, edition="condensed")
    device.asks(ben)
    assert cid.post(f"{game.path}/messages", {"to": "team", "text": "Hello"}).status_code == 201
    table.tick()
    assert (device.shown, called(table)) == ([], [])


def test_a_reminder_in_the_night_comes_in_the_morning(table: Table, people: list[Person], device: Device):
    ada, ben, _ = people
    with_clock = {"clock": {"kind": "per_phase", "mr_x": "P1D", "detectives": "P1D"}}
    in_app(table, lambda: _set(Player, ben.id, zone="UTC", night="05:00-13:00"))
    game = table.game(people[:2], edition="condensed", **with_clock)
    device.asks(ben)
    game.move(ada)
    table.tick()
    assert len(device.shown) == 1
    table.clock.turn(hours=12)  # it is 6 in the morning
    table.tick()
    assert len(device.shown) == 1
    table.clock.turn(hours=8)
    table.tick()
    assert ["a reminder" in shown["title"] for shown in device.shown] == [False, True]
    in_app(table, lambda: _set(Player, ben.id, night=None))


def test_the_service_can_prove_who_sends_and_by_a_clock_that_is_hours_wrong_too(
    table: Table, people: list[Person], device: Device, service: Receiver
):
    ada, ben, _ = people
    game = hunt(table, people)
    device.asks(ben)
    game.move(ada)
    table.tick()
    headers = service.taken[0].headers
    assert Vapid02.verify(headers["authorization"])
    claims = headers["authorization"].split("t=")[1].split(".")[1]
    told = json.loads(urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))
    assert told["aud"] == f"http://127.0.0.1:{service.port}"
    left = told["exp"] - table.clock.time.timestamp()
    assert timedelta(hours=11).total_seconds() < left < timedelta(hours=13).total_seconds()
    assert headers["authorization"].endswith(f"k={ben.get('/devices').json['key']}")
    assert (headers["content-encoding"], headers["ttl"], headers["urgency"]) == ("aes128gcm", "86400", "high")
    assert b"Rainy" not in service.taken[0].body


# How it ends


@for_each("status", [404, 410])
def test_a_service_that_says_that_a_device_is_gone_ends_it(
    table: Table, people: list[Person], device: Device, service: Receiver, status: int
):
    game = hunt(table, people)
    device.asks(people[1])
    service.answers = [status]
    game.move(people[0])
    table.tick()
    assert (known(table), called(table)) == ([], [])


@pytest.mark.parametrize("status", [403, 429, 503])
def test_a_service_that_refuses_a_message_gets_it_again(
    table: Table, people: list[Person], device: Device, service: Receiver, status: int
):
    game = hunt(table, people)
    device.asks(people[1])
    service.answers = [status]
    game.move(people[0])
    table.tick()
    assert called(table) == ["pending"]
    table.clock.turn(minutes=1)
    table.tick()
    assert (called(table), len(device.shown)) == (["delivered"], 2)


def test_a_device_that_takes_nothing_for_days_is_given_up_without_a_mail(
    table: Table, people: list[Person], device: Device, service: Receiver
):
    game = hunt(table, people)
    device.asks(people[1])
    service.answers = [500] * 40
    game.move(people[0])
    for _ in range(12):
        table.tick()
        table.clock.turn(hours=20)
    assert known(table) == []
    assert not any("webhook" in str(mail["Subject"]) for mail in people[1].mails)


def test_an_operator_who_switches_push_off_has_nothing_sent(table: Table, people: list[Person], device: Device):
    game = hunt(table, people)
    device.asks(people[1])
    game.move(people[0])
    object.__setattr__(table.runtime.settings, "push", False)
    table.tick()
    refused = device.asks(people[1])
    listed = people[1].get("/devices").json
    object.__setattr__(table.runtime.settings, "push", True)
    assert (device.shown, called(table)) == ([], ["dropped"])
    assert (refused.status_code, refused.json["type"].rsplit("/")[-1]) == (403, "not-admitted")
    assert (listed["key"], len(listed["devices"])) == (None, 1)


def test_a_lost_seat_ends_the_calls_about_it(table: Table, people: list[Person], device: Device):
    ada, ben, cleo = people
    game = table.game([ada, ben, cleo])
    device.asks(ben)
    game.move(ada)
    assert ben.post(f"/games/{game.id}/resign", {}).status_code in (200, 201)
    table.tick()
    assert device.shown == []


def test_a_device_ends_with_the_account(table: Table, tmp_path: Path, device: Device):
    zoe = table.person("Zoe")
    device.asks(zoe)
    assert zoe.get("/me/export").json["devices"][0]["service"] == "127.0.0.1"
    in_app(table, lambda: deletion.delete_account(zoe.id, "Zoe"))
    assert known(table) == []


# Who has one


def test_one_browser_is_one_device_and_goes_over_to_who_asks_last(
    table: Table, people: list[Person], device: Device, service: Receiver
):
    ada, ben, cleo = people
    game = hunt(table, people)
    first = device.asks(ben, device="Phone").json
    assert device.asks(ben, device="Old phone").json["id"] == first["id"]
    assert known(table) == [(ben.id, "Old phone")]
    game.move(ada)
    device.asks(cleo)
    assert [who for who, _ in known(table)] == [cleo.id]
    table.tick()
    assert device.shown == []
    assert (ben.get("/devices").json["devices"], len(cleo.get("/devices").json["devices"])) == ([], 1)


def test_a_ninth_device_is_refused_with_what_to_do(table: Table, people: list[Person], service: Receiver):
    ben = people[1]
    made = [Device(service, f"d{number}").asks(ben).status_code for number in range(9)]
    assert made == [201] * 8 + [409]
    assert "stop one of them first" in Device(service, "more").asks(ben).json["detail"]
    (first, *_) = ben.get("/devices").json["devices"]
    assert ben.request("DELETE", f"/devices/{first['id']}").status_code == 204
    assert Device(service, "more").asks(ben).status_code == 201


@for_each(
    "wrong, field",
    [
        ({"endpoint": "https://10.0.0.1/push"}, "endpoint"),
        ({"endpoint": "https://nobody.example.org/push"}, "endpoint"),
        ({"endpoint": "ftp://push.example.org/"}, "endpoint"),
        ({"keys": {"p256dh": "x", "auth": "y"}}, "keys"),
        ({"keys": {"p256dh": "A" * 87, "auth": "MDEyMzQ1Njc4OWFiY2RlZg"}}, "keys"),
        ({"keys": {"p256dh": "!", "auth": "MDEyMzQ1Njc4OWFiY2RlZg"}}, "keys"),
        ({"keys": {"auth": "MDEyMzQ1Njc4OWFiY2RlZg"}}, "keys"),
    ],
)
def test_a_subscription_that_is_none_is_refused_with_the_field(
    table: Table, people: list[Person], device: Device, wrong: dict[str, Any], field: str
):
    table.runtime.resolve = lambda _host: []
    refused = people[1].post("/devices", device.subscription | wrong)
    assert refused.status_code == 422
    assert field in json.dumps(refused.json)
    assert known(table) == []


def test_a_device_is_nobody_elses_and_no_webhook(table: Table, people: list[Person], device: Device):
    _, ben, cleo = people
    made = device.asks(ben).json
    assert cleo.request("DELETE", f"/devices/{made['id']}").status_code == 404
    assert ben.get("/webhooks").json == {"webhooks": []}
    assert ben.get(f"/webhooks/{made['id']}").status_code == 404
    assert cleo.get("/devices").json["devices"] == []


def test_a_game_that_is_hidden_from_a_player_is_none_to_be_called_about(
    table: Table, people: list[Person], device: Device
):
    ada, ben, cleo = people
    game = hunt(table, [ada, cleo])
    in_app(table, lambda: _set(Game, game.id, visibility="private"))
    assert device.asks(ben, game=game.id).status_code == 404
    assert known(table) == []


# In a browser


def form_of(device: Device) -> dict[str, str]:
    asked = device.subscription
    return {"endpoint": asked["endpoint"], **asked["keys"], "next": "/me/account"}


def test_a_browser_becomes_a_device_and_ends_with_one_press_or_with_its_session(
    table: Table, people: list[Person], device: Device
):
    ben = people[1]
    browser = Browser(table, ben)
    game = hunt(table, people)
    answer = browser.post("/me/devices", form_of(device) | {"game": game.id})
    assert (answer.status_code, answer.headers["Location"]) == (303, "/me/account")
    page = browser.get("/me/account").text
    assert all(words in page for words in ("Firefox on Linux", "in one game, by 127.0.0.1", "Stop"))
    (made,) = ben.get("/devices").json["devices"]
    browser.post(f"/me/devices/{made['id']}/remove")
    assert known(table) == []
    browser.post("/me/devices", form_of(device))
    browser.post("/sign-out")
    assert known(table) == []


def test_a_device_whose_session_is_over_is_forgotten(table: Table, people: list[Person], device: Device):
    ben = people[1]
    Browser(table, ben).post("/me/devices", form_of(device))
    Device(device.service, "program").asks(ben)
    table.clock.turn(days=browsers.REMEMBERED.days + 1)
    in_app(table, tidy_up)
    assert [name for _, name in known(table)] == ["a program"]


def test_the_line_is_on_the_page_after_the_first_move_until_the_browser_is_a_device(
    table: Table, people: list[Person], device: Device
):
    ada, ben, _ = people
    browser = Browser(table, ben)
    game = hunt(table, people)
    asks = "Shall this device call you?"
    game.move(ada)
    assert asks not in browser.get(f"/games/{game.id}").text
    move_all(game, ben)
    page = browser.get(f"/games/{game.id}").text
    assert asks in page
    assert f'data-key="{ben.get("/devices").json["key"]}"' in page
    browser.post("/me/devices", form_of(device) | {"game": game.id})
    page = browser.get(f"/games/{game.id}").text
    assert (asks in page, "This device calls you" in page) == (False, True)


def test_without_push_no_page_offers_it_and_the_privacy_page_names_no_service(tmp_path: Path):
    table = Table(tmp_path)
    ada, ben = table.people(2)
    game = hunt(table, [ada, ben])
    game.move(ada)
    pages = Browser(table, ada).get(f"/games/{game.id}").text + Browser(table, ada).get("/me/account").text
    assert "call you" not in pages
    assert "<h2>Devices that call you</h2>" not in table.client.get("/privacy").text
    assert in_app(table, lambda: session.scalar(select(PushKey.number))) is None


def test_with_push_the_privacy_page_names_the_services_below_the_operators_own_words(table: Table):
    own = table.runtime.settings.var / "privacy.txt"
    own.write_text("My words.")
    page = table.client.get("/privacy").text
    own.unlink()
    assert all(name in page for name in ("My words.", "Google", "Apple", "Mozilla"))


def test_the_key_is_made_at_the_first_start_and_stays(tmp_path: Path):
    key = in_app(Table(tmp_path, push="yes"), _key)
    assert in_app(Table(tmp_path, push="yes"), _key) == key
    assert key[0].encode() not in b"".join(path.read_bytes() for path in tmp_path.glob("blackticket.db*"))


def _key() -> list[str]:
    from server.application.integrity import key_check

    key_check.require()
    return devices.key_pair()
