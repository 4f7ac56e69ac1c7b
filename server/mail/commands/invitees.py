"""Answers to invitations by people who are no players yet: a YES makes the reader of the address a player with a seat.

What the server writes to them goes to the invited address and nowhere else, and not often.
"""

from collections.abc import Mapping
from typing import Any

from server.application.deciding import all_or_nothing
from server.application.errors import Problem
from server.application.game import outbox_rows
from server.application.game.look import look_at_any, standing_of
from server.application.limits import answers
from server.application.lobby import invitations, vacancies
from server.application.people import names
from server.application.people.accounts.sign_up import accept_invitation
from server.application.people.players import name_like, with_email
from server.mail.commands import sending, strangers, yes
from server.mail.commands.misunderstood import quoted_as_read
from server.mail.commands.reply import Reply, content, reply_from_template
from server.mail.commands.request import Request, parse
from server.mail.language import grammar
from server.mail.language.retractions import Retraction, retraction
from server.mail.reading.message import Reading
from server.mail.reading.quoting import MARKER
from server.mail.trust.results import Authentication
from server.mail.writing import sentences
from server.models import Incoming, ReplyToken, Seat
from server.runtime.address_marks import address_mark
from server.wording.seats import seat_label


def obey(row: Incoming, reading: Reading, token: ReplyToken, seat: Seat, authentication: Authentication) -> str:
    """Do what the reader of an invited address asks for; return the verdict on the mail.

    Somebody to whom the invitation was forwarded is told how to take another seat of the game.
    """
    assert seat.invitation is not None
    email = seat.invitation.email or ""
    if [address.lower() for address in reading.from_addresses] != [email]:
        if strangers.answer_to_forwarded_invitation(row, reading, authentication, standing_of(seat.game)):
            return "forwarded-invitation"
        return _advise(row, reading, email, {"why": "elsewhere"}, "other-sender", seat)
    parsed = parse(reading)
    unclear = retraction(parsed)
    commands = {command.name for command in parsed.commands} if unclear is None else set()
    try:
        with all_or_nothing():
            if commands == {"yes"}:
                return _accept(row, reading, token, seat)
            if commands in ({"no"}, {"stop"}):
                return _decline(row, reading, seat, email, stops="stop" in commands)
    except Problem as problem:
        reason = {"reason": sentences.reason(problem.sentence)}
        return _advise(row, reading, email, reason, problem.code, seat)
    return _advise(row, reading, email, _why_unanswered(reading, unclear), "unreadable", seat)


def answer_too_late(row: Incoming, reading: Reading, token: ReplyToken) -> str | None:
    """Tell a person who was invited once, and is not a player, that it is over; return None for anybody else."""
    sender = reading.from_addresses[0].lower() if len(reading.from_addresses) == 1 else ""
    if not sender or with_email(sender) is not None or not invitations.was_invited(token.nonce, sender):
        return None
    return _advise(row, reading, sender, {"why": "too-late"}, "too-late")


def _accept(row: Incoming, reading: Reading, token: ReplyToken, seat: Seat) -> str:
    local_part = reading.from_addresses[0].partition("@")[0]
    player = accept_invitation(seat, names.free_like(name_like(reading.from_name, otherwise=name_like(local_part))))
    game = look_at_any(seat.game_id, player)
    own = game.seat_of_player(player.id)
    reply = reply_from_template("accepted", role=seat_label(own), name=sentences.quoted(player.name))
    sending.answer(Request(row, reading, token, game, own, player), reply)
    return "accepted"


def _decline(row: Incoming, reading: Reading, seat: Seat, email: str, *, stops: bool) -> str:
    if stops:
        invitations.refuse(seat)
    vacancies.decline(seat)
    reply = reply_from_template("invitation_declined", stops=stops)
    outbox_rows.post(None, "answer", details=_details(reading, email, reply), cause=row.id)
    return "declined"


def _why_unanswered(reading: Reading, unclear: Retraction | None) -> dict[str, str]:
    """Return what the advice says of a mail that is no answer: the question about it, or the words that were read."""
    if unclear is None and not reading.problem:
        return {"read": quoted_as_read(grammar.own_words(reading.lines, reading.subject))}
    why = yes.unclear_answer(unclear) if unclear else reply_from_template("unreadable", problem=reading.problem)
    return {"question": " ".join(why.texts)}


def _advise(
    row: Incoming,
    reading: Reading,
    email: str,
    facts: Mapping[str, str],
    verdict: str,
    seat: Seat | None = None,
) -> str:
    is_theirs = [address.lower() for address in reading.from_addresses] == [email]
    at = answers.schedule(address_mark(email), is_proven=is_theirs, words=" ".join(reading.lines))
    if at is None:
        return f"{verdict}-unanswered"
    details = _details(reading, email, reply_from_template("invitation", **facts)) | (
        {"seat": seat.number} if seat else {}
    )
    outbox_rows.post(None, "advice", seat.game if seat else None, details=details, cause=row.id, at=at)
    return verdict


def _details(reading: Reading, email: str, reply: Reply) -> dict[str, Any]:
    return {
        "to": email,
        "title": reply.title,
        "first_line": f"About your invitation. {MARKER}",
        "blocks": content(reply),
        "in_reply_to": reading.message_id,
    }
