"""A client of a stream of news."""

import http.client

from server.models import topics
from server.models.base import transaction
from tests.databases import IS_POSTGRESQL
from tests.table import Table

WAIT = 30  # seconds, for a machine that is busy


class Listener:
    """Somebody who has a stream open, or whom the server gave none."""

    def __init__(self, port: int, path: str, **headers: str) -> None:
        self.line = http.client.HTTPConnection("127.0.0.1", port, timeout=WAIT)
        self.line.request("GET", path, headers=headers)
        self.answer = self.line.getresponse()
        self.status = self.answer.status

    def hears(self) -> str:
        """Return what the stream says next, empty when it has ended."""
        while said := self.answer.readline():
            if said.startswith(b"data: "):
                return said[6:].decode().strip()
        return ""

    def close(self) -> None:
        self.answer.close()
        self.line.close()


def wait_for_news(table: Table, port: int) -> None:
    """Wait until streams have been told of all that was committed: news of PostgreSQL come later, in its order."""
    if not IS_POSTGRESQL:
        return
    person = table.person(f"Reader{table.count()}")
    stream = Listener(port, "/api/v1/me/stream", Authorization=f"Bearer {person.token}")
    with table.app.app_context(), transaction():
        topics.tell([topics.end_of(person.id)])
    while stream.hears():
        pass
    stream.close()
