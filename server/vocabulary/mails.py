"""The kinds of mail that the server sends: a row for each.

The words of a kind are in `templates/mail`, in the folder of its name. `house_rules.notices` and `game.outbox_rows`
post mails. A class of one kind, as in `mail.writing.context`, has its name; a check of several stands in their rows.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, NotRequired, TypedDict

from server.vocabulary.by_name import check_names


class AboutMoves(TypedDict):
    """A question about moves, in notation: to make all of them, or one of them but not the one `against`."""

    moves: list[str]
    against: NotRequired[str | None]


# What some details are:
#   to, code, pin: an address that is no player's, and what confirms it; digits are for guests alone
#   vacated, why, whom: the seat that is free, and the rest as in `notices.post_vacancy`; `taken` by somebody else
#   moves: those sent ahead, or those that `was_held`, each with `notation` (empty for Mr. X) and the `turn` in which
#   it was not legal; in rows of 0.2.0 with the sentence `why`
#   question: one about a mail of the reader's that was open, see `AboutMoves`
#   share: of the time that is over
#   until, about: when a vote closes, and the name of its question, to those who may answer it
#   by_one: one person alone decides about the time
#   damaged: rows of the game were lost
_WISH = "length? clock? side? round?"  # what a kind of vote takes
_WORDS = "title first_line blocks to? in_reply_to?"
# The rest of an answer, as `server.mail.commands.sending` has it. `situation` is how much of it follows: `turn` says
# whose turn it is, `choices` also what the reader can do, and `whole` all. `lead` stands for what Mr. X alone may read,
# in the first lines of an answer to him. `seat` is that of an invitation; `go` and `about` make the address for
# answers, see `reply_addresses.token_of`. `news`: what a mail that tells the situation tells in its place, if it may.
_ANSWER = f"{_WORDS} situation? lead? others? files? seat? go? about? news?"


@dataclass(frozen=True)
class MailKind:
    """A kind of mail.

    about: what it is about, in words, as lists of mails have it
    details: the names of the facts that it tells and its event does not hold; a question mark is behind those that it
        may lack
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
    is_call: a device that its reader asked to call them shows its subject
    begins_turn: in a digest it waits no longer than half the time there is
    merged: how mails to one player become one: with `news`, these can stand in any other mail; a `whole` one tells the
        situation, and so does a `turn`, whose news can stand in a whole one. Of one event, the first in the table goes.
        An `answer` stands in either if it has news, and is sent early with it
    superseded_by: the kinds that tell a player all that this one would
    only_if: the name of the check in `mail.writing.disposition` by which it still tells what is so
    tells: the kind of event that is its news, and not told once more with what happened before
    is_event_news: its news tell that event, so that no digest tells both
    shown_as: the kind that the operator sees instead
    entry: what the entry that tells programs the same is called in the events of its player
    """

    name: str
    about: str
    details: str = ""
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
    is_call: bool = False
    begins_turn: bool = False
    merged: Literal["", "news", "whole", "turn", "answer"] = ""
    superseded_by: tuple[str, ...] = ()
    only_if: str = ""
    tells: str = ""
    is_event_news: bool = True
    shown_as: str = ""
    entry: Literal["", "reminded", "said", "asked"] = ""


_ROWS = (
    # A running game, those that tell how it stands.
    MailKind(
        "ended", "the game is over", "reason? damaged?", merged="whole", superseded_by=("reinstated",),
        is_public=True, is_pictured=True, is_covering=True, is_end=True, is_written_again=True),
    MailKind(
        "final", "the result is final", merged="whole",
        is_public=True, is_pictured=True, is_end=True, is_written_again=True,
    ),
    MailKind(
        "returned", "a move sent ahead could not be played", "moves was_held?", order="first", merged="turn",
        only_if="is_awaited", is_pictured=True, is_covering=True, is_call=True, begins_turn=True,
    ),
    MailKind(
        "go", "it is your turn", order="first", merged="turn", only_if="is_awaited",
        is_pictured=True, is_covering=True, is_plain=True, is_written_again=True, is_call=True, begins_turn=True,
    ),
    MailKind(
        "turn", "it is your turn", order="first", merged="turn", superseded_by=("turn", "ended"), is_public=True,
        is_pictured=True, is_covering=True, is_plain=True, is_written_again=True, is_call=True, begins_turn=True,
    ),
    MailKind(
        "reminder", "a reminder", "share", order="first", merged="whole", only_if="is_awaited",
        is_urgent=True, is_pictured=True, is_covering=True, is_call=True, entry="reminded",
    ),
    MailKind(
        "late", "the server has moved for somebody", "pawns? question?", merged="turn", superseded_by=("turn", "ended"),
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
        "granted", "one more turn", "by_vote? question?", order="first", only_if="is_same_phase", tells="granted",
        is_public=True, is_pictured=True,
    ),
    MailKind(
        "overdue", "time is up", "pawns", order="first", only_if="is_same_phase", tells="late",
        is_urgent=True, is_pictured=True,
    ),
    MailKind(
        "reinstated", "the game goes on", "reason", order="first", only_if="is_same_phase", tells="reinstated",
        is_public=True, is_pictured=True, begins_turn=True,
    ),
    MailKind(
        "substituted", "somebody else plays now", "pawns is_newcomer renewed reason? has_account? had_to_go?",
        order="first", tells="substituted", is_event_news=False, is_public=True, is_pictured=True,
    ),
    # What else happens in a game.
    MailKind("decided", "the result of a vote", "what carried by_one " + _WISH, merged="news"),
    MailKind("extended", "a deadline has moved", "reason by", merged="news", tells="extended"),
    MailKind(
        "resigned", "somebody resigned or had to go", "pawns player had_to_go?", merged="news", tells="resigned",
        is_public=True,
    ),
    MailKind("draw", "an offer of a draw", "pawns about?", merged="news", only_if="has_draw_offer", entry="asked"),
    MailKind("offered", "a seat is offered", "pawns", merged="news"),
    MailKind("host", "you are the host", "reason?", merged="news", only_if="is_to_host"),
    MailKind("unsealed", "the operator looked into the game", "reason looked_at", merged="news", is_public=True),
    MailKind(
        "talk", "a message of a player", merged="news", only_if="may_be_heard", is_written_again=True, entry="said"
    ),
    MailKind(
        "vote", "a vote", "what pawns until about? " + _WISH,
        only_if="has_vote", is_urgent=True, is_written_again=True, entry="asked",
    ),
    MailKind("digest", "what happened, in one mail", order="first"),
    # The lobby.
    MailKind(
        "invitation", "an invitation", "seat is_reminder? to? code?", "either", only_if="has_reserved_seat",
        is_public=True, is_urgent=True, is_written_again=True,
    ),
    MailKind("withheld", "an invitation", "seat is_reminder? to? code?", is_public=True, shown_as="invitation"),
    MailKind("complete", "all seats are taken", only_if="is_complete", is_public=True, is_written_again=True),
    MailKind("vacant", "a seat is free again", "vacated why whom"),
    MailKind("cleared", "you lost a seat", "vacated taken? reason?"),
    MailKind("expiring", "a game will be closed unless it starts", "ends_at", only_if="is_open", is_urgent=True),
    MailKind("expired", "a game was closed before its start", "by_host? reason?"),
    # Answers to mails.
    MailKind(
        "answer", "an answer to a mail of yours", _ANSWER, "either", merged="answer",
        is_always_sent=True, is_answer=True,
    ),
    MailKind(
        "advice", "an answer to a mail of yours", _ANSWER, "either", shown_as="answer",
        is_always_sent=True, is_answer=True,
    ),
    MailKind("stranger", "an answer to a mail", "offer " + _WORDS, "address", "last", is_public=True, is_answer=True),
    # Accounts.
    MailKind("welcome", "welcome", "name reason in_reply_to", is_public=True, is_always_sent=True, is_answer=True),
    MailKind(
        "code", "a code to become a player", "to code pin?", "address", "first", is_public=True, is_always_sent=True
    ),
    MailKind("sign_in", "a code to sign in", "to code pin?", "address", "first", is_always_sent=True),
    MailKind("address", "a code for an address", "to code pin?", "address", "first", is_always_sent=True),
    MailKind("tried", "somebody signed up with your address", "to", is_public=True, is_always_sent=True),
    MailKind(
        "renamed", "the operator has changed your name", "former name", is_public=True, is_always_sent=True
    ),
    MailKind("webhook", "a webhook was switched off", "host id why", is_public=True),
    # The operator.
    MailKind("forwarded", "a mail that somebody forwarded", "title paragraphs attached to?", "operator"),
    MailKind("alert", "something the operator has to know", "title paragraphs to?", "operator"),
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
    check_names(f"a mail {kind}", row.details, details)
