"""Recognize a bounce by its header: the report of a machine that a mail did not arrive."""

import re

from server.mail.reading.automatic_words import OPENING, UNDELIVERED
from server.mail.reading.headers import Headers, decoded, first

_MAILER_DAEMON = re.compile(r"(?:mailer|mail)[-_.]?(?:daemon|system)(?:@|$|>|\s)", re.IGNORECASE)
_SAYS_UNDELIVERED = re.compile(rf"{OPENING}(?:{'|'.join(UNDELIVERED)})", re.IGNORECASE)


def is_bounce(headers: Headers, content_type: str, senders: tuple[str, ...], *, is_automatic: bool) -> bool:
    """Return True for a bounce.

    `content_type` is in lower case; `senders` are the envelope sender and `Return-Path`, bare; `is_automatic`: the
    header says that a machine wrote it.
    """
    return (
        content_type.startswith("multipart/report")
        or "x-failed-recipients" in headers
        or any(map(_MAILER_DAEMON.search, (first(headers, "from"), *senders)))
        or ("" in senders and not is_automatic)
        or _SAYS_UNDELIVERED.match(decoded(first(headers, "subject"))) is not None
    )
