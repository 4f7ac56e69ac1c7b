"""The database: flask-sqlalchemy lives here and nowhere else, and only its session is used."""

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, overload

from flask import Flask, current_app, g
from flask_sqlalchemy import SQLAlchemy
from flask_sqlalchemy.session import Session
from sqlalchemy import Engine, Executable, MetaData, Result, Row, Table
from sqlalchemy.engine import Connection
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import DeclarativeBase

from server.models import postgresql, sqlite
from server.models.unavailable import CommitUnanswered, may_have_committed
from server.models.write_lock import WriteLock
from server.runtime import Runtime, runtime
from server.runtime.faults import fault

log = logging.getLogger(__name__)
Given = Mapping[str, object]

# With logging of everything on, SQLAlchemy would log every row it reads, its encrypted columns decrypted.
logging.getLogger("sqlalchemy.engine.Engine").addFilter(lambda record: "Row %r" not in str(record.msg))


class Base(DeclarativeBase):
    """The base of all models. It names every constraint, so that migrations can refer to it."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
            "pk": "pk_%(table_name)s",
        }
    )


class _Session(Session):
    """The session. Within a transaction it uses its connection; a transaction without objects needs no session."""

    def get_bind(self, *asked: Any, **kwargs: Any) -> Engine | Connection:
        """Return the connection of the transaction under way, or the shared one, or outside of both the engine."""
        if (work := under_way()) is not None:
            return work.connection
        return _held_for_reading() or super().get_bind(*asked, **kwargs)


# Objects stay readable after a commit: the next transaction begins by expiring them.
_OPTIONS = {"class_": _Session, "expire_on_commit": False, "join_transaction_mode": "rollback_only"}
db = SQLAlchemy(model_class=Base, disable_autonaming=True, session_options=_OPTIONS)
session = db.session


def connect(app: Flask, url: str, connections: int) -> None:
    """Bind `app` to the database at `url`, with so many `connections` at most if it is PostgreSQL."""
    parts: Runtime = app.extensions["blackticket"]
    app.config["SQLALCHEMY_DATABASE_URI"] = url
    # hide_parameters: the text of an IntegrityError would otherwise hold the values of the row.
    # pool_use_lifo: the connection that was used last knows its statements and pages; others stay small, or closed.
    options: dict[str, Any] = {"hide_parameters": True, "pool_use_lifo": True}
    if is_sqlite(url):
        connect_args = {"timeout": 30, "check_same_thread": False, "cached_statements": sqlite.STATEMENTS}
        options |= {"module": sqlite.sqlite3, "connect_args": connect_args, "pool_size": 32}
    else:
        options |= postgresql.options(url, connections, parts.database.in_use)
    app.config["SQLALCHEMY_ENGINE_OPTIONS"] = options
    db.init_app(app)
    with app.app_context():
        if is_sqlite(url):
            sqlite.prepare(db.engine, parts.database)
        else:
            postgresql.prepare(app, db.engine)
        app.extensions["write_lock"] = WriteLock(db.engine.url.database) if is_sqlite(url) else nullcontext()


def is_sqlite(url: str) -> bool:
    """Return True if `url` names the embedded database."""
    return url.startswith("sqlite")


def dialect() -> str:
    """Return the name of the database's language: `sqlite` or `postgresql`."""
    return db.engine.dialect.name


def journal_mode() -> str:
    """Return the journal mode of SQLite, see `server.models.sqlite`."""
    return sqlite.journal_mode(runtime().database)


@dataclass
class Work:
    """The transaction under way.

    `acts` run after the commit, see `when_committed`, which also says which `wakes` workers of other processes get, by
    the names of these events; `topics` are those that streams are told of, see `server.models.topics`; `endings` run
    when it has ended, committed or not; `last` are the last writes before it, such as of the `tallies`, which are added
    to the counts of these names. `found` holds results that were computed from uncommitted rows, by name, until the
    transaction ends. `knows_actor` says whether it has asked for the actor, see
    `server.models.actors`.
    """

    connection: Connection
    endings: ExitStack
    acts: set[Callable[[], object]] = field(default_factory=set)
    wakes: set[str] = field(default_factory=set)
    topics: set[str] = field(default_factory=set)
    last: set[Callable[[], object]] = field(default_factory=set)
    tallies: Counter[str] = field(default_factory=Counter)
    found: dict[str, Any] = field(default_factory=dict)
    knows_actor: bool = False


