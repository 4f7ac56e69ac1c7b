"""Mails are read by a process of its own, which a hostile one may end, and nothing else with it."""

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from server.application.mail import envelopes
from server.mail.examination import supervisor
from server.mail.examination.examine import examine
from server.mail.examination.process import OUT_OF_MEMORY
from server.mail.examination.supervisor import CannotRead, ReadingFailed, ReadingProcess, ReadingProcesses, TooCostly
from server.mail.reading.headers import parse_headers
from server.mail.reading.message import read
from server.mail.reading.mime import contents
from server.mail.reading.quoting import MARKER
from server.mail.trust.mail import Handover
from server.models import Incoming, session
from server.vocabulary.dns import Unanswered
from server.worker import Worker
from tests.mail.trust.test_authentication import Names, mail, signed
from tests.readers import Deadly, no_descriptors
from tests.scenes import hunt
from tests.table import Playing, Table

TO = "turn+token@play.example.org"
HANDOVER = Handover("ben@example.org", TO)
# Costs more than the small limits of these tests, and no more than a small part of the usual ones.
COSTLY = mail("taxi 46\n\n" + "<p style='a'>\n" * 20_000).replace(b"Subject", b"Content-Type: text/html\r\nSubject")
LITTLE_TIME = 0.1  # seconds of processor; a short mail takes a hundredth of it, and COSTLY six times as much


@pytest.fixture(scope="module")
def processes() -> Iterator[ReadingProcesses]:
    """Reading processes that have read other mails; one that ends is replaced."""
    started = ReadingProcesses()
    yield started
    started.close()


@pytest.fixture(scope="module")
def hurried() -> Iterator[ReadingProcesses]:
    """Reading processes with little time for a mail, which tests share."""
    started = ReadingProcesses(seconds=LITTLE_TIME)
    yield started
    started.close()


@pytest.fixture
def unused() -> Iterator[ReadingProcesses]:
    """Reading processes of which none has started."""
    started = ReadingProcesses()
    yield started
    started.close()


def examined(reader: Any, raw: bytes, names: Names) -> Any:
    def about(domain: str) -> Any:
        assert domain == "example.org"
        return lambda name, kind="TXT": names(name, kind, 1)

    return reader.examine(raw, HANDOVER, about, marker=MARKER, authserv_id=None)


REPORT = b"Return-Path: <>\r\nFrom: x@y.example\r\n\r\nThe Postfix program\r\n"
ODD = "t\udcffxi \0 46 😀 \u2028".encode("utf-8", "surrogateescape")
LETTERS = {
    "an answer": mail("taxi 46\n> bus 58"),
    "a signed answer": signed(mail()),
    "odd letters": mail("taxi").replace(b"taxi", ODD),
    "a report": REPORT,
    "no mail": b"",
    "bytes": bytes(range(256)),
    "a broken one": b"From: a\r\nx\r\n\r\n",
    "one too large": mail("x" * 1_000_001),
}


def test_the_parts_of_a_mail_come_back_as_they_are(processes: ReadingProcesses):
    for raw in LETTERS.values():
        assert processes.contents(raw) == contents(raw)


def test_a_process_finds_what_is_found_here(processes: ReadingProcesses):
    for raw in LETTERS.values():
        names = Names()
        about = lambda _domain, names=names: lambda name, kind="TXT": names(name, kind, 1)  # noqa: E731
        assert examined(processes, raw, names) == examine(raw, HANDOVER, about, marker=MARKER)
        assert processes.read(raw, marker=MARKER) == read(raw, marker=MARKER)
        assert processes.headers(raw[:60_000]) == dict(parse_headers(raw[:60_000]))
    assert len(processes._idle) == 1


def test_a_silent_name_service_is_silent_to_the_process(processes: ReadingProcesses):
    class Silent(Names):
        def __call__(self, name: str, kind: str, patience: float) -> Any:
            raise Unanswered

    assert examined(processes, signed(mail()), Silent()).authentication.dkim == "temperror"


def test_a_mail_that_takes_too_long_ends_its_process_and_the_next_is_read(hurried: ReadingProcesses):
    hurried.read(mail(), marker=MARKER)
    (process,) = hurried._idle
    with pytest.raises(TooCostly):
        hurried.read(COSTLY, marker=MARKER)
    assert process._process.returncode == -signal.SIGPROF
    assert hurried.read(mail(), marker=MARKER).lines == ("taxi 46",)


