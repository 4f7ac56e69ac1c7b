"""From an outbox row to the bytes of a mail, as of the row's event and for its one recipient.

A mail is text first. Its first line says which turn it is about, and that answers go above it; what a player
quotes below his answer is recognised by it.
"""

import json
import re
from dataclasses import dataclass
from email import message_from_bytes
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import EmailPolicy
from email.utils import format_datetime
from itertools import accumulate
from typing import Any

from flask import render_template
from sqlalchemy import select

from server.application import accounts, talk
from server.application.as_of import AsOf, as_of, is_current_half
from server.application.deadlines import waiting
from server.mail import facts
from server.mail.addresses import INVITATION, PrintedToken, token_of
from server.mail.classify import LOOP_HEADER
from server.mail.grammar import is_command_line
from server.models import Game, Message, Outgoing, Player, Seat, session
from server.runtime import now, runtime

MARKER = "Please write your answer above this line."
WIDTH = 76
LONGEST_MOVE = 6  # words of one, without showing oneself
ANSWERS = ("answer", "advice")
ENDS = ("ended", "final")
CODE_LIFE = accounts.DAY


def verdict(row: Outgoing) -> str:
    """`send`, `superseded` when the mail would tell what is no longer so, or `suppressed` by the player's wish."""
    if row.player_id is None:
        return "send" if now() < row.created_at + CODE_LIFE else "superseded"
    player = session.get_one(Player, row.player_id)
    if not player.wants_mail and row.kind not in ANSWERS:
        return "suppressed"
    game = session.get(Game, row.game_id) if row.game_id else None
    return "superseded" if game and not _still_so(row, game, facts.seat_of(game, player)) else "send"


@dataclass(frozen=True)
class Composed:
    """A finished mail with its envelope. `token` is what is printed as the address to answer to."""

    message: bytes
    sender: str
    recipient: str
    token: PrintedToken | None


def compose(row: Outgoing) -> Composed:
    """The finished mail; nothing is written to the database. A row that was written before gives the same bytes."""
    player = _recipient(row)
    game = session.get(Game, row.game_id) if row.game_id else None
    then = as_of(game, row.event) if game and row.event is not None else None
    seat = facts.seat_of(game, player) if game else None
    token = token_of(game, seat, then.half[1] or INVITATION) if game and seat and then else None
    message = row.message or _message(row, player, then, token)
    return Composed(message, runtime().settings.play_address, player.email, token)


def _recipient(row: Outgoing) -> Player:
    """Who has signed up and is no player yet has an address and nothing else; what he calls himself is not repeated."""
    if row.player_id is not None:
        return session.get_one(Player, row.player_id)
    assert row.details is not None
    return Player(id="", name="", email=row.details["to"], zone="UTC")


def wrap(text: str) -> str:
    """Paragraphs at `WIDTH` columns; a line that begins with a dash stays an item of a list.

    A mail program that shows or quotes the mail in fewer columns breaks each line once more. So that what falls out
    is no command then, no line ends in one, such as in the number of a station.
    """
    lines: list[str] = []
    for line in re.sub(r"\n{3,}", "\n\n", text.strip()).split("\n"):
        lines += _filled(line.split(), *((" - ", "   ") if line.startswith(" - ") else ("", "")))
    return "\n".join(lines) + "\n"


def _filled(words: list[str], first: str, then: str) -> list[str]:
    """Words in lines, the first of which has the indent `first`."""
    lines = []
    indent, words = first, words[1:] if first else words
    while len(indent) + len(" ".join(words)) > WIDTH:
        fitting = _fitting(words, WIDTH - len(indent))
        end = next((n for n in range(fitting, 0, -1) if not _falls_out(words[:n])), fitting)
        lines.append(indent + " ".join(words[:end]))
        indent, words = then, words[end:]
    return [*lines, (indent + " ".join(words)).rstrip()]


def _fitting(words: list[str], room: int) -> int:
    """How many of the words fit a line; one at least."""
    ends = accumulate(len(word) + 1 for word in words)
    return max(1, sum(end - 1 <= room for end in ends))


def _falls_out(words: list[str]) -> bool:
    """Whether the last of these words are a command by themselves."""
    return any(is_command_line(" ".join(words[-n:])) for n in range(1, min(len(words), LONGEST_MOVE) + 1))


