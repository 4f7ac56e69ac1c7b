"""Every event reaches a webhook once and in order, or its owner hears why not."""

import base64
import hashlib
import hmac
import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from sqlalchemy import select

from server.application.game.situations import publish_event
from server.application.people import webhooks
from server.mail.writing.calls import call_of
from server.models import FormerHolder, Game, Webhook, WebhookDelivery, leases, session, transaction
from server.webhooks import sender, transport
from server.webhooks.transport import DELIVERED, GONE, REFUSED, UNREACHABLE, UNSENT
from tests.table import Person, Table
from tests.webhooks.receiver import Door, Receiver

URL = "https://hooks.example.org/ada"


@pytest.fixture
def ada(table: Table, people: list[Person]) -> Person:
    return people[0]


@pytest.fixture
def ben(table: Table, people: list[Person]) -> Person:
    return people[1]


@pytest.fixture
def hook(ada: Person) -> dict[str, Any]:
    """Ada's webhook with its secret."""
    made = ada.post("/webhooks", {"url": URL})
    assert made.status_code == 201, made.json
    return made.json


def something_happens(table: Table, host: Person, times: int = 1) -> str:
    """Games are opened, an event each; the id of the last."""
    for _ in range(times):
        made = host.post("/games", {"edition": "condensed", "players": 2})
        table.clock.turn(seconds=1)
    return str(made.json["id"])


def rows(table: Table) -> list[Any]:
    with table.app.app_context():
        found = session.scalars(select(WebhookDelivery).order_by(WebhookDelivery.at)).all()
        session.expunge_all()
        return list(found)


def webhook(table: Table) -> Any:
    with table.app.app_context():
        found = session.scalars(select(Webhook)).one()
        session.expunge_all()
        return found


def send(table: Table, door: Any = None) -> bool:
    """One message at most."""
    with table.app.app_context():
        try:
            return sender.send_one(door or table.hook, call_of)
        finally:
            session.remove()


def settle(table: Table) -> None:
    """Send until nothing is due."""
    while send(table):
        pass


def verify(secret: str, headers: dict[str, str], body: bytes) -> bool:
    """Compute a signature from the text of the specification alone."""
    key = base64.b64decode(secret[len("whsec_") :])
    content = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.{body.decode()}"
    expected = base64.b64encode(hmac.new(key, content.encode(), hashlib.sha256).digest()).decode()
    return f"v1,{expected}" in headers["webhook-signature"].split(" ")


# What is sent


def test_the_events_that_are_sent_are_those_of_the_list_in_the_same_order_and_form(
    table: Table, ben: Person, ada: Person, hook: dict[str, Any]
):
    something_happens(table, ben)
    game = table.game([ada, ben], edition="condensed")
    game.move(ada)
    game.move(ben)
    table.tick()
    listed = ada.get("/me/events").json["events"]
    assert [message["data"] for message in table.hook.bodies] == listed
    assert {message["type"] for message in table.hook.bodies} == {"game.event"}
    assert [message["timestamp"] for message in table.hook.bodies] == [event["at"] for event in listed]
    assert {row.state for row in rows(table)} == {"delivered"}


def test_a_message_goes_to_the_address_that_was_looked_up_for_it(table: Table, ada: Person, hook: dict[str, Any]):
    something_happens(table, ada)
    assert send(table)
    ((url, addresses, *_),) = table.hook.taken
    assert (url, addresses) == (URL, ["93.184.216.34"])


def test_a_message_is_signed_as_the_specification_says(table: Table, ada: Person, hook: dict[str, Any]):
    something_happens(table, ada, 2)
    settle(table)
    for _, _, headers, body in table.hook.taken:
        assert verify(hook["secret"], headers, body)
        assert not verify(hook["secret"], headers, body + b" ")
        assert not verify("whsec_" + base64.b64encode(b"another").decode(), headers, body)
        assert int(headers["webhook-timestamp"]) == int(table.clock().timestamp())
    assert len({headers["webhook-id"] for _, _, headers, _ in table.hook.taken}) == 2


def test_the_signature_is_that_of_the_example_in_the_specification():
    at = datetime.fromtimestamp(1614265330, UTC)
    secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    assert sender.signed_headers("msg_p5jXN8AQM9LWM0D4loKWxJek", at, b'{"test": 2432232314}', [secret]) == {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    }


