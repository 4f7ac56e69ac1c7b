"""What a template may use: a game as it stood at one event, through the eyes of one player.

A mail may be rendered long after its event, when more has happened.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from server.application import projection
from server.application.as_of import AsOf
from server.durations import parse_duration, say_duration
from server.mail import sentences
from server.models import Event, Game, Message, Outgoing, Player, Seat, session
from server.runtime import runtime
from server.seal import shown_in_mail


def collect(row: Outgoing, player: Player, then: AsOf) -> dict[str, Any]:
    """Everything a template may use. It is all made from what this recipient may see."""
    game, seat = then.game, seat_of(then.game, player)
    facts: dict[str, Any] = {
        "game": game, "player": player, "seat": seat, "details": row.details or {},
        "s": sentences, "say_duration": say_duration, "is_mr_x": seat is not None and seat.role == "mr_x",
        "role": role(seat), "people": lambda: people(game), "outcome": then.outcome,
        "verifier": verifier(), "has_transcript": then.transcript is not None,
        "clock_length": lambda side: parse_duration(game.clock[side]),
    }  # fmt: skip
    if then.due is not None:
        facts["until"] = sentences.until(then.due, row.created_at, player.zone)
        facts["due_short"] = sentences.short_moment(then.due, player.zone)
    if row.kind == "talk":
        facts["said"] = _said(row, game)
    if then.has_begun:
        facts |= _table(then, seat, player, row.created_at)
    return facts


def seat_of(game: Game, player: Player) -> Seat | None:
    """The seat a mail is about: the one held, or the one kept for the player."""
    held = projection.own_seat(game, player)
    return held or next((seat for seat in game.seats if seat.invited_id == player.id), None)


def role(seat: Seat | None) -> str:
    """`Red and Green`; who has no seat is written to as the host."""
    return sentences.join([sentences.pawn_name(pawn) for pawn in seat.pawns]) if seat else "Host"


def people(game: Game) -> list[str]:
    """Who sits where, a line for each."""
    lines = []
    for seat in game.seats:
        player = session.get(Player, seat.player_id) if seat.player_id else None
        who = "still to be taken"
        if player:
            who = f"played by {sentences.quoted(player.name)}"
        elif seat.bot:
            who = f"played by the house, which sends its {seat.bot}"
        lines.append(f"{role(seat)} {'is' if len(seat.pawns) == 1 else 'are'} {who}")
    return lines


def verifier() -> str | None:
    """Where players find the file that checks a transcript; None where mails hold no links."""
    site = runtime().settings.public_url
    return f"{site.rstrip('/')}/verifier.py" if site else None


def seal_line(then: AsOf) -> str:
    """The last line of a mail: the head of the sealed chain then; nothing before the start."""
    if then.seal is None:
        return ""
    number, window, head = then.seal
    return f"Seal, event {number}, window {window}: {shown_in_mail(head)}\n"


def _said(row: Outgoing, game: Game) -> dict[str, str]:
    message = session.get_one(Message, row.cause)
    author = next(seat for seat in game.seats if seat.number == message.seat)
    return {"by": role(author), "to": message.audience, "text": message.text}


def _table(then: AsOf, seat: Seat | None, player: Player, written: datetime) -> dict[str, Any]:
    view = then.view(player)
    mine = seat.pawns if seat else []
    since, has_moved = _since(then.events, mine)
    can_move = then.choices(seat)
    detectives = [pawn for pawn in view["pawns"] if pawn != "mr_x"]
    to_move = view["to_move"]
    ahead = projection.team_ahead(then.game, by=written) if seat and seat.role == "detective" else []
    return {
        "view": view,
        "turn": view["turn"],
        "mine": can_move,
        "movable": [pawn for pawn, moves in can_move.items() if moves],
        "on_go": [pawn for pawn in mine if pawn in to_move],
        "detectives": detectives,
        "others": [pawn for pawn in detectives if pawn not in mine],
        "since": sentences.since(since, mine, has_moved=has_moved),
        "to_move": sentences.join([sentences.pawn_name(pawn) for pawn in to_move], "or") if to_move else "",
        "ahead": [sentences.quoted(kept["notation"]) for kept in ahead],
    }


def _since(events: Sequence[Event], pawns: list[str]) -> tuple[Sequence[Event], bool]:
    """The events after the last move that the holder of `pawns` made himself, and whether he has made one.

    Who has not moved for rounds was told of them in mails before; of these the last round is enough.
    """
    own = [i for i, e in enumerate(events) if e.kind == "moved" and e.data["pawn"] in pawns and e.data["by"] != "house"]
    rounds = [i for i, e in enumerate(events) if e.kind == "moved" and e.data["pawn"] == "mr_x"]
    begin = max(own[-1] + 1 if own else 0, rounds[-2] + 1 if len(rounds) > 1 else 0)
    return events[begin:], bool(own)
