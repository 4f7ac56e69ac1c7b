"""Recognize a bounce by its header: the report of a machine that a mail did not arrive."""

import re

from server.language import lexicon
from server.mail.reading.headers import Headers, decoded, first

_MAILER_DAEMON = re.compile(r"(?:mailer|mail)[-_.]?(?:daemon|system)(?:@|$|>|\s)", re.IGNORECASE)
OPENING = r"\s*(?:[\[(【]\s*)?"  # spaces and an opening bracket before the words of a subject
_SAYS_UNDELIVERED = re.compile(rf"{OPENING}(?:{lexicon.pattern('programs', 'undelivered')})")


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
        or _SAYS_UNDELIVERED.match(lexicon.folded(decoded(first(headers, "subject")))) is not None
    )
