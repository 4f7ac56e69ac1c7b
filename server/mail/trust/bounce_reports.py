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


class Report(StrEnum):
    """The meaning of a report: mail will never arrive, it did not this time, or nothing that matters."""

    LASTING = "lasting"
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
    reported = [(_word(group, "action"), _word(group, "status")) for group in _recipients(message, MAX_DEPTH)]
    failures = [status for action, status in reported if action == "failed"]
    if not reported:
        return None
    if not failures:
        return Report.NONE
    return Report.LASTING if any(map(is_lasting, failures)) else Report.PASSING


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


def _word(group: Message, name: str) -> str:
    words = str(group.get(name, "")).split(maxsplit=1)
    return words[0].strip("();").lower() if words else ""