def test_a_new_secret_signs_at_once_and_the_old_one_beside_it_for_a_day(
    table: Table, ada: Person, hook: dict[str, Any]
):
    new = ada.post(f"/webhooks/{hook['id']}/secret").json["secret"]
    assert new != hook["secret"]
    good = []
    for length in (timedelta(0), timedelta(hours=23), timedelta(hours=1)):
        table.clock.time += length
        something_happens(table, ada)
        settle(table)
        *_, headers, body = table.hook.taken[-1]
        good.append([verify(secret, headers, body) for secret in (hook["secret"], new)])
    assert good == [[True, True], [True, True], [False, True]]


def test_a_real_receiver_gets_a_whole_game(table: Table, ben: Person, ada: Person):
    table.hook = transport.post
    with Receiver().running() as receiver:
        hook = ada.post("/webhooks", {"url": receiver.url}).json
        table.game([ada, ben], edition="condensed").move(ada)
        table.tick()
    listed = ada.get("/me/events").json["events"]
    assert [json.loads(taken.body)["data"] for taken in receiver.taken] == listed
    assert len(listed) >= 4
    assert all(verify(hook["secret"], taken.headers, taken.body) for taken in receiver.taken)


# Rows


def test_a_message_of_what_is_rolled_back_does_not_exist(table: Table, ada: Person, hook: dict[str, Any]):
    game_id = something_happens(table, ada)
    with table.app.app_context(), suppress(ZeroDivisionError), transaction():
        publish_event(game_id, "left", seat=1)
        _ = 1 / 0
    assert len(rows(table)) == 1


def test_others_events_and_those_before_the_webhook_are_not_sent(table: Table, ben: Person, ada: Person):
    something_happens(table, ada)
    ada.post("/webhooks", {"url": URL})
    something_happens(table, ben)
    assert rows(table) == []
    assert not send(table)


def test_what_its_owner_may_not_know_any_more_is_not_sent(table: Table, ada: Person, hook: dict[str, Any]):
    """Mr. X's former player, whose seat was given to another while the message waited."""
    something_happens(table, ada)
    with table.app.app_context(), transaction():
        for game_id in session.scalars(select(Game.id)).all():
            session.add(FormerHolder(game_id=game_id, player_id=ada.id, role="mr_x"))
    settle(table)
    assert ada.get("/me/events").json["events"] == []
    assert ([row.state for row in rows(table)], table.hook.taken) == (["dropped"], [])


def test_a_webhook_that_is_removed_takes_its_messages_along(table: Table, ada: Person, hook: dict[str, Any]):
    something_happens(table, ada)
    assert ada.request("DELETE", f"/webhooks/{hook['id']}").status_code == 204
    assert rows(table) == []
    assert not send(table)


def test_what_became_of_messages_is_forgotten_after_a_week_and_a_former_secret_after_a_day(
    table: Table, ada: Person, hook: dict[str, Any]
):
    table.hook.words = [DELIVERED, UNREACHABLE]
    something_happens(table, ada, 2)
    settle(table)
    ada.post(f"/webhooks/{hook['id']}/secret")
    left = []
    for days in (0, 1, 6):
        table.clock.turn(days=days)
        with table.app.app_context():
            webhooks.forget_old()
        left.append((len(rows(table)), webhook(table).former_secret is not None))
    assert left == [(2, True), (2, False), (1, False)]


# Failing


def test_a_failed_message_is_tried_again_ever_later_and_then_its_webhook_is_given_up(
    table: Table, ada: Person, hook: dict[str, Any]
):
    table.hook.words = [REFUSED, UNREACHABLE] * 10
    something_happens(table, ada, 2)
    assert webhook(table).failing_since is None
    begin, pauses = table.clock(), []
    while (retry_at := webhook(table).retry_at) is not None or not pauses:
        table.clock.time = retry_at or table.clock()
        assert send(table)
        assert not send(table), "nothing is tried before its time, nor what comes after it"
        pauses.append((webhook(table).retry_at or table.clock()) - table.clock())
    expected = [5, 300, 1800, *(hours * 3600 for hours in (2, 5, 10, 14, 20, 24, 24, 24)), 0]
    for pause, seconds in zip(pauses, expected, strict=True):
        assert 0.8 * seconds <= pause.total_seconds() <= 1.2 * seconds
    assert timedelta(days=5) <= table.clock() - begin < timedelta(days=6)
    assert len({body for *_, body in table.hook.taken}) == 1
    assert len({headers["webhook-id"] for _, _, headers, _ in table.hook.taken}) == 1
    assert [(row.state, row.attempts) for row in rows(table)] == [("failed", 12), ("dropped", 0)]
    assert webhook(table).off_because == "failures"