# Mails of the kinds to the right tell a player all that those to the left would.
_TOLD_BY = {"turn": ("turn", "ended"), "late": ("turn", "ended"), "ended": ("reinstated",)}


def _still_so(row: Outgoing, game: Game, seat: Seat | None) -> bool:
    """Whether the mail is still worth telling. What kinds not named here tell happened, and that stays so."""
    if row.kind in ("invitation", "complete"):
        ready = seat is not None if row.kind == "invitation" else all(taken.is_taken for taken in game.seats)
        return game.status == "open" and ready
    if row.kind in ("granted", "reinstated"):
        return _is_same_half(row, game)
    if row.kind in ("go", "reminder", "returned"):
        return _is_same_half(row, game) and seat in waiting(game)
    if row.kind == "talk":
        player = session.get_one(Player, row.player_id)
        return talk.may_hear(session.get_one(Message, row.cause), game, player)
    return not _told_since(row)


def _is_same_half(row: Outgoing, game: Game) -> bool:
    assert row.event is not None
    return is_current_half(game, row.event)


def _told_since(row: Outgoing) -> bool:
    assert row.event is not None
    # The house's move that ended the game and the end itself are one event.
    later = Outgoing.event >= row.event if row.kind == "late" else Outgoing.event > row.event
    kinds = Outgoing.kind.in_(_TOLD_BY.get(row.kind, ()))
    query = select(Outgoing.id).where(
        Outgoing.game_id == row.game_id, Outgoing.player_id == row.player_id, kinds, later
    )
    return session.scalar(query.limit(1)) is not None


# The mail --------------------------------------------------------------------------------------


def _message(row: Outgoing, player: Player, then: AsOf | None, token: PrintedToken | None) -> bytes:
    subject, body = _render(row, player, then)
    settings = runtime().settings
    message = EmailMessage(policy=_PLAIN_SUBJECTS)
    message["From"] = Address("Black Ticket", addr_spec=settings.play_address)
    message["To"] = Address(player.name, addr_spec=player.email)
    message["Reply-To"] = Address("Black Ticket", addr_spec=token.address if token else settings.play_address)
    message["Subject"] = subject
    message["Date"] = format_datetime(row.created_at)
    message["Message-ID"] = f"<{row.id}@{settings.mail_domain}>"
    answered = (row.details or {}).get("in_reply_to")
    if answered:
        message["In-Reply-To"] = answered
    if then is not None:
        message["References"] = f"<{then.game.id}.{player.id}@{settings.mail_domain}>"
    message["Auto-Submitted"] = "auto-replied" if row.kind in ANSWERS else "auto-generated"
    message["X-Auto-Response-Suppress"] = "All"
    message[LOOP_HEADER] = settings.mail_domain
    message.set_content(body, charset="utf-8", cte="quoted-printable" if not body.isascii() else "7bit")
    if then is not None and row.kind in ENDS and (transcript := then.transcript) is not None:
        text = json.dumps(transcript, indent=1).encode()
        message.add_attachment(text, maintype="application", subtype="json", filename="transcript.json")
        message.set_boundary(f"=_{row.id}")
    finished = message.as_bytes()
    # A name that turned into a header of its own would show here.
    if message_from_bytes(finished).keys() != message.keys():
        raise ValueError("the headers of a finished mail are not those that were set")
    return finished


class _PlainSubjects(EmailPolicy):
    """As the policy of SMTP, but a subject stays on one line: that policy leaves the first line of a long one empty."""

    def fold_binary(self, name: str, value: Any) -> bytes:
        """One header as it is sent."""
        if name == "Subject" and value.isascii() and value.isprintable():
            return f"Subject: {value}\r\n".encode()
        return super().fold_binary(name, value)


_PLAIN_SUBJECTS = _PlainSubjects(linesep="\r\n")


def _render(row: Outgoing, player: Player, then: AsOf | None) -> tuple[str, str]:
    known: dict[str, Any] = {"kind": row.kind, "details": row.details or {}, "marker": MARKER}
    if then is not None:
        known |= facts.collect(row, player, then)
    subject = " ".join(render_template(f"mail/{row.kind}/subject.txt", **known).split())
    return subject, wrap(render_template(f"mail/{row.kind}/body.txt", **known)) + (
        facts.seal_line(then) if then else ""
    )
