"""Pass mail to `postmaster@` and `abuse@` on to the operator, in a mail of our own.

The mail is attached as a file, unless it holds a mail of this server: that could tell where Mr. X is, and a reader of
its reply address can move with it. Then the operator gets what a person wrote above it, and nothing else. A mail that
this server has sent is not passed on, so that none goes round in circles. `limits.POSTMASTER` limits how many are.
"""

import re

from server.application.game import outbox_rows, reply_addresses
from server.application.limits import quotas
from server.application.limits.quotas import Branch
from server.application.mail.arrivals import branch_of
from server.mail.examination.supervisor import examiner
from server.mail.reading.automatic import LOOP_HEADER, Kind
from server.mail.reading.message import Reading
from server.mail.reading.quoting import MARKERS
from server.mail.trust import bounce_handling
from server.mail.writing import sentences
from server.models import Incoming
from server.runtime import runtime
from server.vocabulary import limits

KEPT = "kept"  # the verdict of a mail that is set aside for the operator
PASSED_ON = "forwarded"
LARGEST = 200_000  # bytes that are attached
LONGEST = 2_000  # characters of what a person wrote
LONGEST_LINE = 200
ATTACHED = "It is attached as it came. Its author may mean you harm: open it with care."
TOO_LARGE = "It has {} bytes, which is too much to pass on, and it is not attached."
HOLDS_OURS = "It holds a mail that this server has sent, which can tell where Mr. X is, so it is not attached. {}"
NO_WORDS = "What its author wrote cannot be told apart from that."
WORDS = "Its author wrote:"


def may_be_passed_on(row: Incoming) -> bool:
    """Return True if there is an operator to pass mail on to, who has not got too much of it from there today."""
    if runtime().settings.operator_email is None:
        return False
    return quotas.next_time(limits.POSTMASTER, _branch(row)) is None


def _branch(row: Incoming) -> Branch:
    branch = branch_of(row)
    assert branch is not None, "postmaster and abuse are no reply addresses"
    return branch


def pass_on(row: Incoming, reading: Reading) -> str:
    """Write the mail to the operator, in the transaction under way; return the verdict on it."""
    operator = runtime().settings.operator_email
    senders = {row.sender.lower(), *(address.lower() for address in reading.from_addresses)}
    if reading.kind == Kind.LOOP or (reading.kind != Kind.HUMAN and operator in senders):
        return "loop"
    raw = row.raw or b""
    paragraphs = [f"{_head(row, reading)}."]
    is_attached = len(raw) <= LARGEST and not holds_ours(raw)
    if is_attached:
        paragraphs.append(ATTACHED)
    elif len(raw) > LARGEST:
        paragraphs.append(TOO_LARGE.format(f"{len(raw):,}"))
    else:
        words = sentences.quoted_lines(" ".join(" ".join(reading.lines).split())[:LONGEST]) if reading.lines else ""
        paragraphs.append(HOLDS_OURS.format(WORDS if words else NO_WORDS))
        paragraphs += [words] if words else []
    name = reply_addresses.bare(row.recipient).partition("@")[0].lower()
    details = {
        "to": operator,
        "title": f"Black Ticket: a mail to {name}",
        "paragraphs": paragraphs,
        "attached": row.id if is_attached else None,
    }
    quotas.use_up(limits.POSTMASTER, _branch(row))
    outbox_rows.post(None, PASSED_ON, details=details, cause=row.id)
    return PASSED_ON


def holds_ours(raw: bytes) -> bool:
    """Return True if a mail holds one of ours, as far as can be told, or cannot be looked through."""
    if bounce_handling.names_ours(raw) or _is_ours(raw):
        return True
    contents = examiner().contents(raw)
    return contents is None or any(map(_is_ours, contents))


def _is_ours(text: bytes) -> bool:
    words = re.sub(rb"[\s\0>|]+", b" ", text).lower()
    signs = (*map(str.lower, MARKERS), f"{LOOP_HEADER.lower()}:")
    return any(sign.encode() in words for sign in signs) or any(re.search(form, words) for form in _reply_addresses())


def _reply_addresses() -> list[bytes]:
    """Return patterns of the addresses that let their reader act for a player."""
    settings = runtime().settings
    forms = [form.lower() for form in (settings.reply_address, settings.bounce_address) if "{token}" in form]
    return [re.escape(form).replace(re.escape("{token}"), "[a-z2-7]{16,32}").encode() for form in forms]


def _head(row: Incoming, reading: Reading) -> str:
    """Return what the header says of the mail, each field so short and so quoted that it does no harm."""
    to = sentences.quoted(reply_addresses.bare(row.recipient).lower())
    author = sentences.quoted(_line(", ".join(reading.from_addresses) or "nobody"))
    about = sentences.quoted(_line(reading.subject or "nothing"))
    return f"A mail came to {to}, from {author}, about {about}. In the inbox it is {sentences.quoted(row.id)}"


def _line(words: str) -> str:
    return "".join(letter if letter.isprintable() else " " for letter in words)[:LONGEST_LINE]
