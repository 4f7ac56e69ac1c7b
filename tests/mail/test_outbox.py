"""Every mail is sent once or accounted for, whoever fails and whenever."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event, select
from sqlalchemy.exc import IntegrityError

from server import worker
from server.application.game import outbox_rows
from server.application.game.situations import carry_out, load
from server.application.people.accounts import deliverability
from server.application.time import heartbeat
from server.house_rules.notices import post_turns
from server.mail import outbox
from server.mail.transport.smtp_client import SendingFailure
from server.models import Game, Outgoing, Player, ReplyToken, db, leases, session, transaction
from server.runtime.lru import LRUCache
from tests.databases import stored
from tests.letters import Postbox
from tests.scenes import chase, chase_announced, hunt
from tests.statements import before, committing, failing, statements
from tests.table import Person, Table


class Relay(Postbox):
    """A transport that fails as it is told: with the next of `failures`, None being success."""

    def __init__(self, *failures: Exception | None) -> None:
        super().__init__()
        self.failures = list(failures)
        self.raw: list[bytes] = []

    def send(self, message: bytes, sender: str, recipient: str) -> None:
        self.raw.append(message)
        failure = self.failures.pop(0) if self.failures else None
        if failure is not None:
            raise failure
        super().send(message, sender, recipient)


LATER = SendingFailure("the relay cannot be reached (it does not answer)", lasting=False)
OUT = SendingFailure("the relay refused this server (421)", lasting=False, for_all=True)
NEVER = SendingFailure("the relay refused the recipient (550)", lasting=True)


def send(table: Table, relay: Postbox) -> int:
    """One look at the outbox; how many rows were taken."""
    with table.app.app_context():
        looked_at = outbox.send_waiting(relay)
        session.remove()
    return looked_at


def rows(table: Table, kind: str = "turn") -> list[Any]:
    """Return the rows of the outbox, detached."""
    with table.app.app_context():
        found = session.scalars(select(Outgoing).where(Outgoing.kind == kind).order_by(Outgoing.created_at)).all()
        session.expunge_all()
        return list(found)


def test_more_lines_of_talk_take_no_more_statements(table: Table):
    game = hunt(table)
    table.tick()
    _, ben, *_ = game.people
    counted = []
    for lines in (1, 2, 4):
        for number in range(lines):
            assert ben.post(f"{game.path}/messages", {"to": "team", "text": f"Line {number}"}).status_code == 201
        with statements(table) as sent:
            assert send(table, Relay()) == 4 * lines
        counted.append(len(sent))
    assert counted[1] == counted[2]


@pytest.fixture
def one(table: Table) -> Table:
    """A table in whose outbox lies one mail: Mr. X's turn."""
    chase(table)
    with table.app.app_context(), transaction():
        for row in session.scalars(select(Outgoing).where(Outgoing.kind != "turn")):
            session.delete(row)
    return table


# Sending ------------------------------------------------------------------------------------------


def test_a_mail_is_sent_once(one: Table):
    relay = Relay()
    assert [send(one, relay), send(one, relay)] == [1, 0]
    assert len(relay.raw) == 1
    (row,) = rows(one)
    assert (row.state, row.sent_at, row.attempts, row.error) == ("sent", one.clock(), 0, None)


@pytest.mark.parametrize(("seconds", "settled"), [(0, {0}), (1, {0, 1, 2, 3, 4, 5})])
def test_what_a_slow_relay_took_is_settled_before_the_next_mail_and_what_a_quick_one_took_together(
    table: Table, seconds: int, settled: set[int]
):
    chase(table)
    clock, found = [0], set()

    class Relayed(Relay):
        def send(self, message: bytes, sender: str, recipient: str) -> None:
            clock[0] += seconds
            found.add(len([row for kind in ("turn", "started") for row in rows(table, kind) if row.state == "sent"]))

    table.app.extensions["blackticket"].monotonic = lambda: clock[0]
    send(table, Relayed())
    assert found == settled
    assert {row.state for row in [*rows(table), *rows(table, "started")]} == {"sent"}


