"""One POST to one target, over a connection to an address that was checked.

This module opens the connection and gives it to `http.client`, which follows no redirect, uses no proxy and unpacks
nothing; the name is not looked up a second time.
"""

import socket
import ssl
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from functools import cache
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Protocol

from server.runtime.faults import is_of_machine
from server.runtime.outbound_urls import Address, OutboundUrl

CONNECTING = 5.0  # seconds for each address
WHOLE = 15.0
MOST_ADDRESSES = 3
MOST_READ = 4096  # bytes of an answer, which are read and dropped

DELIVERED, GONE, REFUSED, REDIRECTED, UNREACHABLE = "delivered", "gone", "refused", "redirected", "unreachable"
MISSING = "missing"  # nothing is at this path
UNSENT = "unsent"  # by a fault of this machine: the receiver was not reached for, and is not to blame


class Post(Protocol):
    """A function that sends one message and returns the outcome in a word; it never raises."""

    def __call__(
        self, target: OutboundUrl, addresses: Sequence[Address], headers: dict[str, str], body: bytes
    ) -> str: ...


def post(
    target: OutboundUrl,
    addresses: Sequence[Address],
    headers: dict[str, str],
    body: bytes,
    trust: ssl.SSLContext | None = None,
    *,
    whole: float = WHOLE,
) -> str:
    """Send `body` to `target` at one of `addresses`, and return the outcome.

    The outcome tells no more than the owner needs to correct the receiver: a port that is closed, silent, or speaks
    something else is `unreachable` in each case.

    Args:
        trust: the certificates to trust; by default those the machine trusts.
        whole: seconds for the whole exchange, however slowly the receiver answers.
    """
    try:
        with closing(_connect(addresses, target.port)) as plain, _ended_after(whole, plain) as over:
            wire = plain if target.is_plain else (trust or _trust()).wrap_socket(plain, server_hostname=target.host)
            with closing(wire):
                return _word(_ask(target, wire, headers, body, over))
    except (OSError, HTTPException, ValueError, RuntimeError) as error:  # ValueError: TLS ended while it was read
        return UNSENT if is_of_machine(error) else UNREACHABLE


def _connect(addresses: Sequence[Address], port: int) -> socket.socket:
    failed: OSError | None = None
    for address in addresses[:MOST_ADDRESSES]:
        try:
            return socket.create_connection((str(address), port), timeout=CONNECTING)
        except OSError as error:
            failed = error if failed is None or is_of_machine(error) else failed
    raise failed or OSError("no address")


@contextmanager
def _ended_after(seconds: float, connection: socket.socket) -> Iterator[threading.Event]:
    """Shut a connection down after so many seconds; the event says that this happened.

    A socket's timeout is for each read alone, so a receiver that sends a byte now and then would hold it for ever.
    """
    over = threading.Event()
    with closing(connection.dup()) as same:  # TLS takes the socket itself away
        end = threading.Timer(seconds, _end, [same, over])
        end.start()
        try:
            yield over
        finally:
            end.cancel()
            end.join()


def _end(connection: socket.socket, over: threading.Event) -> None:
    over.set()
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


def _ask(target: OutboundUrl, wire: socket.socket, headers: dict[str, str], body: bytes, over: threading.Event) -> int:
    """Send the request and return the status of the answer; raise an error unless its head came whole."""
    kind = HTTPConnection if target.is_plain else HTTPSConnection
    client = kind(target.host, target.port)
    client.sock = wire
    wire.settimeout(WHOLE)
    client.request("POST", target.path, body, {"Content-Type": "application/json"} | headers | {"Connection": "close"})
    answer = client.getresponse()
    if over.is_set():
        raise TimeoutError
    with suppress(OSError, HTTPException, ValueError):  # it is answered, whatever becomes of the rest
        answer.read(MOST_READ)
    return answer.status


def _word(status: int) -> str:
    if status in (404, 410):
        return MISSING if status == 404 else GONE
    return {2: DELIVERED, 3: REDIRECTED}.get(status // 100, REFUSED)


@cache
def _trust() -> ssl.SSLContext:
    return ssl.create_default_context()
