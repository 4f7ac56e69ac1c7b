"""From an outbox row to the bytes of a mail, as of the row's event and for its one recipient.

A mail is text first. Its first line says which turn it is about, and that answers go above it; what a player
quotes below his answer is recognised by it.
"""

import re
import textwrap
from dataclasses import dataclass
from email import message_from_bytes
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from typing import Any

from flask import render_template
from sqlalchemy import select

from server.application import projection
from server.application.deadlines import waiting
from server.application.games import rebuild
from server.application.moves import choices
from server.durations import parse_duration, say_duration
from server.mail import sentences
from server.mail.addresses import PrintedToken, token_of
from server.mail.classify import LOOP_HEADER
from server.models import Event, Game, Outgoing, Player, Seat, session
from server.runtime import now, runtime

MARKER = "Please write your answer above this line."
WIDTH = 76
# A mail to Mr. X names no station before this many characters: previews show that much.
PREVIEW = 200


def verdict(row: Outgoing) -> str:
    """`send`, `superseded` when the mail would tell what is no longer so, or `suppressed` by the player's wish."""
    player = session.get_one(Player, row.player_id)
    if not player.wants_mail and row.kind != "answer":
        return "suppressed"
    game = session.get(Game, row.game_id) if row.game_id else None
    if game is None:
        return "send"
    seat = _seat(game, player)
    if row.kind in ("invitation", "complete"):
        return "send" if game.status == "open" and (row.kind == "complete" or seat) else "superseded"
    if row.kind in ("go", "reminder", "returned"):
        return "send" if seat in waiting(game) else "superseded"
    if row.kind == "turn":
        newer = select(Outgoing.id).where(
            Outgoing.game_id == game.id, Outgoing.player_id == player.id,
            Outgoing.kind.in_(("turn", "ended")), Outgoing.event > row.event,
        )  # fmt: skip
        return "superseded" if session.scalar(newer.limit(1)) else "send"
    return "send"


@dataclass(frozen=True)
class Composed:
    """A finished mail with its envelope. `token` is what is printed as the address to answer to."""

    message: bytes
    sender: str
    recipient: str
    token: PrintedToken | None


def compose(row: Outgoing) -> Composed:
    """The finished mail; nothing is written to the database. A row that was written before gives the same bytes."""
    player = session.get_one(Player, row.player_id)
    game = session.get(Game, row.game_id) if row.game_id else None
    seat = _seat(game, player) if game else None
    token = token_of(game, seat) if game and seat else None
    sender = runtime().settings.play_address
    message = row.message or _message(row, player, game, token.address if token else sender)
    return Composed(message, sender, player.email, token)


def wrap(text: str) -> str:
    """Paragraphs at `WIDTH` columns; a line that begins with a dash stays an item of a list."""
    lines = []
    for line in re.sub(r"\n{3,}", "\n\n", text.strip()).split("\n"):
        hang = "   " if line.startswith(" - ") else ""
        lines += textwrap.wrap(line, WIDTH, subsequent_indent=hang, break_long_words=False, break_on_hyphens=False) or [
            ""
        ]
    return "\n".join(lines) + "\n"


def _facts(row: Outgoing, player: Player, game: Game) -> dict[str, Any]:
    """Everything a template may use. It is all made from views of this recipient."""
    seat = _seat(game, player)
    facts: dict[str, Any] = {
        "kind": row.kind, "game": game, "player": player, "seat": seat, "details": row.details or {},
        "s": sentences, "say_duration": say_duration, "marker": MARKER,
        "role": sentences.join([sentences.pawn_name(p) for p in seat.pawns]) if seat else "Host",
        "people": _people(game), "outcome": projection.outcome(game),
        "clock_length": lambda side: parse_duration(game.clock[side]),
    }  # fmt: skip
    if game.due_at is not None:
        facts["due"] = sentences.moment(game.due_at, player.zone)
        facts["due_short"] = sentences.short_moment(game.due_at, player.zone)
        facts["time_left"] = say_duration(game.due_at - now())
    if game.status != "open" and row.event is not None:
        facts |= _table_facts(row, game, seat, player)
    return facts