def test_of_one_event_the_game_is_looked_up_once_however_many_are_written_to(table: Table):
    game = chase(table)
    send(table, Relay())
    game.move(game.people[0])
    asked: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        asked.append(statement)

    with table.app.app_context():
        event.listen(db.engine, "before_cursor_execute", note)
        relay = Relay()
        assert send(table, relay) == len(relay.raw) == 5
        event.remove(db.engine, "before_cursor_execute", note)
    assert len([statement for statement in asked if "FROM events" in statement]) == 1


def test_what_is_sent_leaves_no_text_behind(one: Table):
    send(one, Relay())
    (row,) = rows(one)
    assert (row.message, row.details) == (None, None)


def test_a_mail_that_was_written_lies_sealed_until_it_is_sent(one: Table):
    relay = Relay(LATER)
    send(one, relay)
    assert b"You can go from 111" in relay.raw[0]
    assert b"You can go" not in stored(one.app)


def test_an_outbox_with_nothing_to_send_is_left_alone(table: Table):
    assert send(table, Relay()) == 0


# Failing ------------------------------------------------------------------------------------------


def test_a_failed_mail_is_tried_again_ever_later_and_with_the_same_bytes(one: Table):
    relay = Relay(*[LATER] * 6)
    pauses = []
    for attempt in range(1, 7):
        assert send(one, relay) == 1
        (row,) = rows(one)
        assert (row.state, row.attempts, row.error) == ("pending", attempt, str(LATER))
        pauses.append((row.not_before - one.clock()) / leases.PAUSE)
        assert send(one, relay) == 0
        one.clock.time = row.not_before
    for n, pause in enumerate(pauses):
        assert 0.8 * 2**n <= pause <= 1.2 * 2**n
    assert send(one, relay) == 1
    assert len(set(relay.raw)) == 1
    assert rows(one)[0].state == "sent"


def test_two_mails_that_failed_together_are_not_tried_again_together(table: Table):
    game = chase(table)
    game.move(game.people[0])
    send(table, Relay(*[LATER] * 20))
    waiting = [row.not_before for row in rows(table, "started") if row.state == "pending"]
    assert len(set(waiting)) == len(waiting) > 4


def test_the_pause_has_an_end(one: Table):
    with one.app.app_context(), transaction():
        session.scalars(select(Outgoing)).one().attempts = 20
    send(one, Relay(LATER))
    assert rows(one)[0].not_before - one.clock() <= leases.LONGEST_PAUSE * 1.2


def test_a_mail_that_is_refused_for_good_is_a_dead_letter_at_once(one: Table):
    relay = Relay(NEVER)
    assert [send(one, relay), send(one, relay)] == [1, 0]
    (row,) = rows(one)
    assert (row.state, row.error) == ("dead", str(NEVER))


def test_a_mail_that_nobody_takes_is_a_dead_letter_after_days(one: Table):
    relay = Relay(*[LATER] * 100)
    begin = one.clock()
    while rows(one)[0].state == "pending":
        one.clock.time = rows(one)[0].not_before
        send(one, relay)
    assert rows(one)[0].attempts == deliverability.MOST_ATTEMPTS == len(relay.raw)
    assert timedelta(days=2) < one.clock() - begin < timedelta(days=5)


class Lacking(LRUCache[str, bool]):
    """A cache of a machine that has no memory left."""

    def get(self, key: str) -> bool | None:
        raise MemoryError


def test_no_mail_dies_of_what_this_machine_lacks(one: Table):
    relay, usual = Relay(), one.runtime.line_ends
    one.runtime.line_ends = Lacking(0)
    for _ in range(deliverability.MOST_ATTEMPTS + 5):
        assert send(one, relay) == 1
        one.clock.time = rows(one)[0].not_before
    one.runtime.line_ends = usual
    (row,) = rows(one)
    assert (row.state, row.attempts, row.error) == (
        "pending",
        outbox.MOST_HELD_UP + 1,
        "could not be written (MemoryError)",
    )
    send(one, relay)
    assert rows(one)[0].state == "sent"


