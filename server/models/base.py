"""The database: flask-sqlalchemy lives here and nowhere else, and only its session is used."""

import logging
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any

from flask import Flask, current_app, g
from flask_sqlalchemy import SQLAlchemy
from flask_sqlalchemy.session import Session
from sqlalchemy import Engine, Executable, Insert, MetaData, Result, Row, Table, event
from sqlalchemy.engine import Connection
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import DeclarativeBase

from server.faults import fault
from server.models import postgresql
from server.models.sqlite import sqlite3
from server.models.unavailable import CommitUnanswered, may_have_committed
from server.models.write_lock import WriteLock
from server.runtime import DatabaseHabits, Runtime, runtime

log = logging.getLogger(__name__)

# Kilobytes of pages that a connection to SQLite keeps. They are worth nothing once another connection has written, so
# with the usual 2,000 the connections of all threads would fill 50 megabytes with what is read again anyway.
PAGE_CACHE = 200

# Prepared statements that a connection to SQLite keeps, about 15 kB each. A server uses some 250 different ones. With
# fewer, pysqlite3 keeps those that were used most so far (Python's library: last), and prepares any other again at each
# use, which can take a fifth of a move's time.
STATEMENTS = 500

# A commit is on disk before it returns, so no failure of the machine loses it.
SYNCHRONOUS = "FULL"

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
        """Return the connection of the transaction under way, or outside of one the engine."""
        work = under_way()
        return super().get_bind(*asked, **kwargs) if work is None else work.connection


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
        connect_args = {"timeout": 30, "check_same_thread": False, "cached_statements": STATEMENTS}
        options |= {"module": sqlite3, "connect_args": connect_args, "pool_size": 32}
    else:
        options |= postgresql.options(connections, parts.database.in_use)
    app.config["SQLALCHEMY_ENGINE_OPTIONS"] = options
    db.init_app(app)
    with app.app_context():
        if is_sqlite(url):
            _prepare_sqlite(db.engine, parts)
        else:
            postgresql.prepare(app, db.engine)
        app.extensions["write_lock"] = WriteLock(db.engine.url.database) if is_sqlite(url) else nullcontext()


def is_sqlite(url: str) -> bool:
    """Return True if `url` names the embedded database."""
    return url.startswith("sqlite")


def journal_mode() -> str:
    """Return WAL if this SQLite library is free of the WAL-reset fault, else PERSIST.

    A journal file that persists makes a commit several times as fast as one that is created and deleted each time:
    the disk need not record its creation and deletion.
    """
    return _journal_mode(runtime().database)


def _journal_mode(habits: DatabaseHabits) -> str:
    return "WAL" if sqlite3.sqlite_version_info >= habits.wal_is_safe else "PERSIST"


@dataclass
class Work:
    """The transaction under way.

    `acts` run after the commit, which they cannot undo, and touch no database. `tallies` are added to the counts of
    these names before it. `found` holds results that were computed from uncommitted rows, by name, until the
    transaction ends. Nothing may be written while the transaction `rehearses`, see `server.application.deciding`.
    """

    connection: Connection
    acts: set[Callable[[], object]] = field(default_factory=set)
    tallies: Counter[str] = field(default_factory=Counter)
    found: dict[str, Any] = field(default_factory=dict)
    rehearses: bool = False


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
    with current_app.extensions["write_lock"], db.engine.connect() as connection:
        open_for_writing(connection)
        work = g.work = Work(connection)
        try:
            yield
            if session.registry.has():
                session.commit()  # it writes what is left to write, and `connection` commits
            _add_up(work)
            _commit(connection)
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
        finally:
            g.pop("work", None)


def _commit(connection: Connection) -> None:
    try:
        connection.commit()
    except DBAPIError as error:
        if may_have_committed(error.orig):
            raise CommitUnanswered(error) from error
        raise


def _run(act: Callable[[], object]) -> None:
    """Do what follows a commit. It cannot fail what was committed, and others find a row that nobody was told of."""
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
    """Have the session give its connection back, and forget what it read.

    A thread that waited for the lock of writers with its read transaction open would keep the writer from committing,
    and one that waited for a connection with another in its hands would keep that from the others.
    """
    if session.registry.has():
        session.rollback()
        session.expire_all()  # a rollback expires nothing that was read before a commit


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


