"""Everything that the bytes of a mail tell: what it says, what it reports, and who sent it.

A function of the bytes and of what DNS answers, and of nothing else: it knows no application and no database.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from server.mail.reading.message import Kind, Problem, Reading, read
from server.mail.trust import bounce_reports
from server.mail.trust.alignment import domain_of
from server.mail.trust.authentication import authenticate
from server.mail.trust.bounce_reports import Report
from server.mail.trust.mail import Ask, Handover
from server.mail.trust.results import Authentication

About = Callable[[str], Ask]
"""From the domain of a From to the look-ups for the mail."""


@dataclass(frozen=True)
class Examination:
    """The results of examining one mail."""

    reading: Reading
    report: Report
    authentication: Authentication


def examine(
    raw: bytes, handover: Handover, about: About, *, marker: str | None = None, authserv_id: str | None = None
) -> Examination:
    """Examine the mail `raw`; `marker` as in `message.read`, `authserv_id` as in `authenticate`."""
    reading = read(raw, marker=marker, envelope_sender=handover.sender)
    authentication = Authentication()
    if reading.kind == Kind.HUMAN and len(reading.from_addresses) == 1:
        (author,) = reading.from_addresses
        authentication = authenticate(raw, author, handover, authserv_id, about(domain_of(author)))
    return Examination(reading, bounce_reports.read(raw, reading.kind), authentication)


def reading_as_json(reading: Reading) -> dict[str, object]:
    """Return `reading` in values that JSON has."""
    return asdict(reading)


def reading_from_json(values: dict[str, Any]) -> Reading:
    """Return the reading that `reading_as_json` made these values from."""
    plain: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
    plain["kind"] = Kind(plain["kind"])
    plain["problem"] = Problem(plain["problem"]) if plain["problem"] else None
    return Reading(**plain)


def examination_as_json(examination: Examination) -> dict[str, object]:
    """Return `examination` in values that JSON has."""
    return {
        "reading": reading_as_json(examination.reading),
        "report": examination.report,
        "authentication": asdict(examination.authentication),
    }


def examination_from_json(values: dict[str, Any]) -> Examination:
    """Return the examination that `examination_as_json` made these values from."""
    reading, authentication = reading_from_json(values["reading"]), Authentication(**values["authentication"])
    return Examination(reading, Report(values["report"]), authentication)
