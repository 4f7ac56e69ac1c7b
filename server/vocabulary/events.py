"""The kinds of public events: a row for each.

docs/seal-format.md describes those of a game that has started, and docs/api.md how programs read them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NotRequired, TypedDict

from server.sealing.commitments import Opened, Opening, Sealed
from server.vocabulary.by_name import Shape, check_shape

# Data: public facts, as the sealed log has them ---------------------------------------------------


class Nothing(TypedDict):
    """No data."""


class OpenedGame(TypedDict):
    """The name of the host."""

    host: str


class OfSeat(TypedDict):
    """The number of a seat."""

    seat: int


class Joined(OfSeat):
    """The name of the player, or the kind of the bot."""

    name: NotRequired[str]
    bot: NotRequired[str | None]


class Seated(TypedDict):
    """The way in which the seats were given out."""

    by: str


class OfPawns(TypedDict):
    """The pawns of a seat."""

    pawns: list[str]


class SeatOfPawns(OfSeat, OfPawns):
    """A seat with its pawns."""


class Host(SeatOfPawns):
    """The seat of the host, and the operator's reason, if the operator decided so."""

    reason: NotRequired[str]


class Substituted(SeatOfPawns):
    """The seat that has another player, and why."""

    reason: str


class DrawOffer(SeatOfPawns):
    """The seat that offers a draw, or takes the offer back."""

    agrees: bool


class Started(TypedDict):
    """The starts of the detectives."""

    starts: dict[str, int]


class Moved(TypedDict):
    """A move as everybody may know it, with what the sealed log adds."""

    pawn: str
    notation: str
    by: str
    passed_over: list[str]
    sealed: NotRequired[list[Sealed]]
    opened: NotRequired[list[Opened]]


class Final(TypedDict):
    """Everything that was sealed."""

    opening: NotRequired[Opening]


class Ended(Final):
    """The result, and whether it can no longer be undone."""

    winner: str
    reason: str
    final: bool


class Reason(TypedDict):
    """The operator's reason."""

    reason: str


class Voided(Reason):
    """`damaged` if rows of the game were lost."""

    damaged: NotRequired[bool]


class Unsealed(Reason):
    """The thing that the operator looked at."""

    looked_at: str


class DueAt(TypedDict):
    """The deadline from now on."""

    due_at: str | None


class Repaired(Reason, DueAt):
    """The reason, and the deadline."""


class Extended(Reason, DueAt):
    """By how much, such as P1D."""

    by: str


class Corrected(DueAt):
    """The time at which a provisional result is final."""

    final_at: str | None


class Late(DueAt):
    """The seats that are late, and until when they have grace."""

    seats: list[int]
    pawns: list[str]


Outage = TypedDict("Outage", {"cause": str, "from": str, "until": str, "by": str, "due_at": str | None})


class OfVote(TypedDict):
    """A vote by its id."""

    vote: str


class Wish(OfVote):
    """The subject of the vote: its kind, and what the kind takes, with fractions as text."""

    what: str
    length: NotRequired[str]
    side: NotRequired[str]
    clock: NotRequired[dict[str, object]]
    round: NotRequired[int]


class Proposed(Wish):
    """The seat that proposes it, if one does, and until when it is open."""

    seat: NotRequired[int | None]
    pawns: NotRequired[list[str]]
    closes_at: str


class Voted(OfVote, SeatOfPawns):
    """A vote of a seat."""

    is_for: bool


class Decided(Wish):
    """The result; `expired` if the deadline that it was about is over."""

    carried: bool
    expired: NotRequired[bool]


# The rows ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class EventKind:
    """A kind of public event.

    data: a `TypedDict`
    sentence: what mails and pages say of it, with `{who}` for the player of its pawns, `{pawns}`, and its other data;
        "" if a function of `wording.events` says it, None if it is no news
    together: the name of a fact; events in a row that have it in common are one sentence
    has_no_mail: no mail of its own tells it
    ends_offers: of a draw, all of them or those of its pawns
    """

    name: str
    data: Shape = Nothing
    sentence: str | None = None
    together: str = ""
    has_no_mail: bool = False
    ends_offers: Literal["", "all", "own"] = ""


_ROWS = (
    # Before the start; only these name people.
    EventKind("opened", OpenedGame),
    EventKind("invited", OfSeat),
    EventKind("joined", Joined),
    EventKind("left", OfSeat),
    EventKind("seated", Seated),
    EventKind("expired"),
    # The game.
    EventKind("started", Started),
    EventKind("moved", Moved, ""),
    EventKind("ended", Ended, ends_offers="all"),
    EventKind("final", Final),
    EventKind("draw", DrawOffer),
    # Its time.
    EventKind("late", Late, "The time was up for {who}; there was a time of grace."),
    EventKind("granted", DueAt, ""),
    EventKind("postponed", DueAt, "The deadline moved with the absence or the night of somebody it waits for."),
    EventKind("proposed", Proposed),
    EventKind("voted", Voted),
    EventKind("decided", Decided, ""),
    EventKind("outage", Outage, "", together="cause"),
    EventKind("corrected", Corrected, "The server's clock had been wrong by days, so its timers were restarted."),
    # Its people.
    EventKind("host", Host, "{who} became the host."),
    EventKind("bounced", OfPawns, "Mails to {who} do not arrive any more.", has_no_mail=True),
    EventKind("reached", OfPawns, "Mails to {who} arrive again.", has_no_mail=True),
    EventKind(
        "intruded", SeatOfPawns,
        "A mail from the address of another player came to the reply address of {who}, and nothing of it was done.",
        together="seat",
    ),
    EventKind(
        "offered", SeatOfPawns, "The seat of {who} is open to anybody, as its player has been late too often."
    ),
    EventKind("resigned", SeatOfPawns, "The player of {pawns} resigned.", ends_offers="own"),
    EventKind("substituted", Substituted, "Somebody else plays {pawns} now.", ends_offers="own"),
    EventKind(
        "regained", SeatOfPawns,
        "The player of {pawns} goes on in another browser, by a link that the host made.", has_no_mail=True,
    ),
    # The operator.
    EventKind("extended", Extended, ""),
    EventKind("voided", Voided),
    EventKind("reinstated", Reason, "The game had ended; the operator withdrew the result, and it goes on."),
    # Not published any more; logs of before hold it.
    EventKind("repaired", Repaired, "A fault of the server had left the game in disorder; the operator repaired it."),
    EventKind("unsealed", Unsealed, "The operator looked into {looked_at}, though it was sealed."),
)  # fmt: skip
EVENT_KINDS = {row.name: row for row in _ROWS}


def check_event(kind: str, data: Mapping[str, object]) -> None:
    """Check an event that is to be published: that there is such a kind, and its data.

    Raises:
        KeyError: there is no such kind.
        ValueError: the data are those of another kind.
    """
    check_shape(f"an event {kind}", EVENT_KINDS[kind].data, data)
