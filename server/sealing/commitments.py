"""Commitments of the sealed log: hashes that bind the server to everything Mr. X hides. `hash_chain.py` has the chain.

Anybody can check the sealed log after the game without trusting the server: docs/seal.md says how, and
docs/seal-format.md defines the format. Everything here is a pure function of its arguments.
"""

import hashlib
import hmac
import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from server.sealing.hash_chain import digest

FORMAT = "blackticket-seal-1"
# The sealed values: those of a window (0 is the start card), and the shuffled deck of start cards.
STATION, TRANSPORT, DECK = "station", "transport", "deck"
_CODES = {STATION: b"S", TRANSPORT: b"T", DECK: b"D"}
TRANSPORTS = ("taxi", "bus", "underground", "ferry")  # in the order that the format gives them numbers


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


def board_digest(lines: Mapping[str, Iterable[Sequence[int]]], passes_over: Iterable[tuple[str, int, int, Any]]) -> str:
    """Return the hash, in hex, of a board: its lines by transport, and (transport, from, to, stations passed over)."""
    board = {
        "lines": {transport: sorted(map(sorted, pairs)) for transport, pairs in lines.items()},
        "passes_over": sorted([transport, *sorted((a, b)), sorted(over)] for transport, a, b, over in passes_over),
    }
    return digest(board).hex()


def _numbers(value: int | str | Sequence[int]) -> Sequence[int]:
    if isinstance(value, str):
        return [TRANSPORTS.index(value) + 1]
    return [value] if isinstance(value, int) else value
