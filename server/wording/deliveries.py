"""Mails of the server in words: what each kind is about, and what became of one."""

from server.vocabulary.mails import MAIL_KINDS
from server.vocabulary.translation import gettext, gettext_noop

STATES = gettext_noop({
    "held": "waits for the next digest",
    "pending": "on its way",
    "gathered": "came in one mail with others",
    "sent": "sent",
    "bounced": "came back: it was not delivered",
    "restored": "waits for the operator, as the server was restored from a backup",
    "superseded": "not sent, as newer news made it needless",
    "suppressed": "not sent, as you wanted no such mail or mail does not reach you",
    "dead": "could not be sent",
})  # fmt: skip


def kind_in_words(kind: str) -> str:
    """Return what a kind of mail is about."""
    return gettext(MAIL_KINDS[kind].about)


def state_in_words(state: str) -> str:
    """Return what became of a mail; a state without words is named itself."""
    return gettext(STATES[state]) if state in STATES else state
