"""The HTTP server of `serve` and `web`: an event loop reads requests and writes answers, threads run the application.

Tornado speaks HTTP/1.1 here. A thread gets a request when all of it has arrived, so a slow client holds a socket and
a little memory, and no thread. docs/operating.md tells the limits, docs/decisions/0023 why Tornado was chosen.
"""

import asyncio
import logging
import re
import resource
import socket
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from io import BytesIO
from tempfile import SpooledTemporaryFile
from typing import IO, NamedTuple, Protocol
from urllib.parse import unquote_to_bytes
from wsgiref.types import WSGIApplication, WSGIEnvironment

from tornado.http1connection import HTTP1Connection, HTTP1ConnectionParameters, HTTP1ServerConnection
from tornado.httputil import (
    HTTPConnection,
    HTTPHeaders,
    HTTPInputError,
    HTTPMessageDelegate,
    HTTPServerConnectionDelegate,
    RequestStartLine,
    ResponseStartLine,
    format_timestamp,
)
from tornado.iostream import IOStream, StreamClosedError
from tornado.netutil import bind_sockets

from server.http.accepting import Accepting
from server.http.streams import Offer, Streams
from server.http.wsgi import Answer, call, fields, refusal
from server.runtime.faults import fault
from server.runtime.networks import LOOPBACK, client, is_among
from server.settings import Network
from server.vocabulary.errors import Problem

log = logging.getLogger(__name__)
# Tornado's own log would quote what clients send.
logging.getLogger("tornado").setLevel(logging.CRITICAL)
THREADS = 8
TLS = 0x16  # the first byte of a TLS handshake; no HTTP request begins with it
LARGEST_HEADER = 32_768  # bytes
LARGEST_BODY = 8_000_000  # bytes; the application allows less
TOO_LARGE = refusal(Problem("too-large", f"The body has more than {LARGEST_BODY:,} bytes."))
IN_MEMORY = 65_536  # bytes of a body; a larger one is kept in a temporary file
OTHER_FILES = 500  # descriptors left for the database, mail and everything else


class Limits(NamedTuple):
    """The limits of a client: seconds, and connections.

    head: for the header of a request, from its first byte
    body: for the body
    answer: to take the answer
    idle: between two requests; more than proxies keep a connection, so that they close it first
    grace: for the requests under way when the server stops
    of_a_client: connections of one address, or of one IPv6 network
    connections: of all, where the system allows as many files
    uncapped: networks whose addresses have any number of connections
    """

    head: float = 10.0
    body: float = 15.0
    answer: float = 60.0
    idle: float = 75.0
    grace: float = 15.0
    of_a_client: int = 100
    connections: int = 4_000
    uncapped: Sequence[Network] = LOOPBACK


LIMITS = Limits()


