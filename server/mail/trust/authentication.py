"""Sender authentication: whether a mail comes from the domain in its From.

DKIM, SPF and DMARC are looked at, and what the server in front states of them. In an answer only what speaks against
the sender counts: a mail of which nobody says anything is as good as one that passes, as the reply address is the proof
and this a second look. At the play address it is all there is. DNS is asked about no domain but that of the From.
"""

from dataclasses import replace
from ipaddress import ip_address

from server.mail.reading.headers import fields_in_order
from server.mail.reading.mime import MAX_SIZE, check_header, header_block
from server.mail.trust.alignment import domain_of
from server.mail.trust.dkim import SignatureResult, best_signature, is_signed
from server.mail.trust.dmarc import dmarc_result
from server.mail.trust.lookups import Ask, limited
from server.mail.trust.mail import Handover, Mail
from server.mail.trust.results import AGAINST, Authentication
from server.mail.trust.spf import spf_result
from server.mail.trust.upstream import by_upstream, has_passed


def authenticate(raw: bytes, author: str, handover: Handover, authserv_id: str | None, ask: Ask) -> Authentication:
    """Return the results for the mail `raw`, whose From is `author`.

    There are none for a mail that is not read for commands, because it is too large or its header is broken.
    `authserv_id` is the name of the mail server in front, None without one.
    """
    if len(raw) > MAX_SIZE or check_header(raw) is not None:
        return Authentication()
    mail = Mail(raw, fields_in_order(header_block(raw)), domain_of(author), handover)
    result = by_upstream(mail, authserv_id) if authserv_id else None
    if result is None:
        result = _by_us(mail, limited(ask), looks_at_peer=authserv_id is None)
    is_passed = authserv_id is not None and has_passed(mail, authserv_id)
    is_unproven = result.is_unproven or mail.has_doubled_field
    return replace(result, is_unproven=is_unproven, is_passed_upstream=is_passed)


def _by_us(mail: Mail, ask: Ask, *, looks_at_peer: bool) -> Authentication:
    domain, handover = mail.domain, mail.handover
    peer = handover.peer if looks_at_peer and handover.peer and ip_address(handover.peer).is_global else None
    if not is_signed(mail) and peer is None:
        return Authentication()  # nothing that could be told from any other mail
    dkim, signer, is_proof = best_signature(mail, ask) if is_signed(mail) else SignatureResult()
    if is_proof and signer == domain:
        return Authentication(dkim)
    spf = spf_result(peer, handover.sender, domain, ask) if peer and not is_proof else "none"
    if dkim in AGAINST and spf != "pass":
        return Authentication(dkim, spf)
    dmarc = "none"
    if dkim != "pass" or signer != domain:
        dmarc = dmarc_result(domain, dkim, signer, spf, domain_of(handover.sender), ask)
    return Authentication(dkim, spf, dmarc, is_unproven=dkim == "pass" and not is_proof and spf != "pass")
