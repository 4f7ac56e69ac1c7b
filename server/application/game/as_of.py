"""A game as it stood at one of its events, for mails that are written later.

Nothing here comes from the current state of the game except who sits where.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

from sqlalchemy import bindparam, select

from server import engine
from server.application.game import projection, timer_rows, transcripts
from server.application.game import situation_statements as statements
from server.application.game.state import rebuild
from server.application.game.transcripts import Result, events_of, result_of
from server.house_rules.draft import PublicEvent
from server.house_rules.standing import SPECTATOR, QueuedMove, Seat, Standing, Timer
from server.house_rules.timers import SHARED, own_or_earliest
from server.house_rules.turns import choices, phase_of
from server.models import Deadline, Player, rows

# A timer that is restarted has the number of the event as its serial.
_TIMEOUTS = select(*statements.columns(Deadline, statements.TIMER_COLUMNS)).where(
    Deadline.game_id == bindparam("game"), Deadline.kind == "timeout", Deadline.side == bindparam("side"),
    Deadline.round == bindparam("round"), Deadline.serial <= bindparam("number"),
).order_by(Deadline.serial, Deadline.step)  # fmt: skip


def class_of(viewer: str) -> str:
    """Return the viewer that stands for all who see the same board: Mr. X for himself, a spectator for the others."""
    return viewer if viewer == "mr_x" else SPECTATOR


@dataclass(frozen=True)
class AsOf:
    """A game as it stood at the last of its `events`, which are all until then."""

    game: Standing
    events: Sequence[PublicEvent]
    _state: engine.Game | None = field(repr=False)
    _views: dict[str, engine.View] = field(default_factory=dict, repr=False)  # by the classes of their viewers

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
    def outcome(self) -> Result | None:
        """Return the result in the shape of `projection.outcome`, but with `final_at` as a time."""
        result = result_of(self.events, self.game.clock)
        return result if result["status"] == "over" and result["reason"] != "expired" else None

    def running_timer(self, seat: Seat | None) -> Timer | None:
        """Return the seat's timer, or the earliest one running, or None if no clock ran."""
        return own_or_earliest(self._running, seat)

    @cached_property
    def _running(self) -> list[Timer]:
        """Return the timeouts of the current turns, the earliest first."""
        if not self.has_begun or self.outcome is not None:
            return []
        side, number = self.phase
        phase = {"game": self.game.id, "side": side, "round": number, "number": self.events[-1].number}
        since = self._clock_since()
        last = {row.seat: Timer(*tuple(row)) for row in rows(_TIMEOUTS, **phase) if row.serial >= since}
        on_go = {SHARED} | {seat.number for seat in self.game.seats if set(seat.pawns) & self.to_move}
        here = [row for row in last.values() if row.seat in on_go and row.due_at > self.events[-1].at]
        return sorted(here, key=lambda row: (row.due_at, row.seat))

    def _clock_since(self) -> int:
        """Return the number of the event by which the players chose another clock; timers from before it ended then."""
        changes = (event for event in self.events if event.kind == "decided" and event.data["what"] == "clock")
        return max((event.number for event in changes if event.data["carried"]), default=0)

    @property
    def to_move(self) -> set[str]:
        """Return the pawns that may move then; none before the start."""
        return set(self._state.to_move) if self._state else set()

    @property
    def seal(self) -> tuple[int, int, str] | None:
        """Return the newest event's number, the windows filled, and the head of the chain; None without one."""
        newest = self.events[-1]
        if self._state is None or newest.head is None:
            return None
        return newest.number, self._state.log_used, newest.head

    @cached_property
    def transcript(self) -> transcripts.Transcript | None:
        """Return the transcript until then; None before the result is final, and for a game that never began."""
        if self.outcome is None or not self.outcome["final"] or self.seal is None:
            return None
        return transcripts.of_game(self.game, until=self.events[-1].number)

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
        return timer_rows.queue_of(self.game.id)

    def moves_of(self, seat: Seat | None) -> dict[str, list[engine.Move]]:
        """Return the moves that each pawn of `seat` could send, those to be queued included."""
        assert self._state is not None
        over = self.outcome is not None
        return {pawn: [] if over else choices(self._state, pawn) for pawn in (seat.pawns if seat else [])}


def of_standing(game: Standing, number: int) -> AsOf:
    """Return `game` as it stood at its event `number`."""
    events = events_of(game.id, number)
    started = any(event.kind == "started" for event in events)
    # A game that was ended as damaged may have no state that could be shown.
    state = rebuild(game, events[-1].moves) if started and game.turn is not None else None
    return AsOf(game, events, state)


def is_current_phase(then: AsOf) -> bool:
    """Return True if the phase of that time is still the current one."""
    return then.game.status == "running" and then.phase == (then.game.side, then.game.round)
