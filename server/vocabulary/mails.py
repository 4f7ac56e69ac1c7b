"""The kinds of mail that the server sends: a row for each.

The words of a kind are in `templates/mail`, in the folder of its name. `house_rules.notices` and `game.outbox_rows`
post mails. A class of one kind, as in `mail.writing.context`, has its name; a check of several stands in their rows.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NotRequired, TypedDict

from server.vocabulary.by_name import Shape, check_shape
from server.vocabulary.votes import VoteWish

# Details: the facts that a mail tells and its event does not hold ---------------------------------


class Nothing(TypedDict):
    """No details."""


class ToAddress(TypedDict):
    """The address of somebody who is no player yet, or that is to be confirmed."""

    to: str


class Code(ToAddress):
    """A code to confirm the address with; of a guest also six digits."""

    code: str
    pin: NotRequired[str]


class Invitation(TypedDict):
    """The reserved seat; `to` and `code` if it is for an address; `is_reminder` if it is not the first mail."""

    seat: int
    is_reminder: NotRequired[bool]
    to: NotRequired[str | None]
    code: NotRequired[str | None]


class Vacated(TypedDict):
    """The seat that is free; `why` and `whom` as in `notices.post_vacancy`."""

    vacated: int
    why: str
    whom: str


class Cleared(TypedDict):
    """The seat that the reader had; it is `taken` by somebody else, for the operator's `reason` or without one."""

    vacated: int
    taken: NotRequired[bool]
    reason: NotRequired[str | None]


class MayHaveReason(TypedDict):
    """The operator's reason, if the operator did it."""

    reason: NotRequired[str]


class Closed(MayHaveReason):
    """`by_host` if the host closed it."""

    by_host: NotRequired[bool]


class Reason(TypedDict):
    """The operator's reason."""

    reason: str


class Ended(MayHaveReason):
    """`damaged` if rows of the game were lost."""

    damaged: NotRequired[bool]


class Extended(Reason):
    """By how much, such as P1D."""

    by: str


class Unsealed(Reason):
    """The thing that the operator looked at: `the game` or `a mail`."""

    looked_at: str


class EndsAt(TypedDict):
    """The time at which the game is closed, as text."""

    ends_at: str


class Pawns(TypedDict):
    """The pawns that it is about."""

    pawns: list[str]


class OfferOfDraw(Pawns):
    """The name of the question in the address of the mail."""

    about: NotRequired[str]


class Resigned(Pawns):
    """The id of the player who had these pawns."""

    player: str


class Substituted(Pawns):
    """The change of a seat, as `notices.post_substitution` has it."""

    is_newcomer: bool
    renewed: bool
    reason: NotRequired[str | None]
    has_account: NotRequired[bool]


class Returned(TypedDict):
    """The queued moves, or those that `was_held`, each with its `notation` and `why`; both are empty for Mr. X."""

    moves: list[dict[str, str]]
    was_held: NotRequired[bool]


class Reminder(TypedDict):
    """The share of the time that is over."""

    share: float


class AboutMoves(TypedDict):
    """A question about moves, in notation: to make all of them, or one of them but not the one `against`."""

    moves: list[str]
    against: NotRequired[str | None]


class MayAsk(TypedDict):
    """A question about a mail of the reader's that was open."""

    question: NotRequired[AboutMoves]


class Late(MayAsk):
    """The pawns of late players, in the mail to a host without a seat."""

    pawns: NotRequired[list[str]]


class Granted(MayAsk):
    """`by_vote` if a vote gave it."""

    by_vote: NotRequired[bool]


class Wish(VoteWish):
    """The subject of a vote: its kind, and what the kind takes."""

    what: str


class Vote(Wish):
    """The pawns of the proposer, and until when; `about` names the question, to those who may answer it."""

    pawns: list[str]
    until: str
    about: NotRequired[str]


class Decided(Wish):
    """The result: `carried` or not, and `by_one` if one person alone decides about the time."""

    carried: bool
    by_one: bool


class Webhook(TypedDict):
    """The webhook that was switched off."""

    host: str
    id: str
    why: str


class Renamed(TypedDict):
    """The names before and after."""

    former: str
    name: str


class Welcome(TypedDict):
    """The player's name; why something was not done; the Message-ID that is answered."""

    name: str
    reason: str
    in_reply_to: str | None


class Paragraphs(TypedDict):
    """The words of a mail that has none of its own, at an address if it is to no player."""

    to: NotRequired[str]
    title: str
    paragraphs: list[str]


class Forwarded(Paragraphs):
    """The id of the mail that is attached."""

    attached: str | None


class Block(TypedDict):
    """A paragraph of an answer.

    One that is not public is for readers whose mails may name stations, and others read `instead`. `is_below`: it
    stands behind the situation of the game. `is_of_moment`: it is left out of an answer that comes late.
    """

    text: str
    is_public: bool
    instead: str
    is_below: bool
    is_of_moment: bool