def test_a_mail_that_outlived_a_relay_that_was_out_has_its_attempts_still(one: Table):
    relay = Relay(*[OUT] * deliverability.MOST_ATTEMPTS, LATER)
    for _ in range(deliverability.MOST_ATTEMPTS + 1):
        with one.app.app_context():
            heartbeat.end(heartbeat.NO_RELAY)
            session.remove()
        assert send(one, relay) == 1
        one.clock.time = rows(one)[0].not_before
    assert rows(one)[0].state == "pending"


def set_zone(person: Person, zone: str) -> None:
    with person.table.app.app_context(), transaction():
        session.get_one(Player, person.id).zone = zone


def test_a_mail_that_cannot_be_written_does_not_hold_up_the_others(table: Table):
    game = chase(table)
    game.move(game.people[0])
    cleo, relay = game.people[2], Relay()
    set_zone(cleo, "Nowhere/At_All")
    send(table, relay)
    states = {row.player_id: (row.state, row.error) for row in rows(table)}
    assert states.pop(cleo.id) == ("pending", "could not be written (ZoneInfoNotFoundError)")
    assert {state for state, _ in states.values()} == {"sent"}
    set_zone(cleo, "Europe/London")
    table.clock.turn(minutes=1)
    send(table, relay)
    assert relay.of(cleo.address)


def test_a_transport_with_a_fault_of_its_own_does_not_hold_up_the_others(table: Table):
    game = chase(table)
    game.move(game.people[0])
    relay = Relay(RuntimeError("a fault"))
    send(table, relay)
    errors = [row.error for row in rows(table, "started") + rows(table) if row.error]
    assert errors == ["could not be handed over (RuntimeError)"]
    assert len(relay.sent) == len(relay.raw) - 1 > 8


# Order, age and number ------------------------------------------------------------------------------


def test_what_happened_later_in_a_game_is_not_told_before_what_failed(table: Table):
    game = chase(table)
    game.move(game.people[0])
    relay = Relay(LATER)
    send(table, relay)
    held_up = [row for row in rows(table, "turn") + rows(table, "started") if row.state == "pending"]
    (late,) = {row.player_id for row in held_up}
    assert sorted((row.kind, row.attempts) for row in held_up) == [("started", 1), ("turn", 0)]
    assert send(table, relay) == 0
    table.clock.turn(minutes=1)
    send(table, relay)
    subjects = [mail["Subject"] for person in game.people if person.id == late for mail in relay.of(person.address)]
    assert ["The hunt begins" in subject for subject in subjects][-2:] == [True, False]


def test_a_mail_that_fails_on_and_on_does_not_hold_up_the_others_for_as_long(table: Table):
    game = chase(table)
    game.move(game.people[0])
    with table.app.app_context(), transaction():
        for row in session.scalars(select(Outgoing).where(Outgoing.kind == "started")):
            row.attempts, row.fence, row.not_before = outbox.MOST_HELD_UP + 1, "a", table.clock() + timedelta(hours=1)
    send(table, Relay())
    assert {row.state for row in rows(table, "turn")} == {"sent"}


def test_what_is_two_weeks_old_is_no_news(one: Table):
    one.clock.turn(days=15)
    assert send(one, Relay()) == 1
    assert [row.state for row in rows(one)] == ["superseded"]


def test_a_reminder_is_not_sent_after_its_deadline(table: Table):
    game = table.game(table.people(6), clock={"grace": "PT12H"})
    table.tick()
    table.clock.turn(hours=36)
    with table.app.app_context():
        worker.fire_due()
        session.remove()
    table.clock.turn(hours=13)
    table.tick()
    assert [row.state for row in rows(table, "reminder")] == ["superseded"]
    assert "your time is up" in game.people[0].mails[-1]["Subject"]


