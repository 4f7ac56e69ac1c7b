"""No mail is lost because this machine could not read it: it is read later, and the deadline of its game waits."""

import os
import resource
import signal
import smtplib
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from server.application.health import health, metrics
from server.application.mail import envelopes
from server.mail import inbox
from server.mail.examination.supervisor import (
    CannotRead,
    Examiner,
    ReadingFailed,
    ReadingProcesses,
    TooCostly,
)
from server.mail.transport.smtp_client import MaildirTransport
from server.models import Deadline, Event, Incoming, session
from server.vocabulary.durations import rfc3339
from tests.cli.running import WAIT, Server, children, until_it_runs
from tests.injected import START
from tests.patience import eventually
from tests.readers import Killer, is_reader, no_descriptors
from tests.scenes import hunt, text_of, write
from tests.table import Playing, Table

HOUR, DAY = timedelta(hours=1), timedelta(days=1)


class Reader(Examiner):
    """A reader that raises `trouble`, if there is any, at mails with `words`."""

    def __init__(self, trouble: Exception | None, words: bytes = b"") -> None:
        self.trouble, self.words = trouble, words

    def examine(self, raw: bytes, *given: Any, **named: Any) -> Any:
        if self.trouble is not None and self.words in raw:
            raise self.trouble
        return super().examine(raw, *given, **named)


@pytest.fixture
def hunted(table: Table) -> Playing:
    return hunt(table)


def reader(game: Playing, trouble: Exception | None, words: bytes = b"") -> Reader:
    """Give the server of the game such a reader."""
    made = game.table.app.extensions["blackticket"].examiner = Reader(trouble, words)
    return made


def states(table: Table) -> list[tuple[str, str | None, int]]:
    """State, verdict and attempts of each mail, in the order of arrival."""
    with table.app.app_context():
        query = select(Incoming.state, Incoming.verdict, Incoming.attempts)
        found = [tuple(row) for row in session.execute(query.order_by(Incoming.received_at, Incoming.id))]
        session.remove()
    return found


def timeout(game: Playing) -> Any:
    """Return the newest timeout of the game's detectives, and its state."""
    with game.table.app.app_context():
        query = select(Deadline.due_at, Deadline.state, Deadline.attempts).where(
            Deadline.game_id == game.id, Deadline.kind == "timeout", Deadline.state != "cancelled"
        )
        found = session.execute(query.order_by(Deadline.serial.desc())).first()
        session.remove()
    return found


def events(game: Playing, kind: str) -> list[Any]:
    with game.table.app.app_context():
        found = session.scalars(select(Event.data).where(Event.game_id == game.id, Event.kind == kind)).all()
        session.remove()
    return list(found)


def at(game: Playing, moment: Any) -> None:
    """It is this moment, and the worker does a round."""
    game.table.clock.time = moment
    game.table.tick()


# The machine's fault --------------------------------------------------------------------------------


@pytest.fixture
def processes(table: Table) -> Iterator[ReadingProcesses]:
    started = table.app.extensions["blackticket"].examiner = ReadingProcesses()
    yield started
    started.close()


@pytest.mark.parametrize("deaths", [5, pytest.param(50, marks=pytest.mark.campaign)])
def test_no_mail_is_lost_however_often_the_reading_process_is_killed(
    hunted: Playing, processes: ReadingProcesses, deaths: int
):
    hunted.people[1].reply("bus 102")
    with Killer(os.getpid()) as killer:
        while killer.deaths < deaths:
            write(hunted.people[2], "status")
            hunted.table.tick()
            hunted.table.clock.turn(minutes=6)
    assert {state for state, *_ in states(hunted.table)} <= {"new", "done"}
    for _ in range(3):
        hunted.table.clock.turn(minutes=6)
        hunted.table.tick()
    assert {state for state, *_ in states(hunted.table)} == {"done"}
    assert hunted.view(hunted.people[1])["history"] == ["black ?", "purple bus 102"]


def test_no_mail_is_lost_while_no_process_can_be_started(hunted: Playing, processes: ReadingProcesses):
    hunted.people[1].reply("bus 102")
    for _ in range(5):
        with hunted.table.app.app_context(), no_descriptors():
            assert inbox.process_waiting() == 0
            session.remove()
        hunted.table.clock.turn(minutes=6)
    assert states(hunted.table) == [("new", None, 0)]
    hunted.table.tick()
    assert hunted.view(hunted.people[1])["history"] == ["black ?", "purple bus 102"]


