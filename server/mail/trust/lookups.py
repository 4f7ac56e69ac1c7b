"""DNS look-ups for one mail, and the limits on what they may answer."""

from collections.abc import Callable
from typing import Any

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
