"""Statements that are compiled once and run on the driver's cursor, with SQLAlchemy's types, events and errors.

SQLAlchemy finds the compiled form of a statement anew at each run, and builds a context and a result around it. For the
few rows of a move that takes longer than the driver does. Here the same compiled form is kept with the statement, and
its values and its rows go through the same types. What is out of the ordinary in a statement is left to SQLAlchemy, and
so is the first run of each: one that is built for a single use would only be compiled twice.
`tests/models/test_prepared.py` holds the results equal to SQLAlchemy's own.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from typing import Any, cast
from weakref import WeakKeyDictionary

from sqlalchemy import BindParameter, Column, Dialect, Executable, Row
from sqlalchemy.engine import Connection, IteratorResult, Result, result_tuple
from sqlalchemy.engine.interfaces import DBAPICursor
from sqlalchemy.engine.result import SimpleResultMetaData
from sqlalchemy.sql import ClauseElement
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.schema import ScalarElementColumnDefault

from server.models.unavailable import raised

Given = Mapping[str, object]
Bound = Sequence[object] | Given
Rows = Sequence[Row[Any]]
Answer = Result[Any]


def rows_of(connection: Connection, statement: Executable, given: Given) -> Rows:
    """Run a statement with these values; return its rows."""
    prepared = _prepared(connection.dialect, statement, given, is_many=False)
    bound = prepared.bound(given) if prepared is not None else None
    if prepared is None or bound is None:
        return connection.execute(statement, given).all()
    return prepared.run(connection, bound)


def run(connection: Connection, statement: Executable, given: Given) -> Answer:
    """Run a statement that writes, with these values; return its result."""
    prepared = _prepared(connection.dialect, statement, given, is_many=False)
    bound = prepared.bound(given) if prepared is not None else None
    if prepared is None or bound is None:
        return connection.execute(statement, given)
    return IteratorResult(SimpleResultMetaData(prepared.fields), iter(prepared.run(connection, bound)))


def run_many(connection: Connection, statement: Executable, given: Sequence[Given]) -> Answer:
    """Run a statement that writes, once for each of several sets of values with the same names; not at all for none."""
    if not given:
        return IteratorResult(SimpleResultMetaData(()), iter(()))
    if len(given) == 1:
        return run(connection, statement, given[0])
    prepared = _prepared(connection.dialect, statement, given[0], is_many=True)
    bound = [prepared.bound(each) for each in given] if prepared is not None and not prepared.fields else [None]
    if prepared is None or None in bound:
        return connection.execute(statement, given)
    prepared.run_many(connection, [each for each in bound if each is not None])
    return IteratorResult(SimpleResultMetaData(()), iter(()))


class Prepared:
    """The compiled form of a statement for one kind of database, and for values of these names and this shape.

    `fields` names the columns of its rows; it has none if the statement returns no rows.
    """

    def __init__(self, compiled: SQLCompiler, given: Given) -> None:
        dialect, binds = compiled.dialect, {name: bind for bind, name in compiled.bind_names.items()}
        self._sql = str(compiled)
        # The rows of an INSERT that was asked for none hold its new keys.
        columns = [] if compiled.implicit_returning else compiled._result_columns  # noqa: SLF001 nothing public has them
        self.fields = tuple(column.keyname for column in columns)
        self._as_row = result_tuple(self.fields)
        self._types = [column.type.dialect_impl(dialect) for column in columns]
        self._read: Sequence[tuple[int, Callable[..., object]]] | None = None
        self._names: Sequence[str] = tuple((compiled.positiontup if compiled.positional else binds) or ())
        self._lists: Sequence[tuple[str, Sequence[str]]] = ()
        self._is_positional = compiled.positional
        defaults = {column.key: _constant(column) for column in compiled.insert_prefetch}
        self._needed = {name for name in self._names if binds[name].required and name not in defaults}
        self._defaults = {name: binds[name].value for name in self._names if name not in self._needed} | defaults
        kinds = {name: binds[name].type.dialect_impl(dialect).bind_processor(dialect) for name in self._names}
        if late := _late(compiled):
            state = compiled.construct_expanded_state({**dict.fromkeys(self._needed), **given})
            self._sql = state.statement
            self._lists = tuple(
                (name, parts) for name, parts in state.parameter_expansion.items() if binds[name].required
            )
            varied = {*given, *(part for _, parts in self._lists for part in parts)}
            self._defaults |= {name: value for name, value in state.parameters.items() if name not in varied}
            kinds = {name: convert for name, convert in kinds.items() if name not in late}
            kinds |= state.processors
            self._names = tuple(state.parameters if state.positiontup is None else state.positiontup)
        self._write = [(name, convert) for name, convert in kinds.items() if convert is not None]

    def bound(self, given: Given) -> Bound | None:
        """Return the values as the driver takes them; None if one is missing that has to be given."""
        if not self._needed <= given.keys():
            return None
        values = {**self._defaults, **given}
        for name, parts in self._lists:
            values.update(zip(parts, cast("Sequence[object]", given[name]), strict=True))
        for name, convert in self._write:
            values[name] = convert(values[name])
        return (
            tuple([values[name] for name in self._names])
            if self._is_positional
            else {n: values[n] for n in self._names}
        )

    def run(self, connection: Connection, bound: Bound) -> Rows:
        """Run the statement; return its rows."""
        with self._cursor(connection, bound, is_many=False) as cursor:
            connection.dialect.do_execute(cursor, self._sql, bound)
            found = cursor.fetchall() if cursor.description else ()
            return self._rows(found, cursor, connection.dialect) if self.fields else ()

    def run_many(self, connection: Connection, bound: Sequence[Bound]) -> None:
        """Run the statement once for each set of values."""
        with self._cursor(connection, bound, is_many=True) as cursor:
            connection.dialect.do_executemany(cursor, self._sql, cast("Sequence[Sequence[object]]", bound))

    @contextmanager
    def _cursor(self, connection: Connection, bound: object, *, is_many: bool) -> Iterator[DBAPICursor]:
        """Give a cursor of the driver, and tell who listens for statements; translate the errors of the driver."""
        try:
            with closing(connection.connection.cursor()) as cursor:
                for listener in connection.dispatch.before_cursor_execute:
                    listener(connection, cursor, self._sql, bound, None, is_many)
                yield cursor
        except connection.dialect.loaded_dbapi.Error as error:
            raise raised(error, connection, self._sql, bound) from error

    def _rows(self, found: Sequence[Sequence[object]], cursor: DBAPICursor, dialect: Dialect) -> Rows:
        if self._read is None:
            described = zip(self._types, cursor.description, strict=True)
            converts = [kind.result_processor(dialect, column[1]) for kind, column in described]
            self._read = [(i, convert) for i, convert in enumerate(converts) if convert is not None]
        if not self._read:
            return [self._as_row(row) for row in found]
        rows = []
        for row in found:
            values = list(row)
            for i, convert in self._read:
                values[i] = convert(values[i])
            rows.append(self._as_row(values))
        return rows


class _Form:
    """A statement as it was compiled for values of some names; it is `Prepared` for each shape that these come in.

    The shape is the lengths of the lists of an IN, and the values that stand in the statement itself, as of a LIMIT.
    """

    def __init__(self, compiled: SQLCompiler) -> None:
        self._compiled = compiled
        self._late = {name: is_literal for name, (bind, is_literal) in _late(compiled).items() if bind.required}
        self._by_shape: dict[tuple[object, ...], Prepared] = {}

    def of_shape(self, given: Given) -> Prepared | None:
        """Return the statement for the shape of these values; None if it is left to SQLAlchemy."""
        if not self._late:
            shape: tuple[object, ...] = ()
        elif self._late.keys() <= given.keys():
            shape = tuple(
                [given[name] if is_literal else _length(given[name]) for name, is_literal in self._late.items()]
            )
        else:
            return None
        made = self._by_shape.get(shape)
        if made is None and 0 not in shape and len(self._by_shape) < MOST_SHAPES:
            made = self._by_shape[shape] = Prepared(self._compiled, given)
        return made


MOST_SHAPES = 64  # of one statement
_Forms = dict[tuple[str, tuple[str, ...], bool], _Form | None]
_FORMS: WeakKeyDictionary[Executable, _Forms] = WeakKeyDictionary()


def _prepared(dialect: Dialect, statement: Executable, given: Given, *, is_many: bool) -> Prepared | None:
    """Return the compiled form of a statement; None at its first run, and if it is left to SQLAlchemy."""
    forms, key = _FORMS.get(statement), (dialect.name, tuple(given), is_many)
    if forms is None:
        _FORMS[statement] = {}
        return None
    if key not in forms:
        forms[key] = _compile(dialect, statement, key[1], is_many=is_many)
    form = forms[key]
    return None if form is None else form.of_shape(given)


def _compile(dialect: Dialect, statement: Executable, names: Sequence[str], *, is_many: bool) -> _Form | None:
    assert isinstance(statement, ClauseElement)
    compiled = statement.compile(dialect=dialect, column_keys=[*names], for_executemany=is_many)
    if not isinstance(compiled, SQLCompiler) or not _is_ordinary(compiled) or (is_many and _late(compiled)):
        return None
    return _Form(compiled)


def _late(compiled: SQLCompiler) -> dict[str, tuple[BindParameter[Any], bool]]:
    """Return what makes up the statement, by names: lists, and values that stand in it themselves (True)."""
    literal = {compiled.bind_names[bind]: (bind, True) for bind in compiled.literal_execute_params}
    return {compiled.bind_names[bind]: (bind, False) for bind in compiled.post_compile_params} | literal


def _length(value: object) -> int:
    """Return the length of the list for an IN; 0, which is left to SQLAlchemy, for anything else."""
    return len(value) if isinstance(value, list | tuple) else 0


def _is_ordinary(compiled: SQLCompiler) -> bool:
    """Return True unless SQLAlchemy does more for such a statement at each run than to convert its values and rows."""
    is_plain = all(not bind.type._is_tuple_type and not bind.literal_execute for bind in compiled.post_compile_params)  # noqa: SLF001
    has_calls = any(bind.callable is not None for bind in compiled.bind_names)
    has_calls |= bool(compiled.update_prefetch) or any(_constant(column) is None for column in compiled.insert_prefetch)
    return is_plain and not compiled.escaped_bind_names and not has_calls and not compiled.isplaintext


def _constant(column: Column[Any]) -> object:
    """Return the value that a new row has in a column if none is given; None if it is computed for each row."""
    return column.default.arg if isinstance(column.default, ScalarElementColumnDefault) else None