def test_a_mail_that_takes_too_much_memory_ends_its_process_and_the_next_is_read(processes: ReadingProcesses):
    processes.read(mail(), marker=MARKER)
    (process,) = processes._idle
    pid = process._process.pid
    now_used = int(Path(f"/proc/{pid}/statm").read_text().split()[0]) * resource.getpagesize()
    assert resource.prlimit(pid, resource.RLIMIT_AS) == (supervisor.MEMORY, supervisor.MEMORY)
    resource.prlimit(pid, resource.RLIMIT_AS, (now_used + 500_000, now_used + 500_000))
    with pytest.raises(TooCostly):
        processes.read(mail("x" * 900_000), marker=MARKER)
    assert process._process.returncode == OUT_OF_MEMORY
    assert processes.read(mail(), marker=MARKER).lines == ("taxi 46",)


def test_the_limit_of_time_is_for_each_mail(hurried: ReadingProcesses):
    hurried.read(mail(), marker=MARKER)
    (process,) = hurried._idle
    for _ in range(150):
        assert hurried.read(mail(), marker=MARKER).lines == ("taxi 46",)
    assert hurried._idle == [process]


def test_a_process_that_was_killed_between_two_mails_is_replaced(processes: ReadingProcesses):
    assert processes.read(mail(), marker=MARKER).lines
    (process,) = processes._idle
    process._process.kill()
    process._process.wait()
    assert processes.read(mail(), marker=MARKER).lines == ("taxi 46",)


def test_a_process_that_is_killed_at_a_mail_says_nothing_of_the_mail(processes: ReadingProcesses):
    assert processes.read(mail(), marker=MARKER).lines
    (process,) = processes._idle

    def about(_domain: str) -> Any:
        process._process.kill()
        raise Unanswered

    with pytest.raises(ReadingFailed):
        processes.examine(signed(mail()), HANDOVER, lambda _: lambda *_: about(""), marker=MARKER, authserv_id=None)


def test_one_that_is_killed_before_it_is_ready_has_seen_no_mail():
    processes = ReadingProcesses(start=partial(ReadingProcess, command=["/bin/false"]))
    with pytest.raises(CannotRead, match="ended before it was ready"):
        processes.read(mail(), marker=MARKER)


def test_without_a_descriptor_no_mail_is_to_blame(unused: ReadingProcesses):
    with no_descriptors(), pytest.raises(CannotRead, match="Too many open files"):
        unused.read(mail(), marker=MARKER)
    assert unused.read(mail(), marker=MARKER).lines == ("taxi 46",)


def test_a_mail_that_ends_its_process_beside_a_good_one_is_to_blame_and_else_the_machine():
    for is_deadly, trouble, words in (
        (lambda _raw: True, CannotRead, "a good mail cannot be read either"),
        (lambda raw: b"bus 58" in raw, ReadingFailed, "ended with -9"),
    ):
        processes = ReadingProcesses(start=partial(Deadly, is_deadly))
        with pytest.raises(trouble, match=words):
            processes.read(mail("bus 58"), marker=MARKER)
        processes.close()


# Speaks like a reading process that a mail has taken over.
TAKEN_OVER = """
import socket, sys
from server.mail.examination import frames
server = socket.socket(fileno=0)
frames.send_values(server, {"is_ready": True})
frames.receive(server), frames.receive(server)
if sys.argv[1] == "asks":
    while True:
        frames.send_values(server, {"ask": ["example.org", "example.org", "TXT"]})
        frames.receive(server)
server.sendall(b"\\0\\1\\0\\0")
while True:
    server.sendall(b"x")
    import time; time.sleep(0.01)
"""


def taken_over() -> ReadingProcesses:
    """Return processes of which the first is taken over, and asks without end; the next one reads well."""
    commands = chain([[sys.executable, "-c", TAKEN_OVER, "asks"]], repeat(supervisor.COMMAND))

    def start(*limits: str) -> ReadingProcess:
        return ReadingProcess(*limits, command=next(commands))

    return ReadingProcesses(start=start)


def test_a_process_that_asks_without_end_is_ended():
    asked: list[str] = []

    def about(_domain: str) -> Any:
        return lambda name, _kind: asked.append(name) or []

    processes = taken_over()
    with pytest.raises(ReadingFailed, match="asks too much"):
        processes.examine(mail(), HANDOVER, about, marker=MARKER, authserv_id=None)
    processes.close()
    assert len(asked) == supervisor.MOST_LOOKUPS


def test_a_process_that_answers_a_byte_at_a_time_is_ended():
    process = ReadingProcess(command=[sys.executable, "-c", TAKEN_OVER, "drips"])
    process.patience = 0.5
    with pytest.raises(ReadingFailed, match="hangs"):
        process.do(b"From: a@example.org", {"task": "headers"})
    process.end()