@pytest.mark.parametrize("saved_by", ["a message that is taken", "another URL", "being switched on"])
def test_the_five_days_begin_anew(table: Table, ada: Person, hook: dict[str, Any], saved_by: str):
    path = f"/webhooks/{hook['id']}"
    table.hook.words = [REFUSED, *([DELIVERED] if saved_by == "a message that is taken" else []), REFUSED]
    something_happens(table, ada)
    settle(table)
    began = ada.get(path).json["failing_since"]
    assert began is not None
    table.clock.turn(days=4)
    if saved_by != "a message that is taken":
        ada.request(
            "PATCH", path, json={"url": "https://new.example.org/"} if saved_by == "another URL" else {"enabled": True}
        )
        assert ada.get(path).json["failing_since"] is None
    something_happens(table, ada)
    settle(table)
    assert ada.get(path).json["failing_since"] > began
    table.clock.turn(days=4)
    settle(table)
    shown = ada.get(path).json
    assert (shown["enabled"], shown["failing_since"], {row.state for row in rows(table)}) == (True, None, {"delivered"})


@pytest.mark.parametrize(("words", "why"), [([GONE], "answered 410"), ([REFUSED] * 10, "no message was taken there")])
def test_who_owns_a_webhook_that_is_given_up_is_told_by_mail(
    table: Table, ada: Person, hook: dict[str, Any], words: list[str], why: str
):
    table.hook.words = list(words)
    something_happens(table, ada)
    for _ in words:
        table.tick()
        table.clock.turn(hours=30)
    table.tick()
    (mail,) = ada.mails
    assert mail["Subject"] == "Black Ticket: a webhook of yours was switched off"
    text = " ".join(mail.get_content().split())
    assert why in text
    assert hook["id"] in text
    assert "hooks.example.org" in text
    assert "/ada" not in text, "the path of a URL may be a secret"
    shown = ada.get(f"/webhooks/{hook['id']}").json
    assert (shown["enabled"], shown["disabled_because"]) == (False, "gone" if words == [GONE] else "failures")


def test_a_webhook_that_was_given_up_is_sent_nothing_until_it_is_switched_on_again(
    table: Table, ada: Person, hook: dict[str, Any]
):
    table.hook.words = [GONE]
    something_happens(table, ada)
    settle(table)
    something_happens(table, ada)
    assert not send(table)
    assert ada.request("PATCH", f"/webhooks/{hook['id']}", json={"enabled": True}).json["disabled_because"] is None
    assert not send(table), "what happened meanwhile is in the list of events"
    something_happens(table, ada)
    settle(table)
    assert len(table.hook.taken) == 2


def test_what_comes_after_a_failed_message_waits_for_it(table: Table, ada: Person, hook: dict[str, Any]):
    table.hook.words = [UNREACHABLE]
    something_happens(table, ada, 3)
    settle(table)
    something_happens(table, ada)
    assert len(table.hook.taken) == 1
    table.clock.turn(seconds=10)
    settle(table)
    told = [message["data"]["game"] for message in table.hook.bodies]
    assert told[0] == told[1]
    assert told[1:] == [event["game"] for event in ada.get("/me/events").json["events"]]


def test_another_url_is_tried_at_once(table: Table, ada: Person, hook: dict[str, Any]):
    table.hook.words = [UNREACHABLE]
    something_happens(table, ada)
    settle(table)
    ada.request("PATCH", f"/webhooks/{hook['id']}", json={"url": "https://new.example.org/"})
    settle(table)
    assert [url for url, *_ in table.hook.taken] == [URL, "https://new.example.org/"]


