"""What the server and its reading process say to each other: JSON or bytes, each after its length.

The process has read hostile bytes, so nothing it says is in a form that could be more than data.
"""

import json
import socket
import struct
from typing import Any

_LENGTH = struct.Struct(">I")
LARGEST = 16_000_000  # bytes of one frame: a mail of a megabyte, every sign of it escaped


class Gone(Exception):
    """Raised when the other side has ended."""


def send(to: socket.socket, data: bytes) -> None:
    """Send one frame."""
    to.sendall(_LENGTH.pack(len(data)) + data)


def send_values(to: socket.socket, values: Any) -> None:
    """Send values that JSON has."""
    send(to, json.dumps(values).encode("ascii"))


def receive(source: socket.socket) -> bytes:
    """Wait for one frame; raise Gone where none will come."""
    (length,) = _LENGTH.unpack(_exactly(source, _LENGTH.size))
    if length > LARGEST:
        raise Gone
    return _exactly(source, length)


def receive_values(source: socket.socket) -> Any:
    """Wait for values that JSON has; raise Gone where none will come."""
    try:
        return json.loads(receive(source))
    except ValueError:
        raise Gone from None


def _exactly(source: socket.socket, length: int) -> bytes:
    data = bytearray()
    while len(data) < length:
        piece = source.recv(min(length - len(data), 1 << 20))
        if not piece:
            raise Gone
        data += piece
    return bytes(data)
