"""Mails to a reply address that may not be from its player: they are never obeyed, and their author is not answered.

The player is told of them, or asked whether they wrote them, at their registered address; once for each sender and
round.
"""

from dataclasses import replace

from sqlalchemy import select

from server.application.game import reply_addresses
from server.application.game.situations import publish_event
from server.language import forms
from server.mail.commands import sending, yes
from server.mail.commands.questions import ConfirmSender
from server.mail.commands.reply import reply_from_template
from server.mail.commands.request import Request, counts_as_from, parse, sender_address
from server.mail.trust.results import Authentication
from server.mail.writing import sentences
from server.models import Incoming, Player, session
from server.runtime import runtime

MOST_ASKED = 3  # senders in one round
MOST_QUOTED = 5  # lines of the mail in such a question


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


def _note_sender(request: Request) -> bool:
    """Remember by a keyed hash who wrote to which address; return True if it was the first time."""
    row = request.row
    written = f"{row.recipient}\0{' '.join(request.reading.from_addresses)}".lower()
    row.author = runtime().keyring.fingerprint(written.encode())
    before = select(Incoming.id).where(Incoming.author == row.author, Incoming.id != row.id)
    return session.scalar(before.limit(1)) is None


def _warn_of_player(request: Request) -> str:
    if request.game.status == "running":
        publish_event(request.game.id, "intruded", seat=request.seat.number, pawns=request.seat.pawns)
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
    if reply_addresses.count_questions(request.token, request.seat, sending.FROM) >= MOST_ASKED:
        return "unknown-sender-unanswered"
    commands = tuple(map(_in_short, parse(request.reading).commands[:MOST_QUOTED]))
    question = ConfirmSender(request.row.id, sender, commands)
    verdict = sending.warn(request, replace(yes.was_it_you(question), question=question), "unknown-sender")
    if verdict.endswith("unanswered"):
        request.row.author = None  # so that the next mail from there is asked about, when the day is over
    return verdict


def _in_short(command: forms.Command) -> str:
    """Return a command as it was written; of free text its first word, as strangers speak through nobody."""
    words = command.line if command.move or command.stations else command.line.split(" ")[0]
    return sentences.quoted(words)
