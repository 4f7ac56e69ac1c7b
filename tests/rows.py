"""Tests that go through a table of rows in one go, where a set-up for each row would cost more than the row."""

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any


def for_each(names: str, rows: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Call the test once for each row, with the same fixtures; a failure names its row.

    It is written as `pytest.mark.parametrize` is. For rows that leave behind nothing by which another could fail.
    """
    fields = [name.strip() for name in names.split(",")]
    table = [dict(zip(fields, row if len(fields) > 1 else [row], strict=True)) for row in rows]
    assert table, "a test without rows checks nothing"

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @wraps(test)
        def through_all(*args: Any, **fixtures: Any) -> None:
            for row in table:
                try:
                    test(*args, **fixtures, **row)
                except BaseException as error:
                    error.add_note(f"in the row {row!r:.500}")
                    raise

        signature = inspect.signature(test)
        left = [value for name, value in signature.parameters.items() if name not in fields]
        assert len(left) == len(signature.parameters) - len(fields), f"{test.__name__} does not take {names}"
        through_all.__signature__ = signature.replace(parameters=left)  # type: ignore[attr-defined] # pytest reads it
        return through_all

    return decorate
