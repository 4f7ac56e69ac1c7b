"""A game as it stood at one of its events, for what is told of it later.

Nothing here is read from where the game stands now but who sits where.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any, NamedTuple

from sqlalchemy import bindparam, select

from server import clock, engine
from server.application.game import sealed_log, views
from server.application.game.choices import choices
from server.application.game.state import rebuild
from server.application.game.timers import SHARED
from server.application.game.waiting import phase_of
from server.durations import parse_duration
from server.models import Deadline, Event, Game, Player, Seat, session


class Happened(NamedTuple):
    """An event, without the object that a session would keep of its row."""

    number: int
    kind: str
    moves: int
    data: dict[str, Any]
    head: str | None
    at: datetime


# Every mail asks for these, so they are built once. What gets its time anew does so by an event, whose number is the
# serial.
_EVENTS = select(Event.number, Event.kind, Event.moves, Event.data, Event.head, Event.at)
_EVENTS = _EVENTS.where(Event.game_id == bindparam("game"), Event.number <= bindparam("number")).order_by(Event.number)
_TIMEOUTS = select(Deadline).where(
    Deadline.game_id == bindparam("game"), Deadline.kind == "timeout", Deadline.side == bindparam("side"),
    Deadline.round == bindparam("round"), Deadline.serial <= bindparam("number"),
).order_by(Deadline.serial, Deadline.step)  # fmt: skip


@dataclass(frozen=True)
class AsOf:
    """A game as it stood at the last of `events`, as those may know it who ask."""

    game: Game
    events: Sequence[Happened]
    _table: engine.Game | None = field(repr=False)

    @property
    def has_begun(self) -> bool:
        """Whether the cards were dealt by then; before that there is no table to look at."""
        return self._table is not None

    @cached_property
    def half(self) -> tuple[str | None, int | None]:
        """Whose half of which round it was."""
        return phase_of(self._table) if self._table else (None, None)

    @cached_property
    def outcome(self) -> dict[str, Any] | None:
        """Who had won and why, in the shape of `projection.outcome`, but with `final_at` as a time."""
        found: dict[str, Any] | None = None
        for event in self.events:
            if event.kind == "ended":
                told = {name: event.data[name] for name in ("winner", "reason", "final")}
                found = told | {
                    "final_at": None if told["final"] else event.at + clock.provisional_period(self.game.clock)
                }
            elif event.kind == "reinstated":
                found = None
            elif event.kind == "outage" and found is not None and found["final_at"] is not None:
                found |= {"final_at": found["final_at"] + parse_duration(event.data["by"])}
            elif event.kind == "corrected" and found is not None and found["final_at"] is not None:
                found |= {"final_at": datetime.fromisoformat(event.data["final_at"])}
            elif event.kind == "final" and found is not None:
                found |= {"final": True, "final_at": None}
        return found

    def time_of(self, seat: Seat | None) -> Deadline | None:
        """The time of who sits there, where it ran then; else of the first whose did; None where nobody's did."""
        own = [row for row in self._running if seat is not None and row.seat in (SHARED, seat.number)]
        return next(iter([*own, *self._running]), None)

    @cached_property
    def _running(self) -> list[Deadline]:
        """The timeouts of the goes under way, the earliest first."""
        if not self.has_begun or self.outcome is not None:
            return []
        side, number = self.half
        half = {"game": self.game.id, "side": side, "round": number, "number": self.events[-1].number}
        rows = {row.seat: row for row in session.scalars(_TIMEOUTS, half)}  # of each seat the last
        on_go = {SHARED} | {seat.number for seat in self.game.seats if set(seat.pawns) & self._to_move}
        here = [row for row in rows.values() if row.seat in on_go and row.due_at > self.events[-1].at]
        return sorted(here, key=lambda row: (row.due_at, row.seat))

    @property
    def _to_move(self) -> set[str]:
        return set(self._table.to_move) if self._table else set()

    @property
    def seal(self) -> tuple[int, int, str] | None:
        """The number of the newest event, the windows filled, and the head of the sealed chain; None without one."""
        newest = self.events[-1]
        if self._table is None or newest.head is None:
            return None
        return newest.number, self._table.log_used, newest.head

    @cached_property
    def transcript(self) -> dict[str, Any] | None:
        """All that was public until then, with the seal; None while there is something to hide, and without a seal."""
        if self.outcome is None or not self.outcome["final"] or self.seal is None:
            return None
        return sealed_log.transcript(self.game, until=self.events[-1].number)

    def view(self, player: Player | None) -> dict[str, Any]:
        """The table as `player`, or anybody else, might know it then; the shape is that of the engine's views."""
        assert self._table is not None
        opened = self.outcome is not None and self.outcome["final"]
        return self._table.view(views.viewer_of(self.game, player), opened=opened)

    def choices(self, seat: Seat | None) -> dict[str, list[engine.Move]]:
        """What each pawn of `seat` might be sent to, moves ahead included."""
        assert self._table is not None
        over = self.outcome is not None
        return {pawn: [] if over else choices(self._table, pawn) for pawn in (seat.pawns if seat else [])}


def as_of(game: Game, number: int) -> AsOf:
    """`game` as it stood at its event `number`."""
    events = [Happened(*row) for row in session.execute(_EVENTS, {"game": game.id, "number": number})]
    started = any(event.kind == "started" for event in events)
    # A game that was ended as damaged may have no table that could be shown.
    return AsOf(game, events, rebuild(game, events[-1].moves) if started and game.turn is not None else None)


def is_current_half(game: Game, number: int) -> bool:
    """Whether the half of a round that was under way at event `number` still is."""
    if game.status != "running":
        return False
    event = session.get_one(Event, (game.id, number))
    return phase_of(rebuild(game, event.moves)) == (game.side, game.round)
