"""A mail is stored before it is read, read once, and never in the way of the next one."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import select

from server.application.game import reply_addresses
from server.application.mail import arrivals
from server.mail import inbox
from server.models import Incoming, Move, Quota, Seen, session
from server.vocabulary import limits
from tests.scenes import chase, hunt, write
from tests.statements import before, failing, statements
from tests.table import Person, Playing, Table


def rows(table: Table) -> list[Any]:
    """The inbox, detached, the oldest first."""
    with table.app.app_context():
        found = session.scalars(select(Incoming).order_by(Incoming.received_at, Incoming.id)).all()
        for row in found:
            _ = row.raw
        session.expunge_all()
        return list(found)


def verdicts(table: Table) -> list[str | None]:
    return [row.verdict for row in rows(table)]


@pytest.fixture
def hunted(table: Table) -> Playing:
    return hunt(table)


def ahead(game: Playing) -> list[str]:
    return [kept["notation"] for kept in game.view(game.people[1])["ahead"]]


# Storing --------------------------------------------------------------------------------------------


def test_a_stored_mail_is_there_as_it_came(hunted: Playing):
    raw = b"From: a@b.example\r\n\r\n\x00\xff bytes \r\n"
    with hunted.table.app.app_context():
        arrivals.store(raw, "a@b.example", ["play@localhost"], "smtp")
    (row,) = rows(hunted.table)
    assert (row.raw, row.sender, row.recipient, row.state) == (raw, "a@b.example", "play@localhost", "new")
    assert row.received_at == hunted.table.clock()


def test_a_stored_mail_is_sealed_at_rest(hunted: Playing):
    hunted.people[0].reply("taxi 101, which is my secret plan")
    hunted.table.tick()
    var = hunted.table.app.extensions["blackticket"].settings.var
    assert rows(hunted.table)[0].state == "done"
    for file in var.rglob("*"):
        assert not file.is_file() or b"secret plan" not in file.read_bytes()


def test_a_mail_to_two_of_us_is_stored_for_each(hunted: Playing):
    with hunted.table.app.app_context():
        arrivals.store(b"From: a@b.example\r\n\r\nHi\r\n", "a@b.example", ["play@localhost", "PLAY@localhost"], "smtp")
    assert [row.recipient for row in rows(hunted.table)] == ["play@localhost", "PLAY@localhost"]


def test_a_mail_that_cannot_be_stored_whole_is_not_stored_at_all(hunted: Playing):
    full = failing(hunted.table, "INSERT INTO inbox", error=OSError("the disk is full"))
    with full, hunted.table.app.app_context(), pytest.raises(OSError, match="the disk is full"):
        arrivals.store(b"Hi", "", ["play@localhost", "second@localhost"], "smtp")
    assert rows(hunted.table) == []
    with hunted.table.app.app_context():
        assert session.query(Quota).count() == 0


@pytest.mark.parametrize("sender", ["a\0b@x.example", "\udcff@x.example", "a" * 400 + "@x.example", ""])
def test_an_address_that_no_database_takes_is_stored_as_near_as_can_be(hunted: Playing, sender: str):
    with hunted.table.app.app_context():
        arrivals.store(b"Hi", sender, ["play@localhost"], "smtp")
    (row,) = rows(hunted.table)
    assert len(row.sender) <= 320
    assert "\0" not in row.sender


def test_a_bell_is_rung_when_a_mail_is_stored(hunted: Playing):
    wake_up = hunted.table.app.extensions["blackticket"].wake_ups.inbox
    wake_up.clear()
    write(hunted.people[1], "status")
    assert wake_up.is_set()


# Reading --------------------------------------------------------------------------------------------


def test_mails_are_read_in_the_order_they_came(hunted: Playing):
    cleo = hunted.people[2]
    for text in ("taxi 51", "taxi 84", "taxi 66"):
        cleo.reply(text)
        hunted.table.clock.turn(seconds=1)
    hunted.table.tick()
    assert ahead(hunted) == ["red taxi 66"]


def test_each_mail_is_a_transaction_of_its_own(hunted: Playing):
    cleo, dan = hunted.people[2:4]
    cleo.reply("taxi 84")
    hunted.table.clock.turn(seconds=1)
    dan.reply("taxi 140")
    with failing_for(dan):
        hunted.table.tick()
    assert ahead(hunted) == ["red taxi 84"]


@contextmanager
def failing_for(person: Person) -> Iterator[list[str]]:
    """Within, a mail of this person makes the server fail after half its work; yield a list that grows each time."""
    tried: list[str] = []
    with statements(person.table) as sent:

        def fail(values: str) -> None:
            if person.id in values and "'advice'" not in values:  # that one tells of the failure
                tried.append(values)
                assert any(statement.startswith("INSERT INTO moves_ahead") for statement in sent)
                raise RuntimeError("a fault of ours")

        with before(person.table, "INSERT INTO outbox", fail):
            yield tried


def test_a_mail_that_fails_three_times_is_set_aside_and_the_next_goes_on(hunted: Playing):
    cleo, dan = hunted.people[2:4]
    cleo.reply("taxi 84")
    hunted.table.clock.turn(seconds=1)
    dan.reply("taxi 140")
    with failing_for(cleo) as tried:
        hunted.table.tick()
        assert (len(tried), ahead(hunted)) == (1, ["green taxi 140"]), "the next goes on at once"
        for _ in range(2):
            hunted.table.clock.turn(minutes=2)
            hunted.table.tick()
    assert len(tried) == inbox.MOST_ATTEMPTS == 3
    assert [(row.state, row.verdict) for row in rows(hunted.table)] == [("aside", "failed"), ("done", "obeyed")]
    assert ahead(hunted) == ["green taxi 140"]
    assert rows(hunted.table)[0].raw is not None


def test_a_failed_mail_leaves_no_trace_and_is_good_when_it_is_tried_again(hunted: Playing):
    cleo = hunted.people[2]
    cleo.reply("taxi 84")
    with failing_for(cleo), hunted.table.app.app_context():
        assert inbox.process_waiting() == 1
        assert session.query(Seen).count() == 0
        session.remove()
    assert [(row.state, row.attempts) for row in rows(hunted.table)] == [("new", 1)]
    hunted.table.clock.turn(minutes=1)
    hunted.table.tick()
    assert ahead(hunted) == ["red taxi 84"]
    assert verdicts(hunted.table) == ["obeyed"]


def test_mail_of_one_game_that_came_in_time_can_be_read_before_all_other(hunted: Playing):
    cleo, dan = hunted.people[2:4]
    until = hunted.table.clock()
    cleo.reply("taxi 84")
    write(dan, "status")
    hunted.table.clock.turn(seconds=1)
    dan.reply("taxi 140")
    with hunted.table.app.app_context():
        assert inbox.read_of_game(hunted.id, until=until)
        session.remove()
    assert ahead(hunted) == ["red taxi 84"]


def test_many_mails_of_one_game_are_each_looked_at_about_once_and_a_page_at_a_time(hunted: Playing):
    cleo, dan = hunted.people[2:4]
    for _ in range(12):
        cleo.reply("STATUS")
    hunted.table.clock.turn(seconds=1)
    dan.reply("taxi 140")
    with statements(hunted.table) as sent, hunted.table.app.app_context():
        assert inbox.read_of_game(hunted.id, until=hunted.table.clock(), page=5)
        session.remove()
    looks = [statement for statement in sent if "inbox.received_at <=" in statement]
    assert len(looks) == 5, "for five, five, and three, and twice to see that there is no more"
    assert ahead(hunted) == ["green taxi 140"]


def test_behind_a_page_of_mails_that_wait_the_next_are_read_and_the_game_waits(hunted: Playing):
    cleo, dan = hunted.people[2:4]
    for text in ("taxi 84", "taxi 51", "taxi 66"):
        cleo.reply(text)
        hunted.table.clock.turn(seconds=1)
    dan.reply("taxi 140")
    with failing_for(cleo) as tried, hunted.table.app.app_context():
        assert not inbox.read_of_game(hunted.id, until=hunted.table.clock(), page=2)
        session.remove()
    assert (len(tried), ahead(hunted)) == (1, ["green taxi 140"])


def address_in(mail: Any) -> str:
    """Return the reply address of a mail of ours."""
    address: str = mail["Reply-To"].addresses[0].addr_spec
    return address


def mail_about(person: Person, game: Playing) -> Any:
    """Return a mail of the game that the person can answer."""
    with person.table.app.app_context():
        return next(mail for mail in person.mails if (reply_addresses.seat_of(address_in(mail)) or ("",))[0] == game.id)


def flood(table: Table, count: int, recipient: str, senders: int = 1) -> None:
    """Let strangers send this many mails to one address."""
    for number in range(count):
        raw = f"From: mallory@evil.example\r\nMessage-ID: <{number}@evil.example>\r\n\r\nSTATUS\r\n".encode()
        table.deliver(raw, f"mallory{number % senders}@evil.example", recipient)


@pytest.mark.parametrize("senders", [1, 500])
def test_an_answer_is_read_before_a_flood_to_the_play_address(hunted: Playing, senders: int):
    flood(hunted.table, 500, "play@localhost", senders)
    hunted.table.clock.turn(minutes=1)
    hunted.people[1].reply("bus 102")
    with hunted.table.app.app_context():
        assert inbox.process_waiting(limit=10) == 10
        session.remove()
    assert hunted.view(hunted.people[1])["history"] == ["black ?", "purple bus 102"]


def test_an_answer_is_read_before_a_flood_to_a_reply_address_of_another_game(table: Table):
    first = chase(table)
    second = table.game(first.people)
    table.tick()
    ada = first.people[0]
    flood(table, 50, address_in(mail_about(ada, first)))
    table.clock.turn(minutes=1)
    ada.reply(second.legal(ada)[0], to=mail_about(ada, second))
    assert {row.game_id for row in rows(table)} == {first.id, second.id}
    with table.app.app_context():
        assert inbox.process_waiting(limit=2) == 2
        session.remove()
    assert second.view()["turn"] == 2


def test_a_flood_of_answers_does_not_keep_out_the_play_address(hunted: Playing):
    flood(hunted.table, 50, address_in(hunted.people[1].mails[-1]))
    hunted.table.clock.turn(minutes=1)
    write(hunted.people[2], "status")
    with hunted.table.app.app_context():
        assert inbox.process_waiting(limit=inbox.ANSWERS_FOR_ONE_OTHER + 1) == inbox.ANSWERS_FOR_ONE_OTHER + 1
        session.remove()
    assert rows(hunted.table)[-1].state == "done"


def test_mails_that_were_left_when_the_worker_stops_are_not_counted(hunted: Playing):
    flood(hunted.table, 3, "play@localhost")
    answers = iter((False, True))
    with hunted.table.app.app_context():
        assert inbox.process_waiting(is_stopping=lambda: next(answers)) == 1
        assert inbox.process_waiting(is_stopping=lambda: True) == 0
        session.remove()


def test_senders_at_the_play_address_take_turns_and_keep_their_own_order(hunted: Playing):
    flood(hunted.table, 20, "play@localhost")
    for _ in range(2):
        hunted.table.clock.turn(minutes=1)
        write(hunted.people[2], "status")
    with hunted.table.app.app_context():
        for _ in range(2):
            inbox.process_waiting(limit=2)
        session.remove()
    done = [row.sender for row in rows(hunted.table) if row.state == "done"]
    assert sorted(done) == [hunted.people[2].address] * 2 + ["mallory0@evil.example"] * 2


@pytest.mark.sqlite("its plan is read")
def test_the_order_of_reading_is_one_statement_over_one_index(hunted: Playing):
    with hunted.table.app.app_context():
        query = inbox._IN_TURN.compile(session.get_bind())
        unbound = tuple(None for _ in query.positiontup or ())
        plan = session.connection().exec_driver_sql(f"EXPLAIN QUERY PLAN {query}", unbound).all()
    assert {row.detail for row in plan if "inbox" in row.detail} == {
        "SEARCH inbox USING COVERING INDEX ix_inbox_waiting (state=?)"
    }, "of those that wait, and of those that wait behind one that is tried again"


def test_a_mail_to_a_reply_address_is_not_counted_among_those_of_strangers(hunted: Playing):
    hunted.people[1].reply("bus 102")
    with failing(hunted.table, "INSERT INTO quotas", limits.STRANGERS.what):
        hunted.table.tick()
    assert verdicts(hunted.table) == ["obeyed"]


@pytest.mark.sqlite("its catalogue is read")
def test_the_index_of_waiting_mails_holds_no_others(hunted: Playing):
    with hunted.table.app.app_context():
        catalogue = "SELECT sql FROM sqlite_master WHERE name = 'ix_inbox_waiting'"
        written = session.connection().exec_driver_sql(catalogue).scalar_one()
    assert written.endswith("WHERE state = 'new'")


def test_nothing_of_a_fault_but_its_name_is_logged(hunted: Playing, caplog: pytest.LogCaptureFixture):
    hunted.people[2].reply("taxi 84")
    with failing_for(hunted.people[2]):
        hunted.table.tick()
    assert "RuntimeError" in caplog.text
    assert "a fault of ours" not in caplog.text
    assert "84" not in caplog.text


# Twice ----------------------------------------------------------------------------------------------


def played(table: Table) -> int:
    with table.app.app_context():
        return session.query(Move).count()


def test_the_same_mail_twice_is_done_and_answered_once(hunted: Playing):
    ben = hunted.people[1]
    for _ in range(2):
        ben.reply("bus 102", Message_ID="<one@mail.example.org>")
    hunted.table.tick()
    assert sorted(verdicts(hunted.table)) == ["duplicate", "obeyed"]
    assert (played(hunted.table), len(ben.mails)) == (2, 3)


def test_the_same_message_id_with_another_text_is_not_read(hunted: Playing):
    cleo = hunted.people[2]
    cleo.reply("taxi 84", Message_ID="<one@mail.example.org>")
    hunted.table.tick()
    hunted.table.clock.turn(seconds=1)
    cleo.reply("taxi 66", Message_ID="<one@mail.example.org>")
    hunted.table.tick()
    assert ahead(hunted) == ["red taxi 84"]
    assert verdicts(hunted.table)[-1] == "duplicate"


def test_a_mail_without_a_message_id_is_known_by_its_bytes(hunted: Playing):
    cleo = hunted.people[2]
    to = cleo.mails[-1]["Reply-To"].addresses[0].addr_spec
    for text in ("STATUS", "STATUS", "LEGAL"):
        raw = f"From: {cleo.address}\r\nTo: {to}\r\nSubject: x\r\n\r\n{text}\r\n".encode()
        hunted.table.deliver(raw, cleo.address, to)
    hunted.table.tick()
    assert sorted(verdicts(hunted.table)) == ["duplicate", "obeyed", "obeyed"]


def test_one_mail_to_two_games_is_done_in_each(table: Table):
    people = chase(table).people
    other = table.game(people)
    table.tick()
    ada = people[0]
    raw = f"From: {ada.address}\r\nMessage-ID: <both@mail>\r\nSubject: x\r\n\r\nSTATUS\r\n".encode()
    turns = [mail for mail in ada.mails if "your move by" in mail["Subject"]]
    with table.app.app_context():
        arrivals.store(raw, ada.address, [mail["Reply-To"].addresses[0].addr_spec for mail in turns], "smtp")
    table.tick()
    assert verdicts(table) == ["obeyed", "obeyed"]
    assert len(ada.mails) == len(turns) + 2
    assert other.view()["turn"] == 1


def test_a_mail_that_came_to_no_game_is_deleted_after_thirty_days_and_is_not_obeyed_again(hunted: Playing):
    ben = hunted.people[1]
    table = hunted.table
    raw = f"From: {ben.address}\nTo: play@localhost\nMessage-ID: <old@x>\nSubject: STATUS\n\n".encode()
    ben.reply("bus 102")
    table.deliver(raw, ben.address, "play@localhost")
    table.tick()
    table.clock.turn(days=31)
    with table.app.app_context():
        arrivals.forget_old()
        assert arrivals.forget_old() == 0
        session.remove()
    assert [(row.recipient == "play@localhost", row.raw) for row in rows(table)] == [(False, None)]
    table.deliver(raw, ben.address, "play@localhost")
    table.tick()
    assert verdicts(table) == ["obeyed", "duplicate"]


# Machines -------------------------------------------------------------------------------------------


def test_a_machine_is_neither_obeyed_nor_answered(hunted: Playing):
    ben = hunted.people[1]
    found = []
    for headers, verdict in (
        ({"Auto_Submitted": "auto-replied"}, "auto_reply"),
        ({"Precedence": "bulk"}, "list"),
        ({"List_Id": "<talk.example.org>"}, "list"),
        ({"X_Black_Ticket": "localhost"}, "loop"),
        ({"Subject": "Automatic reply: Turn 2"}, "auto_reply"),
    ):
        hunted.table.clock.turn(seconds=1)
        ben.reply("bus 102", **headers)
        hunted.table.tick()
        found.append(verdict)
        assert sorted(verdicts(hunted.table)) == sorted(found), headers
        assert (played(hunted.table), len(ben.mails)) == (1, 2), headers


def test_a_mail_with_an_empty_sender_is_a_bounce_whatever_its_header_pretends(hunted: Playing):
    ben = hunted.people[1]
    to = ben.mails[-1]["Reply-To"].addresses[0].addr_spec
    raw = f"From: {ben.address}\r\nMessage-ID: <x@y>\r\nSubject: x\r\n\r\nbus 102\r\n".encode()
    hunted.table.deliver(raw, "", to)
    hunted.table.tick()
    assert verdicts(hunted.table) == ["bounce"]
    assert played(hunted.table) == 1


def test_our_own_mail_coming_back_is_a_loop(hunted: Playing):
    ben = hunted.people[1]
    mail = ben.mails[-1]
    hunted.table.deliver(mail.as_bytes(), ben.address, mail["Reply-To"].addresses[0].addr_spec)
    hunted.table.tick()
    assert verdicts(hunted.table) == ["loop"]
    assert len(ben.mails) == 2


def test_a_storm_of_auto_replies_is_answered_by_nothing(hunted: Playing):
    ben = hunted.people[1]
    for n in range(60):
        ben.reply("I am away. bus 102", Auto_Submitted="auto-replied", Message_ID=f"<storm{n}@mail>")
    hunted.table.tick()
    assert set(verdicts(hunted.table)) == {"auto_reply"}
    assert len(ben.mails) == 2
