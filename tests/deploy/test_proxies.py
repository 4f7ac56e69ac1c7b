"""The proxies in front: they run with the files of `deploy/`, before a server of this machine."""

import json
import re
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from server.http.server import LARGEST_BODY, LIMITS
from tests import databases
from tests.blanks import lay_migrated
from tests.cli.running import Server
from tests.deploy.proxies import CADDY, NGINX, PATIENCE, Proxy, caddy, nginx, program

Starts = Callable[..., AbstractContextManager[Proxy]]
PROXIES = {"nginx": nginx, "caddy": caddy}


@pytest.fixture(scope="module", params=PROXIES)
def start(request: pytest.FixtureRequest) -> Starts:
    """Return what starts a proxy in a folder, before ports."""
    found = program(request.param)
    if found is None:
        pytest.skip(f"{request.param} not installed: apt-get install {request.param}")
    return lambda folder, *upstreams: PROXIES[request.param](found, folder, *upstreams)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, str]]:
    """The port of a running server that believes its proxy, and the token of a player."""
    folder = tmp_path_factory.mktemp("server")
    if not databases.IS_POSTGRESQL:
        lay_migrated(folder / "var")
    settings = {"public_url": "https://localhost", "trusted_proxies": "127.0.0.1,::1", "mail_listen": ""}
    server = Server(folder, **settings, rate_limit="10/PT1H")
    told, _ = server.start("player add Ada ada@example.org --json").communicate(timeout=PATIENCE)
    with server.running():
        yield server.http, json.loads(told)["token"]


@pytest.fixture(scope="module")
def proxy(start: Starts, served: tuple[int, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    with start(tmp_path_factory.mktemp("proxy"), served[0]) as found:
        yield found


def test_both_buffer_requests_and_answers():
    assert "proxy_request_buffering on;" in NGINX
    assert "proxy_buffering on;" in NGINX
    assert re.search(r"request_buffers \d.*response_buffers \d", CADDY, re.DOTALL)


def test_both_close_an_idle_connection_before_the_server_does():
    for pattern, text in ((r"keepalive_timeout (\d+)s;", NGINX), (r"\tkeepalive (\d+)s", CADDY)):
        assert [int(seconds) < LIMITS.idle for seconds in re.findall(pattern, text)] == [True]


def test_the_first_page_comes_with_tls_and_tells_browsers_to_stay_with_it(proxy: Proxy):
    answer = proxy.ask("GET", "/")
    assert answer.status == 200
    assert answer.headers["Strict-Transport-Security"] == "max-age=31536000"
    assert answer.headers.get_content_type() == "text/html"


def test_without_tls_everybody_is_sent_to_the_address_with_it(proxy: Proxy):
    plain = HTTPConnection("127.0.0.1", proxy.http, timeout=PATIENCE)
    plain.request("GET", "/games/1?page=2", headers={"Host": "localhost"})
    answer = plain.getresponse()
    plain.close()
    assert answer.status in (301, 308)
    where = re.fullmatch(r"https://localhost(:\d+)?(/.*)", answer.headers["Location"])
    assert where is not None
    assert where[2] == "/games/1?page=2"


def test_clients_are_counted_by_their_own_addresses_whatever_they_claim(proxy: Proxy):
    caller, other = proxy.clients

    def ask(client: str) -> int:
        return proxy.ask("GET", "/api/v1/me", client=client, X_Forwarded_For=other).status

    answers = [ask(caller) for _ in range(11)]
    assert (answers[0], answers[-1]) == (401, 429)
    assert ask(other) == 401


def test_a_body_that_is_too_large_is_refused_by_the_server_or_by_the_proxy(proxy: Proxy):
    answer = proxy.ask("POST", "/api/v1/players", b"x" * 1_500_000, Content_Type="application/json")
    assert (answer.status, answer.headers.get_content_type()) == (413, "application/problem+json")
    answer = proxy.ask("POST", "/api/v1/players", b"x" * (LARGEST_BODY + 100_000), Content_Type="application/json")
    # Caddy says 413 by one of its ways of reading a body, and 400 or 502 by the others; or the server does.
    assert answer.status in (400, 413, 502)


def test_a_page_that_is_as_of_today_gets_an_empty_answer_to_its_question_for_news(
    proxy: Proxy, served: tuple[int, str]
):
    body = b'{"edition": "condensed", "players": 2, "visibility": "public"}'
    named = {"Authorization": f"Bearer {served[1]}", "Content-Type": "application/json"}
    page = f"/games/{json.loads(proxy.ask('POST', '/api/v1/games', body, **named).content)['id']}"
    [mark] = re.findall(rb'<meta name="news" content="([^"]+)"', proxy.ask("GET", page, Accept="text/html").content)
    answers = [proxy.ask("GET", f"{page}/news", If_None_Match=f'"{etag}"') for etag in (mark.decode(), "of-before")]
    assert [answer.status for answer in answers] == [304, 200]


def test_the_server_does_not_see_a_request_before_all_of_it_has_arrived(start: Starts, tmp_path: Path):
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(PATIENCE)
        with start(tmp_path, server.getsockname()[1]) as proxy:
            if not proxy.is_buffering:
                pytest.skip("this Caddy cannot buffer requests: 2.7 or later, from its own packages for Debian")
            with proxy.connect() as half, proxy.connect() as whole:
                half.sendall(b"POST /half HTTP/1.1\r\nHost: localhost\r\nContent-Length: 6\r\n\r\nabc")
                whole.sendall(b"GET /whole HTTP/1.1\r\nHost: localhost\r\n\r\n")
                assert arriving(server, end=b"\r\n\r\n").startswith(b"GET /whole ")
                half.sendall(b"def")
                assert arriving(server, end=b"abcdef").startswith(b"POST /half ")


def test_each_game_has_one_of_the_processes_for_good_and_each_process_has_games(start: Starts, tmp_path: Path):
    games = [f"{'abcdefgh'[n % 8]}{'jklmn'[n // 8]}fhjlnprtvxz234" for n in range(40)]
    ways = ("/games/{}", "/games/{}/board.svg?as=1", "/api/v1/games/{}", "/api/v1/games/{}/moves")
    with ExitStack() as stack:
        ports = [stack.enter_context(telling_its_port()) for _ in range(2)]
        proxy = stack.enter_context(start(tmp_path, *ports))
        asked = {game: {int(proxy.ask("GET", way.format(game)).content) for way in ways} for game in games}
    assert {len(processes) for processes in asked.values()} == {1}
    assert set.union(*asked.values()) == {*ports}


@contextmanager
def telling_its_port() -> Iterator[int]:
    """The port of a server that answers every request with it."""

    class Answer(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            assert "X-Game" not in self.headers
            body = str(self.server.server_address[1]).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Nothing is logged."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Answer) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


def arriving(server: socket.socket, end: bytes) -> bytes:
    """Return what comes by the next connection, until `end`."""
    line, _ = server.accept()
    with line:
        line.settimeout(PATIENCE)
        found = b""
        while not found.endswith(end):
            more = line.recv(65_536)
            assert more, found
            found += more
        line.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    return found