def under_way() -> Work | None:
    """Return the transaction under way, or None outside of one."""
    # Kept in the application context: the session, and the proxy `g`, take longer to find it.
    work: Work | None = g._get_current_object().get("work")  # noqa: SLF001 documented by Flask
    return work


@contextmanager
def transaction() -> Iterator[None]:
    """Run a write transaction: all statements inside are committed together, or none is.

    It begins by expiring everything read before, so that nothing stale is written back. Within another transaction it
    is part of that one. On SQLite writers queue on a lock, because writers that wait for each other in the database
    poll.

    Raises:
        CommitUnanswered: if nobody knows whether the statements were committed. Behind any other error they were not.
    """
    if under_way():
        yield
        flush()  # an answer that is made behind it shows what will be committed, columns with defaults included
        return
    give_back()
    with ExitStack() as endings, current_app.extensions["write_lock"], db.engine.connect() as connection:
        open_for_writing(connection, runtime().database.lock)
        work = g.work = Work(connection, endings)
        try:
            if (begin := g.get("begin")) is not None:
                begin()
            yield
            if session.registry.has():
                session.commit()  # it writes what is left to write, and `connection` commits
            for act in work.last:
                act()
            _commit(work)
        except BaseException:
            with suppress(DBAPIError):  # a connection that is lost takes with it what was not committed
                if session.registry.has():
                    session.rollback()
                connection.rollback()
            raise
        else:
            g.has_committed = True
            for act in work.acts:
                _run(act)
            if work.topics and connection.dialect.name == "sqlite":  # PostgreSQL notifies every process, this one too
                _run(partial(runtime().tell, frozenset(work.topics)))
        finally:
            g.pop("work", None)


def begin_with(act: Callable[[], object]) -> None:
    """Do `act` at the beginning of each transaction of this application context; what it raises ends that."""
    g.begin = act


def when_ended(act: Callable[[], object]) -> None:
    """Do `act` when the transaction under way has ended, committed or not; it may begin another one."""
    work = under_way()
    assert work is not None
    work.endings.callback(_run, act)


def _commit(work: Work) -> None:
    try:
        if (work.wakes or work.topics) and work.connection.dialect.name == "postgresql":
            postgresql.commit_and_notify(work.connection, work.wakes, work.topics)
        else:
            work.connection.commit()
    except DBAPIError as error:
        if may_have_committed(error.orig):
            raise CommitUnanswered(error) from error
        raise


def _run(act: Callable[[], object]) -> None:
    """Do what follows a transaction. It cannot fail what was committed, and others find what nobody was told of."""
    try:
        act()
    except Exception as error:  # noqa: BLE001 whatever it is, the commit stands
        log.error("what was to follow a commit failed: %s", fault(error))


def has_committed() -> bool:
    """Return True if a transaction was committed in this application context since `forget_commits`."""
    return bool(g.get("has_committed"))


def forget_commits() -> None:
    """Forget that anything was committed: a request begins."""
    g.pop("has_committed", None)


def give_back() -> None:
    """Have the session and `shared_connection` give their connection back, and the session forget what it read.

    A thread that waited for the lock of writers with its read transaction open would keep the writer from committing,
    and one that waited for a connection with another in its hands would keep that from the others.
    """
    if session.registry.has():
        session.rollback()
        session.expire_all()  # a rollback expires nothing that was read before a commit
    if (held := g.pop("shared_connection", None)) is not None:
        held.close()


def try_write(*statements: Executable) -> None:
    """Run statements in a transaction of a connection of its own, which waits for no lock for long.

    On SQLite it queues with the other writers. If its turn does not come within that time, the database is
    busy and not broken: nothing is run, and nothing is raised.

    Raises:
        Unavailable: if the database cannot be written.
    """
    engine = db.engine
    give_back()
    if engine.dialect.name != "sqlite":
        _try_write(engine, statements)
        return
    lock = current_app.extensions["write_lock"]
    if not lock.acquire(timeout=runtime().database.probe / 1000):
        return
    try:
        _try_write(engine, statements)
    finally:
        lock.release()


def require_unlocked() -> None:
    """Raise `Unavailable` if somebody keeps a table of PostgreSQL locked. SQLite has one lock, which a write needs."""
    if dialect() == "postgresql":
        try_write()


