"""Streams that the HTTP server holds: whom they tell of what, how many there may be, and how they end."""

import http.client
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from urllib.parse import parse_qs

import pytest

from server.http import streams
from server.http.server import HttpServer
from server.http.streams import Offer, Watch
from tests.patience import eventually

WAIT = 30  # seconds, for a machine that is busy


def watching(environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
    """An application that has every request watch the topics of its query."""
    asked = {name: value for name, (value,) in parse_qs(environ["QUERY_STRING"]).items()}
    topics = frozenset(asked["topics"].split())
    kind, name = ("player", asked["player"]) if "player" in asked else ("address", "here")
    environ[Offer.KEY].watch = Watch(kind, name, topics, "player" in asked)
    start_response("200 OK", [("Content-Type", "text/event-stream")])
    return [b""]


class Listener:
    """A client with a stream; `hear` returns the next line that says something, empty behind the last one."""

    def __init__(self, server: HttpServer, **asked: str) -> None:
        self.line = http.client.HTTPConnection("127.0.0.1", server.port, timeout=WAIT)
        query = "&".join(f"{name}={value.replace(' ', '+')}" for name, value in asked.items())
        self.line.request("GET", f"/?{query}")
        self.answer = self.line.getresponse()
        self.status = self.answer.status

    def hear(self) -> str:
        while said := self.answer.readline():
            if said.startswith(b"data: "):
                return said[6:].decode().strip()
        return ""

    def close(self) -> None:
        self.answer.close()
        self.line.close()


@contextmanager
def running() -> Iterator[HttpServer]:
    server = HttpServer(watching, "127.0.0.1", 0)
    server.set_hearing(True)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        yield server
    finally:
        server.close()
        thread.join(WAIT)
        assert not thread.is_alive(), "no stream holds up a stop"


@pytest.fixture
def server() -> Iterator[HttpServer]:
    with running() as found:
        yield found


@pytest.fixture
def listen(server: HttpServer) -> Iterator[Callable[..., Listener]]:
    with ExitStack() as stack:

        def begin(**asked: str) -> Listener:
            listener = Listener(server, **asked)
            stack.callback(listener.close)
            return listener

        yield begin


def test_a_stream_names_the_games_of_its_topics_and_says_nothing_else(server: HttpServer, listen: Any):
    ada, ben = listen(player="ada", topics="g g.ada h"), listen(player="ben", topics="g g.ben")
    for topics in (["g.ada"], ["other"], ["h"], ["g"]):
        server.tell(topics)
    assert [ada.hear() for _ in range(3)] == ["g", "h", "g"]
    assert ben.hear() == "g"
    server.close()
    assert (ada.hear(), ben.hear()) == ("", "")


@pytest.mark.parametrize("topic", ["g.", ".session"])
def test_where_rights_may_have_ended_the_stream_ends_and_its_place_is_free(server: HttpServer, listen: Any, topic: str):
    listener = listen(player="ada", topics="g g. .session")
    server.tell([topic])
    assert listener.hear() == ""
    assert not len(server._news)


def test_a_spectator_is_told_too(server: HttpServer, listen: Any):
    listener = listen(topics="g")
    server.tell(["g"])
    server.tell(["g"])
    assert listener.hear() == "g"


def test_a_player_has_so_many_streams_and_one_more_when_one_has_ended(server: HttpServer, listen: Any):
    held = [listen(player="ada", topics="g") for _ in range(streams.MOST_OF["player"])]
    assert {each.status for each in held} == {200}
    assert listen(player="ada", topics="g").status == 204
    assert listen(player="ben", topics="g").status == 200
    held[0].close()
    assert eventually(lambda: listen(player="ada", topics="g").status == 200)


def test_half_of_the_places_are_kept_for_players(server: HttpServer, listen: Any, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(streams, "MOST", 4)
    assert [listen(topics="g").status for _ in range(3)] == [200, 200, 204]
    assert [listen(player=f"{n}", topics="g").status for n in range(3)] == [200, 200, 204]


def test_a_process_that_hears_nothing_has_no_streams(server: HttpServer, listen: Any):
    listener = listen(player="ada", topics="g")
    server.set_hearing(False)
    assert listener.hear() == ""
    assert listen(player="ada", topics="g").status == 204
    server.set_hearing(True)
    assert listen(player="ada", topics="g").status == 200


def test_who_sends_more_behind_a_request_for_a_stream_is_cut_off(server: HttpServer, listen: Any):
    listener = listen(player="ada", topics="g")
    listener.line.sock.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    assert listener.hear() == ""
    assert eventually(lambda: not len(server._news))


def test_a_stream_says_at_times_that_it_is_there_and_ends_after_a_while(
    server: HttpServer, listen: Any, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(streams, "HEARTBEAT", 0.01)
    listener = listen(player="ada", topics="g")
    said = [listener.answer.readline() for _ in range(4)]
    assert said == [b"retry: 1500\n", b"\n", b":\n", b"\n"]
    monkeypatch.setattr(streams, "LIFE", 0)
    assert listen(player="ben", topics="g").hear() == ""