@pytest.mark.parametrize("trouble", [MemoryError(), OSError(24, "Too many open files"), CannotRead("no process")])
def test_what_this_machine_lacks_is_not_counted_against_a_mail(hunted: Playing, trouble: Exception):
    read_by = reader(hunted, trouble)
    hunted.people[1].reply("bus 102")
    for _ in range(20):
        hunted.table.tick()
        hunted.table.clock.turn(minutes=6)
    assert states(hunted.table) == [("new", None, 0)]
    read_by.trouble = None
    hunted.table.tick()
    assert hunted.view(hunted.people[1])["history"] == ["black ?", "purple bus 102"]


def test_pauses_between_attempts_grow_to_five_minutes(hunted: Playing):
    reader(hunted, CannotRead("no process"))
    hunted.people[1].reply("bus 102")
    pauses = []
    for _ in range(8):
        hunted.table.tick()
        with hunted.table.app.app_context():
            pauses.append((session.scalars(select(Incoming.not_before)).one() - hunted.table.clock()).total_seconds())
            session.remove()
        hunted.table.clock.turn(seconds=pauses[-1])
    expected = [30, 60, 120, 240, 300, 300, 300, 300]
    assert all(0.8 * length <= pause <= 1.2 * length for pause, length in zip(pauses, expected, strict=True))


def test_a_mail_that_waits_is_not_overtaken_by_a_later_one_of_its_sender(hunted: Playing):
    read_by = reader(hunted, MemoryError(), b"taxi 84")
    cleo, dan = hunted.people[2:4]
    cleo.reply("taxi 84")
    hunted.table.tick()
    hunted.table.clock.turn(seconds=1)
    cleo.reply("cancel")
    dan.reply("taxi 140")
    hunted.table.tick()
    assert [state for state, *_ in states(hunted.table)] == ["new", "new", "done"]
    read_by.trouble = None
    hunted.table.clock.turn(minutes=1)
    hunted.table.tick()
    hunted.table.tick()
    assert ahead(hunted) == ["green taxi 140"], "the red one was queued, and then withdrawn"


def ahead(game: Playing) -> list[str]:
    return [kept["notation"] for kept in game.view(game.people[1])["ahead"]]


# The deadline ---------------------------------------------------------------------------------------


def test_the_deadline_of_that_game_alone_waits_and_a_move_in_the_mail_is_in_time(hunted: Playing):
    newest = hunted.people[1].mails[-1]
    other = hunted.table.game(hunted.people)
    hunted.table.tick()
    read_by = reader(hunted, CannotRead("no process"))
    due = timeout(hunted).due_at
    hunted.table.clock.time = due - HOUR
    hunted.people[1].reply("bus 102", to=newest)
    for minutes in (0, 1, 2):
        at(hunted, due + timedelta(minutes=minutes))
    assert timeout(hunted)[1:] == ("armed", 0)
    assert timeout(other).due_at > due, "Mr. X is late there, and has his turn once more"
    read_by.trouble = None
    at(hunted, due + HOUR)
    assert hunted.view(hunted.people[1])["history"][:2] == ["black ?", "purple bus 102"]


def test_a_mail_that_is_no_move_gives_the_game_the_time_back_in_which_it_waited(hunted: Playing):
    read_by = reader(hunted, CannotRead("no process"))
    due = timeout(hunted).due_at
    hunted.table.clock.time = due - 2 * HOUR
    hunted.people[1].reply("taxi 199")
    at(hunted, due)
    at(hunted, due + 3 * HOUR)
    assert timeout(hunted) == (due, "armed", 0)
    read_by.trouble = None
    at(hunted, due + 4 * HOUR)
    assert timeout(hunted)[:2] == (due + 6 * HOUR, "armed"), "two hours from the answer, as from the mail"
    (outage,) = events(hunted, "outage")
    assert (outage["cause"], outage["by"]) == ("mailbox", "PT6H")


def test_the_moment_of_such_a_mail_is_not_told_and_no_less_time_given_back(hunted: Playing):
    """That a player asked something, or was refused, leaves no trace that others see."""
    read_by = reader(hunted, CannotRead("no process"))
    due = timeout(hunted).due_at
    assert due.minute % 5 == 0
    hunted.table.clock.time = due - timedelta(minutes=51, seconds=17)
    hunted.people[1].reply("taxi 199")
    at(hunted, due)
    read_by.trouble = None
    at(hunted, due + HOUR)
    (outage,) = events(hunted, "outage")
    assert (outage["from"], outage["by"]) == (rfc3339(due - timedelta(minutes=55)), "PT1H55M")
    assert timeout(hunted).due_at == due + timedelta(hours=1, minutes=55)