def test_a_limit_is_kept_and_turn_mails_come_first(tmp_path: Path):
    table = Table(tmp_path, sandbox="1", min_turn="PT1S", mail_limit="10/P1D")
    game = chase(table)
    with table.app.app_context(), transaction():
        for person in game.people:
            for n in range(2):
                outbox_rows.post(person.id, "tried", details={"to": person.address}, cause=str(n))
    relay = Relay()
    while send(table, relay):
        pass
    kinds = ["somebody signed up" in mail["Subject"] for _, mail in relay.sent]
    assert (kinds[:6], len(kinds), any(kinds)) == ([False] * 6, 8, True)  # two are kept for turns
    table.clock.turn(hours=1)
    game.move(game.people[0])
    while send(table, relay):
        pass
    assert [mail["Subject"].partition("] ")[2][:8] for _, mail in relay.sent[8:]] == ["Round 1:"] * 2
    table.clock.turn(hours=24)
    while send(table, relay):
        pass
    assert len(relay.sent) == 18


def test_a_reader_whom_his_server_does_not_know_bounces_at_once(one: Table):
    send(one, Relay(SendingFailure("the relay refused the recipient (550)", lasting=True, no_reader=True)))
    (row,) = rows(one)
    assert (row.state, row.error) == ("bounced", "the relay refused the recipient (550)")
    with one.app.app_context():
        assert session.get_one(Player, row.player_id).bounces


def test_a_mailbox_that_is_full_at_once_is_tried_again_and_shows_at_the_seat(one: Table):
    relay = Relay(SendingFailure("the mailbox of the recipient is full", lasting=False, is_full=True))
    send(one, relay)
    (row,) = rows(one)
    assert (row.state, row.error) == ("pending", "the mailbox of the recipient is full")
    with one.app.app_context():
        assert session.get_one(Player, row.player_id).bounces
    one.clock.turn(minutes=1)
    send(one, relay)
    assert (rows(one)[0].state, len(relay.sent)) == ("sent", 1)


# Leases -------------------------------------------------------------------------------------------


class Slow(Postbox):
    """A transport during whose work something else happens."""

    def __init__(self, meanwhile: Any) -> None:
        super().__init__()
        self.meanwhile = meanwhile

    def send(self, message: bytes, sender: str, recipient: str) -> None:
        self.meanwhile()
        super().send(message, sender, recipient)


def test_a_second_sender_passes_leased_rows_by(one: Table):
    second = Relay()
    first = Slow(lambda: send_in_thread(one, second))
    send(one, first)
    assert (len(first.sent), second.raw) == (1, [])


@contextmanager
def meanwhile(table: Table, relay: Relay) -> Iterator[None]:
    """Within, a second sender works while the first composes its first mail."""
    seconds = iter([lambda: send_in_thread(table, relay)])
    with before(table, "SELECT events", lambda _values: next(seconds, lambda: 0)()):
        yield


def test_of_two_senders_that_compose_the_same_mail_one_sends_it(one: Table):
    first, second = Relay(), Relay()
    with meanwhile(one, second):
        send(one, first)
    assert (len(first.raw), len(second.raw), len(first.raw + second.raw)) == (0, 1, 1)
    assert rows(one)[0].state == "sent"


def test_a_mail_that_failed_while_others_were_composed_holds_up_the_later_ones_of_its_game(table: Table):
    game = chase(table)
    game.move(game.people[0])
    first, second = Relay(), Relay(LATER)
    with meanwhile(table, second):
        send(table, first)
    held_up = [row for row in rows(table, "turn") + rows(table, "started") if row.state == "pending"]
    assert sorted((row.kind, row.attempts) for row in held_up) == [("started", 1), ("turn", 0)]
    assert first.raw == []


def test_a_full_batch_is_leased_before_it_is_composed(one: Table):
    first, second = Relay(), Relay()
    with meanwhile(one, second), one.app.app_context():
        outbox.send_waiting(first, limit=1)
        session.remove()
    assert (len(first.raw), second.raw) == (1, [])


def test_a_lease_that_ran_out_is_taken_again_and_its_former_holder_may_not_settle(one: Table):
    second = Relay(LATER)

    def sleep_too_long() -> None:
        one.clock.time += leases.LENGTH
        assert send_in_thread(one, second) == 1

    first = Slow(sleep_too_long)
    send(one, first)
    (row,) = rows(one)
    # The first did hand it over, but the second, who holds the row now, knows of a failure only.
    assert (row.state, row.attempts) == ("pending", 1)
    assert second.raw == [first.sent[0].raw]


