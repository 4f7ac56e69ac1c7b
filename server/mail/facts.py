"""What a template may use: a game as it stood at one event, through the eyes of one player.

A mail may be rendered long after its event, when more has happened. Nothing here is read from where the game stands
now but who sits where.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from sqlalchemy import select

from server import engine
from server.application import projection
from server.application.games import rebuild
from server.application.moves import PROVISIONAL, choices, half_of
from server.durations import parse_duration, say_duration
from server.mail import sentences
from server.mail.addresses import INVITATION
from server.models import Deadline, Event, Game, MoveAhead, Outgoing, Player, Seat, session
from server.seal import shown_in_mail


@dataclass(frozen=True)
class AsOf:
    """A game as it stood at the last of `events`. `table` is None before the start."""

    game: Game
    events: Sequence[Event]
    table: engine.Game | None

    @property
    def go(self) -> int:
        """To which go a reply address printed then belongs."""
        return self.table.round if self.table else INVITATION

    @cached_property
    def half(self) -> tuple[str | None, int | None]:
        """Whose half of which round it was."""
        return half_of(self.table) if self.table else (None, None)

    @property
    def seal(self) -> str:
        """The last line of a mail: the head of the sealed chain then; nothing before the start."""
        newest = self.events[-1]
        if self.table is None or newest.head is None:
            return ""
        return f"Seal, event {newest.number}, window {self.table.log_used}: {shown_in_mail(newest.head)}\n"

    @cached_property
    def outcome(self) -> dict[str, Any] | None:
        """Who had won and why, in the shape of `projection.outcome`, but with `final_at` as a time."""
        found: dict[str, Any] | None = None
        for event in self.events:
            if event.kind == "ended":
                found = {**event.data, "final_at": None if event.data["final"] else event.at + PROVISIONAL}
            elif event.kind == "reinstated":
                found = None
            elif event.kind == "final" and found is not None:
                found |= {"final": True, "final_at": None}
        return found

    @cached_property
    def due(self) -> datetime | None:
        """Until when that half had time; None where nobody was to move."""
        if self.table is None or self.outcome is not None:
            return None
        side, number = self.half
        query = select(Deadline.due_at).where(
            Deadline.game_id == self.game.id, Deadline.kind == "timeout",
            Deadline.side == side, Deadline.round == number,
        )  # fmt: skip
        given = session.scalars(query.order_by(Deadline.serial)).all()
        # A half gets its time anew by a grant or a reinstatement; each of them is an event within it.
        moves = self.events[-1].moves
        renewed = sum(event.kind in ("granted", "reinstated") and event.moves == moves for event in self.events)
        return given[min(renewed, len(given) - 1)] if given else None


def as_of(game: Game, number: int) -> AsOf:
    """`game` as it stood at its event `number`."""
    query = select(Event).where(Event.game_id == game.id, Event.number <= number).order_by(Event.number)
    events = session.scalars(query).all()
    started = any(event.kind == "started" for event in events)
    return AsOf(game, events, rebuild(game, events[-1].moves) if started else None)


def collect(row: Outgoing, player: Player, then: AsOf) -> dict[str, Any]:
    """Everything a template may use. It is all made from what this recipient may see."""
    game, seat = then.game, seat_of(then.game, player)
    facts: dict[str, Any] = {
        "game": game, "player": player, "seat": seat, "details": row.details or {},
        "s": sentences, "say_duration": say_duration, "is_mr_x": seat is not None and seat.role == "mr_x",
        "role": role(seat), "people": lambda: people(game), "outcome": then.outcome,
        "clock_length": lambda side: parse_duration(game.clock[side]),
    }  # fmt: skip
    if then.due is not None:
        facts["until"] = sentences.until(then.due, row.created_at, player.zone)
        facts["due_short"] = sentences.short_moment(then.due, player.zone)
    if then.table is not None:
        facts |= _table(then, then.table, seat, player, row.created_at)
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
        who = f"played by {sentences.quoted(player.name)}" if player else "still to be taken"
        lines.append(f"{role(seat)} {'is' if len(seat.pawns) == 1 else 'are'} {who}")
    return lines


def _table(then: AsOf, table: engine.Game, seat: Seat | None, player: Player, written: datetime) -> dict[str, Any]:
    outcome = then.outcome
    view = table.view(projection.viewer_of(then.game, player), opened=outcome is not None and outcome["final"])
    mine = seat.pawns if seat else []
    since, has_moved = _since(then.events, mine)
    can_move = {pawn: choices(table, pawn) if outcome is None else [] for pawn in mine}
    return {
        "view": view,
        "turn": table.turn,
        "mine": can_move,
        "movable": [pawn for pawn, moves in can_move.items() if moves],
        "on_go": [pawn for pawn in mine if pawn in table.to_move],
        "detectives": table.pawns,
        "others": [pawn for pawn in table.pawns if pawn not in mine],
        "since": sentences.since(since, mine, has_moved=has_moved),
        "to_move": sentences.join([sentences.pawn_name(pawn) for pawn in table.to_move], "or") if table.to_move else "",
        "ahead": _ahead(then.game, written) if seat and seat.role == "detective" else [],
    }


def _since(events: Sequence[Event], pawns: list[str]) -> tuple[Sequence[Event], bool]:
    """The events after the last move that the holder of `pawns` made himself, and whether he has made one.

    Who has not moved for rounds was told of them in mails before; of these the last round is enough.
    """
    own = [i for i, e in enumerate(events) if e.kind == "moved" and e.data["pawn"] in pawns and e.data["by"] != "house"]
    rounds = [i for i, e in enumerate(events) if e.kind == "moved" and e.data["pawn"] == "mr_x"]
    begin = max(own[-1] + 1 if own else 0, rounds[-2] + 1 if len(rounds) > 1 else 0)
    return events[begin:], bool(own)


def _ahead(game: Game, written: datetime) -> list[str]:
    """What the team had sent ahead and is still kept."""
    query = select(MoveAhead).where(MoveAhead.game_id == game.id, MoveAhead.kept_at <= written)
    return [
        sentences.quoted(kept.notation) for kept in session.scalars(query.order_by(MoveAhead.kept_at, MoveAhead.pawn))
    ]