def test_a_mail_that_is_read_before_the_deadline_moves_nothing(hunted: Playing):
    read_by = reader(hunted, CannotRead("no process"))
    due = timeout(hunted).due_at
    hunted.table.clock.time = due - 5 * HOUR
    hunted.people[1].reply("taxi 199")
    hunted.table.tick()
    read_by.trouble = None
    at(hunted, due - HOUR)
    assert [state for state, *_ in states(hunted.table)] == ["done"]
    assert (timeout(hunted)[:2], events(hunted, "outage")) == ((due, "armed"), [])


def test_it_waits_for_a_day_and_no_longer(hunted: Playing):
    read_by = reader(hunted, CannotRead("no process"))
    due = timeout(hunted).due_at
    hunted.table.clock.time = due - HOUR
    hunted.people[1].reply("bus 102")
    at(hunted, due + DAY)
    assert timeout(hunted)[:2] == (due, "armed")
    at(hunted, due + DAY + timedelta(minutes=1))
    assert timeout(hunted).due_at > due, "the phase is over"
    read_by.trouble = None
    at(hunted, due + DAY + HOUR)
    assert events(hunted, "outage") == []


def test_a_mail_that_came_after_the_deadline_holds_nothing(hunted: Playing):
    reader(hunted, CannotRead("no process"))
    due = timeout(hunted).due_at
    hunted.table.clock.time = due + timedelta(seconds=1)
    hunted.people[1].reply("bus 102")
    hunted.table.tick()
    assert timeout(hunted).due_at > due


# The mail's own fault -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("trouble", "verdict"), [(ReadingFailed("ended with -11"), "failed"), (TooCostly(), "too-costly")]
)
def test_the_holder_of_the_reply_address_hears_once_of_a_mail_that_is_set_aside(
    hunted: Playing, trouble: Exception, verdict: str
):
    cleo = hunted.people[2]
    reader(hunted, trouble, b"secret plan")
    cleo.reply("taxi 84, my secret plan", sender="Mallory <mallory@evil.example>")
    before = len(cleo.mails)
    for _ in range(4):
        hunted.table.tick()
        hunted.table.clock.turn(minutes=3)
    (state,) = states(hunted.table)
    assert state[:2] == ("aside", verdict)
    (told,) = cleo.mails[before:]
    assert "could not be read" in str(told["Subject"])
    assert "secret plan" not in text_of(told)
    assert "mallory" not in text_of(told)
    assert hunted.table.post.of("mallory@evil.example") == []
    with hunted.table.app.app_context():
        envelopes.read_again(session.scalars(select(Incoming.id)).one())
        session.remove()
    for _ in range(4):
        hunted.table.tick()
        hunted.table.clock.turn(minutes=3)
    assert states(hunted.table)[0][:2] == ("aside", verdict)
    assert cleo.mails[before + 1 :] == []


def test_nobody_hears_of_more_than_ten_a_day(hunted: Playing):
    cleo = hunted.people[2]
    reader(hunted, TooCostly())
    before, newest = len(cleo.mails), cleo.mails[-1]
    for _ in range(12):
        cleo.reply("taxi 84", to=newest)
    hunted.table.tick()
    hunted.table.tick()
    assert [verdict for _, verdict, _ in states(hunted.table)] == ["too-costly"] * 12
    assert len(cleo.mails) - before == 10


# What the operator sees ------------------------------------------------------------------------------


def test_readyz_metrics_and_doctor_tell_of_mail_that_cannot_be_read(hunted: Playing):
    read_by = reader(hunted, CannotRead("no process"))
    hunted.table.clock.turn(seconds=40)
    came_at = hunted.table.clock()
    hunted.people[1].reply("bus 102")
    hunted.table.tick()
    ready = hunted.table.client.get("/readyz").json
    assert (ready["oldest_unread_mail"], ready["troubles"]) == (None, [])
    hunted.table.clock.turn(minutes=2)
    hunted.table.tick()
    answer = hunted.table.client.get("/readyz")
    assert answer.json["oldest_unread_mail"] == f"{came_at.replace(second=0):%Y-%m-%dT%H:%M:%SZ}", "to the minute"
    assert answer.json["troubles"] == ["reading"]
    with hunted.table.app.app_context():
        (trouble,) = health.troubles()
        assert trouble.startswith(f"Mails cannot be read since {came_at:%Y-%m-%dT%H:%M:%SZ}")
        assert health.overview()["oldest_unread_mail"] == f"{came_at:%Y-%m-%dT%H:%M:%SZ}"
        session.remove()
    read_by.trouble = None
    hunted.table.clock.turn(minutes=2)
    hunted.table.tick()
    ready = hunted.table.client.get("/readyz").json
    assert (ready["oldest_unread_mail"], ready["troubles"]) == (None, [])


