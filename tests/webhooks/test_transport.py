"""A message is posted to the address that was checked, and whatever is there cannot hold us up or lead us on."""

import socket
import threading
from collections.abc import Iterator
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest

from server.runtime.outbound_urls import OutboundUrl, parse
from server.webhooks import transport
from server.webhooks.transport import DELIVERED, GONE, MISSING, REDIRECTED, REFUSED, UNREACHABLE, UNSENT, post
from tests.readers import no_descriptors
from tests.webhooks.receiver import Receiver

HERE = [ip_address("127.0.0.1")]
NOBODY = [ip_address("127.0.0.2")]
HOST = "hooks.invalid"  # which no name service knows: who asks one fails


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver().running() as running:
        yield running


def send(receiver: Receiver, path: str = "/hook", whole: float = transport.WHOLE) -> str:
    return post(OutboundUrl("http", "127.0.0.1", receiver.port, path), HERE, {"webhook-id": "a"}, b"{}", whole=whole)


def test_without_a_descriptor_nobody_is_reached_for(receiver: Receiver):
    with no_descriptors():
        assert send(receiver) == UNSENT
    assert send(receiver) == DELIVERED


def test_a_message_arrives_with_its_headers_and_nothing_that_tells_of_this_machine(receiver: Receiver):
    assert send(receiver, "/hook?key=1") == DELIVERED
    (taken,) = receiver.taken
    assert (taken.path, taken.body) == ("/hook?key=1", b"{}")
    assert taken.headers == {
        "host": f"127.0.0.1:{receiver.port}", "accept-encoding": "identity", "content-length": "2",
        "content-type": "application/json", "connection": "close", "webhook-id": "a",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("status", "word"),
    [(200, DELIVERED), (202, DELIVERED), (204, DELIVERED), (410, GONE), (400, REFUSED), (404, MISSING), (429, REFUSED),
     (500, REFUSED), (503, REFUSED), (304, REDIRECTED)],
)  # fmt: skip
def test_only_an_answer_of_success_counts_as_one(receiver: Receiver, status: int, word: str):
    receiver.answers.append(status)
    assert send(receiver) == word


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(receiver: Receiver, status: int):
    receiver.answers.append(status)
    assert send(receiver) == REDIRECTED
    assert [taken.path for taken in receiver.taken] == ["/hook"]


def test_a_proxy_of_the_environment_is_not_used(receiver: Receiver, monkeypatch: pytest.MonkeyPatch):
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    assert send(receiver) == DELIVERED


def test_an_endless_answer_is_read_for_a_few_kilobytes_and_dropped(receiver: Receiver):
    written = 0

    def endless(handler: Any) -> None:
        nonlocal written
        handler.send_response(200)
        handler.end_headers()
        while written < 100_000_000:
            written += handler.wfile.write(bytes(10_000))

    receiver.answers.append(endless)
    assert send(receiver) == DELIVERED
    receiver.server.shutdown()
    assert written < 20_000_000, "no more than what lay in the buffers of the connection"


def test_who_sends_a_byte_now_and_then_is_left_when_the_time_is_over(receiver: Receiver):
    left = threading.Event()

    def trickle(handler: Any) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
        try:
            while not left.wait(0.01):
                handler.wfile.write(b"x-more: x\r\n")
                handler.wfile.flush()
        except OSError:
            left.set()

    receiver.answers.append(trickle)
    assert send(receiver, whole=0.1) == UNREACHABLE
    assert left.wait(20)


@pytest.mark.parametrize("said", [b"", b"SSH-2.0-OpenSSH_9.6\r\n", b"220 mail.example.org ESMTP\r\n", b"HTTP/9 no\r\n"])
def test_whatever_does_not_speak_http_is_unreachable(receiver: Receiver, said: bytes):
    receiver.answers.append(lambda handler: handler.wfile.write(said))
    assert send(receiver) == UNREACHABLE


def test_a_closed_port_is_unreachable_and_the_next_address_is_tried(receiver: Receiver):
    target = OutboundUrl("http", "127.0.0.1", receiver.port, "/hook")
    assert post(target, NOBODY, {}, b"{}") == UNREACHABLE
    assert post(target, NOBODY + HERE, {}, b"{}") == DELIVERED
    assert post(target, NOBODY * transport.MOST_ADDRESSES + HERE, {}, b"{}") == UNREACHABLE


# TLS


def test_the_certificate_is_that_of_the_name_while_the_address_is_the_one_that_was_checked(tmp_path: Path):
    receiver = Receiver()
    trust = receiver.with_tls(tmp_path, HOST)
    with receiver.running():
        target = parse(f"https://{HOST}:{receiver.port}/hook")
        assert post(target, HERE, {}, b"{}", trust) == DELIVERED
        assert receiver.taken[0].headers["host"] == f"{HOST}:{receiver.port}"
        other = parse(f"https://other.example.org:{receiver.port}/hook")
        assert post(other, HERE, {}, b"{}", trust) == UNREACHABLE, "another's certificate"
        assert post(target, HERE, {}, b"{}") == UNREACHABLE, "a certificate that nobody knows"
    assert len(receiver.taken) == 1


def test_a_receiver_without_tls_is_unreachable_over_https(receiver: Receiver):
    assert post(parse(f"https://{HOST}:{receiver.port}/hook"), HERE, {}, b"{}") == UNREACHABLE
    assert receiver.taken == []


def test_who_never_ends_the_handshake_is_left_when_the_time_is_over():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        target = parse(f"https://{HOST}:{silent.getsockname()[1]}/")
        assert post(target, HERE, {}, b"{}", whole=0.1) == UNREACHABLE
