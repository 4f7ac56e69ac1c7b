"""Reports of machines about mails that we sent: whether one arrived, and that its reader calls it spam.

RFC 3464 says how the first are written; what follows no standard is left to flufl.bounce. Which mail a report is
about, its recipient tells, an address of that one mail, or an id of ours somewhere in it.
"""

import re
from collections.abc import Iterator
from email.message import Message
from enum import StrEnum

from flufl.bounce import all_failures

from server.application.mail import addresses, reach
from server.mail.classify import Kind
from server.mail.mime import UnreadableMailError, parsed
from server.mail.reading import Reading
from server.models import Incoming
from server.runtime import runtime

MOST = 100_000  # bytes that are looked at; what is sent back of our mail comes last
MAX_DEPTH = 5
# Refused for good, but not because there is no such reader: a full mailbox, a mail that is too large or unwanted.
_ABOUT_THE_MAIL = re.compile(r"5\.(2\.[23]|3\.|7\.)")


class Outcome(StrEnum):
    """What a report says: it will never arrive, it did not this time, or nothing that matters."""

    LASTING = "lasting"
    PASSING = "passing"
    NONE = "none"


def read(raw: bytes, reading: Reading) -> Outcome:
    """What a mail reports, if it is one that does; never raises."""
    if reading.kind != Kind.BOUNCE:
        return Outcome.NONE
    try:
        message = parsed(raw[:MOST])
        return _by_standard(message) or _by_its_looks(message)
    except (UnreadableMailError, RecursionError, ValueError, LookupError):
        return Outcome.PASSING  # a bounce, of which no more is known


def act(row: Incoming, kind: Kind, outcome: Outcome) -> None:
    """Do what a report asks for, in the transaction under way; nothing unless it is about a mail of ours."""
    mail_id = _about(row)
    if mail_id is None:
        return
    if kind == Kind.COMPLAINT:
        reach.stop(mail_id, all_of_it=True)
    elif outcome != Outcome.NONE:
        reach.failed(mail_id, lasting=outcome == Outcome.LASTING)


def wants_no_more(row: Incoming, reading: Reading) -> bool:
    """Whether a mail is what List-Unsubscribe asks for; who got our mail gets no more then."""
    marked = addresses.of_mail(row.recipient)
    if marked is not None:
        mail_id = marked[1] if marked[0] == addresses.STOP else None
    else:
        asked = _STOP.fullmatch(reading.subject)
        mail_id = addresses.marked(asked[1], addresses.STOP) if asked else None
    if mail_id is not None:
        reach.stop(mail_id)
    return mail_id is not None


_STOP = re.compile(r"\s*STOP\s+([a-z2-7]{32})\s*", re.IGNORECASE)


def is_stop(subject: str) -> bool:
    """Whether a subject is one that List-Unsubscribe asks for."""
    return _STOP.fullmatch(subject) is not None


def names_ours(raw: bytes) -> bool:
    """Whether a mail names one of ours by its id: a report on it, or an answer."""
    domain = re.escape(runtime().settings.mail_domain.encode())
    return re.search(rb"<[a-z2-7]{16}(?:\.[a-z2-7]{7,16})?@" + domain + b">", raw[:MOST]) is not None


def _about(row: Incoming) -> str | None:
    marked = addresses.of_mail(row.recipient)
    if marked is not None:
        return marked[1] if marked[0] == addresses.BOUNCE else None
    domain = re.escape(runtime().settings.mail_domain.encode())
    named = re.search(rb"<([a-z2-7]{16})@" + domain + b">", (row.raw or b"")[:MOST])
    return named[1].decode() if named else None


def _by_standard(message: Message) -> Outcome | None:
    """By the machine-readable part; None where there is none."""
    said = [(_word(group, "action"), _word(group, "status")) for group in _recipients(message, MAX_DEPTH)]
    failures = [status for action, status in said if action == "failed"]
    if not said:
        return None
    if not failures:
        return Outcome.NONE
    return Outcome.LASTING if any(map(is_lasting, failures)) else Outcome.PASSING


def is_lasting(status: str) -> bool:
    """Whether a status such as 5.1.1 says that no mail will arrive at the address."""
    return not status.startswith("4") and not _ABOUT_THE_MAIL.match(status)


def _recipients(part: Message, depth: int) -> Iterator[Message]:
    """The groups of fields about recipients; what was sent back of our mail is not looked into."""
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


def _by_its_looks(message: Message) -> Outcome:
    _, lasting = all_failures(message)
    return Outcome.LASTING if lasting else Outcome.PASSING
