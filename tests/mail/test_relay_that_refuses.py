"""A relay that refuses everybody is out: no mail dies of it, and no clock runs on. One that refuses somebody is not."""

import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from server.application.game import outbox_rows
from server.application.health import health
from server.application.people.accounts import deliverability
from server.application.people.accounts.sign_up import request_code
from server.application.time import outages
from server.models import Deadline, Event, Move, Outgoing, Player, session, transaction
from tests.application.time.ticking import Ticking, note_well
from tests.mail.transport.test_smtp_client import Sink, failure, relay
from tests.relays import relaying
from tests.table import Playing, Table

SECOND, MINUTE, HOUR = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1)


class Choosy(Sink):
    """A relay that takes no mail for some."""

    def __init__(self) -> None:
        super().__init__()
        self.bad: set[str] = set()
        self.tried: list[str] = []

    async def handle_RCPT(self, server: Any, session: Any, envelope: Any, address: str, options: list[str]) -> str:  # noqa: N802
        self.tried.append(address)
        if address in self.bad:
            return "554 5.7.1 Not to them"
        return await super().handle_RCPT(server, session, envelope, address, options)


class Setting:
    """A game of six whose worker sends through a real relay."""

    def __init__(self, table: Table, sink: Choosy, port: int) -> None:
        self.sink = sink
        self.game: Playing = table.dealt(6, edition="condensed", clock={"mr_x": "PT6H"})
        self.app = table.app
        self.time = Ticking(table)
        self.time.relay = relay(port)
        with self.app.app_context():
            note_well(self.time.now)
            session.remove()

    def states(self) -> dict[str, list[str]]:
        """Return the recipients of mails by the state of the mail."""
        with self.app.app_context():
            found = session.execute(select(Outgoing.state, Player.name).join(Player, Player.id == Outgoing.player_id))
            states: dict[str, list[str]] = {}
            for state, name in found:
                states.setdefault(state, []).append(name)
            return states

    def due(self) -> Any:
        with self.app.app_context():
            timeouts = (Deadline.kind == "timeout", Deadline.state == "armed")
            return session.scalars(select(Deadline.due_at).where(*timeouts)).one()

    def events(self, *kinds: str) -> list[dict[str, Any]]:
        with self.app.app_context():
            return list(session.scalars(select(Event.data).where(Event.kind.in_(kinds)).order_by(Event.number)))

    def post(self, *names: str, kind: str = "tried", cause: str = "") -> None:
        """A mail to each of these."""
        with self.app.app_context(), transaction():
            for player in session.scalars(select(Player).where(Player.name.in_(names)).order_by(Player.name)).all():
                outbox_rows.post(player.id, kind, details={"to": player.email}, cause=cause)


@pytest.fixture
def setting(table: Table) -> Iterator[Setting]:
    sink = Choosy()
    with relaying(sink) as port:
        made = Setting(table, sink, port)
        yield made
        made.time.relay.close()


@pytest.fixture
def table(tmp_path: Path) -> Table:
    return Table(tmp_path, sandbox="1", min_turn="PT1S", tick_seconds="15")


@pytest.mark.parametrize(
    ("step", "answer"),
    [
        ("MAIL", "550 5.7.1 Sender denied"),
        ("RCPT", "554 5.7.1 Relay access denied"),
        ("RCPT", "550 5.1.1 No such person"),
        ("DATA", "554 5.7.1 Account suspended"),
    ],
)
def test_a_relay_that_refuses_everybody_for_good_is_out(setting: Setting, step: str, answer: str):
    time, before = setting.time, setting.due()
    setting.sink.refuse[step] = answer
    time.run(time.now + 5 * MINUTE)
    assert set(setting.states()) <= {"pending", "superseded"}, "no mail is dead, bounced or suppressed"
    assert set(setting.states()["pending"]) == {person.name for person in setting.game.people}
    with setting.app.app_context():
        assert "the relay takes no mail" in str(outages.why_held(time.now))
        assert health.troubles() != []
        assert all(attempts <= 2 for attempts in session.scalars(select(Outgoing.attempts)))
    time.pass_time(7 * HOUR)
    time.tick()
    assert setting.events("granted", "outage") == [], "Mr. X is not late"
    setting.sink.refuse.clear()
    time.run(time.now + 2 * MINUTE)
    assert set(setting.states()) <= {"sent", "superseded"}
    assert len(setting.sink.taken) >= 6
    assert [event["cause"] for event in setting.events("outage")] == ["relay"]
    assert setting.due() >= before + 7 * HOUR
    with setting.app.app_context():
        assert outages.why_held(time.now) is None
        assert not any(session.scalars(select(Player.bounces)))


def test_it_is_tried_with_one_mail_now_and_then(setting: Setting):
    setting.sink.refuse["RCPT"] = "554 5.7.1 Relay access denied"
    setting.time.run(setting.time.now + MINUTE)
    setting.sink.tried.clear()
    setting.time.run(setting.time.now + 5 * MINUTE)
    assert 8 <= len(setting.sink.tried) <= 10
    assert len(set(setting.sink.tried)) > 1, "not always the same"


