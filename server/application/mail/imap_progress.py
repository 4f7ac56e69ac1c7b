"""Progress of IMAP mailboxes: how far each was read, so that no deadline outruns a mail that came in time."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TypedDict

from server.models import Mailbox, leases, session, transaction
from server.runtime import now, runtime
from server.vocabulary.durations import rfc3339

NEVER = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True)
class Progress:
    """The last message that was read in a mailbox, and when that reading began; None before the first.

    `left` are the UIDs of mails up to it that were too much, and are tried again; the next to try first.
    """

    uidvalidity: int
    last_uid: int
    read_at: datetime | None
    left: list[int]


def claim(name: str, holder: str) -> Progress | None:
    """Claim the mailbox for `holder`, or renew the claim; return None while another process holds it."""
    with transaction():
        row = _locked(name)
        left = row.held_until - now() if row.held_until is not None else timedelta(0)
        if row.holder not in (None, holder) and timedelta(0) < left <= leases.LENGTH:  # else the clock was set back
            return None
        row.holder, row.held_until = holder, now() + leases.LENGTH
        return Progress(row.uidvalidity, row.last_uid, row.read_at, row.left)


def release(name: str, holder: str) -> None:
    """Release the mailbox, so that the next process need not wait for the lease to run out."""
    with transaction():
        row = _locked(name)
        if row.holder == holder:
            row.holder, row.held_until = None, None


def was_read(
    name: str, uidvalidity: int, last_uid: int, began: datetime, left: Sequence[int] = (), error: str | None = None
) -> None:
    """Store that all mails up to `last_uid`, which had arrived when the reading began, are in the inbox.

    But for those that are left: no deadline waits for them, as they are more than may come from there in a day. With an
    `error` the mailbox takes no more mail, so it does not count as read to an end.
    """
    with transaction():
        row = _locked(name)
        row.uidvalidity, row.last_uid, row.left, row.error = uidvalidity, last_uid, list(left), error
        if error is None:
            row.read_at = began


def failed(name: str, sentence: str) -> None:
    """Store what is wrong; the sentence holds nothing of a password or a mail."""
    with transaction():
        _locked(name).error = sentence[:200]


def read_until(at: datetime) -> datetime | None:
    """Return the time up to which every mailbox was read, seen from `at`: no mail from before it is still outside.

    `NEVER` if one was not read yet, or after `at`, by a clock that was wrong. None where no mailbox is read, as the
    other ways in commit a mail while it arrives.
    """
    known = [row.read_at if row is not None and row.read_at is not None else NEVER for row in _rows().values()]
    return min((NEVER if moment > at else moment for moment in known), default=None)


class MailboxReport(TypedDict):
    """A mailbox that is read: its name, the last reading, and what is wrong."""

    mailbox: str
    read_at: str | None
    error: str | None


def report() -> list[MailboxReport]:
    """Return each mailbox that is read: its name, the last reading, and what is wrong."""
    return [
        {
            "mailbox": name,
            "read_at": rfc3339(row.read_at) if row and row.read_at else None,
            "error": row.error if row else None,
        }
        for name, row in _rows().items()
    ]


def _locked(name: str) -> Mailbox:
    row = session.get(Mailbox, name, with_for_update=True)
    if row is None:
        row = Mailbox(name=name, uidvalidity=0, last_uid=0, left=[])
        session.add(row)
    return row


def _rows() -> dict[str, Mailbox | None]:
    box = runtime().settings.imap_url
    return {box.name: session.get(Mailbox, box.name, populate_existing=True)} if box else {}
