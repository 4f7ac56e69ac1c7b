"""DNS look-ups about a mail domain, with a time limit, so that a slow name server holds nothing up."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

PATIENCE = 3.0  # seconds for all look-ups about one mail
MOST = 25  # of them
REST = timedelta(minutes=1)  # in which a domain whose servers did not answer is not asked again

Lookup = Callable[[str, str, float], list[Any]]
"""A look-up of (name, kind of record, seconds it may take); it returns the records, or raises `Unanswered`.

TXT as bytes, A, AAAA, PTR and CNAME as text, MX as (preference, host); empty when there is no such record.
"""


class Unanswered(Exception):
    """The name service gave no answer, so nobody knows if there is such a record."""


def look_up(name: str, kind: str, patience: float) -> list[Any]:
    """Ask the name service of this machine; see `Lookup`."""
    import dns.exception  # noqa: PLC0415 start-up time
    import dns.resolver  # noqa: PLC0415

    try:
        answer = dns.resolver.resolve(name, kind, lifetime=patience, raise_on_no_answer=False)
    except (dns.resolver.NXDOMAIN, dns.resolver.YXDOMAIN, dns.exception.SyntaxError, ValueError):
        return []
    except (dns.exception.DNSException, OSError):  # OSError: this machine has no descriptor left
        raise Unanswered from None
    return [_value(record) for record in answer]


def _value(record: Any) -> Any:
    import dns.rdatatype  # noqa: PLC0415 start-up time

    match record.rdtype:
        case dns.rdatatype.TXT:
            return b"".join(record.strings)
        case dns.rdatatype.MX:
            return (record.preference, str(record.exchange).rstrip("."))
        case dns.rdatatype.A | dns.rdatatype.AAAA:
            return record.address
    return str(record.target).rstrip(".")


class DnsClient:
    """The look-ups of a process; after a domain's servers were silent, it does not ask them for a while."""

    def __init__(self, lookup: Lookup = look_up) -> None:
        self.lookup = lookup
        self._silent: dict[str, datetime] = {}

    def for_mail_from(self, domain: str, at: datetime, seconds: Callable[[], float]) -> "MailLookups":
        """Return the look-ups for one mail from `domain`; `seconds` is a monotonic clock."""
        return MailLookups(self, domain, at, seconds)

    def is_silent(self, domain: str, at: datetime) -> bool:
        """Return True if the servers of `domain` did not answer a moment ago."""
        self._silent = {name: until for name, until in self._silent.items() if at < until}
        return domain in self._silent

    def note_silence(self, domain: str, at: datetime) -> None:
        """Record that the servers of `domain` did not answer."""
        self._silent[domain] = at + REST


class MailLookups:
    """The look-ups for one mail; together they take `PATIENCE`."""

    def __init__(self, client: DnsClient, domain: str, at: datetime, seconds: Callable[[], float]) -> None:
        self._client, self._domain, self._at, self._seconds = client, domain, at, seconds
        self._end = seconds() + PATIENCE
        self._asked: dict[tuple[str, str], list[Any]] = {}

    def __call__(self, name: str, kind: str = "TXT") -> list[Any]:
        """Return the records of a name; see `Lookup`."""
        asked = (name.rstrip(".").lower(), kind)
        if asked not in self._asked:
            self._asked[asked] = self._ask(*asked)
        return self._asked[asked]

    def _ask(self, name: str, kind: str) -> list[Any]:
        left = self._end - self._seconds()
        if left <= 0 or len(self._asked) >= MOST or self._client.is_silent(self._domain, self._at):
            raise Unanswered
        try:
            return self._client.lookup(name, kind, left)
        except Unanswered:
            self._client.note_silence(self._domain, self._at)
            raise
