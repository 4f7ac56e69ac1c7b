"""Arrivals: mails that come in any way are stored in the inbox as they are; the worker reads them after the commit."""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, delete, or_, select, update

from server.application.errors import Problem
from server.application.game import reply_addresses
from server.models import Incoming, ProviderCall, insert, session, transaction, wake_when_committed
from server.runtime import now, runtime

LARGEST = 1_000_000  # bytes of a mail; a move takes twenty
KEPT = timedelta(days=30)
SIGNATURES_KEPT = timedelta(days=2)  # longer than any is good
BATCH = 500


def store(
    raw: bytes,
    sender: str,
    recipients: list[str],
    source: str,
    received_at: datetime | None = None,
    peer: str | None = None,
) -> None:
    """Store a mail, once for each recipient, and commit; the transport may then confirm that it was taken.

    `received_at` is when it arrived, if that was before now; `peer` the address of the host that handed it over.
    """
    with transaction():
        rows = [
            {
                "id": runtime().new_id("mail"),
                "digest": runtime().keyring.fingerprint(raw),
                "sender": _column(sender),
                "recipient": _column(recipient),
                "source": source,
                "raw": raw,
                "peer": peer,
                "game_id": reply_addresses.game_of(recipient),
                "received_at": received_at or now(),
            }
            for recipient in recipients
        ]
        insert(Incoming, *rows)
        wake_when_committed(runtime().wake_ups.inbox)


def store_once(raw: bytes, sender: str, recipients: list[str], source: str, signature: str | None) -> None:
    """Store a mail that comes signed, as `store` does; the same mail again under one signature has no effect.

    `Problem` forbidden when the signature came with another mail before: somebody has overheard it.
    """
    fingerprint = runtime().keyring.fingerprint
    with transaction():
        if signature is not None:
            digest = fingerprint("\0".join([sender, *recipients, ""]).encode(errors="replace") + raw)
            mark = fingerprint(f"{source} {signature}".encode())
            used = session.get(ProviderCall, mark)
            if used is not None:
                if used.digest != digest:
                    raise Problem("forbidden", "This signature was used for another mail.")
                return
            session.add(ProviderCall(mark=mark, digest=digest, created_at=now()))
        store(raw, sender, recipients, source)


def to_read(at: Any) -> tuple[ColumnElement[bool], ...]:
    """Return the conditions on mails that may be read at a time: those that failed wait for their next attempt."""
    return Incoming.state == "new", or_(Incoming.not_before.is_(None), Incoming.not_before <= at)


def unread_since() -> datetime | None:
    """Return when the oldest mail came in that this machine could not read, and that waits for the next attempt."""
    waiting = (Incoming.state == "new", Incoming.postponed > 0)
    return session.scalar(select(Incoming.received_at).where(*waiting).order_by(Incoming.received_at).limit(1))


def came_since(at: datetime, words: bytes) -> bool:
    """Return True if a mail with these words came in since then, such as the server's own test mail."""
    raws = session.scalars(select(Incoming.raw).where(Incoming.received_at >= at)).all()
    session.rollback()
    return any(raw is not None and words in raw for raw in raws)


def forget_old(limit: int = BATCH) -> int:
    """Delete the bytes of a batch of mails read long ago; return how many. Their hash stays with the game."""
    old = (Incoming.received_at < now() - KEPT, Incoming.raw.is_not(None), Incoming.state != "new")
    with transaction():
        session.execute(delete(ProviderCall).where(ProviderCall.created_at < now() - SIGNATURES_KEPT))
        ids = session.scalars(select(Incoming.id).where(*old).limit(limit)).all()
        session.execute(update(Incoming).where(Incoming.id.in_(ids)).values(raw=None, peer=None))
    return len(ids)


def _column(address: str) -> str:
    """Return an address as every database takes it: no NUL, no half of a letter."""
    return address.encode(errors="replace").decode().replace("\0", "?")[:320]