def _try_write(engine: Engine, statements: Sequence[Executable]) -> None:
    is_embedded = engine.dialect.name == "sqlite"
    habits = runtime().database
    with engine.connect() as connection:
        raw = connection.connection.cursor()
        if is_embedded:
            raw.execute(f"PRAGMA busy_timeout = {habits.probe}")
        try:
            with connection.begin():
                open_for_writing(connection, habits.probe)
                if not is_embedded:  # like the writer of a row: it conflicts with a lock that keeps all writers out
                    tables = ", ".join(sorted(Base.metadata.tables))
                    connection.exec_driver_sql(f"LOCK TABLE {tables} IN ROW EXCLUSIVE MODE")
                for statement in statements:
                    connection.execute(statement)
        finally:
            if is_embedded:
                with suppress(Exception):  # of a connection that is lost
                    raw.execute(f"PRAGMA busy_timeout = {habits.busy}")


@contextmanager
def reading() -> Iterator[Connection]:
    """Give a connection to read with: that of the transaction or the session where they have one, else another.

    What was changed in objects is written first.
    """
    if _has_connection():
        yield _connection()
        return
    if (held := _held_for_reading()) is not None:
        yield held
        return
    with db.engine.connect() as connection:
        yield connection


@contextmanager
def shared_connection() -> Iterator[None]:
    """Have all that is read within use one connection, for a page that asks many questions.

    Each statement sees what is committed by then, as ever. A transaction within gives the connection back first.
    """
    with reading() as connection:
        if _has_connection():
            yield
            return
        g.shared_connection = connection
        try:
            yield
        finally:
            give_back()


def _has_connection() -> bool:
    """Return True where the transaction or the session has a connection."""
    return bool(under_way()) or (session.registry.has() and session().in_transaction())


def _held_for_reading() -> Connection | None:
    held: Connection | None = g._get_current_object().get("shared_connection")  # noqa: SLF001 as in `under_way`
    return held


def rows(query: Executable, **given: object) -> Sequence[Row[Any]]:
    """Return the rows of a prebuilt query, without an object for each, and without a session where there is none.

    Statements that run with every tick, every move, every poll of a game or every mail are built once, at module
    level, because building one takes longer than running it. A session costs as much as the query, and has to be told
    when the reading is over. Where a session has a connection it is used, as no thread may hold one and wait for
    another.
    """
    with reading() as connection:
        return connection.execute(query, given).all()


@overload
def execute(statement: Executable, given: Given | None = None) -> Result[Any]: ...
@overload
def execute(statement: Executable, given: Iterable[Given]) -> None: ...
def execute(statement: Executable, given: Given | Iterable[Given] | None = None) -> Result[Any] | None:
    """Run a statement that writes, in the transaction under way; return its result.

    It runs once, with these values or without any, or once for each of several sets of values: not at all for none.
    Objects of the session that stand for such rows become stale, as finding them would cost more than the statement.
    For what a move writes and nobody reads before the commit, an object would cost several times as much.
    """
    if given is None or isinstance(given, Mapping):
        return _connection().execute(statement, given)
    if several := [*given]:
        _connection().execute(statement, several)
    return None


def table_of(model: type[Base]) -> Table:
    """Return the SQL table of a model, for statements that need no objects."""
    assert isinstance(model.__table__, Table)
    return model.__table__


def flush() -> None:
    """Write what was changed in objects of the session; this costs nothing if the session was not used."""
    if session.registry.has() and (session.new or session.dirty or session.deleted):
        session.flush()


def _connection() -> Connection:
    """Return the connection of the transaction or the session; what was changed in objects is written first."""
    flush()
    work = under_way()
    return work.connection if work else session.connection()


def open_for_writing(connection: Connection, lock: int = 0) -> None:
    """Open a transaction in the database, for writers only; without one, each statement sees what is committed by then.

    On PostgreSQL a statement within waits for a lock for `lock` milliseconds, or for ever if that is 0. A transaction
    for readers would cost two more round trips there; on SQLite the writer would have to wait until the reader is done.
    """
    is_embedded = connection.dialect.name == "sqlite"
    connection.exec_driver_sql("BEGIN IMMEDIATE" if is_embedded else f"BEGIN; SET LOCAL lock_timeout = {lock}")
