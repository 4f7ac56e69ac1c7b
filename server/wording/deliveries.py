"""Mails of the server in words: what each kind is about, and what became of one."""

KINDS = {
    "address": "a code for an address",
    "advice": "an answer to a mail of yours",
    "alert": "something the operator has to know",
    "answer": "an answer to a mail of yours",
    "cleared": "you lost a seat",
    "code": "a code to become a player",
    "complete": "all seats are taken",
    "decided": "the result of a vote",
    "digest": "what happened, in one mail",
    "draw": "an offer of a draw",
    "ended": "the game is over",
    "expired": "a game was closed before its start",
    "expiring": "a game will be closed unless it starts",
    "extended": "a deadline has moved",
    "final": "the result is final",
    "forwarded": "a mail that somebody forwarded",
    "go": "it is your turn",
    "granted": "one more turn",
    "host": "you are the host",
    "invitation": "an invitation",
    "late": "the server has moved for you",
    "moved": "a move",
    "offered": "a seat is offered",
    "overdue": "time is up",
    "reinstated": "the game goes on",
    "reminder": "a reminder",
    "renamed": "the operator has changed your name",
    "repaired": "the operator repaired the game",
    "resigned": "somebody resigned",
    "returned": "a move sent ahead could not be played",
    "sign_in": "a code to sign in",
    "started": "the game has started",
    "stranger": "an answer to a mail",
    "substituted": "somebody else plays now",
    "talk": "a message of a player",
    "tried": "somebody signed up with your address",
    "turn": "it is your turn",
    "unsealed": "the operator looked into the game",
    "vacant": "a seat is free again",
    "vote": "a vote",
    "webhook": "a webhook was switched off",
    "welcome": "welcome",
}  # fmt: skip
STATES = {
    "held": "waits for the next digest",
    "pending": "on its way",
    "gathered": "came in one mail with others",
    "sent": "sent",
    "bounced": "came back: it was not delivered",
    "restored": "waits for the operator, as the server was restored from a backup",
    "superseded": "not sent, as newer news made it needless",
    "suppressed": "not sent, as you wanted no such mail or mail does not reach you",
    "dead": "could not be sent",
}


def kind_in_words(kind: str) -> str:
    """Return what a kind of mail is about; a kind without words is named itself."""
    return KINDS.get(kind, kind.replace("_", " "))


def state_in_words(state: str) -> str:
    """Return what became of a mail; a state without words is named itself."""
    return STATES.get(state, state)
