"""Statements that are compiled once do what they do when SQLAlchemy runs them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import CursorResult, Executable, Integer, Result, Row, Select, bindparam, event, select
from sqlalchemy.engine import Connection, IteratorResult, NestedTransaction
from sqlalchemy.engine.result import SimpleResultMetaData
from sqlalchemy.exc import DBAPIError, IntegrityError, StatementError

from server.models import Player, Quota, db, execute, insert, rows, transaction
from server.models.base import reading, under_way
from server.models.prepared import rows_of
from tests.table import Table
from tests.worlds.switching import wrap

Given = Mapping[str, Any]


class Comparison:
    """Every statement of the application is run by SQLAlchemy as well; `statements` are those that were alike."""

    def __init__(self) -> None:
        self.statements: set[str] = set()
        self._sent: list[tuple[str, Any]] = []

    @contextmanager
    def on(self, table: Table) -> Iterator[None]:
        """Within, compare what the application asks of its database."""
        with table.app.app_context():
            engine = db.engine
        event.listen(engine, "before_cursor_execute", self._note)
        with ExitStack() as stack:
            for name, change in (("rows_of", self._read), ("run", self._written), ("run_many", self._written)):
                stack.enter_context(wrap(f"server.models.prepared:{name}", change)())
            yield
        event.remove(engine, "before_cursor_execute", self._note)

    def _note(self, _connection: object, _cursor: object, sql: str, given: Any, *_: object) -> None:
        self._sent.append((sql, given))

    def _read(self, real: Any, connection: Connection, statement: Executable, given: Given) -> Sequence[Row[Any]]:
        return self._compared(lambda: real(connection, statement, given), connection, statement, given)

    def _written(self, real: Any, connection: Connection, statement: Executable, given: Any) -> Result[Any]:
        found = self._compared(lambda: _rows_of(real(connection, statement, given)), connection, statement, given)
        return IteratorResult(SimpleResultMetaData(found[0]._fields if found else ()), iter(found))

    def _compared(
        self, run: Callable[[], Any], connection: Connection, statement: Executable, given: Any
    ) -> Sequence[Row[Any]]:
        if not statement.is_select and under_way() is None:
            return run()  # what is written outside of a transaction cannot be taken back to be written again
        savepoint = nullcontext() if statement.is_select else connection.begin_nested()
        with savepoint:
            theirs, sent = self._as_usual(lambda: _rows_of(connection.execute(statement, given)) if given != [] else [])
            if isinstance(savepoint, NestedTransaction):
                savepoint.rollback()
        ours, our_sent = self._as_usual(run)
        assert [_told(*each) for each in our_sent] == [_told(*each) for each in sent]
        assert [_described(row) for row in ours] == [_described(row) for row in theirs]
        self.statements |= {sql for sql, _ in our_sent}
        return ours

    def _as_usual(self, run: Callable[[], Any]) -> tuple[Any, list[tuple[str, Any]]]:
        self._sent.clear()
        answer = run()
        return answer, [*self._sent]


def _rows_of(result: Result[Any]) -> Sequence[Row[Any]]:
    is_empty = isinstance(result, CursorResult) and not result.returns_rows
    return [] if is_empty else result.all()


def _told(sql: str, given: Any) -> Any:
    """Return a statement and what the driver gets with it; of encrypted values, which always differ, the length."""
    if isinstance(given, list):
        return [_told(sql, each) for each in given]
    values = given.items() if isinstance(given, Mapping) else enumerate(given)
    return sql, {name: _as_sent(value) for name, value in values}


def _as_sent(value: Any) -> Any:
    plain = getattr(value, "obj", value)  # drivers wrap some
    return len(plain) if isinstance(plain, bytes | memoryview) else plain


def _described(row: Row[Any]) -> Any:
    return row._fields, [(type(value), value) for value in row]


def test_whatever_the_server_asks_its_database_has_the_same_effect_and_the_same_answer(tmp_path: Path, database: str):
    table = Table(tmp_path, database_url=database, min_turn="PT1S")
    comparison = Comparison()
    with comparison.on(table):
        people = table.people(4)
        game = table.game(people, clock={"kind": "per_phase", "mr_x": "P1D", "detectives": "P1D"})
        for number in range(3):
            game.play_round()
            table.tick()
            for person in people:
                page = person.get(game.path, headers={"If-None-Match": '"none"'})
                person.get(game.path, headers={"If-None-Match": page.headers["ETag"]})
                person.get("/me/games")
            people[number].post(f"{game.path}/messages", {"to": "all", "text": "on we go"})
            people[number].reply("status\nsay hello")
            table.tick()
        people[1].post(f"{game.path}/votes", {"kind": "pause", "length": "P1D"})
        for _ in range(4):
            table.clock.turn(days=1)
            table.tick()
    assert len(comparison.statements) > 60


_PLAYER = select(Player.id, Player.name).where(Player.name == bindparam("name"))


def _run_twice(run: Callable[[], object]) -> None:
    """Run a statement so often that it is compiled for good."""
    run()
    run()


def test_a_value_that_is_missing_is_named_as_before(table: Table):
    with table.app.app_context():
        _run_twice(lambda: rows(_PLAYER, name="Ada"))
        with pytest.raises(StatementError, match="A value is required for bind parameter 'name'"):
            rows(_PLAYER)


_PLAYERS = select(Player.name).where(Player.name.in_(bindparam("names", expanding=True))).order_by(Player.name)
_FIRST = _PLAYERS.limit(bindparam("most", type_=Integer, literal_execute=True))


_FIXED = _PLAYERS.where(Player.mail.in_(("usual", "moves")))


@pytest.mark.parametrize(
    ("query", "more"), [(_PLAYERS, {}), (_FIRST, {"most": 2}), (_FIXED, {})], ids=["list", "limit", "fixed list"]
)
def test_a_list_of_each_length_is_compiled_once(table: Table, query: Select[tuple[str]], more: Given):
    names = sorted(person.name for person in table.people(3))
    by_sqlalchemy: list[object] = []

    def note(*called: object) -> None:
        by_sqlalchemy.append(called[1])

    with table.app.app_context():
        _run_twice(lambda: rows(query, names=[], **more))
        event.listen(db.engine, "before_execute", note)
        for asked in (names[:1], names[:2], names, names[1:]):
            assert [row.name for row in rows(query, names=asked, **more)] == asked[: more.get("most")]
        event.remove(db.engine, "before_execute", note)
        assert by_sqlalchemy == []
        assert rows(query, names=[], **more) == []
        with pytest.raises(StatementError, match="A value is required for bind parameter 'names'"):
            rows(query, **more)


@pytest.fixture
def own(tmp_path: Path, database: str) -> Table:
    return Table(tmp_path, database_url=database)


def test_a_row_that_is_there_already_is_refused_as_before_and_its_values_are_in_no_text(own: Table):
    row = {"purpose": "secret purpose", "begin": own.clock.time, "amount": 1, "branches": 1, "newest": own.clock.time}
    with own.app.app_context():
        for branch in "bc":
            with transaction():
                execute(insert(Quota), row | {"branch": branch})
        for _ in range(2):
            with pytest.raises(IntegrityError) as refused, transaction():
                execute(insert(Quota), row | {"branch": "b"})
            assert "secret" not in str(refused.value)
            assert "parameters hidden" in str(refused.value)
        assert len(rows(select(Quota))) == 2


def test_a_database_that_is_gone_is_unavailable_and_its_connection_is_given_up(own: Table):
    with own.app.app_context():
        _run_twice(lambda: rows(_PLAYER, name="Ada"))
        with reading() as connection:
            connection.connection.driver_connection.close()
            with pytest.raises(DBAPIError) as lost:
                rows_of(connection, _PLAYER, {"name": "Ada"})
            assert lost.value.connection_invalidated == connection.invalidated
        assert rows(_PLAYER, name="Ada") == []