def test_a_message_that_cannot_be_written_is_a_failed_one_and_holds_up_no_other_webhook(
    table: Table,
    ben: Person,
    ada: Person,
    hook: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
):
    ben.post("/webhooks", {"url": "https://ben.example.org/"})
    real = webhooks.good_secrets

    def broken(found: Webhook) -> list[str]:
        if found.player_id == ada.id:
            raise RuntimeError("a secret text")
        return real(found)

    monkeypatch.setattr(webhooks, "good_secrets", broken)
    table.game([ada, ben], edition="condensed")
    settle(table)
    assert {url for url, *_ in table.hook.taken} == {"https://ben.example.org/"}
    assert webhook_of(table, ada).retry_at is not None
    assert "secret text" not in caplog.text
    assert f"webhook {hook['id']} failed: RuntimeError at " in caplog.text


def webhook_of(table: Table, person: Person) -> Any:
    with table.app.app_context():
        return session.scalars(select(Webhook).where(Webhook.player_id == person.id)).one()


# Where it leads


@pytest.mark.parametrize("now_at", [["127.0.0.1"], ["93.184.216.34", "10.0.0.1"], ["::ffff:169.254.169.254"], []])
def test_a_host_that_leads_inwards_since_it_was_checked_is_not_connected_to(
    table: Table, ada: Person, hook: dict[str, Any], now_at: list[str]
):
    something_happens(table, ada)
    table.app.extensions["blackticket"].resolve = lambda _host: now_at
    settle(table)
    assert table.hook.taken == []
    assert [(row.state, row.outcome) for row in rows(table)] == [("pending", UNREACHABLE)]


def unanswered(_host: str) -> list[str]:
    raise OSError("the name service does not answer")


def test_a_webhook_is_not_given_up_while_this_machine_has_no_name_service(
    table: Table, ada: Person, hook: dict[str, Any]
):
    resolve = table.app.extensions["blackticket"].resolve
    something_happens(table, ada)
    table.app.extensions["blackticket"].resolve = unanswered
    for _ in range(10):
        settle(table)
        table.clock.turn(days=1)
    assert [(row.state, row.outcome, row.attempts) for row in rows(table)] == [("pending", None, 0)]
    table.app.extensions["blackticket"].resolve = resolve
    settle(table)
    assert [row.state for row in rows(table)] == ["delivered"]


def test_a_receiver_whose_name_servers_are_silent_is_to_blame_itself(table: Table, ada: Person, hook: dict[str, Any]):
    something_happens(table, ada)
    table.app.extensions["blackticket"].resolve = lambda host: unanswered(host) if "hooks" in host else []
    settle(table)
    assert [(row.state, row.outcome, row.attempts) for row in rows(table)] == [("pending", UNREACHABLE, 1)]


def test_what_this_machine_lacks_is_not_counted_against_a_receiver_and_a_test_is_over_at_once(
    table: Table, ada: Person, hook: dict[str, Any]
):
    something_happens(table, ada)
    ada.post(f"/webhooks/{hook['id']}/test")
    table.hook = Door(UNSENT, UNSENT)
    settle(table)
    assert sorted((row.state, row.outcome, row.attempts) for row in rows(table)) == [
        ("failed", UNREACHABLE, 1),
        ("pending", None, 0),
    ]
    table.clock.turn(minutes=7)
    settle(table)
    assert sorted(row.state for row in rows(table)) == ["delivered", "failed"]


def test_a_name_is_looked_up_once_for_each_message_so_that_it_cannot_change_in_between(
    table: Table, ada: Person, hook: dict[str, Any]
):
    answers = iter([["93.184.216.34"], ["127.0.0.1"]])
    table.app.extensions["blackticket"].resolve = lambda _host: next(answers)
    something_happens(table, ada)
    assert send(table)
    assert [addresses for _, addresses, *_ in table.hook.taken] == [["93.184.216.34"]]


def test_a_webhook_to_this_machine_is_dead_once_the_server_faces_the_world(tmp_path: Path):
    table = Table(tmp_path)
    ada = table.person("Ada")
    assert ada.post("/webhooks", {"url": "http://127.0.0.1:9000/"}).status_code == 201
    something_happens(table, ada)
    public = Table(tmp_path, mail_domain="play.example.org")
    public.hook = Door()
    settle(public)
    assert public.hook.taken == []
    assert [row.outcome for row in rows(public)] == [UNREACHABLE]


# Leases


def test_two_senders_never_write_to_one_webhook_at_once(table: Table, ada: Person, hook: dict[str, Any]):
    something_happens(table, ada, 2)
    meanwhile = []

    def slow(*_: Any) -> str:
        meanwhile.append(send_in_thread(table, Door()))
        return DELIVERED

    assert send(table, slow)
    assert meanwhile == [False]
    assert [row.state for row in rows(table)] == ["delivered", "pending"]


