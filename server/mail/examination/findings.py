"""Find out all that the bytes of a mail tell: what it says, what it reports, who signed it.

A function of the bytes and of what the name service says, and of nothing else: it knows no application and no database.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from server.mail.reading.message import Kind, Problem, Reading, read
from server.mail.trust import authentication, bounces
from server.mail.trust.authentication import Ask, Findings, Handover
from server.mail.trust.bounces import Outcome

About = Callable[[str], Ask]
"""From the domain of a From to the look-ups for the mail."""


@dataclass(frozen=True)
class Examination:
    """The findings about one mail."""

    reading: Reading
    outcome: Outcome
    findings: Findings


def examine(
    raw: bytes, handover: Handover, about: About, *, marker: str | None = None, authserv_id: str | None = None
) -> Examination:
    """Examine the mail `raw`; `marker` as in `read`, `authserv_id` as in `senders.check`."""
    reading = read(raw, marker=marker, envelope_sender=handover.sender)
    findings = Findings()
    if reading.kind == Kind.HUMAN and len(reading.from_addresses) == 1:
        (author,) = reading.from_addresses
        findings = authentication.check(raw, author, handover, authserv_id, about(authentication.domain_of(author)))
    return Examination(reading, bounces.read(raw, reading.kind), findings)


def written(reading: Reading) -> dict[str, Any]:
    """Return `reading` in values that JSON has."""
    return asdict(reading)


def reading_of(values: dict[str, Any]) -> Reading:
    """Return what was `written`."""
    plain: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
    plain["kind"] = Kind(plain["kind"])
    plain["problem"] = Problem(plain["problem"]) if plain["problem"] else None
    return Reading(**plain)


def written_whole(examination: Examination) -> dict[str, Any]:
    """Return `examination` in values that JSON has."""
    return {
        "reading": written(examination.reading),
        "outcome": examination.outcome,
        "findings": asdict(examination.findings),
    }


def examination_of(values: dict[str, Any]) -> Examination:
    """Return what was `written_whole`."""
    return Examination(reading_of(values["reading"]), Outcome(values["outcome"]), Findings(**values["findings"]))