def _table_facts(row: Outgoing, game: Game, seat: Seat | None, player: Player) -> dict[str, Any]:
    assert row.event is not None
    event = session.get_one(Event, (game.id, row.event))
    viewer = projection.viewer_of(game, player)
    table = rebuild(game, event.moves)
    view = projection.table_view(game, viewer, table)
    mine = seat.pawns if seat else []
    detectives = [pawn for pawn in view["pawns"] if pawn != "mr_x"]
    return {
        "view": view,
        "turn": table.turn,
        "mine": {pawn: choices(table, pawn) for pawn in mine},
        "pawns_to_move": [pawn for pawn in mine if choices(table, pawn)],
        "on_go": [pawn for pawn in mine if pawn in table.to_move],
        "others": [pawn for pawn in detectives if pawn not in mine],
        "since": sentences.since(_since(game, mine, row.event)),
        "to_move": sentences.join([sentences.pawn_name(p) for p in table.to_move], "or") if table.to_move else "",
        "ahead": projection.team_ahead(game) if seat and seat.role == "detective" else [],
    }


def _since(game: Game, pawns: list[str], last: int) -> list[Event]:
    """The events after the reader's last move, up to and with event `last`."""
    query = select(Event).where(Event.game_id == game.id, Event.number <= last).order_by(Event.number)
    events = list(session.scalars(query))
    own = [i for i, e in enumerate(events) if e.kind == "moved" and e.data["pawn"] in pawns and e.data["by"] != "house"]
    return events[own[-1] + 1 :] if own else events


def _people(game: Game) -> list[str]:
    """Who sits where, in words."""
    people = []
    for seat in game.seats:
        player = session.get(Player, seat.player_id) if seat.player_id else None
        name = player.name if player else "nobody yet"
        people.append(f"{sentences.join([sentences.pawn_name(p) for p in seat.pawns])}: {name}")
    return people


def _seat(game: Game, player: Player) -> Seat | None:
    """The seat the mail is about: the one held, or the one kept for the player."""
    held = projection.own_seat(game, player)
    return held or next((seat for seat in game.seats if seat.invited_id == player.id), None)


def _message(row: Outgoing, player: Player, game: Game | None, reply_to: str) -> bytes:
    facts = _facts(row, player, game) if game else {"kind": row.kind, "details": row.details or {}}
    subject = " ".join(render_template(f"mail/{row.kind}/subject.txt", **facts).split())
    body = wrap(render_template(f"mail/{row.kind}/body.txt", **facts))
    domain = runtime().settings.mail_domain
    message = EmailMessage(policy=SMTP)
    message["From"] = Address("Black Ticket", addr_spec=runtime().settings.play_address)
    message["To"] = Address(player.name, addr_spec=player.email)
    message["Reply-To"] = Address("Black Ticket", addr_spec=reply_to)
    message["Subject"] = subject
    message["Date"] = format_datetime(row.created_at)
    message["Message-ID"] = f"<{row.id}@{domain}>"
    answered = (row.details or {}).get("in_reply_to")
    if answered:
        message["In-Reply-To"] = answered
    if game is not None:
        message["References"] = f"<{game.id}.{player.id}@{domain}>"
    message["Auto-Submitted"] = "auto-replied" if row.kind == "answer" else "auto-generated"
    message["X-Auto-Response-Suppress"] = "All"
    message[LOOP_HEADER] = runtime().settings.mail_domain
    message.set_content(body, charset="utf-8", cte="quoted-printable" if not body.isascii() else "7bit")
    finished = message.as_bytes()
    # A name that turned into a header of its own would show here.
    if message_from_bytes(finished).keys() != message.keys():
        raise ValueError("the headers of a finished mail are not those that were set")
    return finished