def _try_write(engine: Engine, statements: Sequence[Executable]) -> None:
    is_embedded = engine.dialect.name == "sqlite"
    habits = runtime().database
    with engine.connect() as connection:
        raw = connection.connection.cursor()
        if is_embedded:
            raw.execute(f"PRAGMA busy_timeout = {habits.probe}")
        try:
            with connection.begin():
                open_for_writing(connection)
                if not is_embedded:
                    connection.exec_driver_sql(f"SET LOCAL lock_timeout = {habits.probe}")
                for statement in statements:
                    connection.execute(statement)
        finally:
            if is_embedded:
                with suppress(Exception):  # of a connection that is lost
                    raw.execute(f"PRAGMA busy_timeout = {habits.busy}")


def insert(model: type[Base], *rows: Mapping[str, Any]) -> None:
    """Write rows of one table in the transaction under way, all with the same columns and without an object for each.

    For what a move writes and nobody reads before the commit: an object would cost several times as much.
    """
    if session.registry.has() and session.new:  # what the rows refer to
        session.flush()
    if rows:
        _connection().execute(_insert_into(model), rows)


def insert_new(model: type[Base], *rows: Mapping[str, Any]) -> bool:
    """Write rows like `insert`, leave those that are there already as they are, and return True if any was new.

    The database returns the rows that it wrote: a driver may not know their number, and says -1 then.
    """
    connection = _connection()
    return bool(connection.execute(_insert_new_into(model, connection.dialect.name), rows).all())


def add_to(table: Table, rows: Iterable[Mapping[str, Any]], *columns: str) -> None:
    """Write rows like `insert`. To a row that is there already the numbers in `columns` are added.

    Of its other columns the new values stay. The rows are written in the order of their keys, so that no two
    transactions wait for each other's.
    """
    keys = [column.name for column in table.primary_key]
    in_order = sorted(rows, key=lambda row: [row[key] for key in keys])
    if in_order:
        connection = _connection()
        connection.execute(_add_to(table, frozenset(in_order[0]), columns, connection.dialect.name), in_order)


@contextmanager
def reading() -> Iterator[Connection]:
    """Give a connection to read with: that of the transaction or the session where they have one, else another."""
    if under_way() or (session.registry.has() and session().in_transaction()):
        yield _connection()
        return
    with db.engine.connect() as connection:
        yield connection


def rows(query: Executable, **given: Any) -> Sequence[Row[Any]]:
    """Return the rows of a prebuilt query, without an object for each, and without a session where there is none.

    Statements that run with every tick, every move, every poll of a game or every mail are built once, at module
    level, because building one takes longer than running it. A session costs as much as the query, and has to be told
    when the reading is over. Where a session has a connection it is used, as no thread may hold one and wait for
    another.
    """
    with reading() as connection:
        return connection.execute(query, given).all()


def change(statement: Executable, **given: Any) -> Result[Any]:
    """Run an UPDATE or DELETE, and return its result.

    Objects of the session that stand for these rows become stale: finding them would cost more than the statement.
    """
    return session.execute(statement, given, execution_options={"synchronize_session": False})


def change_rows(statement: Executable, *given: Mapping[str, Any]) -> None:
    """Run a prebuilt statement that changes rows, once for each of the given sets of values, without an object for any.

    Like `insert` it is for the transaction under way; objects of the session that stand for such rows become stale.
    """
    if given:
        _connection().execute(statement, given)


def _connection() -> Connection:
    work = under_way()
    return work.connection if work else session.connection()


@cache
def _insert_into(model: type[Base]) -> Insert:
    return table_of(model).insert()


@cache
def _insert_new_into(model: type[Base], dialect: str) -> Insert:
    table = table_of(model)
    statement: Insert = _dialect_insert(dialect)(table).on_conflict_do_nothing().returning(*table.primary_key)
    return statement