def test_a_process_is_not_asked_for_ever():
    processes, seen = ReadingProcesses(mails=3), set()
    for _ in range(6):
        processes.read(mail(), marker=MARKER)
        seen |= {process._process.pid for process in processes._idle}
    assert len(seen) == 2


def test_a_process_has_no_setting_no_file_and_no_connection_of_the_server(
    unused: ReadingProcesses, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    monkeypatch.setenv("BLACKTICKET_SECRET_KEY", "the secret")
    with (tmp_path / "database").open("w") as file:
        os.set_inheritable(file.fileno(), True)
        unused.read(mail(), marker=MARKER)
        (process,) = unused._idle
        proc = Path(f"/proc/{process._process.pid}")
        open_ones = [str(entry.readlink()) for entry in (proc / "fd").iterdir()]
    assert b"the secret" not in (proc / "environ").read_bytes()
    assert [name for name in open_ones if not name.startswith("socket:")] == ["/dev/null"] * 3
    assert len(open_ones) == 4


def test_a_process_ends_with_the_server_and_not_at_signals_meant_for_it(unused: ReadingProcesses):
    unused.read(mail(), marker=MARKER)
    (process,) = unused._idle
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        process._process.send_signal(number)
    assert unused.read(mail(), marker=MARKER).lines
    assert unused._idle == [process]
    process._socket.close()
    assert process._process.wait(30) == 0


def test_reading_knows_nothing_of_the_application():
    code = (
        "import sys; sys.argv += ['1', '1']; "
        "import server.mail.examination.process as p; p._load(); print(*sys.modules)"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    ours = {name for name in loaded if name.startswith("server.")}
    assert not {name for name in ours if not name.startswith(("server.mail", "server.language", "server.vocabulary"))}
    assert not {"flask", "sqlalchemy", "click", "aiosmtpd", "tornado", "cryptography"} & set(loaded)


# In a game ------------------------------------------------------------------------------------------


@pytest.fixture
def hunted(table: Table, hurried: ReadingProcesses) -> Playing:
    game = hunt(table)
    table.app.extensions["blackticket"].examiner = hurried
    return game


def test_a_mail_that_costs_too_much_is_set_aside_with_the_reason_and_the_next_is_done(hunted: Playing):
    hunted.table.deliver(COSTLY, "mallory@evil.example", "play@localhost")
    hunted.table.clock.turn(seconds=1)
    hunted.people[1].reply("bus 102")
    hunted.table.tick()
    with hunted.table.app.app_context():
        rows = session.scalars(select(Incoming).order_by(Incoming.received_at)).all()
        assert [(row.state, row.verdict, row.attempts) for row in rows] == [
            ("aside", "too-costly", 0),
            ("done", "obeyed", 0),
        ]
        assert [row["reason"] for row in envelopes.incoming()] == ["too-costly", None]
        session.remove()
    assert hunted.view(hunted.people[1])["history"] == ["black ?", "purple bus 102"]


class Overtaxed:
    """A reader for which every mail costs too much."""

    def examine(self, *_: Any, **__: Any) -> Any:
        raise TooCostly


def test_after_a_mail_that_cost_too_much_those_that_came_meanwhile_have_their_turn(table: Table):
    from server.mail import inbox

    table.app.extensions["blackticket"].examiner = Overtaxed()
    for number in range(3):
        raw = COSTLY.replace(b"<1@x>", f"<{number}@x>".encode())
        table.deliver(raw, "mallory@evil.example", "play@localhost")
    with table.app.app_context():
        assert inbox.process_waiting() == 1
        states = session.scalars(select(Incoming.verdict).order_by(Incoming.state))
        assert sorted(map(str, states)) == ["None", "None", "too-costly"]
        session.remove()


def test_a_mail_whose_reader_was_killed_is_read_again(hunted: Playing):
    hunted.people[1].reply("bus 102")
    with closing(ReadingProcesses(start=partial(Deadly, lambda raw: b"bus 102" in raw))) as processes:
        well, hunted.table.runtime.examiner = hunted.table.runtime.examiner, processes
        hunted.table.tick()
        hunted.table.runtime.examiner = well
    assert hunted.view(hunted.people[1])["history"] == ["black ?"]
    hunted.table.clock.turn(minutes=1)
    hunted.table.tick()
    assert hunted.view(hunted.people[1])["history"] == ["black ?", "purple bus 102"]


def test_whoever_runs_a_worker_reads_in_processes(table: Table):
    Worker(table.app)
    assert isinstance(table.app.extensions["blackticket"].examiner, ReadingProcesses)