class InReply(TypedDict):
    """The words of an answer, with the Message-ID that is answered; at an address if it is to no player."""

    to: NotRequired[str]
    title: str
    first_line: str
    blocks: list[Block]
    in_reply_to: NotRequired[str | None]


class Stranger(InReply):
    """The id of the answer, whose address its reader may answer to."""

    offer: str | None


class Answer(InReply):
    """The content of an answer, as `server.mail.commands.sending` has it.

    `situation` is how much of it follows: `turn` says whose turn it is, `choices` also what the reader can do, and
    `whole` all. `lead` stands for what Mr. X alone may read, in the first lines of an answer to him.
    `seat` is that of an invitation; `go` and `about` make the address for answers, see `reply_addresses.token_of`.
    `news`: what a mail that tells the situation tells in place of the answer, where it may.
    """

    situation: NotRequired[Literal["", "turn", "choices", "whole"]]
    lead: NotRequired[str]
    others: NotRequired[list[str]]
    files: NotRequired[Any]
    seat: NotRequired[int]
    go: NotRequired[int]
    about: NotRequired[str]
    news: NotRequired[str]


# The rows ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MailKind:
    """A kind of mail.

    about: what it is about, in words, as lists of mails have it
    details: a `TypedDict`
    to: a player, an address that is no player's, either of them, or the operator
    order: a turn or an account depends on the first ones; the last ones go when nothing else waits
    is_always_sent: whatever the player chose, so nobody can unsubscribe from it
    is_urgent: it has to be read in time: sent at once, and also to players who want reminders only
    is_pictured: it shows how the game stands, with pictures; its last line seals the log, as that of a digest does
    is_covering: it tells how the game stands and what happened before
    is_plain: a digest that tells the situation tells all of it
    is_end: it brings the transcript
    is_answer: it answers a mail
    is_written_again: if it comes back for now, as it can be written from what the database knows of the game; nothing
        else of a sent mail is kept: not its bytes, as the length of Mr. X's depends on where he is, and not its details
    is_public: it follows from public events, or from no game, so that it may be counted
    begins_turn: in a digest it waits no longer than half the time there is
    merged: how mails to one player become one: with `news`, these can stand in any other mail; a `whole` one tells the
        situation, and so does a `turn`, whose news can stand in a whole one. Of one event, the first in the table goes.
        An `answer` stands in either if it has news, and is sent early with it
    superseded_by: the kinds that tell a player all that this one would
    only_if: the name of the check in `mail.writing.disposition` by which it still tells what is so
    tells: the kind of event that is its news, and not told once more with what happened before
    is_event_news: its news tell that event, so that no digest tells both
    shown_as: the kind that the operator sees instead
    """

    name: str
    about: str
    details: Shape = Nothing
    to: Literal["player", "address", "either", "operator"] = "player"
    order: Literal["first", "", "last"] = ""
    is_always_sent: bool = False
    is_urgent: bool = False
    is_pictured: bool = False
    is_covering: bool = False
    is_plain: bool = False
    is_end: bool = False
    is_answer: bool = False
    is_written_again: bool = False
    is_public: bool = False
    begins_turn: bool = False
    merged: Literal["", "news", "whole", "turn", "answer"] = ""
    superseded_by: tuple[str, ...] = ()
    only_if: str = ""
    tells: str = ""
    is_event_news: bool = True
    shown_as: str = ""


