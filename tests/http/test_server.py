"""The HTTP server over real connections: clients that are slow, many or crooked, and what a stop leaves undone."""

import asyncio
import http.client
import json
import resource
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from ipaddress import ip_network
from typing import Any

import pytest

from server.http.server import HttpServer, Limits, room_for_connections
from tests.patience import eventually

WAIT = 30  # seconds, for a machine that is busy
HALF = b"POST /slow HTTP/1.1\r\nHost: a\r\nContent-Le"
HALF_A_BODY = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n12345"


def echo(environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
    """An application that tells what it was asked."""
    body = environ["wsgi.input"].read()
    told = [environ["REQUEST_METHOD"], environ["PATH_INFO"], environ["QUERY_STRING"], environ["CONTENT_LENGTH"]]
    told += [environ.get("HTTP_X_FORWARDED_FOR", "-"), environ.get("CONTENT_TYPE", "-"), environ["REMOTE_ADDR"]]
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [" ".join(told).encode(), b"\n", body]


@contextmanager
def running(app: Any = echo, **limits: Any) -> Iterator[HttpServer]:
    server = HttpServer(app, "127.0.0.1", 0, Limits(**limits))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        yield server
    finally:
        server.close()
        thread.join(WAIT)
        assert not thread.is_alive()


@pytest.fixture(scope="module")
def server() -> Iterator[HttpServer]:
    with running() as found:
        yield found


def connect(server: HttpServer) -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.port), timeout=WAIT)


def say(server: HttpServer, data: bytes) -> bytes:
    """Everything that comes until the server closes the connection, or has given one answer in full."""
    with connect(server) as line:
        line.sendall(data)
        return rest(line)


def rest(line: socket.socket) -> bytes:
    """Return all that comes on a connection until it is closed."""
    said = b""
    try:
        while part := line.recv(65_536):
            said += part
    except ConnectionResetError:
        pass
    return said


def get(server: HttpServer, path: str = "/") -> str:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=WAIT)
    try:
        connection.request("GET", path)
        return connection.getresponse().read().decode()
    finally:
        connection.close()


@pytest.mark.parametrize("begun", [HALF, HALF_A_BODY], ids=["header", "body"])
def test_a_request_that_is_never_complete_is_cut(begun: bytes):
    with running(head=0.1, body=0.1) as server:
        assert say(server, begun) == b""


def test_a_client_that_speaks_tls_is_not_kept_waiting():
    with running(head=10 * WAIT) as server, connect(server) as line, pytest.raises(ssl.SSLError, match="EOF"):
        ssl.create_default_context().wrap_socket(line, server_hostname="localhost")