@cache
def _add_to(table: Table, given: frozenset[str], columns: tuple[str, ...], dialect: str) -> Insert:
    statement = _dialect_insert(dialect)(table)
    new = statement.excluded
    kept = {column.name: column for column in table.columns if column.name in given and not column.primary_key}
    changed = {name: column + new[name] if name in columns else new[name] for name, column in kept.items()}
    added: Insert = statement.on_conflict_do_update(index_elements=list(table.primary_key), set_=changed)
    return added


def _dialect_insert(dialect: str) -> Any:
    # By name: servers with SQLite need not load the dialect of PostgreSQL, which takes 2 MB.
    return import_module(f"sqlalchemy.dialects.{dialect}").insert


def table_of(model: type[Base]) -> Table:
    """Return the SQL table of a model, for statements that need no objects."""
    assert isinstance(model.__table__, Table)
    return model.__table__


def flush() -> None:
    """Write what was changed in objects of the session; this costs nothing if the session was not used."""
    if session.registry.has():
        session.flush()


def has_pending() -> bool:
    """Return True if an object of the session was changed and not yet written."""
    return bool(session.new or session.deleted) or any(session.is_modified(row) for row in session.dirty)


def when_committed(act: Callable[[], object]) -> None:
    """Call `act` once the transaction under way is committed, when others can read what it wrote."""
    work = under_way()
    assert work is not None, "outside of a transaction nothing is written"
    work.acts.add(act)


def tally(name: str, by: int = 1) -> None:
    """Add to the count of this name, see `Tally`, when the transaction under way commits."""
    if work := under_way():
        work.tallies[name] += by


def _add_up(work: Work) -> None:
    """Write the tallies, last of all."""
    changed = [{"name": name, "number": number} for name, number in work.tallies.items() if number]
    add_to(Base.metadata.tables["tallies"], changed, "number")


def wake_when_committed(wake_up: threading.Event) -> None:
    """Set the event `wake_up` once the transaction under way is committed."""
    when_committed(wake_up.set)


@contextmanager
def before_writes(act: Callable[[], object]) -> Iterator[None]:
    """Call `act` before each statement that changes rows in the transaction under way, until the end of the block.

    A listener for the whole engine would slow every statement down.
    """
    work = under_way()
    assert work is not None, "outside of a transaction nothing is written"

    def look(_connection: object, _cursor: object, _text: str, _given: object, context: Any, _many: bool) -> None:
        if context.isinsert or context.isupdate or context.isdelete:
            act()

    event.listen(work.connection, "before_cursor_execute", look)
    try:
        yield
    finally:
        event.remove(work.connection, "before_cursor_execute", look)


def _prepare_sqlite(engine: Engine, parts: Runtime) -> None:
    @event.listens_for(engine, "connect")
    def configure(connection: sqlite3.Connection, _record: object) -> None:
        connection.isolation_level = None  # `open_for_writing` sends BEGIN
        habits = parts.database
        _set_journal_mode(connection, habits)
        for pragma in (
            "foreign_keys = ON",
            f"busy_timeout = {habits.busy}",
            f"synchronous = {SYNCHRONOUS}",
            "secure_delete = ON",
            f"cache_size = -{PAGE_CACHE}",
            "cache_spill = OFF",  # a transaction that writes pages before its end keeps readers out from then on
        ):
            connection.execute(f"PRAGMA {pragma}")
        if connection.execute("PRAGMA foreign_keys").fetchone() != (1,):
            raise RuntimeError("This SQLite library does not keep foreign keys; use another build.")


def _set_journal_mode(connection: sqlite3.Connection, habits: DatabaseHabits) -> None:
    """Set the journal mode of the file; it has another one only when it is new, or was made with another library.

    While another program changes it as well, SQLite does not wait for the lock but fails at once.
    """
    for pause in (*[0.01] * (habits.busy // 10), None):
        try:
            connection.execute(f"PRAGMA journal_mode = {_journal_mode(habits)}")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or pause is None:
                raise
            habits.sleep(pause)


def open_for_writing(connection: Connection) -> None:
    """Open a transaction in the database, for writers only; without one, each statement sees what is committed by then.

    A transaction for readers would cost two more round trips on PostgreSQL; on SQLite the writer would have to wait
    until the reader has finished.
    """
    connection.exec_driver_sql("BEGIN IMMEDIATE" if connection.dialect.name == "sqlite" else "BEGIN")
