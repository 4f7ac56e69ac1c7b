"""The situation of a game: all that a decision about it can need, as plain values.

`server.application.game.situations` reads it from the database. The names are those of the columns in `server.models`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from operator import attrgetter
from typing import Any, NamedTuple, TypeVar

from server import engine
from server.application.errors import Problem

Value = TypeVar("Value")
OR_ELSE = " or else "  # between the moves of an order, of which the first that is legal is played


@dataclass(slots=True)
class Holder:
    """The player who holds a seat, as far as decisions need to know; `wants_moves`: they want a mail for every move.

    `is_guest`: they have no address.
    """

    id: str
    zone: str
    night: str | None
    spends_vacation: bool
    wants_moves: bool
    bounces: bool
    is_guest: bool


@dataclass(slots=True)
class Seat:
    """A seat of the game, and its holder; None for a bot."""

    number: int
    pawns: list[str]
    player_id: str | None
    bot: str | None
    level: str | None
    misses: int
    late_since: datetime | None
    wants_draw: bool
    bank: int | None
    cover: int | None
    is_offered: bool
    nonce: str
    holder: Holder | None  # the last, as those before it are columns of the seat's row, in this order

    @property
    def role(self) -> str:
        """Return `mr_x` or `detective`."""
        return "mr_x" if self.pawns == ["mr_x"] else "detective"

    @property
    def is_taken(self) -> bool:
        """Return True if the seat has a holder, a person or a bot."""
        return self.player_id is not None or self.bot is not None

    @property
    def is_reserved(self) -> bool:
        """Return False: once a game has begun nobody is invited to its seats."""
        return False

    @property
    def invitation(self) -> None:
        """Return None, as nobody is invited."""

    @property
    def bounces(self) -> bool:
        """Return True if mails to the holder do not arrive."""
        return self.holder is not None and self.holder.bounces

    @property
    def is_guest(self) -> bool:
        """Return True if the holder has no address."""
        return self.holder is not None and self.holder.is_guest


@dataclass(slots=True)
class Timer:
    """Something that happens to the game at `due_at`, see `server.models.Deadline`."""

    id: str
    kind: str
    side: str | None
    round: int | None
    seat: int
    step: int
    serial: int
    due_at: datetime
    try_at: datetime
    began_at: datetime | None = None
    more: list[list[str]] | None = None
    steps: list[list[Any]] | None = None
    state: str = "armed"


@dataclass(slots=True)
class QueuedMove:
    """A detective's move that waits for its turn; if it is not legal then, the first of `otherwise` that is."""

    pawn: str
    seat: int
    round: int
    notation: str
    kept_at: datetime
    otherwise: list[str] | None = None

    @property
    def notations(self) -> list[str]:
        """Return the moves in the order in which they are tried."""
        return [self.notation, *(self.otherwise or ())]


def in_order(queued: Any) -> str:
    """Return a queued move, or a row of one, with its second choices: `red taxi 46 or else red bus 58`."""
    return OR_ELSE.join([queued.notation, *(queued.otherwise or ())])


@dataclass(slots=True)
class Motion:
    """A question that is put to the vote; `ballots` says by seat who is for it."""

    id: str
    kind: str
    wish: dict[str, Any]
    seat: int | None
    state: str
    opened_at: datetime
    closes_at: datetime
    ballots: dict[int, bool] = field(default_factory=dict)

    @property
    def public_wish(self) -> dict[str, Any]:
        """Return the wish as it stands in events: with fractions as text, since the sealed log holds whole numbers."""
        return {name: _without_fractions(value) for name, value in self.wish.items()}


def _without_fractions(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_fractions(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_without_fractions(each) for each in value]
    return str(value) if isinstance(value, float) else value


@dataclass(slots=True)
class Absence:
    """A time in which a player is away."""

    id: str
    player_id: str
    begin: datetime
    end: datetime
    is_automatic: bool


@dataclass(slots=True)
class Outage:
    """An outage that the game is still to be credited with."""

    number: int
    cause: str
    begin: datetime
    end: datetime


class Webhook(NamedTuple):
    """A webhook of a player."""

    id: str
    player_id: str


@dataclass(slots=True)
class Situation:
    """A game with everything around it that a decision, or a view of what it led to, can need.

    timers: those that are to fire, and the reminders that were sent in this phase
    motions: the open and the carried ones, the oldest first
    absences: of the holders, back to the start of the game and for more than a year
    owed: the outages that the game is still to be credited with, the oldest first
    webhooks: those of everybody in the game that work, each with its player
    state: the game in the engine; None before the start
    questions: what the server has asked players about their mails of this round, by the numbers of their seats
    """

    id: str
    name: str
    host_id: str
    edition: str
    options: dict[str, Any]
    clock: dict[str, Any]
    visibility: str
    code: str
    label: str | None
    seating: str
    guests: dict[str, Any] | None
    seed: str | None
    rematch_id: str | None
    status: str
    turn: int | None
    side: str | None
    round: int | None
    due_at: datetime | None
    pauses: list[list[str]]
    events: int
    happened_at: datetime | None
    outages: int
    mr_x_misses: int
    winner: str | None
    reason: str | None
    final: bool
    final_at: datetime | None
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    head: str | None
    log_secrets: dict[str, Any] | None
    repaired: int
    version: str
    seats: list[Seat]
    timers: list[Timer]
    queue: list[QueuedMove]
    motions: list[Motion]
    absences: list[Absence]
    owed: list[Outage]
    webhooks: list[Webhook]
    state: engine.Game | None
    questions: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def is_practice(self) -> bool:
        """True if one player alone plays, with bots in all other seats."""
        return sum(seat.player_id is not None for seat in self.seats) == 1

    def seat_of_pawn(self, pawn: str) -> Seat:
        """Return the seat that moves the pawn."""
        return next(seat for seat in self.seats if pawn in seat.pawns)

    def seat_of_number(self, number: int) -> Seat:
        """Return the seat of that number."""
        return next(seat for seat in self.seats if seat.number == number)

    def seat_of_player(self, player_id: str) -> Seat:
        """Return the seat of a player; `Problem` forbidden if they have none."""
        for seat in self.seats:
            if seat.player_id == player_id:
                return seat
        raise Problem("forbidden", "You have no seat in this game.")

    def twin(self) -> Situation:
        """Return a copy for a command to change; dicts and lists that commands only replace are shared."""
        twin = _copy_situation(self)
        twin.seats = [_copy_seat(seat) for seat in self.seats]
        twin.timers = [_copy_timer(timer) for timer in self.timers]
        twin.queue = [_copy_queued(queued) for queued in self.queue]
        twin.absences = [_copy_absence(absence) for absence in self.absences]
        twin.motions = [_copy_motion(motion) for motion in self.motions]
        for motion in twin.motions:
            motion.ballots = dict(motion.ballots)
        twin.state = self.state and self.state.copy()
        return twin


def _copier(kind: type[Value]) -> Callable[[Value], Value]:
    """Return a function that copies a value of a dataclass, ten times as fast as `copy`; each move copies them all."""
    values = attrgetter(*(each.name for each in fields(kind)))  # type: ignore[arg-type]
    return lambda value: kind(*values(value))


_copy_situation, _copy_seat, _copy_timer = _copier(Situation), _copier(Seat), _copier(Timer)
_copy_queued, _copy_absence, _copy_motion = _copier(QueuedMove), _copier(Absence), _copier(Motion)
PARTS = ("seats", "timers", "queue", "motions", "absences", "owed", "webhooks", "state", "questions")
COLUMNS = tuple(each.name for each in fields(Situation) if each.name not in PARTS)
"""The columns of the game's own row."""
