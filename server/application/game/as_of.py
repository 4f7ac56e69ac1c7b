"""A game as it stood at one of its events, for mails that are written later.

Nothing here comes from the current state of the game except who sits where.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import TypedDict

from sqlalchemy import bindparam, select
from sqlalchemy.orm import aliased

from server import clock, engine
from server.application.game import projection, queued_moves, transcripts
from server.application.game import situation_statements as statements
from server.application.game.state import rebuild
from server.house_rules.draft import PublicEvent
from server.house_rules.standing import (
    SPECTATOR,
    QueuedMove,
    Seat,
    Standing,
    Timer,
)
from server.house_rules.timers import SHARED, own_or_earliest
from server.house_rules.turns import choices, phase_of
from server.models import Deadline, Event, Player, rows
from server.models import QueuedMove as QueuedRow
from server.vocabulary.by_name import ByName
from server.vocabulary.durations import parse_duration
from server.vocabulary.events import EVENT_KINDS

TWO_ROUNDS = 2 * len(engine.PAWNS)  # moves, at most
_EVENTS = select(Event.number, Event.kind, Event.moves, Event.data, Event.head, Event.at)
_EVENTS = _EVENTS.where(Event.game_id == bindparam("game"), Event.number <= bindparam("number")).order_by(Event.number)
_NEWEST = aliased(Event)
_MOVES = select(_NEWEST.moves).where(_NEWEST.game_id == bindparam("game"), _NEWEST.number == bindparam("number"))
# A timer that is restarted has the number of the event as its serial.
_TIMEOUTS = select(*statements.columns(Deadline, statements.TIMER_COLUMNS)).where(
    Deadline.game_id == bindparam("game"), Deadline.kind == "timeout", Deadline.side == bindparam("side"),
    Deadline.round == bindparam("round"), Deadline.serial <= bindparam("number"),
).order_by(Deadline.serial, Deadline.step)  # fmt: skip


class OutcomeThen(TypedDict):
    """The result of a game, as `projection.Outcome`, but with a time."""

    winner: str
    reason: str
    final: bool
    final_at: datetime | None


# The result of a game after an event, from the one before it.
Result = OutcomeThen | None
_RESULTS: ByName[Callable[[Result, PublicEvent, Standing], Result]] = ByName(EVENT_KINDS)


@_RESULTS.add
def _started(_before: Result, _event: PublicEvent, _game: Standing) -> Result:
    return None


@_RESULTS.add
def _ended(_before: Result, event: PublicEvent, game: Standing) -> Result:
    data = event.data
    final_at = None if data["final"] else event.at + clock.provisional_period(game.clock)
    return {"winner": data["winner"], "reason": data["reason"], "final": data["final"], "final_at": final_at}


@_RESULTS.add
def _reinstated(_before: Result, _event: PublicEvent, _game: Standing) -> Result:
    return None


@_RESULTS.add
def _outage(before: Result, event: PublicEvent, _game: Standing) -> Result:
    if before is None or before["final_at"] is None:
        return before
    return {**before, "final_at": before["final_at"] + parse_duration(event.data["by"])}


@_RESULTS.add
def _corrected(before: Result, event: PublicEvent, _game: Standing) -> Result:
    if before is None or before["final_at"] is None:
        return before
    return {**before, "final_at": datetime.fromisoformat(event.data["final_at"])}


@_RESULTS.add
def _final(before: Result, _event: PublicEvent, _game: Standing) -> Result:
    return before and {**before, "final": True, "final_at": None}


_IS_RECENT = (Event.moves >= _MOVES.scalar_subquery() - TWO_ROUNDS) | Event.kind.in_(list(_RESULTS))
_HAS_QUEUE = select(QueuedRow.pawn).where(QueuedRow.game_id == bindparam("game")).exists()
_RECENT = _EVENTS.add_columns(_HAS_QUEUE.label("has_queue")).where(_IS_RECENT)


def class_of(viewer: str) -> str:
    """Return the viewer that stands for all who see the same board: Mr. X for himself, a spectator for the others."""
    return viewer if viewer == "mr_x" else SPECTATOR


@dataclass(frozen=True)
class AsOf:
    """A game as it stood at the last of its `recent` events: those of two rounds at least, and all on its result.

    `has_queue`: detectives had queued moves when it was read.
    """

    game: Standing
    recent: Sequence[PublicEvent]
    has_queue: bool
    _state: engine.Game | None = field(repr=False)
    _views: dict[str, engine.View] = field(default_factory=dict, repr=False)  # by the classes of their viewers

    @cached_property
    def events(self) -> Sequence[PublicEvent]:
        """Return all events until then."""
        newest = self.recent[-1].number
        if len(self.recent) == newest:
            return self.recent
        return [PublicEvent._make(row) for row in rows(_EVENTS, game=self.game.id, number=newest)]

    def events_after(self, number: int) -> Sequence[PublicEvent]:
        """Return the events after that number."""
        wanted = self.recent[-1].number - number
        if 0 < wanted <= len(self.recent) and self.recent[-wanted].number == number + 1:
            return self.recent[-wanted:]
        return [event for event in self.events if event.number > number]

    def round_of(self, event: PublicEvent) -> int:
        """Return the round of the last move that was made by `event`; 0 before the first move."""
        assert self._state is not None
        return self._state.rounds[event.moves - 1] if event.moves else 0

    @property
    def has_begun(self) -> bool:
        """Return True if the cards were dealt by then; before that there is no state."""
        return self._state is not None

    @cached_property
    def phase(self) -> tuple[str | None, int | None]:
        """Return the phase and its round, as `phase_of`; (None, None) before the start."""
        return phase_of(self._state) if self._state else (None, None)

    @cached_property
    def outcome(self) -> Result:
        """Return the result in the shape of `projection.outcome`, but with `final_at` as a time."""
        result: Result = None
        for event in self.recent:
            if event.kind in _RESULTS:
                result = _RESULTS[event.kind](result, event, self.game)
        return result

    def running_timer(self, seat: Seat | None) -> Timer | None:
        """Return the seat's timer, or the earliest one running, or None if no clock ran."""
        return own_or_earliest(self._running, seat)

    @cached_property
    def _running(self) -> list[Timer]:
        """Return the timeouts of the current turns, the earliest first."""
        if not self.has_begun or self.outcome is not None:
            return []
        side, number = self.phase
        phase = {"game": self.game.id, "side": side, "round": number, "number": self.recent[-1].number}
        since = self._clock_since()
        last = {row.seat: Timer(*tuple(row)) for row in rows(_TIMEOUTS, **phase) if row.serial >= since}
        on_go = {SHARED} | {seat.number for seat in self.game.seats if set(seat.pawns) & self._to_move}
        here = [row for row in last.values() if row.seat in on_go and row.due_at > self.recent[-1].at]
        return sorted(here, key=lambda row: (row.due_at, row.seat))

    def _clock_since(self) -> int:
        """Return the number of the event by which the players chose another clock; timers from before it ended then."""
        changes = (event for event in self.recent if event.kind == "decided" and event.data["what"] == "clock")
        return max((event.number for event in changes if event.data["carried"]), default=0)

    @property
    def _to_move(self) -> set[str]:
        return set(self._state.to_move) if self._state else set()

    @property
    def seal(self) -> tuple[int, int, str] | None:
        """Return the newest event's number, the windows filled, and the head of the chain; None without one."""
        newest = self.recent[-1]
        if self._state is None or newest.head is None:
            return None
        return newest.number, self._state.log_used, newest.head

    @cached_property
    def transcript(self) -> transcripts.Transcript | None:
        """Return the transcript until then; None before the result is final, and for a game that never began."""
        if self.outcome is None or not self.outcome["final"] or self.seal is None:
            return None
        return transcripts.of_game(self.game, until=self.recent[-1].number)

    def view(self, player: Player | None) -> engine.View:
        """Return the engine's view for `player`, or for a spectator when None; nobody may change it.

        It is built once for all viewers of one class.
        """
        assert self._state is not None
        seen_by = class_of(projection.viewer_of(self.game, player))
        if seen_by not in self._views:
            opened = self.outcome is not None and self.outcome["final"]
            self._views[seen_by] = self._state.view(seen_by, opened=opened)
        return self._views[seen_by]

    @cached_property
    def possible(self) -> frozenset[int]:
        """Return the stations Mr. X can be on; none in a game in which players find that out themselves."""
        view = self.view(None)
        return engine.deduce(view) if view["options"]["deduction"] else frozenset()

    def team_queue(self, by: datetime) -> list[dict[str, str]]:
        """Return the queued moves that were sent `by` a time and still wait; detectives see each other's."""
        return [queued.as_json for queued in self.queue if queued.kept_at <= by]

    @cached_property
    def queue(self) -> Sequence[QueuedMove]:
        """Return the queued moves of now, which are read once for all mails about the event."""
        return queued_moves.of_game(self.game.id) if self.has_queue else []

    def moves_of(self, seat: Seat | None) -> dict[str, list[engine.Move]]:
        """Return the moves that each pawn of `seat` could send, those to be queued included."""
        assert self._state is not None
        over = self.outcome is not None
        return {pawn: [] if over else choices(self._state, pawn) for pawn in (seat.pawns if seat else [])}


def of_standing(game: Standing, number: int) -> AsOf:
    """Return `game` as it stood at its event `number`."""
    found = rows(_RECENT, game=game.id, number=number)
    recent = [PublicEvent._make(tuple(row)[:-1]) for row in found]
    started = any(event.kind == "started" for event in recent)
    # A game that was ended as damaged may have no state that could be shown.
    state = rebuild(game, recent[-1].moves) if started and game.turn is not None else None
    return AsOf(game, recent, bool(found[-1].has_queue), state)


def is_current_phase(then: AsOf) -> bool:
    """Return True if the phase of that time is still the current one."""
    return then.game.status == "running" and then.phase == (then.game.side, then.game.round)
