"""DMARC (RFC 7489): what a domain asks for mail that neither DKIM nor SPF says is its own."""

from server.dns import Unanswered
from server.mail.trust.alignment import is_aligned, registered
from server.mail.trust.lookups import Ask

STRICT = ("quarantine", "reject")  # policies by which a mail that does not pass is not to be trusted


def dmarc_result(domain: str, dkim: str, signer: str, spf: str, sender: str, ask: Ask) -> str:
    """Return `pass` or `fail`, `none` where the domain asks nobody to refuse its mail, `temperror` without an answer.

    `dkim` is the result for the domain `signer`, `spf` that for `sender`, the domain of MAIL FROM.
    """
    try:
        policy = policy_of(domain, ask)
    except Unanswered:
        return "temperror"
    by_dkim = dkim == "pass" and is_aligned(domain, signer, strict=policy.get("adkim") == "s")
    by_spf = spf == "pass" and is_aligned(domain, sender, strict=policy.get("aspf") == "s")
    if by_dkim or by_spf:
        return "pass"
    if "temperror" in (dkim, spf):
        return "temperror"
    return "fail" if policy.get("p") in STRICT else "none"


def policy_of(domain: str, ask: Ask) -> dict[str, str]:
    """Return the DMARC record of the domain, or what its organisation's says of those below it; empty without."""
    from authheaders import dmarc_lookup  # type: ignore[import-untyped]  # noqa: PLC0415

    def record(name: str) -> str | None:
        found = [text.decode("ascii", "replace") for text in ask(name) if text.startswith(b"v=DMARC1")]
        return found[0] if len(found) == 1 else None

    organisation = registered(domain) or domain
    try:
        own: dict[str, str] = dmarc_lookup.lookup_receiver_record(domain, record)
        if own or organisation == domain:
            return own
        above: dict[str, str] = dmarc_lookup.lookup_receiver_record(organisation, record)
    except dmarc_lookup.DMARCException:
        return {}
    return above | {"p": above["sp"]} if "sp" in above else above
