"""Mails to a reply address that may not be from its player: they are never obeyed, and their author is not answered.

The player is told of them, or asked whether they wrote them, at their registered address; once for each sender and
round.
"""

from collections.abc import Callable
from dataclasses import replace

from sqlalchemy import select

from server.application.errors import Problem
from server.application.game import reply_addresses
from server.application.game.situations import publish
from server.application.people.accounts import addresses as emails
from server.mail.commands import questions, sending, unread
from server.mail.commands import reply as replies
from server.mail.commands.authors import counts_as_from, sender_address
from server.mail.commands.questions import Answered, ConfirmSender, UnclearError
from server.mail.commands.reply import Reply, reply_from_template
from server.mail.commands.request import Request, parse
from server.mail.examination.supervisor import ReadingFailed, TooCostly, examiner
from server.mail.language import forms, grammar
from server.mail.reading.quoting import MARKER
from server.mail.trust.results import Authentication
from server.mail.writing import sentences
from server.models import Incoming, Player, session
from server.runtime import runtime

MOST_ASKED = 3  # senders in one round
FROM = "from-"  # so begins the name of a question about one of them
MOST_QUOTED = 5  # lines of the mail in such a question
NOT_KEPT = "The mail in question is not kept any more, so nothing was done; send it again."
NOT_READ = "The mail in question cannot be read, so nothing was done; send it again, with less in it."
CarryOut = Callable[[Request, grammar.Parsed], tuple[Request, Reply]]


def turn_away(request: Request, author: Player | None, authentication: Authentication) -> str | None:
    """Turn a mail away that may not be from its player, and return the verdict; return None if it is from them.

    `author` is the player whose address is in From.
    """
    if counts_as_from(request.player, author, authentication):
        return None
    is_first = _note_sender(request)
    request = replace(request, reading=replace(request.reading, message_id=None))  # the answer is no reply to it
    if authentication.is_failing:
        return _warn(request, "forged", "forged") if author and is_first else "forged"
    if author is not None:
        return _warn_of_player(request) if is_first else "other-player"
    sender = sender_address(request.reading)
    if sender is None:
        return _warn(request, "other-sender", "unknown") if is_first else "other-sender"
    return _ask(request, sender) if is_first else "unknown-sender"


def confirm(request: Request, inbox_id: str, carry_out: CarryOut) -> Reply:
    """Add the address of a mail to the player's own, after a YES, and do what the mail asked for when it came."""
    row = session.get(Incoming, inbox_id)
    if row is None or row.raw is None:
        raise Problem("form", NOT_KEPT)
    try:
        reading = examiner().read(row.raw, marker=MARKER, envelope_sender=row.sender)
    except (TooCostly, ReadingFailed):
        raise Problem("form", NOT_READ) from None
    (address,) = reading.from_addresses
    emails.add(request.player.id, address)
    earlier = Request(row, reading, reply_addresses.find(row.recipient), request.game, request.seat, request.player)
    reason, done = "", Reply()
    parsed = parse(reading)
    try:
        _, done = carry_out(earlier, parsed)
        done = replies.combined([done, unread.remark_if_done(parsed)])
    except Problem as problem:
        reason = sentences.reason(problem.sentence)
        done = unread.remark_if_nothing_done(parsed, ())
    except UnclearError as unclear:
        done = unread.question_with_remark(unclear, parsed)
        if earlier.token is not None and unclear.question is not None:
            questions.ask(earlier.token, unclear.question)
    added = reply_from_template("address_added", address=sentences.quoted(address), reason=reason)
    reply = replies.combined([added, replace(done, leads=bool(done.title))])
    return replace(reply, leads=True, question=Answered())


def about(row: Incoming) -> str:
    """Return the name of the question whether the player wrote this mail; see `reply_addresses.token_of`."""
    return FROM + (row.author or "")[:11]


def _note_sender(request: Request) -> bool:
    """Remember by a keyed hash who wrote to which address; return True if it was the first time."""
    row = request.row
    written = f"{row.recipient}\0{' '.join(request.reading.from_addresses)}".lower()
    row.author = runtime().keyring.fingerprint(written.encode())
    before = select(Incoming.id).where(Incoming.author == row.author, Incoming.id != row.id)
    return session.scalar(before.limit(1)) is None


def _warn_of_player(request: Request) -> str:
    if request.game.status == "running":
        publish(request.game.id, "intruded", seat=request.seat.number, pawns=request.seat.pawns)
        request = request.anew()
    return _warn(request, "other-player", "other-player")


def _warn(request: Request, verdict: str, why: str) -> str:
    return sending.warn(request, reply_from_template("not_obeyed", why=why), verdict)


def _ask(request: Request, sender: str) -> str:
    """Ask the player whether they wrote the mail.

    The question has an address of its own, so that a YES to anything else is not taken for a YES to this.
    """
    assert request.token is not None
    assert request.row.author is not None
    if reply_addresses.count_questions(request.token, request.seat, FROM) >= MOST_ASKED:
        return "unknown-sender-unanswered"
    asked = reply_addresses.token_of(request.game, request.seat, request.token.round, about(request.row))
    parsed = parse(request.reading)
    commands = [_in_short(command) for command in parsed.commands[:MOST_QUOTED]]
    quoted = sentences.quoted(sender)
    reply = reply_from_template("was_it_you", sender=quoted, commands=commands)
    reply = replace(reply, on_page=reply_from_template("was_it_you", sender=quoted, commands=None).paragraphs)
    verdict = sending.warn(request, reply, "unknown-sender", about=about(request.row))
    if verdict.endswith("unanswered"):
        request.row.author = None  # so that the next mail from there is asked about, when the day is over
    else:
        reply_addresses.store([asked])
        questions.ask(reply_addresses.row_of(asked), ConfirmSender(request.row.id))
    return verdict


def _in_short(command: forms.Command) -> str:
    """Return a command as it was written; of free text its first word, as strangers speak through nobody."""
    words = command.line if command.move or command.stations else command.line.split(" ")[0]
    return sentences.quoted(words)
