"""The pages of the album, and how the operator acts in it."""

from collections.abc import Callable
from typing import Any

from server.models import session
from tests.table import Person, Table


class Album:
    """Mails under the names of their golden files."""

    def __init__(self) -> None:
        self.mails: dict[str, Any] = {}

    def keep(self, title: str, person: Person) -> None:
        """The newest mail of this person."""
        assert title not in self.mails
        self.mails[title] = person.mails[-1]


def operate(table: Table, act: Callable[..., Any], *given: Any) -> None:
    """Something the operator does; the mails about it go out."""
    with table.app.app_context():
        act(*given)
        session.remove()
    table.tick()
