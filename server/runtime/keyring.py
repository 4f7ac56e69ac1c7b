"""Keys derived from the one secret: encryption at rest, and keyed hashes.

The secret is any text. After `blackticket key rotate` it is a ring: the key of encrypted columns made then, and
the two keys of hashes as they always were, so that reply addresses and check values stay valid. While the columns are
encrypted again, the ring also has the former key, which decrypts. A running process reads the ring from its file again
as soon as that has changed, and never encrypts with a former key after that.
"""

import base64
import hashlib
import hmac
import os
import re
import secrets
from dataclasses import dataclass, replace
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from server.settings import SettingError
from server.settings.folder import read_secret

NONCE = 12
RING = "ring1"  # the first word of a secret that is a ring


class WrongKey(Exception):
    """Encrypted bytes that this key cannot decrypt: they need another key, or were changed."""


@dataclass(frozen=True)
class Keys:
    """The keys in a secret, of 32 bytes each; `columns` are those of encrypted columns, the newest first."""

    tag: bytes
    fingerprint: bytes
    columns: tuple[bytes, ...]

    @classmethod
    def of(cls, secret: str) -> "Keys":
        """Return the keys of a secret: those that the ring holds, or those that are derived from the text."""
        if ring := re.fullmatch(rf"{RING}((?:\.[0-9a-f]{{64}}){{3,}})", secret):
            tag, fingerprint, *columns = map(bytes.fromhex, ring[1].split(".")[1:])
            return cls(tag, fingerprint, tuple(columns))

        def derived(purpose: str) -> bytes:
            return hmac.digest(secret.encode(), b"blackticket/1/" + purpose.encode(), hashlib.sha256)

        return cls(derived("reply token"), derived("fingerprint"), (derived("seal"),))

    @property
    def secret(self) -> str:
        """Return the ring of these keys."""
        return ".".join([RING, *(key.hex() for key in (self.tag, self.fingerprint, *self.columns))])

    @property
    def is_rotating(self) -> bool:
        """Return True if columns may be encrypted with a former key."""
        return len(self.columns) > 1

    def with_new(self) -> "Keys":
        """Return these keys with a new one for encrypted columns."""
        return replace(self, columns=(secrets.token_bytes(32), *self.columns))

    def without_former(self) -> "Keys":
        """Return these keys without those that are not used for new values."""
        return replace(self, columns=self.columns[:1])


class Keyring:
    """The keys of a server, one for each purpose, from `secret`, which is not in the database.

    `path` is the file that holds the secret, if one does.
    """

    def __init__(self, secret: str, path: Path | None = None) -> None:
        keys = Keys.of(secret)
        self._path = path
        self._seen: object = None
        self._ciphers = tuple(map(AESGCM, keys.columns))
        self._tag, self._print = keys.tag, keys.fingerprint

    def encrypt(self, plain: bytes, label: str, block: int) -> bytes:
        """Encrypt `plain` for the column `label`, padded to a multiple of `block` so that its length tells nothing."""
        self._read_again()
        framed = len(plain).to_bytes(4) + plain
        framed += bytes(-len(framed) % block)
        return self._encrypt(framed, label)

    def decrypt(self, sealed: bytes, label: str) -> bytes:
        """Return what `encrypt` was given; `WrongKey` if that was with another key or for another column."""
        framed = self._decrypt(sealed, label)[0]
        return framed[4 : 4 + int.from_bytes(framed[:4])]

    def under_newest_key(self, sealed: bytes, label: str) -> bytes | None:
        """Return the same content encrypted with the newest key, or None if it is; `WrongKey` if no key decrypts it."""
        self._read_again()
        framed, is_newest = self._decrypt(sealed, label)
        return None if is_newest else self._encrypt(framed, label)

    def reply_token(self, *parts: object) -> str:
        """Return 80 bits over the parts in lower-case base32, which survives mail programs that change case."""
        tag = hmac.digest(self._tag, "\0".join(map(str, parts)).encode(), hashlib.sha256)
        return base64.b32encode(tag[:10]).decode().lower()

    def fingerprint(self, data: bytes) -> str:
        """Return a keyed hash, as anybody could try all 199 stations against a plain one."""
        return hmac.new(self._print, data, hashlib.sha256).hexdigest()

    def _encrypt(self, framed: bytes, label: str) -> bytes:
        nonce = os.urandom(NONCE)
        return nonce + self._ciphers[0].encrypt(nonce, framed, label.encode())

    def _decrypt(self, sealed: bytes, label: str) -> tuple[bytes, bool]:
        """Return the padded content, and True if it was encrypted with the newest key; raise `WrongKey`."""
        found = self._open(sealed, label)
        if found is None and self._read_again():
            found = self._open(sealed, label)
        if found is None:
            raise WrongKey(
                "A sealed column does not open with this SECRET_KEY; use the one the database was made with."
            )
        return found

    def _open(self, sealed: bytes, label: str) -> tuple[bytes, bool] | None:
        ciphers = self._ciphers  # another thread may read the file again
        for cipher in ciphers:
            try:
                return cipher.decrypt(sealed[:NONCE], sealed[NONCE:], label.encode()), cipher is ciphers[0]
            except (InvalidTag, ValueError):  # ValueError: too short to be encrypted
                continue
        return None

    def _read_again(self) -> bool:
        """Take the keys in the file if it has changed; return True if it had.

        A file that cannot be read, or is of another server, changes nothing.
        """
        if self._path is None:
            return False
        try:
            found = self._path.stat()
            stamp = (found.st_mtime_ns, found.st_ino, found.st_size)
            if stamp == self._seen:
                return False
            keys = Keys.of(read_secret(self._path))
        except (OSError, SettingError):
            return False
        if (keys.tag, keys.fingerprint) == (self._tag, self._print):
            self._ciphers = tuple(map(AESGCM, keys.columns))
        self._seen = stamp
        return True
