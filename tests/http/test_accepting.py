"""Connections are accepted; where the system has no room for one, the loop rests and the log stays short."""

import asyncio
import errno
import socket

import pytest

from server.http import accepting
from server.http.accepting import Accepting

TURNS = 200


class Listening(socket.socket):
    """A listening socket for which the system has no room so many times."""

    def __init__(self, failures: list[int]) -> None:
        super().__init__()
        self.bind(("127.0.0.1", 0))
        self.listen()
        self.setblocking(False)
        self.failures, self.tries = failures, 0

    def accept(self) -> tuple[socket.socket, tuple[str, int]]:
        self.tries += 1
        if self.failures:
            raise OSError(self.failures.pop(), "no room")
        return super().accept()


async def accepted(listening: Listening, *, turns: int = 0, pause: float = accepting.PAUSE) -> int:
    """Return how many connections were accepted: of one, when it is, or when the loop had so many turns."""
    connections: list[socket.socket] = []
    door = Accepting(listening, lambda connection, address: connections.append(connection), pause)
    with socket.create_connection(listening.getsockname()), listening:
        for _ in range(turns):
            await asyncio.sleep(0)
        while not turns and not connections:
            await asyncio.sleep(0.001)
        door.stop()
    for connection in connections:
        connection.close()
    return len(connections)


@pytest.mark.parametrize("number", sorted(accepting.NO_ROOM))
def test_without_room_the_loop_rests(number: int):
    listening = Listening([number] * TURNS)
    assert asyncio.run(accepted(listening, turns=TURNS)) == 0
    assert listening.tries == 1


def test_who_came_without_room_is_accepted_later_and_the_log_has_one_line(caplog: pytest.LogCaptureFixture):
    listening = Listening([errno.EMFILE, errno.ENFILE, errno.EMFILE])
    assert asyncio.run(accepted(listening, pause=0.0)) == 1
    assert caplog.messages == ["the system has no room for another HTTP connection (EMFILE); those that come wait"]


def test_a_connection_that_was_aborted_is_passed_over():
    assert asyncio.run(accepted(Listening([errno.ECONNABORTED]))) == 1