_ROWS = (
    # A running game, those that tell how it stands.
    MailKind(
        "ended", "the game is over", Ended, merged="whole", superseded_by=("reinstated",),
        is_public=True, is_pictured=True, is_covering=True, is_end=True, is_written_again=True),
    MailKind(
        "final", "the result is final", merged="whole",
        is_public=True, is_pictured=True, is_end=True, is_written_again=True,
    ),
    MailKind(
        "returned", "a move sent ahead could not be played", Returned, order="first", merged="turn",
        only_if="is_awaited", is_pictured=True, is_covering=True, begins_turn=True,
    ),
    MailKind(
        "go", "it is your turn", order="first", merged="turn", only_if="is_awaited",
        is_pictured=True, is_covering=True, is_plain=True, is_written_again=True, begins_turn=True,
    ),
    MailKind(
        "turn", "it is your turn", order="first", merged="turn", superseded_by=("turn", "ended"), is_public=True,
        is_pictured=True, is_covering=True, is_plain=True, is_written_again=True, begins_turn=True,
    ),
    MailKind(
        "reminder", "a reminder", Reminder, order="first", merged="whole", only_if="is_awaited",
        is_urgent=True, is_pictured=True, is_covering=True,
    ),
    MailKind(
        "late", "the server has moved for somebody", Late, merged="turn", superseded_by=("turn", "ended"),
        is_public=True, is_pictured=True, is_covering=True,
    ),
    MailKind(
        "started", "the game has started", order="first",
        is_public=True, is_pictured=True, is_covering=True, is_plain=True, is_written_again=True,
    ),
    MailKind(
        "moved", "a move", only_if="is_untold", superseded_by=("turn", "go", "started", "returned", "late", "ended"),
        is_pictured=True, is_covering=True, is_plain=True, is_written_again=True,
    ),
    MailKind(
        "granted", "one more turn", Granted, order="first", only_if="is_same_phase", tells="granted",
        is_public=True, is_pictured=True,
    ),
    MailKind(
        "overdue", "time is up", Pawns, order="first", only_if="is_same_phase", tells="late",
        is_urgent=True, is_pictured=True,
    ),
    MailKind(
        "reinstated", "the game goes on", Reason, order="first", only_if="is_same_phase", tells="reinstated",
        is_public=True, is_pictured=True, begins_turn=True,
    ),
    MailKind(
        "substituted", "somebody else plays now", Substituted, order="first", tells="substituted", is_event_news=False,
        is_public=True, is_pictured=True,
    ),
    # What else happens in a game.
    MailKind("decided", "the result of a vote", Decided, merged="news"),
    MailKind("extended", "a deadline has moved", Extended, merged="news", tells="extended"),
    MailKind("resigned", "somebody resigned", Resigned, merged="news", tells="resigned", is_public=True),
    MailKind("draw", "an offer of a draw", OfferOfDraw, merged="news", only_if="has_draw_offer"),
    MailKind("offered", "a seat is offered", Pawns, merged="news"),
    MailKind("host", "you are the host", MayHaveReason, merged="news", only_if="is_to_host"),
    MailKind("unsealed", "the operator looked into the game", Unsealed, merged="news", is_public=True),
    MailKind("talk", "a message of a player", merged="news", only_if="may_be_heard", is_written_again=True),
    MailKind("vote", "a vote", Vote, only_if="has_vote", is_urgent=True, is_written_again=True),
    MailKind("digest", "what happened, in one mail", order="first"),
    # The lobby.
    MailKind(
        "invitation", "an invitation", Invitation, "either", only_if="has_reserved_seat",
        is_public=True, is_urgent=True, is_written_again=True,
    ),
    MailKind("withheld", "an invitation", Invitation, is_public=True, shown_as="invitation"),
    MailKind("complete", "all seats are taken", only_if="is_complete", is_public=True, is_written_again=True),
    MailKind("vacant", "a seat is free again", Vacated),
    MailKind("cleared", "you lost a seat", Cleared),
    MailKind("expiring", "a game will be closed unless it starts", EndsAt, only_if="is_open", is_urgent=True),
    MailKind("expired", "a game was closed before its start", Closed),
    # Answers to mails.
    MailKind(
        "answer", "an answer to a mail of yours", Answer, "either", merged="answer", is_always_sent=True, is_answer=True
    ),
    MailKind(
        "advice", "an answer to a mail of yours", Answer, "either", shown_as="answer",
        is_always_sent=True, is_answer=True,
    ),
    MailKind("stranger", "an answer to a mail", Stranger, "address", "last", is_public=True, is_answer=True),
    # Accounts.
    MailKind("welcome", "welcome", Welcome, is_public=True, is_always_sent=True, is_answer=True),
    MailKind("code", "a code to become a player", Code, "address", "first", is_public=True, is_always_sent=True),
    MailKind("sign_in", "a code to sign in", Code, "address", "first", is_always_sent=True),
    MailKind("address", "a code for an address", Code, "address", "first", is_always_sent=True),
    MailKind("tried", "somebody signed up with your address", ToAddress, is_public=True, is_always_sent=True),
    MailKind(
        "renamed", "the operator has changed your name", Renamed, is_public=True, is_always_sent=True
    ),
    MailKind("webhook", "a webhook was switched off", Webhook, is_public=True),
    # The operator.
    MailKind("forwarded", "a mail that somebody forwarded", Forwarded, "operator"),
    MailKind("alert", "something the operator has to know", Paragraphs, "operator"),
)  # fmt: skip
MAIL_KINDS = {row.name: row for row in _ROWS}


def mails(is_meant: Callable[[MailKind], bool]) -> tuple[str, ...]:
    """Return the names of the kinds of which this is true, in the order of the table."""
    return tuple(row.name for row in _ROWS if is_meant(row))


def check_mail(kind: str, details: Mapping[str, object] | None, *, has_player: bool) -> None:
    """Check a mail that is to be posted: that there is such a kind, its details, and to whom it goes.

    Raises:
        KeyError: there is no such kind.
        ValueError: it is not for a player, or for one alone, or its details are those of another kind.
    """
    row = MAIL_KINDS[kind]
    if row.to != "either" and has_player != (row.to == "player"):
        raise ValueError(f"a mail {kind} is for: {row.to}")
    check_shape(f"a mail {kind}", row.details, details)
