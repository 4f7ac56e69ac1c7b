"""What tests of pages in Chromium share."""

from collections.abc import Iterator

import pytest

from tests.web.chromium import Chromium


@pytest.fixture
def without_faults(chromium: Chromium) -> Iterator[None]:
    """A page complains of nothing: no script fails, and none breaks the policy of what may be loaded."""
    chromium.faults.clear()
    yield
    # Otherwise the games of all tests before would be checked, and their mails written.
    chromium.table.retry_from_database()
    assert chromium.faults == []
