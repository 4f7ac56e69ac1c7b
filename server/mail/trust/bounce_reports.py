"""The reports of bounces: whether mail will never arrive at an address, or only this one did not.

RFC 3464 defines them; a report that follows no standard is left to flufl.bounce. `bounce_handling.py` acts on them.
"""

import re
from collections.abc import Iterator
from email.message import Message
from enum import StrEnum

from server.mail.reading.automatic import Kind
from server.mail.reading.mime import UnreadableMailError, parsed

MOST = 100_000  # bytes that are read; the copy of our mail comes last
MAX_DEPTH = 5
# Refused for good, but not because there is no such address: a full mailbox, a mail that is too large or unwanted.
_ABOUT_THE_MAIL = re.compile(r"5\.(2\.[23]|3\.|7\.)")
# Refused for now: the mailbox is full, or its server takes no mail.
_FOR_NOW = re.compile(r"4\.|5\.2\.2$|5\.3\.[12]$")
_SAYS_NOTHING = re.compile(r"[45]\.0\.0$")
_STATUS = re.compile(r"\b[45]\.\d{1,3}\.\d{1,3}\b")
_FULL = re.compile(r"over ?quota|quota (?:is )?exceeded|(?:mailbox|inbox) (?:is )?(?:full|over)", re.IGNORECASE)
LONGEST_DIAGNOSTIC = 1_000


class Report(StrEnum):
    """The meaning of a report: no mail will arrive, this one may later, or it will not or is late; or nothing."""

    LASTING = "lasting"
    FOR_NOW = "for now"
    PASSING = "passing"
    NONE = "none"


def read(raw: bytes, kind: Kind) -> Report:
    """Return what a mail of this kind reports; NONE unless it is a bounce."""
    if kind != Kind.BOUNCE:
        return Report.NONE
    # Most mails are no bounces.
    from flufl.bounce import all_failures  # noqa: PLC0415

    try:
        message = parsed(raw[:MOST])
        found = _by_standard(message)
        return found or (Report.LASTING if all_failures(message)[1] else Report.PASSING)
    except (UnreadableMailError, RecursionError, ValueError, LookupError):
        return Report.PASSING  # a bounce, of which no more is known


def _by_standard(message: Message) -> Report | None:
    """Return the meaning by the machine-readable part; None where there is none."""
    reported = [(_word(group, "action"), _status(group)) for group in _recipients(message, MAX_DEPTH)]
    failures = [status for action, status in reported if action == "failed"]
    if not reported:
        return None
    if not failures:
        return Report.NONE
    if any(map(is_lasting, failures)):
        return Report.LASTING
    return Report.FOR_NOW if all(map(_FOR_NOW.match, failures)) else Report.PASSING


def is_lasting(status: str) -> bool:
    """Return True if a status such as 5.1.1 says that no mail will arrive at the address."""
    return not status.startswith("4") and not _ABOUT_THE_MAIL.match(status)


def _recipients(part: Message, depth: int) -> Iterator[Message]:
    """Return the groups of fields about recipients; the copy of our mail is not searched for any."""
    children = part.get_payload()
    if depth < 0 or not isinstance(children, list):
        return
    if part.get_content_type() == "message/delivery-status":
        yield from (group for group in children if isinstance(group, Message) and "action" in group)
    elif part.get_content_maintype() == "multipart":
        for child in children:
            if isinstance(child, Message):
                yield from _recipients(child, depth - 1)


def _status(group: Message) -> str:
    """Return the status of a recipient, or what the other server said where the status says nothing."""
    status, said = _word(group, "status"), str(group.get("diagnostic-code", ""))[:LONGEST_DIAGNOSTIC]
    if status and not _SAYS_NOTHING.match(status):
        return status
    exact = _STATUS.search(said)
    return exact[0] if exact else "5.2.2" if _FULL.search(said) else status


def _word(group: Message, name: str) -> str:
    words = str(group.get(name, "")).split(maxsplit=1)
    return words[0].strip("();").lower() if words else ""
