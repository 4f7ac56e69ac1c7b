"""Web push: what a message to a device's push service is made of.

It is encrypted for the browser alone (RFC 8291), and signed with the key of this server (RFC 8292).
"""

from datetime import timedelta

from server.application.people import devices
from server.runtime import now, runtime
from server.runtime.outbound_urls import OutboundUrl

# The longest that a service accepts is a day. Half of it: the clock of this machine may be wrong by as much.
SIGNED_FOR = timedelta(hours=12)
KEPT_FOR = timedelta(days=1)  # by the service, for a device that is switched off


def encrypted(text: bytes, keys: str) -> bytes:
    """Return `text` for the browser with these keys, as `devices.check_keys` returns them."""
    import http_ece  # noqa: PLC0415 only who calls a device needs it
    from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415

    ours = ec.generate_private_key(ec.SECP256R1())
    theirs, secret = map(devices.from_text, keys.split())
    message: bytes = http_ece.encrypt(text, private_key=ours, dh=theirs, auth_secret=secret, version="aes128gcm")
    return message


def headers(target: OutboundUrl) -> dict[str, str]:
    """Return the headers of a message to a push service."""
    from py_vapid import Vapid02  # noqa: PLC0415 as above

    origin = str(target).removesuffix(target.path)
    claims = {"aud": origin, "exp": int((now() + SIGNED_FOR).timestamp()), "sub": f"mailto:{_contact()}"}
    signed: dict[str, str] = Vapid02.from_raw(devices.key_pair()[0].encode()).sign(claims)
    kind = {"Content-Type": "application/octet-stream", "Content-Encoding": "aes128gcm"}
    return {**signed, **kind, "TTL": str(int(KEPT_FOR.total_seconds())), "Urgency": "high"}


def _contact() -> str:
    """Return the address at which a push service can ask about this server."""
    settings = runtime().settings
    return settings.operator_email or settings.play_address
