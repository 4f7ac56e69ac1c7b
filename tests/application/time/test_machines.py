"""Machines whose clocks differ: on PostgreSQL all processes go by the clock of the database."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import select

from server.app.heart import Heart
from server.application.health import health, metrics
from server.application.time.outages import Watch
from server.models import Outage, liveness, session
from server.models.postgresql import MEASURED_EVERY, DatabaseClock, read_clock
from tests.databases import let_go
from tests.injected import START, Clock
from tests.table import Table

OFF = {"one": 0.0, "two": 90.0, "three": -90.0}  # seconds by which the clock of each machine is ahead


class Machine:
    """A machine with a clock of its own, and a worker on it."""

    def __init__(self, true: Clock, off: float, table: Table) -> None:
        self.true, self.table = true, table
        self.off = timedelta(seconds=off)
        parts = table.app.extensions["blackticket"]
        parts.clock = lambda: true.time + self.off
        parts.database_clock = lambda _connection: true.time
        parts.monotonic = self.ticked
        self.watch, self.heart = Watch(), Heart(table.app)

    def ticked(self) -> float:
        """The monotonic clock of this machine."""
        return (self.true.time - START).total_seconds()

    def look(self) -> None:
        """Look as the worker on this machine does at each tick."""
        with self.table.app.app_context():
            self.watch.look()
            session.remove()

    def now(self) -> datetime:
        parts = self.table.app.extensions["blackticket"]
        return parts.clock() - parts.ahead  # type: ignore[no-any-return]


@pytest.fixture
def true() -> Clock:
    """The clock of the database."""
    return Clock()


@pytest.fixture
def machines(postgres: str, tmp_path: Path, true: Clock) -> Iterator[list[Machine]]:
    made = []
    for seed, (name, off) in enumerate(OFF.items(), 1):
        table = Table(tmp_path, seed, database_url=postgres, sandbox="1", mail_domain="play.example.org")
        table.app.extensions["blackticket"].host = name
        made.append(Machine(true, off, table))
    yield made
    for machine in made:
        with machine.table.app.app_context():
            let_go()


def run(machines: list[Machine], true: Clock, minutes: int) -> None:
    """Let time pass: each heart beats every two seconds, and each worker looks every five or so."""
    for second in range(minutes * 60):
        true.turn(seconds=1)
        for number, machine in enumerate(machines):
            if second % 2 == number % 2:
                machine.heart.beat()
            if second % 5 == number:
                machine.look()


def test_workers_whose_clocks_are_minutes_apart_make_no_outage(machines: list[Machine], true: Clock):
    first = machines[0].table
    first.game(first.people(2), edition="condensed")
    run(machines, true, minutes=10)
    for machine in machines:
        with machine.table.app.app_context():
            assert session.scalars(select(Outage)).all() == []
            facts = health.overview()
            assert facts["outages"] == []
            told = "the database's, by which the server goes. Have NTP set both."
            assert [sentence for sentence in facts["warnings"] if "clock" in sentence] == [
                f"clocks: The clock of the machine three is 90.0 seconds behind {told}",
                f"clocks: The clock of the machine two is 90.0 seconds ahead of {told}",
            ]
            assert health.is_ticking()
            ready = health.readiness()
            assert (ready["clock_off_seconds"], ready["deadlines_held"]) == (90.0, None)
            (measured,) = [each for each in metrics.measures() if each.name == "clock_ahead_seconds"]
            assert measured.numbers == OFF


def test_an_outage_of_all_of_them_is_noted_once(machines: list[Machine], true: Clock):
    first = machines[0].table
    first.game(first.people(2), edition="condensed")
    run(machines, true, minutes=1)
    true.turn(minutes=5)
    run(machines, true, minutes=1)
    with first.app.app_context():
        (outage,) = session.scalars(select(Outage)).all()
        assert outage.end is not None
        assert timedelta(minutes=5) <= outage.end - outage.begin < timedelta(minutes=5, seconds=15)


def test_a_clock_that_is_set_is_compared_before_it_is_believed(machines: list[Machine], true: Clock):
    machine = machines[0]
    first = machine.table
    first.game(first.people(2), edition="condensed")
    run([machine], true, minutes=1)
    machine.off = timedelta(hours=1)
    true.turn(seconds=1)
    machine.look()
    assert machine.now() == true.time
    run([machine], true, minutes=1)
    with first.app.app_context():
        assert session.scalars(select(Outage)).all() == []


def alive(machine: Machine) -> list[str]:
    """Return the machines whose processes are alive, as one of them finds."""
    with machine.table.app.app_context():
        hosts = [row.host for row in liveness.alive()]
        session.remove()
    return sorted(hosts)


@pytest.mark.parametrize("seconds", [90, -90])
def test_a_process_whose_clock_is_set_counts_as_alive(machines: list[Machine], true: Clock, seconds: float):
    """The times that say so are read behind the comparison of the clocks."""
    machine, *others = machines
    run(machines, true, minutes=1)
    machine.off = timedelta(seconds=seconds)
    true.turn(seconds=2)
    for each in (machine, *others):
        each.heart.beat()
    assert [alive(each) for each in machines] == [["one", "three", "two"]] * 3


def test_a_process_that_begins_behind_a_clock_that_was_set_is_alive(machines: list[Machine], true: Clock):
    machine, other, _ = machines
    for each in (machine, other):
        each.look()
    machine.off = timedelta(seconds=90)
    machine.heart.beat()
    assert alive(other) == ["one"]


def test_a_process_that_has_not_looked_for_six_seconds_counts_as_ended(machines: list[Machine], true: Clock):
    machine, other, _ = machines
    machine.heart.beat()
    true.turn(seconds=6)
    assert alive(other) == ["one"]
    true.turn(seconds=1)
    other.heart.beat()
    assert alive(other) == ["two"]


def test_a_small_difference_is_left(machines: list[Machine], true: Clock):
    """So the time of a process does not jump to and fro by what a statement takes."""
    machine = machines[0]
    clock = DatabaseClock(machine.table.app.extensions["blackticket"])
    for off, ahead in ((0.09, 0.0), (0.2, 0.2), (0.25, 0.2), (0.0, 0.0)):
        machine.off = timedelta(seconds=off)
        true.turn(seconds=MEASURED_EVERY)
        clock.look(None)
        assert machine.table.app.extensions["blackticket"].ahead == timedelta(seconds=ahead)


def test_with_real_clocks_a_process_asks_the_database(postgres: str, tmp_path: Path):
    table = Table(tmp_path, database_url=postgres, sandbox="1")
    parts = table.app.extensions["blackticket"]
    parts.database_clock = read_clock
    with table.app.app_context():
        let_go()
        health.is_ticking()
        let_go()
    assert abs(parts.ahead - (START - datetime.now(START.tzinfo))) < timedelta(minutes=1)
