"""Trouble of the database is told as such, costs no mail, and is over when it is over."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from click.testing import CliRunner
from flask import Flask
from sqlalchemy import event, select
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import Pool as Connections

from server import worker
from server.app import wsgi
from server.application.health import health, machine
from server.application.time import outages
from server.cli import main
from server.models import Deadline, Incoming, Outage, Outgoing, Unavailable, db, session, transaction
from server.models.sqlite import sqlite3
from server.models.unavailable import reason
from server.runtime import DatabaseHabits
from tests import databases
from tests.cli import running
from tests.databases import Server, let_go
from tests.rows import for_each
from tests.scenes import hunt
from tests.statements import failing, statements
from tests.table import Person, Playing, Table

SOON = 100  # milliseconds to wait for a lock, of which the server waits for 30 seconds


@pytest.fixture
def hunted(table: Table) -> Playing:
    return hunt(table)


def file_of(app: Flask) -> Path:
    return app.extensions["blackticket"].settings.var / "blackticket.db"


@contextmanager
def impatient(app: Flask) -> Iterator[None]:
    """Waits for a lock only shortly, also while a connection is opened."""

    def configure(connection: sqlite3.Connection, *_: object) -> None:
        connection.execute(f"PRAGMA busy_timeout = {SOON}")

    with app.app_context():
        engine = db.engine
        let_go()
    event.listen(engine, "connect", configure, insert=True)
    parts = app.extensions["blackticket"]
    before, parts.database = parts.database, parts.database._replace(busy=SOON)
    yield
    parts.database = before


@contextmanager
def locked(app: Flask) -> Iterator[None]:
    """Another program keeps the SQLite file locked."""
    with impatient(app), closing(sqlite3.connect(file_of(app), isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        yield
        other.execute("ROLLBACK")


@contextmanager
def full(app: Flask) -> Iterator[None]:
    """The SQLite file may not grow by a page."""

    def limit(connection: sqlite3.Connection, *_: object) -> None:
        connection.execute("PRAGMA max_page_count = 1")  # SQLite takes the pages there are

    with app.app_context():
        engine = db.engine
        let_go()
    with closing(sqlite3.connect(file_of(app), isolation_level=None)) as operator:
        operator.execute("VACUUM")  # no page in it is free
    event.listen(engine, "connect", limit)
    yield
    event.remove(engine, "connect", limit)
    with app.app_context():
        let_go()


@contextmanager
def read_only(app: Flask) -> Iterator[None]:
    """The database takes no write; root may write any file, so the connection says no."""
    said = "SET default_transaction_read_only = on" if databases.IS_POSTGRESQL else "PRAGMA query_only = ON"

    def refuse(connection: Any, *_: object) -> None:
        connection.cursor().execute(said)
        connection.commit()

    with app.app_context():
        engine = db.engine
        let_go()
    event.listen(engine, "connect", refuse)
    yield
    event.remove(engine, "connect", refuse)
    with app.app_context():
        let_go()


@contextmanager
def gone(app: Flask) -> Iterator[None]:
    """The data folder is not there, as when its disk is not mounted."""
    var = file_of(app).parent
    with app.app_context():
        let_go()
    var.rename(var.with_name("elsewhere"))
    yield
    with app.app_context():
        let_go()
    var.with_name("elsewhere").rename(var)


SQLITE_TROUBLES = {"locked": locked, "full": full, "gone": gone}


def say(person: Person, game: Playing, text: str = "so many words " * 60) -> Any:
    return person.post(f"{game.path}/messages", {"to": "team", "text": text})


def is_told(answer: Any) -> bool:
    """Return True if the answer is the one problem for trouble of the database."""
    return (
        answer.status_code == 503
        and answer.json["type"] == "unavailable"
        and answer.headers["Retry-After"] == str(answer.json["retry_after"])
        and answer.json["retry_after"] > 0
    )


class TestRequests:
    """Return the answer during the trouble, and the one afterwards."""

    @pytest.mark.sqlite("its own troubles")
    @for_each("kind", SQLITE_TROUBLES)
    def test_a_request_is_answered_503_with_a_problem_of_its_own(self, hunted: Playing, kind: str):
        ben = hunted.people[1]
        with SQLITE_TROUBLES[kind](hunted.table.app):
            answer = say(ben, hunted)
        assert is_told(answer)
        assert "cannot be used" in answer.json["detail"]
        assert say(ben, hunted).status_code == 201

    def test_a_database_that_is_read_only_is_one_of_them(self, hunted: Playing):
        ben = hunted.people[1]
        with read_only(hunted.table.app):
            assert is_told(say(ben, hunted))
            assert ben.get(hunted.path).status_code == 200
        assert say(ben, hunted).status_code == 201

    def test_a_statement_that_is_wrong_is_a_fault_of_ours(self, table: Table):
        with table.app.app_context(), pytest.raises(DBAPIError) as caught:
            session.connection().exec_driver_sql("SELECT nonsense FROM nowhere")
        assert not isinstance(caught.value, Unavailable)

    @pytest.mark.parametrize(
        ("state", "why"),
        [
            ("53100", "the disk is full"),
            ("25006", "it is read-only"),
            ("25P03", "it ended a transaction in which nothing was asked for long"),
            ("57P01", "its server stops, or starts"),
            ("55P03", "it is locked"),
            ("40P01", "another transaction was in the way"),
            ("08006", "the connection is lost"),
        ],
    )
    def test_what_postgresql_says_is_known_by_its_code(self, state: str, why: str):
        assert reason(psycopg.errors.lookup(state)("in its own words")) == why

    @pytest.mark.parametrize("state", ["23505", "42601", "42P01", "22003"])
    def test_what_is_no_trouble_of_the_database_is_not_taken_for_one(self, state: str):
        assert reason(psycopg.errors.lookup(state)("in its own words")) is None


class TestMail:
    """A mail in hand has nothing to do with it."""

    def read(self, table: Table) -> None:
        with table.app.app_context(), pytest.raises(Unavailable):
            worker.read_mail()

    def test_it_is_not_counted_as_failed_and_is_read_afterwards(self, hunted: Playing):
        table = hunted.table
        ben = hunted.mover()
        turn = hunted.view()["turn"]
        table.tick()
        ben.reply(hunted.legal(ben)[0])
        for _ in range(4):  # a mail that fails three times is set aside
            with read_only(table.app):
                self.read(table)
        with table.app.app_context():
            assert session.execute(select(Incoming.state, Incoming.attempts)).all() == [("new", 0)]
        table.tick()
        assert hunted.view()["turn"] == turn + 1

    @pytest.mark.sqlite("its own troubles")
    def test_the_same_holds_for_a_full_disk(self, hunted: Playing):
        table = hunted.table
        hunted.people[0].reply(f"SAY {'a long word ' * 100}")
        for _ in range(4):
            with full(table.app):
                self.read(table)
        with table.app.app_context():
            assert session.execute(select(Incoming.state, Incoming.attempts)).all() == [("new", 0)]

    def test_a_deadline_that_is_due_is_not_pushed_on(self, hunted: Playing):
        table = hunted.table
        table.clock.turn(days=3)
        with read_only(table.app), table.app.app_context(), pytest.raises(Unavailable):
            worker.fire_due()
        with table.app.app_context():
            assert set(session.scalars(select(Deadline.attempts))) == {0}

    def test_time_that_cannot_be_given_back_is_the_fault_of_no_game(
        self, hunted: Playing, caplog: pytest.LogCaptureFixture
    ):
        table = hunted.table
        with table.app.app_context(), transaction():
            at = table.clock()
            session.add(Outage(cause="server", begin=at - timedelta(hours=1), end=at, state="granted"))
        with read_only(table.app), table.app.app_context(), pytest.raises(Unavailable):
            outages.give_back()
        assert caplog.text == ""
        with table.app.app_context():
            outages.give_back()
            assert session.scalars(select(Outage.state)).all() == ["done"]

    def test_a_mail_that_is_to_be_written_is_not_counted_as_failed(self, hunted: Playing):
        table = hunted.table
        hunted.people[2].post(f"{hunted.path}/messages", {"to": "all", "text": "Hello"})
        lost = Unavailable("", None, Exception())
        with table.app.app_context():
            with failing(table, "SELECT events", error=lost), pytest.raises(Unavailable):
                worker.send_mail(table.post)
            assert set(session.scalars(select(Outgoing.attempts))) == {0}


class TestReadiness:
    """`/readyz` tells what keeps the server from storing anything."""

    @pytest.fixture(autouse=True)
    def _hurried(self, table: Table) -> None:
        """Every question comes long after the one before."""
        self.seconds = 0.0
        self.table = table
        table.app.extensions["blackticket"].monotonic = self.later

    def later(self) -> float:
        self.seconds += machine.LOOKED_AT_EVERY
        return self.seconds

    def ready(self) -> tuple[int, str]:
        answer = self.table.client.get("/readyz")
        return answer.status_code, answer.json["status"]

    def test_a_server_that_can_store_is_ready_and_nothing_is_left_of_the_probe(self):
        before = databases.rows(self.table.app)
        assert self.ready() == (200, "ready")
        assert databases.rows(self.table.app) == before

    def test_a_data_folder_that_is_missing(self):
        with gone(self.table.app):
            assert self.ready() == (503, "The data folder is missing.")
        assert self.ready() == (200, "ready")

    @pytest.mark.sqlite("its file")
    def test_a_database_whose_file_is_missing(self):
        file = file_of(self.table.app)
        file.rename(file.with_suffix(".away"))
        assert self.ready() == (503, "The file of the database is missing.")
        file.with_suffix(".away").rename(file)
        assert self.ready() == (200, "ready")

    def test_a_disk_that_is_full(self):
        self.table.room(machine.LEAST_FREE - 1)
        assert self.ready() == (503, "The disk of the data folder is full.")
        self.table.room(machine.LEAST_FREE)
        assert self.ready() == (200, "ready")

    def test_a_database_that_is_read_only(self):
        with read_only(self.table.app):
            assert self.ready() == (503, "The database cannot be used: it is read-only.")
        assert self.ready() == (200, "ready")

    @pytest.mark.sqlite("its lock")
    def test_a_database_that_another_program_keeps_locked(self):
        self.table.runtime.database = DatabaseHabits(probe=SOON)
        with locked(self.table.app):
            assert self.ready() == (503, "The database cannot be used: another program keeps it locked.")
        assert self.ready() == (200, "ready")

    @pytest.mark.sqlite("its queue of writers")
    def test_a_server_whose_own_writers_are_busy_is_ready(self):
        self.table.runtime.database = DatabaseHabits(probe=SOON)
        with self.table.app.app_context(), transaction():
            assert self.ready() == (200, "ready")

    def test_the_watchdog_is_not_called_and_the_doctor_warns(self):
        with read_only(self.table.app), self.table.app.app_context():
            assert health.troubles() == ["The database cannot be used: it is read-only."]
            assert health.report()["troubles"] == ["The database cannot be used: it is read-only."]

    def test_asking_often_writes_once(self):
        self.table.runtime.monotonic = lambda: 7.0
        with statements(self.table) as sent:
            for _ in range(20):
                assert self.ready() == (200, "ready")
        assert len([statement for statement in sent if statement.startswith("INSERT INTO pulses")]) == 1


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.close()


RELAY = "smtp://127.0.0.1:1"


class TestServerThatIsAway:
    """A PostgreSQL that stops and comes back, as when its machine is restarted."""

    @pytest.fixture
    def url(self, server: Server) -> Iterator[str]:
        with databases.empty_postgres(server.url) as url:
            yield url

    @pytest.fixture
    def table(self, url: str, tmp_path: Path) -> Table:
        return Table(tmp_path, database_url=url, sandbox="1", min_turn="PT1S")

    def test_requests_are_503_mail_waits_and_all_goes_on_without_a_restart(self, server: Server, table: Table):
        game = table.game(table.people(2), edition="condensed")
        table.tick()
        ada = game.people[0]
        ada.reply(game.legal(ada)[0])
        server.stop()
        try:
            for _ in range(4):
                assert is_told(ada.get(game.path))
                with table.app.app_context(), pytest.raises(Unavailable):
                    worker.read_mail()
            ready = table.client.get("/readyz")
        finally:
            server.start()
        assert (ready.status_code, ready.json) == (
            503,
            {"status": "The database cannot be used: its server does not answer."},
        )
        assert ada.get(game.path).status_code == 200
        with table.app.app_context():
            assert session.execute(select(Incoming.state, Incoming.attempts)).all() == [("new", 0)]
        table.tick()
        assert game.view()["turn"] == 2

    def test_a_web_process_waits_for_one_that_is_starting_and_says_so(
        self,
        server: Server,
        table: Table,
        url: str,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        caplog: pytest.LogCaptureFixture,
    ):
        """It starts while the seventh pause goes by."""
        pauses: list[float] = []

        def sleep(pause: float) -> None:
            pauses.append(pause)
            if len(pauses) == 7:
                server.start()

        monkeypatch.chdir(tmp_path)
        with table.app.app_context():
            let_go()
        server.stop()
        environ = {"DATABASE_URL": url, "SECRET_KEY_FILE": str(tmp_path / "secret_key")}
        app = wsgi({f"BLACKTICKET_{name}": value for name, value in environ.items()}, sleep)
        assert app.test_client().get("/readyz").status_code == 200
        assert pauses == [1, 2, 4, 8, 16, 30, 30]
        assert "the database cannot be used (its server does not answer); the next attempt is in 30" in caplog.text

    def test_one_that_goes_away_again_before_the_first_question_is_waited_for_too(
        self, server: Server, table: Table, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ):
        """As when its machine is restarted twice: the first connection is good, and the next one fails."""
        stops = iter([server.stop])
        monkeypatch.chdir(tmp_path)
        with table.app.app_context():
            let_go()
        event.listen(Connections, "checkin", lambda *_: next(stops, lambda: None)(), once=True)
        environ = {"DATABASE_URL": url, "SECRET_KEY_FILE": str(tmp_path / "secret_key")}
        app = wsgi({f"BLACKTICKET_{name}": value for name, value in environ.items()}, lambda _pause: server.start())
        assert next(stops, None) is None, "it was stopped"
        assert app.test_client().get("/readyz").status_code == 200

    @pytest.mark.parametrize(
        "command", ["serve", *(pytest.param(part, marks=pytest.mark.campaign) for part in ("web", "worker"))]
    )
    def test_each_process_may_be_started_before_it(
        self, server: Server, table: Table, url: str, tmp_path: Path, command: str
    ):
        with table.app.app_context():
            let_go()
        server.stop()
        try:
            key = str(tmp_path / "secret_key")
            process = running.Server(tmp_path).start(command, DATABASE_URL=url, SECRET_KEY_FILE=key, SMTP_URL=RELAY)
            logged = process.stderr.readline()
        finally:
            server.start()
        said = running.until_it_runs(process)
        process.terminate()
        process.communicate(timeout=running.WAIT)
        assert "the database cannot be used (its server does not answer); the next attempt is in 1" in logged
        assert said[-1].startswith(("Ctrl-C", "HTTP on", "The worker runs"))
        assert process.returncode == 0

    def test_one_that_has_no_such_database_is_not_waited_for(
        self, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ):
        environ = {"BLACKTICKET_DATABASE_URL": server.url.replace("/postgres?", "/nothing?")}
        monkeypatch.chdir(tmp_path)
        said = CliRunner(env=environ).invoke(main, ["web"])
        assert said.exit_code == 1
        assert 'database "nothing" does not exist' in said.stderr
