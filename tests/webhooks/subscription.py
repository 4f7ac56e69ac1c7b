"""A push subscription, with the keys of the example in RFC 8291, and what it reads."""

from typing import Any

import http_ece
from cryptography.hazmat.primitives.asymmetric import ec

from server.application.people import devices

_PRIVATE = "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"
_PUBLIC = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
_AUTH = "BTBZMqHH6r4Tts7J_aSIgg"
DEVICE: dict[str, Any] = {"endpoint": "https://push.example.org/x", "keys": {"p256dh": _PUBLIC, "auth": _AUTH}}
FORM = {"endpoint": DEVICE["endpoint"], **DEVICE["keys"]}  # as the page sends it


def opened(body: bytes) -> bytes:
    """Return what a message to this subscription says."""
    private = ec.derive_private_key(int.from_bytes(devices.from_text(_PRIVATE)), ec.SECP256R1())
    text: bytes = http_ece.decrypt(body, private_key=private, auth_secret=devices.from_text(_AUTH))
    return text
