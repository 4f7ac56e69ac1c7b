"""The kinds of public events: a row for each.

docs/seal-format.md describes those of a game that has started, and docs/api.md how programs read them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from server.vocabulary.by_name import check_names

# What some facts are; docs/seal-format.md says more. `by` of an extension is a duration, of an outage too; `reason` is
# the operator's but for `ended` and `substituted`; a wish has its fractions as text.
_WISH = "length? side? clock? round?"  # what a kind of vote takes


@dataclass(frozen=True)
class EventKind:
    """A kind of public event.

    data: the names of its facts, all of them public; a question mark is behind those that it may lack
    sentence: what mails and pages say of it, with `{who}` for the player of its pawns, `{pawns}`, and its other data;
        "" if a function of `wording.events` says it, None if it is no news
    together: the name of a fact; events in a row that have it in common are one sentence
    has_no_mail: no mail of its own tells it
    ends_offers: of a draw, all of them or those of its pawns
    result: what it makes of the result of the game: there is none, this is it, the game was closed before its start, it
        is final, and of the time at which it is: that is put off, or set
    """

    name: str
    data: str = ""
    sentence: str | None = None
    together: str = ""
    has_no_mail: bool = False
    ends_offers: Literal["", "all", "own"] = ""
    result: Literal["", "none", "given", "closed", "for good", "put off", "set"] = ""


_ROWS = (
    # Before the start; only these name people.
    EventKind("opened", "host"),
    EventKind("invited", "seat"),
    EventKind("joined", "seat name? bot?"),
    EventKind("left", "seat"),
    EventKind("seated", "by"),
    EventKind("expired", result="closed"),
    # The game.
    EventKind("started", "starts", result="none"),
    EventKind("moved", "pawn notation by passed_over sealed? opened?", ""),
    EventKind("ended", "winner reason final opening?", ends_offers="all", result="given"),
    EventKind("final", "opening?", result="for good"),
    EventKind("draw", "seat pawns agrees"),
    # Its time.
    EventKind("late", "seats pawns due_at", "The time was up for {who}; there was a time of grace."),
    EventKind("granted", "due_at", ""),
    EventKind("postponed", "due_at", "The deadline moved with the absence or the night of somebody it waits for."),
    EventKind("proposed", f"vote what {_WISH} seat? pawns? closes_at"),
    EventKind("voted", "vote seat pawns is_for"),
    EventKind("decided", f"vote what {_WISH} carried expired?", ""),
    EventKind("outage", "cause from until by due_at", "", together="cause", result="put off"),
    EventKind(
        "corrected", "due_at final_at", "The server's clock had been wrong by days, so its timers were restarted.",
        result="set",
    ),
    # Its people.
    EventKind("host", "seat pawns reason?", "{who} became the host."),
    EventKind("bounced", "pawns", "Mails to {who} do not arrive any more.", has_no_mail=True),
    EventKind("reached", "pawns", "Mails to {who} arrive again.", has_no_mail=True),
    EventKind(
        "intruded", "seat pawns",
        "A mail from the address of another player came to the reply address of {who}, and nothing of it was done.",
        together="seat",
    ),
    EventKind(
        "offered", "seat pawns", "The seat of {who} is open to anybody, as its player has been late too often."
    ),
    EventKind("resigned", "seat pawns had_to_go?", "", ends_offers="own"),
    EventKind(
        "substituted", "seat pawns reason", "Somebody else plays {pawns} now.", ends_offers="own"
    ),
    EventKind(
        "regained", "seat pawns",
        "The player of {pawns} goes on in another browser, by a link that the host made.", has_no_mail=True,
    ),
    # The operator.
    EventKind("extended", "reason due_at by", ""),
    EventKind("voided", "reason damaged?"),
    EventKind(
        "reinstated", "reason", "The game had ended; the operator withdrew the result, and it goes on.", result="none"
    ),
    # Not published any more; logs of before hold it.
    EventKind(
        "repaired", "reason due_at",
        "A fault of the server had left the game in disorder; the operator repaired it.",
    ),
    EventKind("unsealed", "reason looked_at", ""),
)  # fmt: skip
EVENT_KINDS = {row.name: row for row in _ROWS}


def check_event(kind: str, data: Mapping[str, object]) -> None:
    """Check an event that is to be published: that there is such a kind, and its data.

    Raises:
        KeyError: there is no such kind.
        ValueError: the data are those of another kind.
    """
    check_names(f"an event {kind}", EVENT_KINDS[kind].data, data)
