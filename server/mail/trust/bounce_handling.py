"""The consequences of reports about mails that we sent: one did not arrive, or its reader calls it spam.

The mail that a report is about is known by its recipient, an address of that one mail, or by an id of ours in it.
"""

import re

from server.application.game import reply_addresses
from server.application.mail import unsubscribe
from server.application.people.accounts import deliverability
from server.mail.reading.automatic import Kind
from server.mail.trust.bounce_reports import MOST, Report
from server.models import Incoming
from server.runtime import runtime


def act(row: Incoming, kind: Kind, report: Report) -> None:
    """Act on a report, in the transaction under way; do nothing unless it is about a mail of ours."""
    mail_id = _about(row)
    if mail_id is None:
        return
    if kind == Kind.COMPLAINT:
        unsubscribe.stop(mail_id, all_of_it=True)
    elif report != Report.NONE:
        is_lasting, is_tried_again = report == Report.LASTING, report == Report.FOR_NOW
        deliverability.record_bounce(mail_id, lasting=is_lasting, is_tried_again=is_tried_again)


def names_ours(raw: bytes) -> bool:
    """Return True if a mail names one of ours by its id: a report on it, or an answer."""
    domain = re.escape(runtime().settings.mail_domain.encode())
    return re.search(rb"<[a-z2-7]{16}(?:\.[a-z2-7]{7,16})?@" + domain + b">", raw[:MOST]) is not None


def _about(row: Incoming) -> str | None:
    marked = reply_addresses.of_mail(row.recipient)
    if marked is not None:
        return marked[1] if marked[0] == reply_addresses.BOUNCE else None
    domain = re.escape(runtime().settings.mail_domain.encode())
    named = re.search(rb"<([a-z2-7]{16})@" + domain + b">", (row.raw or b"")[:MOST])
    return named[1].decode() if named else None
