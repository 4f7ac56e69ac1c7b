"""Answers to invitations by people who are no players yet: YES makes the reader of the address one, and seats him.

What they are written goes to the invited address and nowhere else, and not often.
"""

from typing import Any

from server.application.accounts import accounts
from server.application.deciding import whole
from server.application.errors import Problem
from server.application.game import notices
from server.application.people import names
from server.application.people.players import name_like, with_email
from server.application.seats import invitations, lobby
from server.mail.commands import reply
from server.mail.commands.joining import taken
from server.mail.commands.request import Errand
from server.mail.language import grammar
from server.mail.reading.message import Reading
from server.mail.reading.quoting import MARKER
from server.mail.writing import sentences
from server.models import Incoming, ReplyToken, Seat

MOST_ERRORS = 3  # answers to what was not understood, for one invitation
HOW_TO = (
    "Nothing was done. To take the seat, answer this mail with the word YES on a line of its own; to decline, with NO; "
    'and with "STOP" you are not invited by anybody here any more.'
)
ELSEWHERE = (
    "A mail came to the address that was made for your answer, but not from this address of yours. Nothing was done, "
    "and whoever wrote it got no answer. If it was you, send it again from this address."
)
GOOD_NO_LONGER = (
    "The invitation that you answered is good no longer: it was declined or withdrawn, or it has run out. "
    "Nothing was done. Whoever invited you can do so again."
)
DECLINED = "You have declined the invitation. Your address is forgotten here."
STOPPED = "You have declined the invitation, and nobody can invite this address here any more."


def obey(row: Incoming, reading: Reading, token: ReplyToken, seat: Seat) -> str:
    """Do what the reader of an invited address says; a word on what became of it."""
    assert seat.invitation is not None
    email = seat.invitation.email or ""
    if [address.lower() for address in reading.from_addresses] != [email]:
        return _advise(row, reading, token, email, ELSEWHERE, "other-sender", seat)
    names = {command.name for command in grammar.parse(reading.lines, reading.subject).commands}
    try:
        with whole():
            if names == {"yes"}:
                return _accept(row, reading, token, seat)
            if names in ({"no"}, {"stop"}):
                return _decline(row, reading, seat, email, stops="stop" in names)
    except Problem as problem:
        return _advise(row, reading, token, email, f"{sentences.reason(problem.sentence)} {HOW_TO}", problem.code, seat)
    unread = reply.UNREADABLE.get(reading.problem, reply.BROKEN) if reading.problem else ""
    return _advise(row, reading, token, email, f"{unread} {HOW_TO}".strip(), "unreadable", seat)


def too_late(row: Incoming, reading: Reading, token: ReplyToken) -> str | None:
    """Who was invited once and is no player is told that it is over; None for anybody else."""
    sender = reading.from_addresses[0].lower() if len(reading.from_addresses) == 1 else ""
    if not sender or with_email(sender) is not None or not invitations.once_for(token.nonce, sender):
        return None
    return _advise(row, reading, token, sender, GOOD_NO_LONGER, "too-late")


def _accept(row: Incoming, reading: Reading, token: ReplyToken, seat: Seat) -> str:
    local_part = reading.from_addresses[0].partition("@")[0]
    player = accounts.accept(seat, names.free_like(name_like(reading.from_name, otherwise=name_like(local_part))))
    errand = Errand(row, reading, token, seat.game, seat, player)
    errand.title = "the seat is yours"
    welcome = (
        f'You are a player here now, called {sentences.quoted(player.name)}. Times are told to you in the zone "UTC"; '
        'a line such as "SET zone Europe/London" in an answer to this mail changes that, and "SET name" with another '
        "name what you are called. The word HELP on a line of its own tells what else you can send."
    )
    errand.told = [taken(seat), welcome]
    notices.post(player.id, "answer", seat.game, details=reply.details(errand), cause=row.id)
    return "accepted"


def _decline(row: Incoming, reading: Reading, seat: Seat, email: str, *, stops: bool) -> str:
    if stops:
        invitations.refuse(seat)
    lobby.decline(seat)
    details = _details(reading, email, "the invitation is declined", STOPPED if stops else DECLINED)
    notices.post(None, "answer", details=details, cause=row.id)
    return "declined"


def _advise(
    row: Incoming, reading: Reading, token: ReplyToken, email: str, told: str, verdict: str, seat: Seat | None = None
) -> str:
    if token.errors_told >= MOST_ERRORS:
        return f"{verdict}-unanswered"
    token.errors_told += 1
    details = _details(reading, email, "about your invitation", told) | ({"seat": seat.number} if seat else {})
    notices.post(None, "advice", seat.game if seat else None, details=details, cause=row.id)
    return verdict


def _details(reading: Reading, email: str, title: str, told: str) -> dict[str, Any]:
    return {
        "to": email,
        "title": title,
        "first_line": f"About your invitation. {MARKER}",
        "paragraphs": [told],
        "in_reply_to": reading.message_id,
    }
