"""What tests of outages share."""

from pathlib import Path

import pytest

from tests.application.time.outages.games import SECOND, hunting, well
from tests.application.time.ticking import Ticking
from tests.kept import again
from tests.profiles import IS_CAMPAIGN
from tests.table import Playing, Table


@pytest.fixture
def table(tmp_path: Path) -> Table:
    """With a mailbox that is read."""
    return Table(tmp_path, sandbox="1", min_turn="PT1S", imap_url="imaps://host:secret@mail.example.org")


@pytest.fixture
def game(table: Table, request: pytest.FixtureRequest) -> Playing:
    """A game of two in the detectives' half, which ends at midnight; the reminder comes at 22:30."""
    return again(table, well if "time" in request.fixturenames else hunting)


@pytest.fixture
def time(game: Playing) -> Ticking:
    """It is half an hour before the deadline, and all was well until now."""
    ticking = Ticking(game.table)
    ticking.run(ticking.now + 5 * SECOND)
    if not IS_CAMPAIGN:
        ticking.stride *= 2
    return ticking
