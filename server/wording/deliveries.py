"""Mails of the server in words: what each kind is about, and what became of one."""

from server.vocabulary.mails import MAIL_KINDS
from server.vocabulary.translation import gettext, gettext_noop

STATES = {
    "held": gettext_noop("waits for the next digest"),
    "pending": gettext_noop("on its way"),
    "gathered": gettext_noop("came in one mail with others"),
    "sent": gettext_noop("sent"),
    "bounced": gettext_noop("came back: it was not delivered"),
    "restored": gettext_noop("waits for the operator, as the server was restored from a backup"),
    "superseded": gettext_noop("not sent, as newer news made it needless"),
    "suppressed": gettext_noop("not sent, as you wanted no such mail or mail does not reach you"),
    "dead": gettext_noop("could not be sent"),
}


def kind_in_words(kind: str) -> str:
    """Return what a kind of mail is about."""
    return gettext(MAIL_KINDS[kind].about)


def state_in_words(state: str) -> str:
    """Return what became of a mail; a state without words is named itself."""
    return gettext(STATES[state]) if state in STATES else state
