"""The mails that List-Unsubscribe asks for: by their address or their subject they name a mail that the server sent."""

import re

from server.application.game import reply_addresses
from server.application.mail import unsubscribe
from server.mail.reading.message import Reading
from server.models import Incoming


def unsubscribe_if_asked(row: Incoming, reading: Reading) -> bool:
    """Handle a mail that List-Unsubscribe asks for: its author gets no more mail; return True if it was one."""
    marked = reply_addresses.of_mail(row.recipient)
    if marked is not None:
        mail_id = marked[1] if marked[0] == reply_addresses.STOP else None
    else:
        asked = _STOP.fullmatch(reading.subject)
        mail_id = reply_addresses.marked(asked[1], reply_addresses.STOP) if asked else None
    if mail_id is not None:
        unsubscribe.stop(mail_id)
    return mail_id is not None


_STOP = re.compile(r"\s*STOP\s+([a-z2-7]{32})\s*", re.IGNORECASE)


def is_stop(subject: str) -> bool:
    """Return True if a subject is one that List-Unsubscribe asks for."""
    return _STOP.fullmatch(subject) is not None