def test_who_asks_often_does_not_learn_the_second_of_a_mail(hunted: Playing):
    reader(hunted, CannotRead("no process"))
    hunted.table.clock.turn(seconds=17)
    hunted.people[1].reply("bus 102")
    hunted.table.tick()
    told = []
    for _ in range(180):
        hunted.table.clock.turn(seconds=1)
        ready = hunted.table.client.get("/readyz").json
        with hunted.table.app.app_context():
            known = {each.name: each.numbers[""] for each in metrics.measures() if "" in each.numbers}
            session.remove()
        age = known["oldest_unread_mail_seconds"]
        told.append((ready["oldest_unread_mail"], ready["troubles"], known["mails_unread"], age))
        if age:
            assert age == (hunted.table.clock() - START).total_seconds(), "to the minute"
    changes = [number for number in range(1, 180) if told[number][:3] != told[number - 1][:3]]
    assert [(17 + 1 + number) % 60 for number in changes] == [0], "at a whole minute"


def test_readyz_metrics_and_doctor_tell_of_mail_that_cannot_be_sent(tmp_path: Path):
    """With the Maildir that is there without a relay, whose place something else has taken."""
    table = Table(tmp_path, sandbox="1")
    transport = MaildirTransport(tmp_path / "mail")
    (tmp_path / "mail").write_text("no folder")
    hunt(table)
    write(table.persons("Zoe")[0], "help")
    table.post = transport
    for _ in range(3):
        table.tick()
        table.clock.turn(seconds=45)
    answer = table.client.get("/readyz")
    assert (answer.json["troubles"], answer.json["mail_not_sent_since"]) == (["sending"], "2026-11-22T18:00:00Z")
    with table.app.app_context():
        assert any("the Maildir takes none" in trouble for trouble in health.troubles())
        session.remove()
    (tmp_path / "mail").unlink()
    (tmp_path / "mail").mkdir()
    for _ in range(3):
        table.tick()
        table.clock.turn(seconds=45)
    assert table.client.get("/readyz").json["troubles"] == []
    assert [*(tmp_path / "mail" / "new").iterdir()]


# In a real server -----------------------------------------------------------------------------------


@pytest.mark.campaign
@pytest.mark.sqlite("its file is read")
def test_a_server_without_descriptors_reads_what_it_took_once_it_has_some_again(tmp_path: Path):
    server = Server(tmp_path, tick_seconds="1")
    process = server.start()
    try:
        until_it_runs(process)
        worker = (children(process.pid) or [process.pid])[0]
        soft, hard = resource.prlimit(worker, resource.RLIMIT_NOFILE)
        assert is_taken(server, 0)
        eventually(lambda: done(server) == 1)
        (reading,) = (pid for pid in children(worker) if is_reader(pid))
        opened = len([*Path(f"/proc/{worker}/fd").iterdir()])
        resource.prlimit(worker, resource.RLIMIT_NOFILE, (opened + 1, hard))  # enough for a sender, not for a reader
        os.kill(reading, signal.SIGKILL)
        taken = sum(is_taken(server, number) for number in range(1, 15))
        assert taken, "some were acknowledged"
        eventually(lambda: server.database("SELECT 1 FROM inbox WHERE postponed > 0"))
        resource.prlimit(worker, resource.RLIMIT_NOFILE, (soft, hard))
        eventually(lambda: done(server) > taken, longest=300)
        assert server.database("SELECT state FROM inbox WHERE state != 'done'") == []
    finally:
        process.terminate()
        process.communicate(timeout=WAIT)


def is_taken(server: Server, number: int) -> bool:
    """Send a mail; return True if it was acknowledged."""
    raw = f"From: ada@example.org\nMessage-ID: <{number}@example.org>\n\nHELP\n"
    try:
        with smtplib.SMTP("127.0.0.1", server.smtp, timeout=WAIT) as smtp:
            smtp.sendmail("ada@example.org", ["play@localhost"], raw)
    except (OSError, smtplib.SMTPException):
        return False
    return True


def done(server: Server) -> int:
    return len(server.database("SELECT 1 FROM inbox WHERE state = 'done'"))
