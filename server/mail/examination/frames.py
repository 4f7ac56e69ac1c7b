"""Frames between the server and a reading process: JSON or bytes, each after its length.

The process has read hostile bytes, so nothing that it sends is in a form that could be more than data.
"""

import json
import socket
import struct
import time
from typing import Any

_LENGTH = struct.Struct(">I")
LARGEST = 16_000_000  # bytes of one frame: a mail of a megabyte, every character of it escaped


class Gone(Exception):
    """Raised when the other side has ended."""


def send(to: socket.socket, data: bytes, until: float | None = None) -> None:
    """Send one frame; raise TimeoutError if that takes until `until`, by the monotonic clock."""
    _limit(to, until)
    to.sendall(_LENGTH.pack(len(data)) + data)


def send_values(to: socket.socket, values: object, until: float | None = None) -> None:
    """Send values that JSON has, as `send` does."""
    send(to, json.dumps(values).encode("ascii"), until)


def receive(source: socket.socket, until: float | None = None) -> bytes:
    """Return the next frame; raise Gone where none will come, TimeoutError if it is not here in full by `until`."""
    (length,) = _LENGTH.unpack(_exactly(source, _LENGTH.size, until))
    if length > LARGEST:
        raise Gone
    return _exactly(source, length, until)


def receive_values(source: socket.socket, until: float | None = None) -> Any:
    """Return the values of the next frame, as `receive` does."""
    try:
        return json.loads(receive(source, until))
    except ValueError:
        raise Gone from None


def _limit(to: socket.socket, until: float | None) -> None:
    """Have the next call at the socket time out at `until`."""
    if until is None:
        return
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError
    to.settimeout(left)


def _exactly(source: socket.socket, length: int, until: float | None) -> bytes:
    data = bytearray()
    while len(data) < length:
        _limit(source, until)
        piece = source.recv(min(length - len(data), 1 << 20))
        if not piece:
            raise Gone
        data += piece
    return bytes(data)
