"""The situation of a game: all that a decision about it can need, as plain values.

`server.application.game.situations` reads it from the database. The names are those of the columns in `server.models`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from operator import attrgetter
from typing import NamedTuple, TypeVar

from server import engine
from server.house_rules import sealed_log
from server.house_rules.standing import Absence, HeldMove, Motion, QueuedMove, Seat, Sight, Timer
from server.sealing import commitments
from server.vocabulary.mails import AboutMoves

Value = TypeVar("Value")


@dataclass(slots=True)
class Outage:
    """An outage that the game is still to be credited with."""

    number: int
    cause: str
    begin: datetime
    end: datetime


class Lobby(NamedTuple):
    """A part of a situation that there is before the start alone.

    position: what the game is to be dealt from; None for chance
    has_team_talk: somebody has said something to the detectives' team
    """

    position: Mapping[str, object] | None = None
    has_team_talk: bool = False


class Deal(NamedTuple):
    """The start of a game as it is stored: where the detectives begin, where Mr. X does, and what begins the chain.

    mr_x_start: None in a game from a position, which says it
    """

    starts: dict[str, int]
    mr_x_start: int | None
    header: sealed_log.Header


class Webhook(NamedTuple):
    """A webhook of a player; or, if `is_device`, a device that calls them about this game when it is their turn."""

    id: str
    player_id: str
    is_device: bool = False


@dataclass(slots=True, repr=False)
class Situation(Sight):
    """A game with everything around it that a decision can need, and with its secrets: no reader gets one.

    seed: what deals and draws follow, with the server's secret, if one player alone plays
    log_secrets: the secrets of the sealed log
    held: the moves that wait for a NO, which nobody but their players knows of
    timers: those that are to fire, and the reminders that were sent in this phase
    absences: of the holders, back to the start of the game and for more than a year
    owed: the outages that the game is still to be credited with, the oldest first
    webhooks: those of everybody in the game that work, each with its player
    state: the game in the engine; None before the start
    questions: what the server has asked players about their mails of this round, by the numbers of their seats
    warned_at: when the people of a game that has not begun were warned that it will be closed
    lobby: what there is before the start alone; None from then on
    deal: what the start has dealt, of the decision to start alone
    """

    seed: str | None
    log_secrets: commitments.Secrets | None
    held: list[HeldMove]
    owed: list[Outage]
    webhooks: list[Webhook]
    state: engine.Game | None
    questions: Mapping[int, AboutMoves] = field(default_factory=dict)
    warned_at: datetime | None = None
    lobby: Lobby | None = None
    deal: Deal | None = None

    def twin(self) -> Situation:
        """Return a copy for a command to change; dicts and lists that commands only replace are shared."""
        twin = _copy_situation(self)
        twin.seats = [_copy_seat(seat) for seat in self.seats]
        twin.timers = [_copy_timer(timer) for timer in self.timers]
        twin.queue = [_copy_queued(queued) for queued in self.queue]
        twin.held = [_copy_held(held) for held in self.held]
        twin.absences = [_copy_absence(absence) for absence in self.absences]
        twin.motions = [_copy_motion(motion) for motion in self.motions]
        for motion in twin.motions:
            motion.ballots = dict(motion.ballots)
        twin.state = self.state and self.state.copy()
        return twin

    def forget_held(self, pawns: Collection[str]) -> None:
        """Forget the held moves of these pawns."""
        self.held = [held for held in self.held if held.pawn not in pawns]


def _copier(kind: type[Value]) -> Callable[[Value], Value]:
    """Return a function that copies a value of a dataclass, ten times as fast as `copy`; each move copies them all."""
    values = attrgetter(*(each.name for each in fields(kind)))  # type: ignore[arg-type]
    return lambda value: kind(*values(value))


_copy_situation, _copy_seat, _copy_timer = _copier(Situation), _copier(Seat), _copier(Timer)
_copy_queued, _copy_held = _copier(QueuedMove), _copier(HeldMove)
_copy_absence, _copy_motion = _copier(Absence), _copier(Motion)
PARTS = (
    "seats", "timers", "queue", "held", "motions", "absences", "draw_changes", "owed", "webhooks", "state", "questions",
    "lobby", "deal",
)  # fmt: skip
COLUMNS = tuple(each.name for each in fields(Situation) if each.name not in PARTS)
"""The columns of the game's own row."""
PUBLIC_COLUMNS = tuple(each.name for each in fields(Sight) if each.name not in PARTS)
"""Those of them that a reader gets."""
