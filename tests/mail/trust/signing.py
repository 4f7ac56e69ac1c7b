"""Signed mails, and a name service that says what it was told to."""

from datetime import UTC, datetime
from functools import cache
from typing import Any

import dkim
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from server.vocabulary.dns import Unanswered

COVERED = [b"from", b"to", b"subject", b"message-id"]
NOW = datetime(2026, 11, 22, 18, 0, tzinfo=UTC)
TO = "turn+token@play.example.org"
MX = "mx.play.example.org"
PUBLIC = "198.41.0.4"


@cache
def keys() -> tuple[bytes, bytes]:
    """A private key, and the record with the public one."""
    private = rsa.generate_private_key(public_exponent=65537, key_size=1024)
    pem = private.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    )
    public = private.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.PKCS1)
    return pem, b"v=DKIM1; k=rsa; p=" + b"".join(public.splitlines()[1:-1])


def mail(body: str = "taxi 46", author: str = "ben@example.org", to: str = TO, above: str = "") -> bytes:
    lines = f"From: Ben <{author}>\nTo: {to}\nSubject: x\nMessage-ID: <1@x>\n\n{body}\n"
    return (above + lines).replace("\n", "\r\n").encode()


def signed(raw: bytes, domain: str = "example.org", **how: Any) -> bytes:
    given: dict[str, Any] = {"include_headers": COVERED, "canonicalize": (b"relaxed", b"relaxed"), **how}
    signature: bytes = dkim.sign(raw, b"s", domain.encode(), keys()[0], **given)
    return signature + raw


class Names:
    """A name service that says what it was told to, and remembers what it was asked."""

    def __init__(self) -> None:
        self.told: dict[tuple[str, str], list[Any]] = {}
        self.asked: list[tuple[str, str]] = []
        self.patience: list[float] = []
        for domain in ("example.org", "mail.example.org", "evil.example"):
            self.told[f"s._domainkey.{domain}", "TXT"] = [keys()[1]]

    def __call__(self, name: str, kind: str, patience: float) -> list[Any]:
        self.asked.append((name, kind))
        self.patience.append(patience)
        if self.told.get((name, kind)) == ["silent"]:
            raise Unanswered
        return self.told.get((name, kind), [])