def test_two_senders_never_write_to_one_host_at_once(
    table: Table, people: list[Person], ben: Person, ada: Person, hook: dict[str, Any]
):
    ben, cleo = people[1:]
    ben.post("/webhooks", {"url": "https://HOOKS.example.org/ben"})
    cleo.post("/webhooks", {"url": "https://elsewhere.example.org/"})
    table.game([ada, ben, cleo])
    meanwhile, held = Door(), []

    def slow(target: Any, *_: Any) -> str:
        held.append(host_of(str(target)))
        while send_in_thread(table, meanwhile):
            pass
        return DELIVERED

    assert send(table, slow)
    reached = {host_of(url) for url, *_ in meanwhile.taken}
    assert {*held, *reached} == {"hooks.example.org", "elsewhere.example.org"}
    assert not reached & {*held}


def host_of(url: str) -> str:
    return str(urlsplit(url).hostname)


def test_who_was_too_slow_does_not_say_what_became_of_the_message(table: Table, ada: Person, hook: dict[str, Any]):
    something_happens(table, ada)

    def too_slow(*_: Any) -> str:
        table.clock.time += leases.LENGTH
        assert send_in_thread(table, Door(REFUSED))
        return DELIVERED

    send(table, too_slow)
    assert [(row.state, row.outcome, row.attempts) for row in rows(table)] == [("pending", REFUSED, 1)]


def test_a_sender_that_dies_leaves_the_message_to_another_after_twenty_seconds(
    table: Table, ada: Person, hook: dict[str, Any]
):
    class Killed(BaseException):
        pass

    def die(*_: Any) -> str:
        raise Killed

    something_happens(table, ada)
    with pytest.raises(Killed):
        send(table, die)
    assert not send(table)
    table.clock.time += leases.LENGTH
    assert send(table)
    assert [row.state for row in rows(table)] == ["delivered"]


def test_a_webhook_that_is_removed_while_it_is_written_to_is_no_fault(table: Table, ada: Person, hook: dict[str, Any]):
    something_happens(table, ada)

    def meanwhile(*_: Any) -> str:
        assert in_thread(lambda: ada.request("DELETE", f"/webhooks/{hook['id']}").status_code) == 204
        return DELIVERED

    assert send(table, meanwhile)
    assert rows(table) == []


def send_in_thread(table: Table, door: Any) -> bool:
    return bool(in_thread(lambda: send(table, door)))


def in_thread(work: Any) -> Any:
    with ThreadPoolExecutor() as other:
        return other.submit(work).result()


# Tests


def test_a_test_is_sent_at_once_and_before_what_waits_for_another_try(table: Table, ada: Person, hook: dict[str, Any]):
    table.hook.words = [UNREACHABLE]
    something_happens(table, ada)
    settle(table)
    queued = ada.post(f"/webhooks/{hook['id']}/test")
    assert (queued.status_code, queued.json["state"], queued.json["type"]) == (202, "pending", "webhook.test")
    settle(table)
    assert table.hook.bodies[1]["type"] == "webhook.test"
    assert verify(hook["secret"], *table.hook.taken[1][2:])
    assert len(table.hook.taken) == 3, "what failed is tried again, now that something arrived"


@pytest.mark.parametrize("word", [REFUSED, GONE])
def test_a_test_that_fails_is_not_tried_again_and_nothing_follows_from_it(
    table: Table, ada: Person, hook: dict[str, Any], word: str
):
    table.hook.words = [word]
    ada.post(f"/webhooks/{hook['id']}/test")
    settle(table)
    (told,) = ada.get(f"/webhooks/{hook['id']}/deliveries").json["deliveries"]
    assert (told["state"], told["outcome"], told["attempts"]) == ("failed", word, 1)
    assert ada.get(f"/webhooks/{hook['id']}").json["enabled"]


def test_a_webhook_that_is_off_can_be_tested(table: Table, ada: Person, hook: dict[str, Any]):
    ada.request("PATCH", f"/webhooks/{hook['id']}", json={"enabled": False})
    ada.post(f"/webhooks/{hook['id']}/test")
    settle(table)
    assert [message["type"] for message in table.hook.bodies] == ["webhook.test"]