def test_a_recipient_who_is_refused_is_refused_for_good(setting: Setting):
    setting.sink.bad = {"ben@example.org"}
    setting.time.run(setting.time.now + MINUTE)
    states = setting.states()
    assert set(states.pop("dead")) == {"Ben"}
    assert set(states) <= {"sent", "superseded"}
    with setting.app.app_context():
        assert not outages.is_relay_out()


def test_of_several_who_are_refused_each_has_a_fault_of_their_own_if_mail_of_others_is_taken(setting: Setting):
    setting.time.run(setting.time.now + MINUTE)
    setting.sink.bad = {"ada@example.org", "ben@example.org", "cleo@example.org"}
    for bad, good in (("Ada", "Dan"), ("Ben", "Eve"), ("Cleo", "Finn")):
        setting.post(bad, good)
        setting.time.run(setting.time.now + MINUTE)
    assert sorted(setting.states()["dead"]) == ["Ada", "Ben", "Cleo"]
    with setting.app.app_context():
        assert not outages.is_relay_out()


def test_addresses_that_anybody_can_name_do_not_make_a_row(setting: Setting):
    setting.time.run(setting.time.now + MINUTE)
    setting.sink.refuse["RCPT"] = "554 5.7.1 No such domain"
    with setting.app.app_context():
        for n in range(5):
            request_code(f"Somebody {n}", f"nobody@{n}.example.net", "UTC")
        session.remove()
    setting.time.run(setting.time.now + MINUTE)
    with setting.app.app_context():
        assert not outages.is_relay_out()
        assert set(session.scalars(select(Outgoing.state).where(Outgoing.kind == "code"))) == {"dead"}


def test_a_mail_that_is_refused_in_row_after_row_is_dead_in_the_end(setting: Setting):
    """Otherwise three mails of a kind that the relay does not like would stop the clocks again and again."""
    time = setting.time
    time.run(time.now + MINUTE)
    setting.sink.bad = {"ada@example.org", "ben@example.org", "cleo@example.org"}
    setting.post("Ada", "Ben", "Cleo")
    for n in range(2 * deliverability.MOST_RETURNS):
        time.run(time.now + MINUTE)
        setting.post("Dan", cause=str(n))
    time.run(time.now + 2 * MINUTE)
    assert sorted(setting.states()["dead"]) == ["Ada", "Ben", "Cleo"]
    with setting.app.app_context():
        assert not outages.is_relay_out()


def test_a_relay_that_turns_us_away_at_the_door_is_out():
    def turn_away() -> None:
        connection, _ = server.accept()
        connection.sendall(b"554 5.7.1 Not you\r\n")
        connection.close()

    with socket.create_server(("127.0.0.1", 0)) as server, ThreadPoolExecutor() as other_side:
        turned_away = other_side.submit(turn_away)
        port = server.getsockname()[1]
        failed = failure(lambda: relay(port).send(b"", "play@localhost", "ada@example.org"))
        turned_away.result()
    assert (str(failed), failed.lasting, failed.for_all) == ("the relay refused this server (554 5.7.1)", False, True)


def test_a_mail_that_is_too_large_is_no_outage(setting: Setting):
    setting.sink.refuse["MAIL"] = "552 5.3.4 Too large"
    failed = failure(lambda: setting.time.relay.send(b"", "play@localhost", "ada@example.org"))
    assert (failed.lasting, failed.for_all) == (True, False)


def test_who_has_moved_by_then_is_not_moved_by_the_house(setting: Setting):
    setting.sink.refuse["RCPT"] = "554 5.7.1 Relay access denied"
    setting.time.run(setting.time.now + 2 * MINUTE)
    setting.game.move(setting.game.people[0])
    setting.time.pass_time(60 * HOUR)
    setting.time.tick()
    with setting.app.app_context():
        assert set(session.scalars(select(Move.by))) == {"player"}


def test_the_log_has_the_codes_of_a_relay_and_doctor_its_words_and_the_remedy_for_a_limit(
    setting: Setting, caplog: pytest.LogCaptureFixture
):
    setting.sink.refuse["DATA"] = "451 4.7.1 Too much mail from play@localhost"
    setting.time.run(setting.time.now + MINUTE)
    assert "the relay refused the mail (451 4.7.1)" in caplog.text
    assert "MAIL_LIMIT" in caplog.text
    assert "Too much" not in caplog.text
    (warning,) = [sentence for sentence in warnings(setting) if "Too much" in sentence]
    assert "'4.7.1 Too much mail from [address]'" in warning
    assert "set MAIL_LIMIT" in warning
    assert "Too much" not in str(setting.game.people[0].get("/me/deliveries").json)
    del setting.sink.refuse["DATA"]
    setting.time.run(setting.time.now + HOUR)
    assert not any("Too much" in sentence for sentence in warnings(setting))


def warnings(setting: Setting) -> list[str]:
    with setting.app.app_context():
        return health.report()["warnings"]
