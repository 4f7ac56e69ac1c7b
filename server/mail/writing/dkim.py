"""Sign our mails (DKIM, RFC 6376) if a key is set, so that recipients can tell that they come from our domain."""

from server.settings import Settings

# Named once more than they occur, so that nobody can put a second one above them.
ONCE = ("From", "To", "Subject")
SIGNED = (
    *ONCE, *ONCE, "Reply-To", "Date", "Message-ID", "In-Reply-To", "References", "Auto-Submitted",
    "List-Unsubscribe", "List-Unsubscribe-Post", "MIME-Version", "Content-Type", "Content-Transfer-Encoding",
)  # fmt: skip


def sign(message: bytes, settings: Settings) -> bytes:
    """Return the mail with a signature above it, or as it is without a key."""
    if settings.dkim_key is None:
        return message
    import dkim  # noqa: PLC0415 start-up time

    signature: bytes = dkim.sign(
        message,
        selector=settings.dkim_selector.encode(),
        domain=settings.mail_domain.encode(),
        privkey=settings.dkim_key.encode(),
        canonicalize=(b"relaxed", b"relaxed"),
        include_headers=[name.encode() for name in SIGNED],
    )
    return signature + message
