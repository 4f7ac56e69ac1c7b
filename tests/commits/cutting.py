"""A way to PostgreSQL that is cut around a COMMIT, and stays closed until it is opened again."""

import re
import selectors
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from enum import StrEnum
from urllib.parse import urlsplit

from psycopg.conninfo import conninfo_to_dict

COMMIT = re.compile(
    rb"Q.{4}(?:INSERT INTO news [^;]+; )*COMMIT(?:; NOTIFY [^;]+)*\x00", re.DOTALL
)  # as psycopg sends it
DONE = b"Z\x00\x00\x00\x05I"  # what the server's answer to it ends with: ready, and in no transaction
LONG = 10  # seconds after which a request has committed nothing


class Cut(StrEnum):
    """The place of a cut."""

    BEFORE = "before the COMMIT arrives"
    UNANSWERED = "between the COMMIT and its answer"
    AFTER = "behind the answer"


class Way:
    """A proxy on this machine before a PostgreSQL server. `url` leads through it to the database `behind` it."""

    def __init__(self, behind: str) -> None:
        self.behind = behind
        server = conninfo_to_dict(behind)
        self._host, self._port = str(server["host"]), int(server.get("port") or 5432)
        self._listening = socket.create_server(("127.0.0.1", 0))
        parts = urlsplit(behind)
        port = self._listening.getsockname()[1]
        user = parts.netloc.rpartition("@")[0] or "postgres"
        self.url = parts._replace(netloc=f"{user}@127.0.0.1:{port}", query="sslmode=disable").geturl()
        self._cut: Cut | None = None
        self._was_cut = threading.Event()
        self._asked: list[bytes] = []  # since a cut was asked for: how what the client sent begins and ends
        self._is_closed = False
        self._open: set[socket.socket] = set()
        threading.Thread(target=self._accept, daemon=True).start()

    @contextmanager
    def cut(self, place: Cut) -> Iterator[None]:
        """Cut the way at the next COMMIT; it is open again when the block ends."""
        self._asked.clear()
        self._was_cut.clear()
        self._cut = place
        try:
            yield
            assert self._was_cut.wait(LONG), f"nothing was committed: {self._asked}"
        finally:
            self._cut, self._is_closed = None, False

    def close(self) -> None:
        """Hang up, and let nobody in any more."""
        self._is_closed = True
        self._listening.close()
        self._hang_up(set(self._open))

    def _accept(self) -> None:
        with suppress(OSError):  # it was closed
            while True:
                client, _ = self._listening.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client, suppress(OSError):
            if self._is_closed:
                return
            with self._connected() as server:
                self._open |= {client, server}
                self._carry(client, server)
            self._open -= {client, server}

    def _connected(self) -> socket.socket:
        if not self._host.startswith("/"):
            return socket.create_connection((self._host, self._port))
        server = socket.socket(socket.AF_UNIX)
        server.connect(f"{self._host}/.s.PGSQL.{self._port}")
        return server

    def _carry(self, client: socket.socket, server: socket.socket) -> None:
        with selectors.DefaultSelector() as readable:
            readable.register(client, selectors.EVENT_READ, server)
            readable.register(server, selectors.EVENT_READ, client)
            while True:
                for (_, _, _, other), _ in readable.select():
                    ready = client if other is server else server
                    data = ready.recv(65_536)
                    if not data:
                        return
                    if ready is client and self._cut is not None:
                        self._asked.append(data[:60] + data[-60:])
                        if COMMIT.search(data):
                            self._commit(client, server, data)
                            return
                    other.sendall(data)

    def _commit(self, client: socket.socket, server: socket.socket, question: bytes) -> None:
        answer = b""
        if self._cut is not Cut.BEFORE:
            server.sendall(question)
            while not answer.endswith(DONE):
                answer += server.recv(65_536)
        self._is_closed = True
        self._hang_up(self._open - {client})
        if self._cut is Cut.AFTER:
            client.sendall(answer)
        self._hang_up({client})
        self._was_cut.set()

    def _hang_up(self, connections: set[socket.socket]) -> None:
        for each in connections:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
