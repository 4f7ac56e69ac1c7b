"""From an outbox row to the bytes of a mail, as of the row's event and for its one recipient.

A mail is text first, and the same as HTML beside it. Its first line says which turn it is about, and that answers go
above it; what a player quotes below his answer is recognised by it.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from email.utils import format_datetime
from itertools import accumulate, takewhile
from typing import Any
from urllib.parse import quote

from flask import render_template
from sqlalchemy import bindparam, select

from server.application.game import reply_addresses
from server.application.game.as_of import AsOf, as_of, is_current_phase
from server.application.game.reply_addresses import INVITATION, PrintedToken, token_of
from server.application.news import digest_queue, digest_watermark, talk
from server.application.people import codes
from server.application.play import pictures
from server.application.time import votes
from server.mail.language.grammar import is_command_line
from server.mail.reading.automatic import LOOP_HEADER
from server.mail.writing import context, html, reminders
from server.mail.writing.dkim import signed
from server.mail.writing.mime import Attached, Draft, mailbox, written
from server.models import Game, Incoming, Message, Outgoing, Player, Seat, session
from server.runtime import now, runtime

MARKER = "Please write your answer above this line."
WIDTH = 76
LONGEST_MOVE = 6  # words of one, without showing oneself
ANSWERS = ("answer", "advice")
ENDS = ("ended", "final")
TO_OPERATOR = ("forwarded", "alert")
CODE_LIFE = codes.DAY
OF_A_GAME = (
    'Less mail of this game? "SET mail daily 18:00 here" gathers it, "SET mail off here" ends it, as does the button '
    '"unsubscribe" of a mail program; "STOP" ends that of all games.'
)
OF_SEVERAL = (
    'Less mail, or more? "SET mail usual" has every mail come by itself again; "STOP" ends them all, as does the '
    'button "unsubscribe" of a mail program.'
)
OLDEST = timedelta(days=14)  # what waited longer, at a relay that was away or as a dead letter, is news no more


def verdict(row: Outgoing) -> str:
    """`send`; or `superseded` when it would tell what is no longer so; by the player's wish `suppressed`, or `held`."""
    game = row.game
    if row.player_id is None and game is None:
        life = OLDEST if row.kind in TO_OPERATOR else CODE_LIFE
        return "send" if now() < row.created_at + life else "superseded"
    if row.player_id is None and row.details is None:  # the invitation was withdrawn, and the address is forgotten
        return "superseded"
    player = _recipient(row)
    if player.bounces or not digest_queue.is_wanted(row):
        return "suppressed"
    if row.kind == "withheld" or now() > row.created_at + OLDEST:
        return "superseded"
    if game and (_is_in_a_digest(row) or not _still_so(row, game, context.seat_for(row, game, player))):
        return "superseded"
    return "held" if row.message is None and digest_queue.is_to_be_held(row) else "send"


@dataclass(frozen=True)
class Composed:
    """A finished mail with its envelope. `token` is what is printed as the address to answer to.

    `others` are printed besides, each for another game. `thread` are the ids of game and player, between whom mails
    keep their order.
    """

    message: bytes
    sender: str
    recipient: str
    token: PrintedToken | None
    others: tuple[PrintedToken, ...] = ()
    thread: tuple[str, str] | None = None


def compose(row: Outgoing, look: Callable[[Game, int], AsOf] = as_of) -> Composed:
    """The finished mail; nothing is written to the database. A row that was written before gives the same bytes.

    `look` is `as_of`, or one that remembers what it saw.
    """
    player = _recipient(row)
    game = row.game
    then = look(game, row.event) if game and row.event is not None else None
    seat = context.seat_for(row, game, player) if game else None
    asked: dict[str, Any] = {"go": then.phase[1] or INVITATION, "about": ""} | (row.details or {}) if then else {}
    token = token_of(game, seat, asked["go"], asked["about"]) if game and seat and then else None
    others = reminders.others(row, player) if row.kind == "reminder" and not row.message else []
    message = row.message or _message(row, player, then, token, others)
    tokens = tuple(other.token for other in others)
    thread = (row.game_id, row.player_id) if row.game_id and row.player_id else None
    return Composed(message, reply_addresses.bounce_address(row.id), player.email, token, tokens, thread)


