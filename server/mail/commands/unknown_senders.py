"""A mail to a reply address that is not surely from its player: never obeyed, and whoever wrote it is not answered.

The player is told, or asked whether it was he, at his registered address; once for each sender and go.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from sqlalchemy import select

from server.application.accounts import addresses as emails
from server.application.errors import Problem
from server.application.game import reply_addresses
from server.application.game.events import record_event
from server.application.people.players import check_email
from server.mail.commands import reply
from server.mail.commands.request import Errand
from server.mail.examination.supervisor import ReadingFailed, TooCostly, examiner
from server.mail.language import grammar
from server.mail.reading.quoting import MARKER
from server.mail.trust.results import Authentication
from server.mail.writing import sentences
from server.models import Incoming, Player, session
from server.runtime import runtime

MOST_ASKED = 3  # senders of a go
FROM = "from-"  # so begins what a question about one of them is about
MOST_TOLD = 5  # lines of the mail that are told when it is asked about
NOT_PROVED = (
    "A mail came to your reply address in this game whose sender is forged, as far as can be told from its signature "
    "and from what the mail servers on its way found. Nothing was done, and whoever wrote it got no answer. If it was "
    "you, write to the Reply-To of our mail itself and to nobody else, from the mail program in which you get our mail."
)
ANOTHER_PLAYER = (
    "A mail came to your reply address in this game from the address of another player. Nothing was done, whoever "
    "wrote it got no answer, and the game has noted that it happened. Who knows that address of yours could try to "
    "move for you: do not pass our mails on."
)
STRANGE = (
    "A mail came from there to your reply address in this game, and that is no address of yours here. Nothing was "
    "done, and whoever wrote it got no answer."
)
HOW_TO_ADD = (
    "If it was you, answer this mail with the word YES on a line of its own: then that address is yours as well from "
    "now on, and what the mail says is done, as far as it still can be. The word NO drops it."
)
NOT_KEPT = "The mail in question is not kept any more, so nothing was done; send it again."
NOT_READ = "The mail in question cannot be read, so nothing was done; send it again, with less in it."
CarryOut = Callable[[Errand, Sequence[grammar.Command]], None]


def turned_away(errand: Errand, author: Player | None, authentication: Authentication) -> str | None:
    """What becomes of a mail that is not surely its player's; None for one that is. `author`: whose From it is."""
    if author == errand.player and not authentication.is_failing:
        return None
    is_first = _note(errand)
    errand.reading = replace(errand.reading, message_id=None)  # what is told answers nobody
    if authentication.is_failing:
        return _tell(errand, "forged", NOT_PROVED) if author and is_first else "forged"
    if author is not None:
        return _other_player(errand) if is_first else "other-player"
    sender = _sender(errand)
    if sender is None:
        return _tell(errand, "other-sender", reply.ELSEWHERE) if is_first else "other-sender"
    return _ask(errand, sender) if is_first else "unknown-sender"


def confirmed(errand: Errand, mail_id: str, carry_out: CarryOut) -> None:
    """YES, it was he: the address is his from now on, and the mail is done as the one that it was when it came."""
    row = session.get(Incoming, mail_id)
    if row is None or row.raw is None:
        raise Problem("form", NOT_KEPT)
    try:
        reading = examiner().read(row.raw, marker=MARKER, envelope_sender=row.sender)
    except (TooCostly, ReadingFailed):
        raise Problem("form", NOT_READ) from None
    (address,) = reading.from_addresses
    emails.add(errand.player.id, address)
    token = reply_addresses.find(row.recipient)
    assert errand.token is not None
    errand.token.question = None
    errand.title = "the address is yours"
    errand.told.append(f"From now on what comes from {sentences.quoted(address)} is yours as well.")
    held = Errand(row, reading, token, errand.game, errand.seat, errand.player)
    try:
        carry_out(held, grammar.parse(reading.lines, reading.subject).commands)
    except Problem as problem:
        errand.told.append(f"Of the mail itself nothing was done: {sentences.reason(problem.sentence)}")
    else:
        errand.title = held.title or errand.title
        errand.told += held.told


def _note(errand: Errand) -> bool:
    """Remember by a keyed hash who wrote to which address; whether it was the first time."""
    row = errand.row
    written = f"{row.recipient}\0{' '.join(errand.reading.from_addresses)}".lower()
    row.author = runtime().keyring.fingerprint(written.encode())
    before = select(Incoming.id).where(Incoming.author == row.author, Incoming.id != row.id)
    return session.scalar(before.limit(1)) is None


def about(row: Incoming) -> str:
    """What the question is about whether the player wrote this mail; see `addresses.token_of`."""
    return FROM + (row.author or "")[:11]


def _sender(errand: Errand) -> str | None:
    """The one address in From, if it could be a player's."""
    try:
        (address,) = errand.reading.from_addresses
        return check_email(address) if re.fullmatch(r'[^\s"]+', address) else None
    except (Problem, ValueError):
        return None


def _other_player(errand: Errand) -> str:
    if errand.game.status == "running":
        record_event(errand.game, "intruded", seat=errand.seat.number, pawns=errand.seat.pawns)
    return _tell(errand, "other-player", ANOTHER_PLAYER)


def _tell(errand: Errand, verdict: str, text: str) -> str:
    errand.title = "a mail from elsewhere was not obeyed"
    errand.told = [text]
    return reply.warn(errand, verdict)


def _ask(errand: Errand, sender: str) -> str:
    """Ask the player, at an address of its own, so that no YES to anything else is taken for one to this."""
    assert errand.token is not None
    assert errand.row.author is not None
    if reply_addresses.asked(errand.token, errand.seat, FROM) >= MOST_ASKED:
        return "unknown-sender-unanswered"
    errand.about = about(errand.row)
    asked = reply_addresses.token_of(errand.game, errand.seat, errand.token.go, errand.about)
    errand.title = "was it you?"
    parsed = grammar.parse(errand.reading.lines, errand.reading.subject)
    wanted = [_told(command) for command in parsed.commands[:MOST_TOLD]]
    says = f"It says {sentences.join(wanted)}." if wanted else "It says nothing that could be done."
    errand.told = [f"Was it you, from {sentences.quoted(sender)}? {STRANGE}", f"{says} {HOW_TO_ADD}"]
    verdict = reply.warn(errand, "unknown-sender")
    if verdict.endswith("unanswered"):
        errand.row.author = None  # so that the next mail from there is asked about, when the day is over
    else:
        reply_addresses.remember([asked])
        reply_addresses.kept(asked).question = {"mail": errand.row.id}
    return verdict


def _told(command: grammar.Command) -> str:
    """A command in the words of whoever wrote it; of free text its first word, as strangers speak through nobody."""
    said = command.line if command.move or command.stations else command.line.split(" ")[0]
    return sentences.quoted(said)