class HttpServer(HTTPServerConnectionDelegate):
    """A server that is bound when it is made: `run` serves until another thread, or a signal handler, calls `close`."""

    def __init__(
        self, app: WSGIApplication, host: str, port: int, limits: Limits = LIMITS, streams: Streams | None = None
    ) -> None:
        """Bind `host` and `port`; port 0 is any free one.

        Raises:
            OSError: the address is in use, or is none of this machine.
        """
        self._sockets = bind_sockets(port, host, backlog=1024)
        self.port = int(self._sockets[0].getsockname()[1])
        self._app = app
        self.limits = limits
        self._threads = ThreadPoolExecutor(THREADS, "http")
        self._most = room_for_connections(limits.connections)
        self._streams: dict[_Stream, str] = {}
        self._of_client: Counter[str] = Counter()
        self._answering = 0  # requests that the threads have
        self._news = Streams() if streams is None else streams
        self._loop: asyncio.AbstractEventLoop | None = None
        self._is_closing = False
        self._changed = asyncio.Event()
        # A body that is too large gets an answer of ours, see `_Request`; Tornado's is 400 without a word.
        self._parameters = HTTP1ConnectionParameters(max_header_size=LARGEST_HEADER, max_body_size=sys.maxsize)

    def run(self) -> None:
        """Serve until `close`; then refuse connections, answer the requests under way within a while, and return."""
        asyncio.run(self._serve())

    def close(self) -> None:
        """Make `run` return, from any thread."""
        self._is_closing = True
        self._on_loop(self._changed.set)

    def tell(self, topics: Iterable[str]) -> None:
        """Tell streams of these topics, from any thread; see `server.models.topics`."""
        self._on_loop(self._news.tell, topics)

    def set_hearing(self, hears: bool) -> None:
        """Have streams, or none while this process hears of no news, from any thread."""
        self._news.hears = hears
        if not hears:
            self._on_loop(self._news.end_all)

    def _on_loop(self, act: Callable[..., object], *given: object) -> None:
        if self._loop is not None:
            with suppress(RuntimeError):  # it has returned
                self._loop.call_soon_threadsafe(act, *given)

    def release(self) -> None:
        """Close the sockets without serving: in a process that has copies of them and is for something else."""
        for listening in self._sockets:
            listening.close()

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        doors = [Accepting(listening, self._accept) for listening in self._sockets]
        await self._until(lambda: self._is_closing)
        for door in doors:
            door.stop()
        self.release()
        for stream in [stream for stream in self._streams if not stream.is_busy]:
            stream.close()
        try:
            async with asyncio.timeout(self.limits.grace):
                await self._until(lambda: not self._answering and not any(one.is_busy for one in self._streams))
        except TimeoutError:
            log.warning(
                "HTTP requests were still under way %d seconds after the server was told to stop", self.limits.grace
            )
        for stream in list(self._streams):
            stream.close()
        await self._until(lambda: not self._streams)
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _until(self, condition: Callable[[], bool]) -> None:
        while not condition():
            self._changed.clear()
            await self._changed.wait()

    def _accept(self, connection: socket.socket, address: Sequence[object]) -> None:
        host = str(address[0]).partition("%")[0]
        key = client(host)
        too_many = self._of_client[key] >= self.limits.of_a_client and not is_among(host, self.limits.uncapped)
        if too_many or len(self._streams) >= self._most:
            connection.close()
            return
        stream = _Stream(connection, self.limits)
        self._streams[stream] = key
        self._of_client[key] += 1
        HTTP1ServerConnection(stream, self._parameters, host).start_serving(self)

    def start_request(self, server_conn: object, request_conn: HTTPConnection) -> HTTPMessageDelegate:
        """Wait for the next request of a connection (Tornado calls this)."""
        assert isinstance(request_conn, HTTP1Connection)
        stream = request_conn.stream
        assert isinstance(stream, _Stream)
        stream.rest()
        if self._is_closing:
            stream.close()
        return _Request(self, stream, request_conn)

    def on_close(self, server_conn: object) -> None:
        """Forget a connection (Tornado calls this)."""
        assert isinstance(server_conn, HTTP1ServerConnection)
        assert isinstance(server_conn.stream, _Stream)
        server_conn.stream.end()
        self._news.forget(server_conn.stream)
        key = self._streams.pop(server_conn.stream)
        self._of_client[key] -= 1
        if not self._of_client[key]:
            del self._of_client[key]
        self._changed.set()

    def answer(self, connection: HTTP1Connection, stream: "_Stream", environ: WSGIEnvironment) -> None:
        """Run the application in a thread, and write what it answers."""
        self._answering += 1
        self._threads.submit(self._run, partial(self._write, connection, stream, environ), environ)

    def _run(self, write: Callable[[Answer | Exception], None], environ: WSGIEnvironment) -> None:
        """Call the application, in a thread, and have the loop write its answer."""
        assert self._loop is not None
        answer: Answer | Exception
        try:
            answer = call(self._app, dict(environ))
        except Exception as error:  # noqa: BLE001 the loop logs it
            answer = error
        with suppress(RuntimeError):  # the loop has ended: the answer took longer than the server waits for
            self._loop.call_soon_threadsafe(write, answer)

    def _write(
        self, connection: HTTP1Connection, stream: "_Stream", environ: WSGIEnvironment, answer: Answer | Exception
    ) -> None:
        """Write an answer. If that fails the client sees the connection close, and others are served."""
        environ["wsgi.input"].close()
        self._answering -= 1
        self._changed.set()
        try:
            if isinstance(answer, Exception):
                raise answer
            stream.allow(self.limits.answer)
            watch = environ[Offer.KEY].watch if answer[0].startswith("200") else None
            if watch is not None and (stream.closed() or self._is_closing or not self._news.has_room(watch)):
                answer, watch = ("204 No Content", [], b""), None
            line, headers = self._head(*answer)
            if watch is None:
                connection.write_headers(line, headers, answer[2])
                connection.finish()
                return
            del headers["Content-Length"]
            stream.begin_streaming()
            connection.write_headers(line, headers, self._news.first())
            self._news.begin(connection, stream, watch)
        except Exception as error:  # noqa: BLE001
            if not stream.closed():
                log.error("an HTTP answer failed: %s", fault(error))
                stream.close()

    def _head(self, status: str, pairs: list[tuple[str, str]], body: bytes) -> tuple[ResponseStartLine, HTTPHeaders]:
        code, _, reason = status.partition(" ")
        headers = HTTPHeaders()
        for name, value in pairs:
            headers.add(name, value)
        headers.setdefault("Date", format_timestamp(time.time()))
        if int(code) >= 200 and int(code) not in (204, 304):
            headers.setdefault("Content-Length", str(len(body)))
        if self._is_closing:
            headers["Connection"] = "close"
        return ResponseStartLine("HTTP/1.1", int(code), reason), headers


