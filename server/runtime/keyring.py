"""Keys derived from the one secret: encryption at rest, and keyed hashes."""

import base64
import hashlib
import hmac
import os

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

NONCE = 12


class WrongKey(Exception):
    """Encrypted bytes that this key cannot decrypt: they need another key, or were changed."""


class Keyring:
    """The keys of a server, one for each purpose, derived from `secret`, which is not in the database."""

    def __init__(self, secret: str) -> None:
        self._secret = secret.encode()
        self._cipher = AESGCM(self._key("seal"))
        self._tag = self._key("reply token")
        self._print = self._key("fingerprint")

    def _key(self, purpose: str) -> bytes:
        return hmac.digest(self._secret, b"blackticket/1/" + purpose.encode(), hashlib.sha256)

    def encrypt(self, plain: bytes, label: str, block: int) -> bytes:
        """Encrypt `plain` for the column `label`, padded to a multiple of `block` so that its length tells nothing."""
        nonce = os.urandom(NONCE)
        framed = len(plain).to_bytes(4) + plain
        framed += bytes(-len(framed) % block)
        return nonce + self._cipher.encrypt(nonce, framed, label.encode())

    def decrypt(self, sealed: bytes, label: str) -> bytes:
        """Return what `encrypt` was given; `WrongKey` if that was with another key or for another column."""
        try:
            framed = self._cipher.decrypt(sealed[:NONCE], sealed[NONCE:], label.encode())
        except (InvalidTag, ValueError):  # ValueError: too short to be encrypted
            raise WrongKey(
                "A sealed column does not open with this SECRET_KEY; use the one the database was made with."
            ) from None
        return framed[4 : 4 + int.from_bytes(framed[:4])]

    def reply_token(self, *parts: object) -> str:
        """Return 80 bits over the parts in lower-case base32, which survives mail programs that change case."""
        tag = hmac.digest(self._tag, "\0".join(map(str, parts)).encode(), hashlib.sha256)
        return base64.b32encode(tag[:10]).decode().lower()

    def fingerprint(self, data: bytes) -> str:
        """Return a keyed hash, as anybody could try all 199 stations against a plain one."""
        return hmac.new(self._print, data, hashlib.sha256).hexdigest()
