"""Hashes of the sealed log: commitments to everything Mr. X hides, and a hash chain over everything public.

Anybody can check it after the game without trusting the server: docs/seal.md says how, and docs/seal-format.md defines
the format.
Everything here is a pure function of its arguments.
"""

import base64
import hashlib
import hmac
import json
import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

FORMAT = "blackticket-seal-1"
# The sealed values: those of a window (0 is the start card), and the shuffled deck of start cards.
STATION, TRANSPORT, DECK = "station", "transport", "deck"
_CODES = {STATION: b"S", TRANSPORT: b"T", DECK: b"D"}
TRANSPORTS = ("taxi", "bus", "underground", "ferry")  # in the order that the format gives them numbers
HEAD = 52  # letters of base 32, for 256 bits and four that are zero
HEAD_IN_MAIL = 20
# The letters of base 32 (RFC 4648) become digits as `int` reads them.
_TO_DIGITS = str.maketrans("abcdefghijklmnopqrstuvwxyz234567", "0123456789abcdefghijklmnopqrstuv")


def salt(key: bytes, field: str, window: int) -> bytes:
    """Return the salt of a value: 32 bytes, without which anybody could try all stations."""
    return hmac.digest(key, b"BT1 salt" + _CODES[field] + struct.pack(">I", window), hashlib.sha256)


def commitment(key: bytes, game_id: str, field: str, window: int, value: int | str | Sequence[int]) -> str:
    """Return the hash, in hex, that binds the server to `value`: a station, a transport, or the cards of the deck.

    For one field, the hashed data always has the same length.
    """
    numbers = _numbers(value)
    game = hashlib.sha256(game_id.encode()).digest()
    data = struct.pack(f">I{len(numbers)}I", window, *numbers)
    return hashlib.sha256(b"BT1 seal" + _CODES[field] + game + salt(key, field, window) + data).hexdigest()


def first_link(header: Mapping[str, Any]) -> str:
    """Return the head of the chain before its first event, which binds the beginning of the game."""
    return _shown(hashlib.sha256(b"BT1 head" + _digest(header)))


def link(head: str, event: Mapping[str, Any]) -> str:
    """Return the head of the chain after `event`.

    Raises:
        ValueError: the event holds a fraction, which has no one canonical form, so that nobody could check the chain.
    """
    if _has_fraction(event):
        raise ValueError("an event of the sealed log holds a fraction")
    return _shown(hashlib.sha256(b"BT1 link" + _bytes(head) + _digest(event)))


def canonical(data: Any) -> bytes:
    """Return `data` as JSON in its one canonical form: sorted keys, no spaces, ASCII. Data holds no fractions."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode()


def board_digest(lines: Mapping[str, Iterable[Sequence[int]]], passes_over: Iterable[tuple[str, int, int, Any]]) -> str:
    """Return the hash, in hex, of a board: its lines by transport, and (transport, from, to, stations passed over)."""
    board = {
        "lines": {transport: sorted(map(sorted, pairs)) for transport, pairs in lines.items()},
        "passes_over": sorted([transport, *sorted((a, b)), sorted(over)] for transport, a, b, over in passes_over),
    }
    return _digest(board).hex()


def shown_in_mail(head: str) -> str:
    """Return the beginning of a head in groups of four: enough to compare, short enough for a line."""
    return " ".join(head[i : i + 4] for i in range(0, HEAD_IN_MAIL, 4))


def _numbers(value: int | str | Sequence[int]) -> Sequence[int]:
    if isinstance(value, str):
        return [TRANSPORTS.index(value) + 1]
    return [value] if isinstance(value, int) else value


def _has_fraction(data: Any) -> bool:
    if isinstance(data, Mapping):
        return any(map(_has_fraction, data.values()))
    return isinstance(data, float) or (isinstance(data, list | tuple) and any(map(_has_fraction, data)))


def _digest(data: Any) -> bytes:
    return hashlib.sha256(canonical(data)).digest()


def _shown(hashed: Any) -> str:
    return base64.b32encode(hashed.digest()).decode().rstrip("=").lower()


def _bytes(head: str) -> bytes:
    """Return the 32 bytes of a head; the standard library takes ten times as long for base 32."""
    if len(head) != HEAD:
        raise ValueError("a head of the chain has 52 letters")
    return (int(head.translate(_TO_DIGITS), 32) >> 4).to_bytes(32)