def _recipient(row: Outgoing) -> Player:
    """Who is no player yet has an address and nothing else; what he calls himself is not repeated."""
    if row.player is not None:
        return row.player
    assert row.details is not None
    return Player(id="", name="", email=row.details["to"], zone="UTC", picture="off", bounces=False)


def wrap(text: str) -> str:
    """Paragraphs at `WIDTH` columns; a line that begins with a dash stays an item of a list.

    A mail program that shows or quotes the mail in fewer columns breaks each line once more. So that what falls out
    is no command then, no line ends in one, such as in the number of a station.
    """
    lines: list[str] = []
    for line in _tidy(text).split("\n"):
        lines += _filled(line.split(), *((" - ", "   ") if line.startswith(" - ") else ("", "")))
    return "\n".join(lines) + "\n"


def _tidy(text: str) -> str:
    """Paragraphs with one blank line between them, whatever the conditions of a template left."""
    return re.sub(r"\n{3,}", "\n\n", text.strip())


def _filled(words: list[str], first: str, then: str) -> list[str]:
    """Words in lines, the first of which has the indent `first`."""
    lines = []
    indent, words = first, words[1:] if first else words
    left = len(" ".join(words))
    while len(indent) + left > WIDTH:
        fitting = _fitting(words, WIDTH - len(indent))
        end = next((n for n in range(fitting, 0, -1) if not _falls_out(words[:n])), fitting)
        line = " ".join(words[:end])
        lines.append(indent + line)
        indent, words, left = then, words[end:], left - len(line) - 1
    return [*lines, (indent + " ".join(words)).rstrip()]


def _fitting(words: list[str], room: int) -> int:
    """How many of the words fit a line; one at least."""
    ends = accumulate(len(word) + 1 for word in words)
    return max(1, sum(1 for _ in takewhile(lambda end: end - 1 <= room, ends)))


def _falls_out(words: list[str]) -> bool:
    """Whether the last of these words are a command by themselves."""
    return any(is_command_line(" ".join(words[-n:])) for n in range(1, min(len(words), LONGEST_MOVE) + 1))


# Mails of the kinds to the right tell a player all that those to the left would.
_TOLD_BY = {"turn": ("turn", "ended"), "late": ("turn", "ended"), "ended": ("reinstated",),
            "repaired": ("turn", "ended")}  # fmt: skip


def _still_so(row: Outgoing, game: Game, seat: Seat | None) -> bool:
    """Whether the mail is still worth telling. What kinds not named here tell happened, and that stays so."""
    check = _STILL_SO.get(row.kind)
    return check(row, game, seat) if check else not _told_since(row)


def _is_in_a_digest(row: Outgoing) -> bool:
    """Whether a digest, which tells how the table stands, has told it all, unless the mail is written already."""
    is_plain = row.kind in ("turn", "go", "started", "moved") and row.message is None and row.event is not None
    return is_plain and row.told is not None and row.told.event >= (row.event or 0)


def _is_news(row: Outgoing, game: Game, seat: Seat | None) -> bool:
    """Whether no mail that tells all that happened until the move, and is sent or will be, tells of it."""
    query = select(Outgoing).where(
        Outgoing.game_id == row.game_id, Outgoing.player_id == row.player_id, Outgoing.event >= row.event,
        Outgoing.kind.in_(("turn", "go", "started", "returned", "late", "ended")),
        Outgoing.state.in_(("pending", "held", "sent", "bounced")),
    )  # fmt: skip
    others = session.scalars(query).all()
    return not any(other.state in ("sent", "bounced") or _still_so(other, game, seat) for other in others)


