"""SPF (RFC 7208): whether the peer may hand over mail of the domain in MAIL FROM."""

from server.dns import Unanswered
from server.mail.trust.alignment import domain_of, is_aligned
from server.mail.trust.lookups import Ask


def spf_result(peer: str, sender: str, domain: str, ask: Ask) -> str:
    """Return the result for mail of `sender` that `peer` hands over; `none` unless that is aligned with `domain`."""
    import spf  # type: ignore[import-untyped]  # noqa: PLC0415 heavy, and most mails are not checked so

    if not is_aligned(domain, domain_of(sender)):
        return "none"
    query = spf.query(i=peer, s=sender, h=domain_of(sender))
    query.dns = lambda name, kind, *_, **__: _records(ask, str(name), kind)
    try:
        return str(query.check()[0])
    except Unanswered:
        return "temperror"
    except Exception:  # noqa: BLE001 anything else that the library raises is the record's fault
        return "permerror"


def _records(ask: Ask, name: str, kind: str) -> list[object]:
    """Return records in the form in which the library has them."""
    records = ask(name, kind)
    return [(record,) for record in records] if kind == "TXT" else list(records)