def test_the_former_holder_of_a_lease_does_not_count_his_failure_either(one: Table):
    second = Relay()

    class Failing(Slow):
        def send(self, message: bytes, sender: str, recipient: str) -> None:
            self.meanwhile()
            raise NEVER

    def sleep_too_long() -> None:
        one.clock.time += leases.LENGTH
        send_in_thread(one, second)

    send(one, Failing(sleep_too_long))
    assert [(row.state, row.error) for row in rows(one)] == [("sent", None)]


def test_a_sender_that_dies_between_sending_and_settling_sends_the_same_message_again(one: Table):
    class Killed(BaseException):
        pass

    relay = Relay()

    def die() -> None:
        if relay.raw:
            raise Killed

    with committing(one, die), pytest.raises(Killed):
        send(one, relay)
    one.app.extensions["blackticket"].handed_over.clear()  # what it remembers ends with the process
    assert send(one, relay) == 0
    one.clock.time += leases.LENGTH
    assert send(one, relay) == 1
    assert relay.raw[0] == relay.raw[1]
    assert relay.sent[0][1]["Message-ID"] == relay.sent[1][1]["Message-ID"]


def test_whatever_fails_with_a_mail_those_before_it_are_not_sent_again(table: Table):
    chase(table)
    relay = Relay(None, SendingFailure("the relay refused the recipient (550)", lasting=True, no_reader=True))
    with failing(table, "UPDATE outbox", "bounced"), pytest.raises(RuntimeError):
        send(table, relay)
    assert len(relay.sent) == 1
    with table.app.app_context():
        assert len(session.scalars(select(Outgoing.id).where(Outgoing.state == "sent")).all()) == 1


def send_in_thread(table: Table, relay: Postbox) -> int:
    """Another sender, in a thread and with a session of its own."""
    with ThreadPoolExecutor() as other:
        return other.submit(send, table, relay).result()


# Rows ---------------------------------------------------------------------------------------------


def test_the_address_that_is_printed_is_good_before_the_mail_leaves(one: Table):
    def look() -> None:
        with one.app.app_context():
            known.append(session.query(ReplyToken).count())

    known: list[int] = []
    send(one, Slow(look))
    assert known == [1]


def test_a_mail_of_what_is_rolled_back_does_not_exist(table: Table):
    game = chase_announced(table)
    before = len(table.post.sent)
    with table.app.app_context():
        with suppress(ZeroDivisionError), transaction():
            carry_out(load(game.id), lambda draft: post_turns(draft, "detectives"))
            assert session.query(Outgoing).filter_by(kind="turn").count() == 6
            _ = 1 / 0
        assert session.query(Outgoing).filter_by(kind="turn").count() == 1
        session.remove()
    table.tick()
    assert len(table.post.sent) == before


def test_a_bell_is_rung_by_the_commit_that_left_mail_and_by_no_other(table: Table):
    wake_up = table.app.extensions["blackticket"].wake_ups.outbox
    people = table.people(6)
    assert not wake_up.is_set()
    table.game(people)
    assert wake_up.is_set()


def test_one_event_brings_one_mail_of_a_kind_and_the_database_sees_to_it(table: Table):
    game = chase(table)
    with table.app.app_context():
        session.connection(execution_options={"writes": True})
        theirs = session.get_one(Game, game.id)
        with pytest.raises(IntegrityError):
            outbox_rows.post(game.people[0].id, "turn", theirs)


def test_many_mails_are_sent_in_batches(table: Table):
    people = chase(table).people
    for _ in range(3):
        table.game(people)
    relay = Relay()
    looked_at = []
    while looked := send(table, relay):
        looked_at.append(looked)
    assert sum(looked_at) == 24 + 4  # four times six mails, and four times that the table is complete
    assert max(looked_at) == 20
    assert len(relay.raw) == 24
