"""A test that goes through rows fails with each wrong row, and names it."""

import inspect

import pytest

from tests.rows import for_each


def test_each_row_is_tried_with_the_same_fixtures():
    seen = []

    @for_each("left, right", [(1, "a"), (2, "b")])
    @for_each("deep", ["x", "y"])
    def test(fixture: str, left: int, right: str, deep: str) -> None:
        seen.append((fixture, left, right, deep))

    assert list(inspect.signature(test).parameters) == ["fixture"]
    test(fixture="f")
    assert seen == [("f", 1, "a", "x"), ("f", 1, "a", "y"), ("f", 2, "b", "x"), ("f", 2, "b", "y")]


@pytest.mark.parametrize("wrong", [1, 2, 3])
def test_a_row_that_fails_is_named(wrong: int):
    @for_each("number", [1, 2, 3])
    def test(number: int) -> None:
        assert number != wrong

    with pytest.raises(AssertionError) as failure:
        test()
    assert failure.value.__notes__ == [f"in the row {{'number': {wrong}}}"]


def test_a_table_without_rows_or_with_other_names_is_an_error():
    with pytest.raises(AssertionError, match="checks nothing"):
        for_each("number", [])
    with pytest.raises(AssertionError, match="does not take other"):
        for_each("other", [1])(test_a_row_that_fails_is_named)
