"""The keyed hash of a mail address, kept instead of the address."""

from server.runtime import runtime


def address_mark(email: str) -> str:
    """Return a keyed hash by which the server recognises an address that it does not store; case does not count."""
    return runtime().keyring.fingerprint(b"sign-up\0" + email.lower().encode())
