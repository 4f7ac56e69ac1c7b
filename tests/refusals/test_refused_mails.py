"""A mail that is refused leaves nothing behind, and the game goes on as if it had not come."""

import pytest

from server.mail import inbox
from server.models import session
from tests.refusals.dumps import differences, public
from tests.scenes import pairs
from tests.table import Playing, Table

# Ben moves Purple (26) and Red (29); the second line of each cannot be done.
REFUSED = (
    "purple taxi 15\nred taxi 199",
    "purple taxi 15\nred taxi 17\nred taxi 41",
    "purple taxi 15\nSET zone Nowhere",
    "purple taxi 15\nred bus 41\nSET zone Nowhere",
    "SET picture on\nSET zone Nowhere",
)


@pytest.fixture
def game(table: Table) -> Playing:
    """A running game that the process has in its cache, as a server has that runs."""
    game = pairs(table)
    assert game.legal(game.people[1])
    return game


def read(table: Table) -> None:
    """Read the mails that wait, and send none."""
    with table.app.app_context():
        inbox.process_waiting()
        session.remove()


@pytest.mark.parametrize("text", REFUSED)
def test_a_refused_mail_leaves_every_public_row_as_it_was(game: Playing, text: str):
    before = public(game.table)
    game.people[1].reply(text)
    read(game.table)
    assert differences(before, public(game.table)) == []


@pytest.mark.parametrize("text", REFUSED)
def test_after_a_refused_mail_the_move_can_be_made(game: Playing, text: str):
    game.people[1].reply(text)
    game.table.tick()
    assert game.move(game.people[1], "purple taxi 15").status_code == 201