def test_a_connection_on_which_nothing_is_asked_is_closed():
    with running(idle=0.1) as server, connect(server) as line:
        assert rest(line) == b"", "without a request"
        answered = say(server, b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        assert answered.startswith(b"HTTP/1.1 200"), "and after one"


def test_a_header_that_comes_a_byte_at_a_time_gets_no_more_time():
    with running(head=0.2) as server, connect(server) as line:
        line.sendall(b"GET / HTTP/1.1\r\nX: ")
        with suppress(BrokenPipeError, ConnectionResetError):
            while True:  # at the speed of answers to another, so that it is read byte by byte
                line.sendall(b"x")
                get(server)


def test_a_kept_connection_may_wait_for_its_next_request_longer_than_for_a_half():
    with running(head=0.1) as server:
        kept = http.client.HTTPConnection("127.0.0.1", server.port, timeout=WAIT)
        kept.request("GET", "/")
        kept.getresponse().read()
        mine = kept.sock
        assert say(server, HALF) == b"", "which took as long as a half-sent request may"
        kept.request("GET", "/")
        assert kept.getresponse().status == 200
        assert kept.sock is mine, "on the first connection"
        kept.close()


@pytest.mark.parametrize(
    ("begun", "many"),
    [
        (HALF_A_BODY, 110),
        (HALF, 1_100),
        *(pytest.param(*each, marks=pytest.mark.campaign) for each in ((HALF, 110), (b"", 1_100))),
    ],
)
def test_others_are_answered_while_so_many_connections_are_open(server: HttpServer, begun: bytes, many: int):
    with ExitStack() as open_ones:
        lines = [open_ones.enter_context(connect(server)) for _ in range(many)]
        for line in lines:
            line.sendall(begun)
        assert get(server, "/hello").startswith("GET /hello")
        for line in (lines[0], lines[-1]):
            line.setblocking(False)
            with pytest.raises(BlockingIOError):
                line.recv(1)


def test_a_client_has_no_more_connections_than_the_cap_and_the_others_have_theirs():
    with running(of_a_client=3, uncapped=()) as server, ExitStack() as open_ones:

        def of(client: str) -> socket.socket:
            address = ("127.0.0.1", server.port)
            return open_ones.enter_context(socket.create_connection(address, WAIT, source_address=(client, 0)))

        def is_answered(line: socket.socket) -> bool:
            with suppress(OSError):
                line.sendall(b"GET / HTTP/1.0\r\n\r\n")
            return b"200 OK" in rest(line)

        first = [of("127.0.0.2") for _ in range(3)]
        assert rest(of("127.0.0.2")) == b"", "closed at once"
        assert is_answered(of("127.0.0.3"))
        assert is_answered(first[0])
        while not is_answered(of("127.0.0.2")):
            pass  # until the server has seen that one is free again


def test_trusted_proxies_are_not_capped():
    with running(of_a_client=0, uncapped=[ip_network("127.0.0.0/30")]) as server:
        assert get(server).startswith("GET /")


def test_when_all_connections_are_taken_another_is_closed_at_once():
    with running(connections=1) as server, connect(server) as first:
        assert say(server, b"") == b""
        first.sendall(b"GET / HTTP/1.0\r\n\r\n")
        assert b"200 OK" in rest(first)


class Strict:
    """A system that allows 1,500 files, and no more to who asks."""

    def getrlimit(self, _what: int) -> tuple[int, int]:
        return 1_500, resource.RLIM_INFINITY

    def setrlimit(self, *_: object) -> None:
        raise ValueError("not allowed")


def test_there_are_no_more_connections_than_files_that_the_system_allows():
    assert room_for_connections(4_000, Strict()) == 500


@pytest.mark.parametrize("crooked", [
    b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n12345",
    b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -5\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: identity, chunked\r\n\r\n0\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
    b"GET / HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n",
    b"GET / HTTP/1.1\r\n\r\n",
    b"GET http://a/ HTTP/1.1\r\n\r\n",
    b"GET / HTTP/1.1\r\nX_Host: a\r\n\r\n",
    b"GET / HTTP/1.1\nHost: a\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: a\nX: b\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: a\n\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\n\n",
    b"\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\nX: b\rY: c\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 8000001\r\nTransfer-Encoding: chunked\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: " + b"9" * 5_000 + b"\r\n\r\n",
    b"nonsense\r\n\r\n",
])  # fmt: skip
def test_what_a_proxy_could_read_differently_is_refused(server: HttpServer, crooked: bytes):
    assert say(server, crooked).startswith(b"HTTP/1.1 400 Bad Request\r\n")


def test_a_request_of_http_1_0_needs_no_host(server: HttpServer):
    assert say(server, b"GET / HTTP/1.0\r\n\r\n").startswith(b"HTTP/1.1 200 OK\r\n")


def test_an_empty_line_before_a_request_is_passed_over(server: HttpServer):
    said = say(server, b"\r\nGET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    assert said.startswith(b"HTTP/1.1 200 OK\r\n")


@pytest.mark.parametrize("large", [
    b"Content-Length: 8000001\r\n\r\n",
    b"Content-Length: 999999999999\r\nExpect: 100-continue\r\n\r\n",
    b"Content-Length: 8000001, 8000001\r\n\r\n" + b"x" * 8_000_001,
    b"Transfer-Encoding: chunked\r\n\r\n7A1201\r\n" + b"x" * 8_000_001,
], ids=["told", "asked", "read", "chunked"])  # fmt: skip
def test_a_body_that_is_too_large_is_refused_with_a_problem_and_the_connection_ends(server: HttpServer, large: bytes):
    head, _, body = say(server, b"POST / HTTP/1.1\r\nHost: a\r\n" + large).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 413 Request Entity Too Large\r\nContent-Type: application/problem+json\r\n")
    assert json.loads(body) == {
        "type": "too-large", "title": "The request is too large", "status": 413,
        "detail": "The body has more than 8,000,000 bytes.",
    }  # fmt: skip


def test_a_body_of_the_largest_size_is_taken(server: HttpServer):
    head = b"POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 8000000\r\n\r\n"
    assert say(server, head + b"x" * 8_000_000).startswith(b"HTTP/1.1 200 OK")


def test_a_header_that_is_too_long_is_not_read_to_its_end(server: HttpServer):
    assert say(server, b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"x" * 100_000) == b""


def test_a_body_in_chunks_arrives_as_one(server: HttpServer):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=WAIT)
    connection.request("POST", "/a%20b?c=d", iter([b"one", b"two"]), {"Content-Type": "text/x"}, encode_chunked=True)
    assert connection.getresponse().read() == b"POST /a b c=d 6 - text/x 127.0.0.1\nonetwo"
    large = b"x" * 1_000_000
    connection.request("POST", "/", large)
    assert connection.getresponse().read().partition(b"\n")[2] == large
    connection.close()


@pytest.mark.parametrize(("target", "path"), [
    ("http://a/b?c", "/b c"), ("HTTPS://a/b/c", "/b/c "), ("http://a", "/ "), ("//a/b", "//a/b "), ("/a?b?c", "/a b?c"),
])  # fmt: skip
def test_a_target_may_be_a_whole_address(server: HttpServer, target: str, path: str):
    said = say(server, f"GET {target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".encode())
    assert said.partition(b"\r\n\r\n")[2] == f"GET {path} 0 - - 127.0.0.1\n".encode()


@pytest.mark.parametrize("proxy", [b"X-Forwarded-For: 192.0.2.1\r\n", b""])
def test_a_field_with_an_underscore_is_left_out_and_does_not_pass_for_that_of_a_proxy(server: HttpServer, proxy: bytes):
    fields = proxy + b"X_Forwarded_For: 192.0.2.2\r\nContent_Type: text/x\r\nConnection: close"
    said = say(server, b"GET / HTTP/1.1\r\nHost: a\r\n" + fields + b"\r\n\r\n")
    assert f" {'192.0.2.1' if proxy else '-'} - 127.0.0.1\n".encode() in said


def test_requests_that_follow_each_other_without_waiting_are_answered_in_order(server: HttpServer):
    said = say(server, b"GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    assert said.count(b"200 OK") == 2
    assert said.index(b"GET /1 ") < said.index(b"GET /2 ")


def test_a_body_behind_another_request_may_begin_with_any_byte(server: HttpServer):
    head = b"POST /2 HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nConnection: close\r\n\r\n"
    with connect(server) as line:
        line.sendall(b"GET /1 HTTP/1.1\r\nHost: a\r\n\r\n" + head)
        said = line.recv(65_536)
        line.sendall(b"\x16!")
        said += rest(line)
    assert said.endswith(b"POST /2  2 - - 127.0.0.1\n\x16!")


def test_an_application_that_fails_closes_the_connection_and_its_words_are_not_logged(
    caplog: pytest.LogCaptureFixture,
):
    def fails(environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
        raise RuntimeError("Mr. X is on 46")

    with running(fails) as server:
        assert say(server, b"GET / HTTP/1.1\r\nHost: a\r\n\r\n") == b""
    assert [record.getMessage().partition(" at ")[0] for record in caplog.records] == [
        "an HTTP answer failed: RuntimeError"
    ]


class Slow:
    """An application that answers when it is told to."""

    def __init__(self) -> None:
        self.asked, self.may_answer = threading.Event(), threading.Event()

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
        self.asked.set()
        assert self.may_answer.wait(WAIT)
        return echo(environ, start_response)


def test_an_answer_that_comes_after_its_client_has_gone_keeps_no_timer():
    slow = Slow()
    with running(slow) as server:
        with connect(server) as line:
            line.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            assert slow.asked.wait(WAIT)
        eventually(lambda: not server._streams)
        slow.may_answer.set()
        eventually(lambda: not server._answering)
        assert server._loop is not None
        asyncio.run_coroutine_threadsafe(asyncio.sleep(0), server._loop).result(WAIT)  # the answer was written whole
        assert [timer for timer in server._loop._scheduled if not timer.cancelled()] == []


def test_a_server_that_stops_answers_what_is_under_way_and_refuses_what_is_new():
    slow = Slow()
    with ThreadPoolExecutor(1) as client, running(slow) as server, connect(server) as idle:
        answer = client.submit(say, server, b"GET /under-way HTTP/1.1\r\nHost: a\r\n\r\n")
        assert slow.asked.wait(WAIT)
        server.close()
        assert rest(idle) == b"", "an idle connection is closed"
        with pytest.raises(ConnectionRefusedError):
            connect(server)
        slow.may_answer.set()
        said = answer.result(WAIT)
    assert b"GET /under-way " in said
    assert b"\r\nConnection: close\r\n" in said


def test_a_server_that_stops_waits_for_the_rest_of_a_request():
    with running() as server, connect(server) as idle, connect(server) as line:
        line.sendall(HALF_A_BODY)
        get(server)
        server.close()
        rest(idle)
        line.sendall(b"67890")
        assert rest(line).endswith(b"1234567890")


def test_a_server_that_stops_does_not_wait_for_ever(caplog: pytest.LogCaptureFixture):
    slow = Slow()
    with running(slow, grace=0.1) as server, connect(server) as line:
        line.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        assert slow.asked.wait(WAIT)
        server.close()
        assert rest(line) == b""
        slow.may_answer.set()
    assert "still under way" in caplog.text