class _Stream(IOStream):
    """A connection that closes when the client takes too long over what it is at."""

    def __init__(self, connection: socket.socket, limits: Limits) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # an answer is written at once
        super().__init__(connection, max_buffer_size=LARGEST_BODY)
        self._limits = limits
        self.own_address: tuple[str, int] = connection.getsockname()[:2]
        self._timer: asyncio.TimerHandle | None = None
        self.is_busy = False  # from the first byte of a request to the last of its answer, one without an end apart
        self.is_streaming = False

    def read_from_fd(self, buf: bytearray | memoryview) -> int | None:
        """Read, and begin to measure time with the first byte of a request; 0 closes the connection of a TLS client."""
        count = super().read_from_fd(buf)
        if count and self.is_streaming:
            return 0  # no browser sends anything behind a request for a stream
        if count and not self.is_busy:
            if buf[0] == TLS:
                return 0
            self.is_busy = True
            self.allow(self._limits.head)
        return count

    async def read_until_regex(self, regex: bytes, max_bytes: int | None = None) -> bytes:
        """Read the head of a request (Tornado calls this for nothing else).

        Raises:
            HTTPInputError: a line of it ends without CR, where a proxy may see no end of a line.
        """
        head = await super().read_until_regex(regex, max_bytes)
        if re.search(rb"(?<!\r)\n", head):
            raise HTTPInputError("a line that ends with LF alone")
        return head

    def allow(self, seconds: float | None) -> None:
        """Close the connection after so many seconds, None for never; an earlier limit is forgotten."""
        self.end()
        if seconds is not None and not self.closed():  # a timer would keep a closed connection in memory
            self._timer = asyncio.get_running_loop().call_later(seconds, self.close)

    def end(self) -> None:
        """Forget the timer."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def begin_streaming(self) -> None:
        """Have no limit of time, and hold up no stop of the server."""
        self.is_busy, self.is_streaming = False, True
        self.allow(None)

    def rest(self) -> None:
        """Wait for the next request."""
        self.is_streaming = False
        self.is_busy = False
        self.allow(self._limits.idle)


class _Request(HTTPMessageDelegate):
    """One request as it arrives."""

    def __init__(self, server: HttpServer, stream: _Stream, connection: HTTP1Connection) -> None:
        self._server = server
        self._stream = stream
        self._connection = connection

    def headers_received(self, start_line: RequestStartLine | ResponseStartLine, headers: HTTPHeaders) -> None:
        """Note the header; `HTTPInputError` for one that a proxy could read differently."""
        if len(headers.get_list("Host")) != 1 and not (start_line.version == "HTTP/1.0" and "Host" not in headers):
            raise HTTPInputError("not exactly one Host, which HTTP/1.0 alone need not have")
        if _length(headers) > LARGEST_BODY and "Transfer-Encoding" not in headers:
            self._refuse()
        assert isinstance(start_line, RequestStartLine)
        self._line = start_line
        self._headers = headers
        self._stream.is_busy = True  # a request behind another may have been read with it
        self._body: IO[bytes] = BytesIO() if _is_small(headers) else SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 closed when the request is answered or lost
        self._stream.allow(self._server.limits.body)

    def data_received(self, chunk: bytes) -> None:
        """Note a part of the body."""
        if self._body.tell() + len(chunk) > LARGEST_BODY:
            self._refuse()
        self._body.write(chunk)

    def _refuse(self) -> None:
        """Answer that the body is too large, and end the connection."""
        self._stream.write(TOO_LARGE)
        self._stream.close()
        raise StreamClosedError

    def finish(self) -> None:
        """Answer the request, which is here in full."""
        self._stream.allow(None)
        self._server.answer(self._connection, self._stream, self._environ())

    def on_connection_close(self) -> None:
        """Forget the request, which will never be complete."""
        if hasattr(self, "_body"):
            self._body.close()

    def _environ(self) -> WSGIEnvironment:
        """Return the request as PEP 3333 has it."""
        target = self._line.path
        if target.lower().startswith(("http://", "https://")):  # the form for proxies, which every server must read
            target = "/" + target.split("/", 3)[3] if target.count("/") > 2 else "/"
        path, _, query = target.partition("?")
        length = self._body.tell()
        self._body.seek(0)
        host, port = self._stream.own_address
        environ = {
            "REQUEST_METHOD": self._line.method,
            "SCRIPT_NAME": "",
            "PATH_INFO": unquote_to_bytes(path).decode("latin1"),
            "QUERY_STRING": query,
            "REMOTE_ADDR": str(self._connection.context),
            "SERVER_NAME": host,
            "SERVER_PORT": str(port),
            "SERVER_PROTOCOL": self._line.version,
            "wsgi.version": (1, 0),
            "wsgi.url_scheme": "http",
            "wsgi.input": self._body,
            "wsgi.errors": sys.stderr,
            "wsgi.multithread": True,
            "wsgi.multiprocess": False,
            "wsgi.run_once": False,
            Offer.KEY: Offer(),
        }
        environ.update(fields(self._headers))
        environ["CONTENT_LENGTH"] = str(length)  # of a chunked body too, which has been put together
        return environ


def _is_small(headers: HTTPHeaders) -> bool:
    """Return True if the body is told to have at most `IN_MEMORY` bytes; Tornado takes no more than it is told."""
    return "Transfer-Encoding" not in headers and 0 <= _length(headers) <= IN_MEMORY


def _length(headers: HTTPHeaders) -> int:
    """Return the length that is told of the body; -1 of what is no number of bytes."""
    length = headers.get("Content-Length", "0")
    return int(length) if re.fullmatch("[0-9]{1,18}", length) else -1


class DescriptorLimits(Protocol):
    """The limits of the system, as the module `resource` has them."""

    def getrlimit(self, kind: int, /) -> tuple[int, int]: ...
    def setrlimit(self, kind: int, limits: tuple[int, int], /) -> None: ...


def room_for_connections(most_wanted: int, system: DescriptorLimits = resource) -> int:
    """Return how many connections there may be, after asking the system for as many file descriptors as they need.

    `system` has `getrlimit` and `setrlimit`.
    """
    wanted = 2 * most_wanted + OTHER_FILES  # the second is for the body of a request
    soft, hard = system.getrlimit(resource.RLIMIT_NOFILE)
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        with suppress(ValueError, OSError):
            system.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
        most = min(most, system.getrlimit(resource.RLIMIT_NOFILE)[0])  # the system may have refused
    return min(most_wanted, max(100, (most - OTHER_FILES) // 2))
