"""Streams that the HTTP server holds: whom they tell of what, how many there may be, and how they end."""

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from urllib.parse import parse_qs

import pytest

from server.http.server import HttpServer
from server.http.streams import BOUNDS, Bounds, Offer, Streams, Watch
from tests.patience import eventually
from tests.streaming import WAIT, Listener


def watching(environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
    """An application that has every request watch the topics of its query."""
    asked = {name: value for name, (value,) in parse_qs(environ["QUERY_STRING"]).items()}
    topics = frozenset(asked["topics"].split())
    kind, name = ("player", asked["player"]) if "player" in asked else ("address", "here")
    environ[Offer.KEY].watch = Watch(kind, name, topics, "player" in asked)
    start_response("200 OK", [("Content-Type", "text/event-stream")])
    return [b""]


@contextmanager
def running(app: Any = watching, **bounds: Any) -> Iterator[HttpServer]:
    server = HttpServer(app, "127.0.0.1", 0, streams=Streams(Bounds(**bounds)))
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
    with listening_to(server) as begin:
        yield begin


@contextmanager
def listening_to(server: HttpServer) -> Iterator[Callable[..., Listener]]:
    with ExitStack() as stack:

        def begin(**asked: str) -> Listener:
            listener = Listener(server.port, path(**asked))
            stack.callback(listener.close)
            return listener

        yield begin


def path(**asked: str) -> str:
    return "/?" + "&".join(f"{name}={value.replace(' ', '+')}" for name, value in asked.items())


def test_a_stream_names_the_games_of_its_topics_and_says_nothing_else(server: HttpServer, listen: Any):
    ada, ben = listen(player="ada", topics="g g.ada h"), listen(player="ben", topics="g g.ben")
    for topics in (["g.ada"], ["other"], ["h"], ["g"]):
        server.tell(topics)
    assert [ada.hears() for _ in range(3)] == ["g", "h", "g"]
    assert ben.hears() == "g"
    server.close()
    assert (ada.hears(), ben.hears()) == ("", "")


@pytest.mark.parametrize("topic", ["g.", ".session"])
def test_where_rights_may_have_ended_the_stream_ends_and_its_place_is_free(server: HttpServer, listen: Any, topic: str):
    listener = listen(player="ada", topics="g g. .session")
    server.tell([topic])
    assert listener.hears() == ""
    assert not len(server._news)


def test_a_spectator_is_told_too(server: HttpServer, listen: Any):
    listener = listen(topics="g")
    server.tell(["g"])
    server.tell(["g"])
    assert listener.hears() == "g"


def test_a_player_has_so_many_streams_and_one_more_when_one_has_ended(server: HttpServer, listen: Any):
    held = [listen(player="ada", topics="g") for _ in range(BOUNDS.of_player)]
    assert {each.status for each in held} == {200}
    assert listen(player="ada", topics="g").status == 204
    assert listen(player="ben", topics="g").status == 200
    held[0].close()
    assert eventually(lambda: listen(player="ada", topics="g").status == 200)


def test_half_of_the_places_are_kept_for_players():
    with running(most=4) as server, listening_to(server) as listen:
        assert [listen(topics="g").status for _ in range(3)] == [200, 200, 204]
        assert [listen(player=f"{n}", topics="g").status for n in range(3)] == [200, 200, 204]


def test_an_address_has_so_many_streams_of_people_who_are_not_signed_in():
    with running(of_address=2) as server, listening_to(server) as listen:
        assert [listen(topics="g").status for _ in range(3)] == [200, 200, 204]
        assert listen(player="ada", topics="g").status == 200


def test_who_is_gone_when_the_application_has_answered_takes_no_place():
    asked, is_gone = threading.Event(), threading.Event()

    def slow(environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
        asked.set()
        assert is_gone.wait(WAIT)
        return watching(environ, start_response)

    with running(slow, of_player=1) as server:
        with socket.create_connection(("127.0.0.1", server.port)) as line:
            line.sendall(f"GET {path(player='ada', topics='g')} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
            assert asked.wait(WAIT)
        eventually(lambda: not server._streams)
        is_gone.set()
        with listening_to(server) as listen:
            assert listen(player="ada", topics="g").status == 200


class Line:
    """A connection whose client takes nothing any more, and its stream of bytes."""

    def __init__(self) -> None:
        self.is_closed = False

    def writing(self) -> bool:
        return True

    def closed(self) -> bool:
        return self.is_closed

    def close(self) -> None:
        self.is_closed = True


def test_who_does_not_read_what_was_said_before_is_cut_off():
    async def tell() -> bool:
        held, line = Streams(), Line()
        held.begin(line, line, Watch("player", "ada", frozenset({"g"}), is_seated=True))  # type: ignore[arg-type]
        held.tell(["g"])
        return line.is_closed

    assert asyncio.run(tell())


def test_a_process_that_hears_nothing_has_no_streams(server: HttpServer, listen: Any):
    listener = listen(player="ada", topics="g")
    server.set_hearing(False)
    assert listener.hears() == ""
    assert listen(player="ada", topics="g").status == 204
    server.set_hearing(True)
    assert listen(player="ada", topics="g").status == 200


def test_who_sends_more_behind_a_request_for_a_stream_is_cut_off(server: HttpServer, listen: Any):
    listener = listen(player="ada", topics="g")
    listener.line.sock.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    assert listener.hears() == ""
    assert eventually(lambda: not len(server._news))


def test_a_stream_says_at_times_that_it_is_there():
    with running(heartbeat=0.01) as server, listening_to(server) as listen:
        listener = listen(player="ada", topics="g")
        said = [listener.answer.readline() for _ in range(4)]
        assert said[0].startswith(b"retry: ")
        assert said[1:] == [b"\n", b":\n", b"\n"]


def test_a_stream_ends_after_a_while():
    with running(heartbeat=0.01, life=0) as server, listening_to(server) as listen:
        assert listen(player="ben", topics="g").hears() == ""


def test_those_who_are_cut_off_together_come_back_one_after_the_other(server: HttpServer, listen: Any):
    listeners = [listen(player=f"{n}", topics="g") for n in range(40)]
    server.set_hearing(False)
    times = {int(line[7:]) for each in listeners for line in each.answer.read().splitlines() if line[:7] == b"retry: "}
    assert len(times) > 20
    assert min(times) >= BOUNDS.back
