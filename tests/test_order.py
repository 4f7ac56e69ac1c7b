"""The list of the test files that take longest names files that are there."""

import pytest

from tests.order import LONGEST, TESTS


@pytest.mark.parametrize("name", LONGEST)
def test_a_file_that_comes_first_is_there(name: str):
    assert (TESTS / name).is_file()