def _may_hear(row: Outgoing, game: Game, _seat: Seat | None) -> bool:
    player = session.get_one(Player, row.player_id)
    return talk.may_hear(session.get_one(Message, row.cause), game, player)


def _waits(row: Outgoing, game: Game, seat: Seat | None) -> bool:
    if row.kind == "reminder" and (not reminders.is_in_time(game, seat) or reminders.was_reminded(row)):
        return False
    return reminders.waits(row, game, seat)


def _is_asked(row: Outgoing, game: Game, seat: Seat | None) -> bool:
    return seat is not None and any(motion.id == row.cause for motion in votes.unanswered(game, seat))


def _is_same_half(row: Outgoing, game: Game, _seat: Seat | None) -> bool:
    assert row.event is not None
    return is_current_phase(game, row.event)


def _told_since(row: Outgoing) -> bool:
    kinds = _TOLD_BY.get(row.kind)
    if kinds is None:
        return False
    assert row.event is not None
    # The house's move that ended the game and the end itself are one event.
    first = row.event if row.kind == "late" else row.event + 1
    told = {"game": row.game_id, "player": row.player_id, "kinds": kinds, "first": first}
    return session.scalar(_TOLD, told) is not None


_TOLD = select(Outgoing.id).where(
    Outgoing.game_id == bindparam("game"), Outgoing.player_id == bindparam("player"),
    Outgoing.kind.in_(bindparam("kinds", expanding=True)), Outgoing.event >= bindparam("first"),
).limit(1)  # fmt: skip


_STILL_SO: dict[str, Callable[[Outgoing, Game, Seat | None], bool]] = {
    "invitation": lambda _row, game, seat: game.status == "open" and seat is not None,
    "complete": lambda _row, game, _seat: game.status == "open" and all(taken.is_taken for taken in game.seats),
    "expiring": lambda _row, game, _seat: game.status == "open",
    "host": lambda row, game, _seat: game.host_id == row.player_id,
    "draw": lambda _row, game, _seat: any(seat.wants_draw for seat in game.seats),
    "granted": _is_same_half, "reinstated": _is_same_half, "overdue": _is_same_half,
    "go": _waits, "reminder": _waits, "returned": _waits,
    "vote": _is_asked, "talk": _may_hear, "moved": _is_news,
}  # fmt: skip


# The mail --------------------------------------------------------------------------------------


def _message(
    row: Outgoing, player: Player, then: AsOf | None, token: PrintedToken | None, others: Sequence[reminders.Other]
) -> bytes:
    known = _known(row, player, then, others)
    files = (_board(player, then), transcript(row, then), _passed_on(row))
    attached = [file for file in files if file is not None]
    side = context.side(known.get("seat"))
    return finished(row, player, then, token, known, side=side, attached=attached)


def finished(
    row: Outgoing, player: Player, then: AsOf | None, token: PrintedToken | None, known: Mapping[str, Any],
    *, side: str = "", attached: Sequence[Attached] = (),
) -> bytes:  # fmt: skip
    """The bytes of a mail, from the templates of its kind and what is `known` to them.

    `then` is the game it is about, whose seal is the last line; `side` the pawn that gives it a colour.
    """
    subject = " ".join(render_template(f"mail/{row.kind}/subject.txt", **known).split())
    text = _tidy(f"{render_template(f'mail/{row.kind}/body.txt', **known)}\n\n{_footer(row, then)}")
    seal = context.seal_line(then) if then else ""
    picture = next((file.cid for file in attached if file.cid), None)
    as_html = html.page(text, marker=MARKER, side=side, seal=seal, picture=picture)
    fields = _fields(row, player, then, token, subject)
    return signed(written(Draft(row.id, fields, wrap(text) + seal, as_html, attached)), runtime().settings)


def _footer(row: Outgoing, then: AsOf | None) -> str:
    """How to get less of it, or more."""
    if not _can_be_stopped(row):
        return ""
    if row.kind == digest_watermark.DIGEST:
        return OF_SEVERAL
    return OF_A_GAME if then is not None else ""


