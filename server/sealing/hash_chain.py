"""The hash chain of the sealed log: each link binds a public event and all before it.

docs/seal-format.md defines the format, and docs/seal.md says how anybody can check it. Everything here is a pure
function of its arguments.
"""

import base64
import hashlib
import json
from collections.abc import Mapping
from typing import Any

HEAD = 52  # letters of base 32, for 256 bits and four that are zero
HEAD_IN_MAIL = 20
# The letters of base 32 (RFC 4648) become digits as `int` reads them.
_TO_DIGITS = str.maketrans("abcdefghijklmnopqrstuvwxyz234567", "0123456789abcdefghijklmnopqrstuv")


def first_link(header: Mapping[str, Any]) -> str:
    """Return the head of the chain before its first event, which binds the beginning of the game."""
    return _shown(hashlib.sha256(b"BT1 head" + digest(header)))


def link(head: str, event: Mapping[str, Any]) -> str:
    """Return the head of the chain after `event`.

    Raises:
        ValueError: the event holds a fraction, which has no one canonical form, so that nobody could check the chain.
    """
    if _has_fraction(event):
        raise ValueError("an event of the sealed log holds a fraction")
    return _shown(hashlib.sha256(b"BT1 link" + _bytes(head) + digest(event)))


def canonical(data: Any) -> bytes:
    """Return `data` as JSON in its one canonical form: sorted keys, no spaces, ASCII. Data holds no fractions."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode()


def shown_in_mail(head: str) -> str:
    """Return the beginning of a head in groups of four: enough to compare, short enough for a line."""
    return " ".join(head[i : i + 4] for i in range(0, HEAD_IN_MAIL, 4))


def _has_fraction(data: Any) -> bool:
    if isinstance(data, Mapping):
        return any(map(_has_fraction, data.values()))
    return isinstance(data, float) or (isinstance(data, list | tuple) and any(map(_has_fraction, data)))


def digest(data: Any) -> bytes:
    """Return the hash of `data` in its canonical form."""
    return hashlib.sha256(canonical(data)).digest()


def _shown(hashed: Any) -> str:
    return base64.b32encode(hashed.digest()).decode().rstrip("=").lower()


def _bytes(head: str) -> bytes:
    """Return the 32 bytes of a head; the standard library takes ten times as long for base 32."""
    if len(head) != HEAD:
        raise ValueError("a head of the chain has 52 letters")
    return (int(head.translate(_TO_DIGITS), 32) >> 4).to_bytes(32)
