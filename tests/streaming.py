"""A client of a stream of news."""

import http.client

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