def _fields(
    row: Outgoing, player: Player, then: AsOf | None, token: PrintedToken | None, subject: str
) -> list[tuple[str, str]]:
    settings = runtime().settings
    answer_to = (token.name, token.address) if token else (settings.mail_name, settings.play_address)
    threads = _threads(row, player, then)
    fields = {
        "From": mailbox(settings.mail_name, settings.play_address),
        "To": mailbox(player.name, player.email),
        "Reply-To": mailbox(*answer_to),
        "Subject": subject,
        "Date": format_datetime(row.created_at),
        "Message-ID": f"<{row.id}@{settings.mail_domain}>",
        "In-Reply-To": threads[-1] if threads else "",
        "References": " ".join(threads),
        "Auto-Submitted": "auto-replied" if row.kind in ANSWERS else "auto-generated",
        "X-Auto-Response-Suppress": "All",
        LOOP_HEADER: settings.mail_domain,
        **(_unsubscribing(row) if _can_be_stopped(row) else {}),
    }
    return [(name, value) for name, value in fields.items() if value]


def _threads(row: Outgoing, player: Player, then: AsOf | None) -> list[str]:
    """What a mail follows: all of one game to one player are one thread, and an answer follows what it answers."""
    to = player.id or "invited"
    root = [f"<{then.game.id}.{to}@{runtime().settings.mail_domain}>"] if then is not None else []
    answered = (row.details or {}).get("in_reply_to") or ""
    return [*root, answered] if _MESSAGE_ID.fullmatch(answered) else root


_MESSAGE_ID = re.compile(r"<[!-;=?-~]{1,250}>")


def _can_be_stopped(row: Outgoing) -> bool:
    return row.player_id is not None and row.kind not in digest_queue.ALWAYS


def _unsubscribing(row: Outgoing) -> dict[str, str]:
    """How a mail program ends such mail, by one click or by a mail that it writes (RFC 8058, RFC 2369)."""
    settings, token = runtime().settings, reply_addresses.mark(reply_addresses.STOP, row.id)
    to = reply_addresses.stop_address(row.id)
    by_mail = f"<mailto:{to}?subject=STOP>" if to else f"<mailto:{settings.play_address}?subject=STOP%20{token}>"
    if settings.public_url is None:
        return {"List-Unsubscribe": by_mail}
    page = f"<{settings.public_url}/stop/{quote(token)}>"
    return {"List-Unsubscribe": f"{page}, {by_mail}", "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"}


def _known(
    row: Outgoing, player: Player, then: AsOf | None, others: Sequence[reminders.Other]
) -> dict[str, Any]:  # fmt: skip
    known: dict[str, Any] = {"kind": row.kind, "details": row.details or {}, "marker": MARKER}
    if then is not None:
        known |= context.collect(row, player, then) | {"others_waiting": [other.line for other in others]}
    return known


# What comes with it ------------------------------------------------------------------------------


def transcript(row: Outgoing, then: AsOf | None, name: str = "transcript.json") -> Attached | None:
    """The whole game, for the mails of its end."""
    if then is None or row.kind not in ENDS or then.transcript is None:
        return None
    return Attached(name, "application/json", json.dumps(then.transcript, indent=1).encode())


def _board(player: Player, then: AsOf | None) -> Attached | None:
    made = pictures.of_mail(then, player) if then is not None else None
    return Attached("board.png", "image/png", made, cid="board") if made else None


def _passed_on(row: Outgoing) -> Attached | None:
    """Return the mail that a mail to the operator is about, as a file that no mail program opens unasked."""
    inbox_id = (row.details or {}).get("attached")
    raw = session.scalar(select(Incoming.raw).where(Incoming.id == inbox_id)) if inbox_id else None
    return Attached("mail.eml", "application/octet-stream", raw) if raw else None
