"""A game as it stands, as plain values: its seats and their players, the turn, the deadline, and the result.

Nothing here tells where Mr. X is. `server.application.game.look` reads it for readers, and the `Situation` that
decisions change is more of the same. The names are those of the columns in `server.models`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple, TypedDict

from server.clock import Pause, StoredStep
from server.engine import Options
from server.vocabulary.clocks import Clock
from server.vocabulary.durations import rfc3339
from server.vocabulary.errors import Problem, refusal
from server.vocabulary.translation import gettext, gettext_noop
from server.vocabulary.votes import VoteWish

OR_ELSE = " or else "  # between the moves of an order, of which the first that is legal is played
SPECTATOR = "spectator"


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


class Invitation(NamedTuple):
    """The invitation to a seat: who invites whom, a player (`guest_id`) or the reader of an address (`email`).

    words: the host's own words in it
    """

    id: str
    host_id: str
    guest_id: str | None
    email: str | None
    words: str | None
    created_at: datetime
    reminded_at: datetime | None


def role_of(pawns: Sequence[str]) -> str:
    """Return the role of the seat that moves these pawns: `mr_x` or `detective`."""
    return "mr_x" if "mr_x" in pawns else "detective"


@dataclass(slots=True)
class Seat:
    """A seat of the game. `holder` is what a decision needs of its player: None for a bot, and for every reader.

    bounces, is_guest: mails to the holder do not arrive; the holder has no address
    invited_id, invitation: who may take the seat, and by which invitation; both only before the start
    is_to_be_drawn: the start of the game draws the pawns of this seat
    replay: how the player wants the replay of a private game shown, see `server.house_rules.replays`
    team_since: the number of the event since which its player hears what is said to the team
    """

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
    nonce: str = field(repr=False)
    replay: str | None = None
    team_since: int = 0
    holder: Holder | None = field(default=None, repr=False)  # those before it are columns of the row, in this order
    bounces: bool = False
    is_guest: bool = False
    invited_id: str | None = None
    invitation: Invitation | None = field(default=None, repr=False)
    is_to_be_drawn: bool = False

    def give_to(self, holder: Holder) -> None:
        """Make this player the holder of the seat."""
        self.player_id, self.holder = holder.id, holder
        self.bounces, self.is_guest = holder.bounces, holder.is_guest

    def vacate(self) -> None:
        """Leave the seat without a holder, a person or a bot."""
        self.player_id = self.holder = self.bot = self.level = None
        self.bounces = self.is_guest = False

    @property
    def role(self) -> str:
        """Return `mr_x` or `detective`."""
        return role_of(self.pawns)

    @property
    def invitation_id(self) -> str | None:
        """Return the id of the invitation to the seat."""
        return self.invitation and self.invitation.id

    @property
    def is_taken(self) -> bool:
        """Return True if the seat has a holder, a person or a bot."""
        return self.player_id is not None or self.bot is not None

    @property
    def is_reserved(self) -> bool:
        """Return True if somebody is invited to take the seat."""
        return self.invited_id is not None or self.invitation is not None

    @property
    def is_free(self) -> bool:
        """Return True if nobody has the seat, and nobody is invited to take it."""
        return not self.is_taken and not self.is_reserved

    @property
    def is_by_address(self) -> bool:
        """Return True if the seat is reserved for the reader of an address."""
        return self.invitation is not None and self.invitation.email is not None

    def is_for(self, player_id: str) -> bool:
        """Return True if the seat is reserved for the player, even if the invitation is withheld from them."""
        is_guest = self.invitation is not None and self.invitation.guest_id == player_id
        return self.invited_id == player_id or is_guest


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
    steps: list[StoredStep] | None = None
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

    @property
    def as_json(self) -> dict[str, str]:
        """Return the move as the team sees it."""
        return {"pawn": self.pawn, "notation": self.notation}

    @property
    def order(self) -> str:
        """Return the move with its second choices: `red taxi 46 or else red bus 58`."""
        return OR_ELSE.join(self.notations)


@dataclass(slots=True)
class HeldMove:
    """A move that is played at `plays_at` unless its player stops it; only they know of it.

    hold: the id that the moves of one mail or form share
    notation: the move, with its second choices as in `QueuedMove.order`
    """

    hold: str
    pawn: str
    seat: int
    notation: str
    held_at: datetime
    plays_at: datetime

    @property
    def try_at(self) -> datetime:
        """Return when it is tried first."""
        return self.plays_at


@dataclass(slots=True)
class Absence:
    """A time in which a player is away."""

    id: str
    player_id: str
    begin: datetime
    end: datetime
    is_automatic: bool

    @property
    def as_json(self) -> dict[str, Any]:
        """Return the absence as its owner sees it."""
        return {
            "id": self.id,
            "begin": rfc3339(self.begin),
            "end": rfc3339(self.end),
            "automatic": self.is_automatic,
        }


@dataclass(slots=True)
class Motion:
    """A question that is put to the vote; `ballots` says by seat who is for it."""

    id: str
    kind: str
    wish: VoteWish
    seat: int | None
    state: str
    opened_at: datetime
    closes_at: datetime
    ballots: dict[int, bool] = field(default_factory=dict)

    @property
    def public_wish(self) -> dict[str, object]:
        """Return the wish as it stands in events: with fractions as text, since the sealed log holds whole numbers."""
        return {name: _without_fractions(value) for name, value in self.wish.items()}

    @property
    def as_json(self) -> dict[str, Any]:
        """Return the motion as everybody sees it."""
        return {
            "id": self.id, "kind": self.kind, **self.wish, "seat": self.seat, "state": self.state,
            "closes_at": rfc3339(self.closes_at),
            "for": sorted(seat for seat, is_for in self.ballots.items() if is_for),
            "against": sorted(seat for seat, is_for in self.ballots.items() if not is_for),
        }  # fmt: skip


def _without_fractions(value: object) -> object:
    if isinstance(value, dict):
        return {name: _without_fractions(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_without_fractions(each) for each in value]
    return str(value) if isinstance(value, float) else value


class ChosenForGuests(TypedDict, total=False):
    """The rules for guests that the host chose, see `server.house_rules.guest_rules`; the others are as usual."""

    seats: str
    talk: bool
    stay: str
    pairs: bool


@dataclass(slots=True, repr=False)
class Standing:
    """A game as it stands: what everybody who may see it can know of it, apart from the board.

    The board is in the engine, and a reader's view of it is built by `server.application.game.projection` alone. So
    nothing that is printed or logged of this value tells more than who sits where.
    """

    id: str
    name: str
    host_id: str
    edition: str
    options: Options
    clock: Clock
    visibility: str
    code: str
    label: str | None
    seating: str
    guests: ChosenForGuests | None
    starts_when_full: bool
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
    is_contestable: bool
    winner: str | None
    reason: str | None
    final: bool
    final_at: datetime | None
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    head: str | None
    broken: str | None
    repaired: int
    version: str
    seats: list[Seat]

    def __repr__(self) -> str:
        """Return which game it is, and at which event: the text stands in logs."""
        return f"<{type(self).__name__} of game {self.id} at event {self.events}>"

    @property
    def is_practice(self) -> bool:
        """True if one player alone plays, with bots in all other seats."""
        return sum(seat.player_id is not None for seat in self.seats) == 1

    @property
    def is_complete(self) -> bool:
        """True if every seat has a holder, a person or a bot."""
        return all(seat.is_taken for seat in self.seats)

    @property
    def number_free(self) -> int:
        """Return how many of the seats nobody has, and nobody is invited to."""
        return sum(seat.is_free for seat in self.seats)

    @property
    def number_late(self) -> int:
        """Return how many of the seats are late."""
        return sum(seat.late_since is not None for seat in self.seats)

    @property
    def moves(self) -> int:
        """Return how many moves were made."""
        return (self.turn or 1) - 1

    @property
    def role_to_move(self) -> str:
        """Return the role of those who are to move: `mr_x` or `detective`."""
        return "mr_x" if self.side == "mr_x" else "detective"

    def seat_of_pawn(self, pawn: str) -> Seat:
        """Return the seat that moves the pawn."""
        return next(seat for seat in self.seats if pawn in seat.pawns)

    def seat_of_number(self, number: int) -> Seat:
        return next(seat for seat in self.seats if seat.number == number)

    def seat_held_by(self, player_id: str | None) -> Seat | None:
        """Return the seat that a player holds, if any."""
        return next((seat for seat in self.seats if player_id and seat.player_id == player_id), None)

    def seat_of_player(self, player_id: str) -> Seat:
        """Return the seat of a player; `Problem` forbidden if they have none."""
        seat = self.seat_held_by(player_id)
        if seat is None:
            raise refusal("forbidden", "You have no seat in this game.")
        return seat

    def check_number(self, number: int, code: str = "form") -> Seat:
        """Return the seat of a number that somebody named; a `Problem` of this code if there is none."""
        seat = next((seat for seat in self.seats if seat.number == number), None)
        if seat is None:
            raise self.no_such_seat(code)
        return seat

    def no_such_seat(self, code: str = "form") -> Problem:
        """Return the `Problem` of a seat that there is not."""
        return refusal(code, "There is no such seat; the seats are 1 (Mr. X) to {n}.", n=len(self.seats))

    def is_against_bots(self, seat: Seat | None) -> bool:
        """Return True if bots have all other seats than this one; False without a seat."""
        return seat is not None and all(other.bot for other in self.seats if other.number != seat.number)

    def check_host(self, player_id: str, sentence: str) -> None:
        """Raise `Problem` forbidden with the sentence, which is not translated yet, unless the player is the host."""
        if player_id != self.host_id:
            raise refusal("forbidden", sentence)

    def check_not_seated(self, player_id: str) -> None:
        """Raise `Problem` already-seated if the player has a seat."""
        if self.seat_held_by(player_id) is not None:
            raise refusal("already-seated", "You have a seat in this game already.")

    def check_open(self, sentence: str = gettext_noop("This game has started; its seats are given.")) -> None:
        """Raise `Problem` game-not-open with the sentence, not translated yet, unless the game has still to begin."""
        if self.status != "open":
            raise refusal("game-not-open", sentence)

    def check_running(self, consequence: str) -> None:
        """Raise `Problem` game-not-running unless the game runs; `consequence`, in English, ends its sentence."""
        if self.status != "running":
            so = gettext(consequence)
            if self.status == "open":
                raise refusal("game-not-running", "This game has not begun; {so}.", so=so)
            raise refusal("game-not-running", "This game is over; {so}.", so=so)

    def pause_spans(self) -> list[Pause]:
        """Return the pauses of the game, past and future."""
        return [
            Pause(datetime.fromisoformat(first), datetime.fromisoformat(last), why) for first, last, why in self.pauses
        ]

    def paused_until(self, now: datetime) -> datetime | None:
        """Return until when a running game stands still by a vote; None if it does not."""
        if self.status != "running":
            return None
        return max((pause.end for pause in self.pause_spans() if pause.begin <= now < pause.end), default=None)


@dataclass(slots=True, repr=False)
class Sight(Standing):
    """A game as one reader looks at it, with what is around it.

    timers: the timeouts of the current turns; in a `Situation` all that are to fire, and reminders that were sent
    queue: the queued moves, for a reader who is a detective; nothing for anybody else
    motions: those that are open, that were carried, or that were opened within a week, the oldest first
    absences: those of the holders that last; in a `Situation` those of more than a year
    draw_changes: the seat and the time of each offer of a draw, or withdrawal of one, within a day, the oldest first
    """

    timers: list[Timer]
    queue: list[QueuedMove]
    motions: list[Motion]
    absences: list[Absence]
    draw_changes: list[tuple[int, datetime]]

    def armed(self, *kinds: str) -> list[Timer]:
        """Return the timers of these kinds that are to fire, the earliest first."""
        found = [timer for timer in self.timers if timer.state == "armed" and timer.kind in kinds]
        return sorted(found, key=lambda timer: (timer.due_at, timer.seat))

    def timeouts(self) -> list[Timer]:
        """Return the timeouts of the current turns, the earliest first."""
        return self.armed("timeout")
