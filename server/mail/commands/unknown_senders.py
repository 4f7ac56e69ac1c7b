"""Mails to a reply address that may not be from its player: they are never obeyed, and their author is not answered.

The player is told of them, or asked whether they wrote them, at their registered address; once for each sender and
round.
"""

from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import select

from server.application.game import reply_addresses
from server.application.game.situations import publish_event
from server.application.people.accounts import addresses as emails
from server.language import forms, grammar
from server.language.normalise import bare
from server.mail.commands import handlers, sending, unread, yes
from server.mail.commands import reply as replies
from server.mail.commands.reply import Mark, Outcome, Question, Reply, UnclearError, reply_from_template
from server.mail.commands.request import Request, counts_as_from, parse, sender_address
from server.mail.examination.supervisor import ReadingFailed, TooCostly, examiner
from server.mail.reading.quoting import MARKER
from server.mail.trust.results import Authentication
from server.mail.writing import sentences
from server.models import Incoming, Player, session
from server.runtime import runtime
from server.vocabulary.errors import Problem, refusal
from server.vocabulary.translation import gettext_noop

MOST_ASKED = 3  # senders in one round
MOST_QUOTED = 5  # lines of the mail in such a question
NOT_KEPT = gettext_noop("The mail in question is not kept any more, so nothing was done; send it again.")
NOT_READ = gettext_noop("The mail in question cannot be read, so nothing was done; send it again, with less in it.")


@dataclass(frozen=True)
class ConfirmSender(Question):
    """The question whether the player wrote a mail, by its id in the inbox; from where it came, and what it says."""

    inbox_id: str
    sender: str
    commands: tuple[str, ...]

    def words(self, _request: Request) -> Reply:
        sender = sentences.quoted(self.sender)
        whole, in_public = (
            reply_from_template("was_it_you", sender=sender, commands=commands) for commands in (self.commands, None)
        )
        return replies.with_public_words(whole, in_public)

    def yes(self, request: Request) -> Outcome:
        """Add the address of the mail to the player's own, and do what the mail asked for when it came."""
        earlier, address = _asked_about(request, self.inbox_id)
        return emails.take.decide(request.player.id, address).then(lambda _: _do_earlier(earlier, address))


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
    verdict = sending.warn(request, question.asked(request), "unknown-sender")
    if verdict.endswith("unanswered"):
        request.row.author = None  # so that the next mail from there is asked about, when the day is over
    return verdict


def _in_short(command: forms.Command) -> str:
    """Return a command as it was written; of free text its first word, as strangers speak through nobody."""
    words = command.line if command.move or command.stations else bare(command.line.split(" ")[0])
    return sentences.quoted(words)


# The mail that was asked about --------------------------------------------------------------------


def _do_earlier(earlier: Request, address: str) -> Reply:
    """Do what a mail asks for that came from an address which is the player's by now.

    A YES or NO to an address at which nothing was asked is to none of the questions of other mails, such as the one
    whether the player wrote it.
    """
    parsed, idle = _without_answers_to_nothing(earlier, parse(earlier.reading))
    why: dict[str, Any] = {"reason": "", "idle": idle}
    try:
        done = handlers.carry_out(earlier, parsed)[1] if parsed.commands or not idle else Reply()
        done = replies.combined([done, unread.remark_if_done(parsed)])
    except Problem as problem:
        why |= {"reason": sentences.reason(problem.sentence), "is_reason_public": problem.is_public}
        done = unread.remark_if_nothing_done(parsed, ())
    except UnclearError as unclear:
        done = unread.question_with_remark(unclear, parsed)
    added = reply_from_template("address_added", address=sentences.quoted(address), **why)
    return replies.combined([added, done.marked(Mark.LEADS) if done.title else done]).marked(Mark.LEADS | Mark.ANSWERS)


def _without_answers_to_nothing(request: Request, parsed: grammar.Parsed) -> tuple[grammar.Parsed, str]:
    """Return a mail without a YES or NO where nothing was asked, and that word; empty if it had none."""
    answers = [command for command in parsed.commands if command.name in yes.ANSWERS]
    if not answers or yes.asked_at(request) is not None:
        return parsed, ""
    rest = tuple(command for command in parsed.commands if command not in answers)
    return replace(parsed, commands=rest), forms.word_of(answers[0].name)


def _asked_about(request: Request, inbox_id: str) -> tuple[Request, str]:
    """Return a mail that its player was asked about as a request, and the address it came from.

    Raises:
        Problem: it cannot be read, or is not kept any more.
    """
    row = session.get(Incoming, inbox_id)
    if row is None or row.raw is None:
        raise refusal("form", NOT_KEPT, is_public=True)
    try:
        reading = examiner().read(row.raw, marker=MARKER, envelope_sender=row.sender)
    except (TooCostly, ReadingFailed):
        raise refusal("form", NOT_READ, is_public=True) from None
    (address,) = reading.from_addresses
    token = reply_addresses.find(row.recipient)
    return Request(row, reading, token, request.game, request.seat, request.player), address
