"""Signatures of messages after the Standard Webhooks specification, by which a receiver knows the sender."""

import base64
import hashlib
import hmac
from collections.abc import Sequence
from datetime import datetime

from server.application.people.webhooks import SECRET_PREFIX


def headers(message_id: str, at: datetime, body: bytes, secrets: Sequence[str]) -> dict[str, str]:
    """Return the headers of a message, with one signature for each valid secret, the newest first."""
    timestamp = str(int(at.timestamp()))
    signed = b".".join((message_id.encode(), timestamp.encode(), body))
    return {
        "webhook-id": message_id,
        "webhook-timestamp": timestamp,
        "webhook-signature": " ".join(_signature(secret, signed) for secret in secrets),
    }


def _signature(secret: str, signed: bytes) -> str:
    key = base64.b64decode(secret.removeprefix(SECRET_PREFIX))
    return "v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()
