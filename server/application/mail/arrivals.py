"""Arrivals: mails that come in any way are stored in the inbox as they are; the worker reads them after the commit."""

from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, delete, or_, select, update

from server.application.game import reply_addresses
from server.application.limits import quotas
from server.application.limits.quotas import Branch
from server.models import NEW, Incoming, ProviderCall, execute, insert, session, transaction, wake_inbox, when_committed
from server.runtime import now, runtime
from server.vocabulary import limits
from server.vocabulary.errors import Problem

LARGEST = 1_000_000  # bytes of a mail; a move takes twenty
KEPT = timedelta(days=30)
LARGEST_KEPT = 100_000  # bytes of a mail that was read
BLOCK = 4096
OF_A_ROW = 2_000  # bytes that a mail takes beside its own
LATER = 600  # seconds
SIGNATURES_KEPT = timedelta(days=2)  # longer than any is good
BATCH = 500
# The columns of a mail that is not read again, except for the words on what became of it.
FORGOTTEN: dict[str, None] = dict.fromkeys(("raw", "peer", "network", "provider"))


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

    Raises:
        Problem: `too-many` if too much came to the seat of the reply address today, or to no reply address from there.
            Nothing is stored then.
    """
    with transaction():
        origins = [_origin(recipient, peer, sender) for recipient in recipients]
        rows: list[dict[str, object]] = [
            {
                "id": runtime().new_id("mail"),
                "digest": runtime().keyring.fingerprint(raw),
                "sender": _column(sender.lower()),
                "recipient": _column(recipient),
                "source": source,
                "raw": raw,
                "peer": peer,
                "received_at": received_at or now(),
                "state": "new",
                "verdict": None,
                "game_id": game_id,
                "provider": None if game_id else branch.wide,
                "network": None if game_id else branch.narrow,
            }
            for recipient, (game_id, branch) in zip(recipients, origins, strict=True)
        ]
        _use_up_room(_stored(len(raw)) + OF_A_ROW, received_at or now(), origins)
        execute(insert(Incoming), rows)
        when_committed(wake_inbox)


def _origin(recipient: str, peer: str | None, sender: str) -> tuple[str | None, Branch]:
    """Return the game of a reply address and the branch of its seat, or None and that of strangers."""
    seat = reply_addresses.seat_of(recipient)
    if seat is not None:
        return seat[0], quotas.of_seat(*seat)
    of_ours = reply_addresses.of_mail(recipient)  # only who reads that mail of ours knows the address
    return None, quotas.of_mail(peer, sender) if of_ours is None else quotas.of_answer(of_ours[1])


def _use_up_room(size: int, at: datetime, origins: list[tuple[str | None, Branch]]) -> None:
    """Count a mail at each place that it came to, from when it came; raise `Problem` if that is too much.

    All of it is taken where a seat among them has room: its player is answered, whatever the other addresses are.
    """
    refused = [origin for origin in origins if not _use_up(size, at, *origin)]
    has_seat_with_room = any(game_id and (game_id, branch) not in refused for game_id, branch in origins)
    if refused and not has_seat_with_room:
        raise Problem("too-many", "Too much mail came from there; send it again later.", retry_after=LATER)
    for origin in refused:
        _use_up(size, at, *origin, in_any_case=True)


def _use_up(size: int, at: datetime, game_id: str | None, branch: Branch, *, in_any_case: bool = False) -> bool:
    """Return True if there is room at a seat, or for the branch of strangers. Each seat has a count of its own."""
    kind, whose = (limits.SEAT_BYTES, branch.narrow) if game_id else (limits.BYTES, "")
    return quotas.use_up(kind, branch, size, whose, at=at, in_any_case=in_any_case) is None


def _stored(size: int) -> int:
    """Return how many bytes are stored for so many: whole blocks, as the length of a quoted mail tells what it says."""
    return -(-size // BLOCK) * BLOCK


def branch_of(row: Incoming) -> Branch | None:
    """Return where a mail came from; None of a mail to a reply address."""
    return Branch(row.provider, row.network) if row.provider and row.network else None


def was_read(row: Incoming, size: int, seconds: float, *, is_proven: bool, is_needed: bool) -> None:
    """Note that a mail of `size` bytes was read in so many seconds, and drop the bytes of one that need not be kept.

    Kept are those of mails to reply addresses and of players who are proven, where they are few, and those of any mail
    that `is_needed`. What is dropped is given back to a branch of strangers, and all of it to one that is proven.
    """
    branch = branch_of(row)
    is_kept = is_needed or ((is_proven or branch is None) and size <= LARGEST_KEPT)
    if not is_kept:
        row.raw = row.peer = None
    if branch is None:
        return
    quotas.record_use(limits.READING, branch, round(seconds * 1000))
    if row.state != "aside":  # or it is read again
        row.network = row.provider = None
    if is_proven or not is_kept:
        quotas.refund(limits.BYTES, branch, _stored(size) + (OF_A_ROW if is_proven else 0), row.received_at)


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


def to_read(at: datetime | ColumnElement[datetime]) -> tuple[ColumnElement[bool], ...]:
    """Return the conditions on mails that may be read at a time: those that failed wait for their next attempt."""
    return Incoming.state == NEW, or_(Incoming.not_before.is_(None), Incoming.not_before <= at)


def unread_since() -> datetime | None:
    """Return when the oldest mail came in that this machine could not read, and that waits for the next attempt."""
    waiting = (Incoming.state == NEW, Incoming.postponed > 0)
    return session.scalar(select(Incoming.received_at).where(*waiting).order_by(Incoming.received_at).limit(1))


def came_since(at: datetime, words: bytes) -> bool:
    """Return True if a mail with these words came in since then, such as the server's own test mail."""
    raws = session.scalars(select(Incoming.raw).where(Incoming.received_at >= at)).all()
    session.rollback()
    return any(raw is not None and words in raw for raw in raws)


def forget_old(limit: int = BATCH) -> int:
    """Delete a batch of mails read long ago, but of those to reply addresses only the bytes; return how many.

    Their hash stays with the game. `seen_mails` stays whole, so that none of them can be sent again.
    """
    old = (Incoming.received_at < now() - KEPT, Incoming.state != "new")
    with transaction():
        session.execute(delete(ProviderCall).where(ProviderCall.created_at < now() - SIGNATURES_KEPT))
        others = session.scalars(select(Incoming.id).where(*old, Incoming.game_id.is_(None)).limit(limit)).all()
        execute(delete(Incoming).where(Incoming.id.in_(others)))
        ids = session.scalars(select(Incoming.id).where(*old, Incoming.raw.is_not(None)).limit(limit)).all()
        execute(update(Incoming).where(Incoming.id.in_(ids)).values(**FORGOTTEN))
    return len(others) + len(ids)


def _column(address: str) -> str:
    """Return an address as every database takes it: no NUL, no half of a letter."""
    return address.encode(errors="replace").decode().replace("\0", "?")[:320]
