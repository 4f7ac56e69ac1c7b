"""A mail and how it was handed over, as far as it matters for who sent it; and DNS look-ups for it, within limits."""

from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

from server.mail.reading.headers import BrokenAddressesError, Fields, addresses
from server.mail.trust.alignment import domain_of

Ask = Callable[..., list[Any]]
"""From a name and a kind of record (TXT by default) to the records, see `vocabulary.dns.Lookup`; raises Unanswered."""

LONGEST_RECORD = 4_000  # bytes
MOST_RECORDS = 20


def limited(ask: Ask) -> Ask:
    """Return `ask` without records that are too many or too long, over which libraries take long."""

    def ask_limited(name: str, kind: str = "TXT") -> list[Any]:
        records = ask(name, kind)[:MOST_RECORDS]
        return [record for record in records if not isinstance(record, bytes) or len(record) <= LONGEST_RECORD]

    return ask_limited


ONCE = ("from", "to", "cc", "subject", "date", "message-id")  # fields of which no mail may have two


class Handover(NamedTuple):
    """The handover of a mail: MAIL FROM, the address it was for, and the time."""

    sender: str
    recipient: str
    at: int | None = None  # seconds since 1970


class Mail(NamedTuple):
    """A mail: its bytes, its header fields from the top, the domain of its From, and its handover."""

    raw: bytes
    fields: Fields
    domain: str
    handover: Handover

    @property
    def has_doubled_field(self) -> bool:
        """Return True if a field that may stand once stands twice: signatures cover the lower, we read the upper."""
        names = Counter(name for name, _ in self.fields)
        return any(names[name] > 1 for name in ONCE)

    @property
    def addressed_fields(self) -> frozenset[str]:
        """Return those of the fields To and Cc that name the address at which the mail arrived."""
        ours = _comparable(self.handover.recipient)
        return frozenset(
            name for name, value in self.fields if name in ("to", "cc") and ours in map(_comparable, _addresses(value))
        )

    @property
    def has_message_id(self) -> bool:
        """Return True if the mail is known again when it is sent a second time."""
        return any(name == "message-id" for name, _ in self.fields)


def _addresses(value: str) -> tuple[str, ...]:
    try:
        return addresses(value)
    except BrokenAddressesError:
        return ()


def _comparable(address: str) -> tuple[str, str]:
    return address.rpartition("@")[0].lower(), domain_of(address)
