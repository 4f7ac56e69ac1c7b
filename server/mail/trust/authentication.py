"""Sender authentication: whether a mail comes from the domain in its From.

The mail server in front states its results in Authentication-Results, under the name in AUTHSERV_ID. Where it states
nothing, this server verifies the DKIM signatures of the From's domain. In an answer only what speaks against the sender
counts: a mail of which nobody says anything is as good as one that passes, as the reply address is the proof and this a
second look. At the play address it is all there is.
"""

from dataclasses import replace

from server.mail.reading.headers import fields_in_order
from server.mail.reading.mime import MAX_SIZE, check_header, header_block
from server.mail.trust.alignment import domain_of
from server.mail.trust.dkim import best_signature
from server.mail.trust.lookups import Ask, limited
from server.mail.trust.mail import Handover, Mail
from server.mail.trust.results import Authentication
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
        result = _by_us(mail, limited(ask))
    is_passed = authserv_id is not None and has_passed(mail, authserv_id)
    is_unproven = result.is_unproven or mail.has_doubled_field
    return replace(result, is_unproven=is_unproven, is_passed_upstream=is_passed)


def _by_us(mail: Mail, ask: Ask) -> Authentication:
    dkim, is_proof = best_signature(mail, ask)
    return Authentication(dkim, is_unproven=dkim == "pass" and not is_proof)
