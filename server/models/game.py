"""A game is a list of committed moves; these are the rows it is made of.

Everything that would tell where Mr. X is lies in sealed columns.
"""

from datetime import datetime
from typing import Any

from sqlalchemy import (
    JSON,
    ColumnElement,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    String,
    UniqueConstraint,
    event,
    literal_column,
    select,
    text,
)
from sqlalchemy.orm import Mapped, Session, column_property, mapped_column, relationship

from server.models.base import Base
from server.models.player import Invitation, Player
from server.models.types import Encrypted, UtcTime
from server.runtime import runtime

_IS_ARMED = text("state = 'armed'")
# A database sees only of a literal that the index of armed rows will do.
ARMED: ColumnElement[str] = literal_column("'armed'")


class Game(Base):
    """`status` is open, running or over; `turn` the number of the move awaited.

    `side`, `round` and `due_at` say whose half it is and until when; of several who have their time each for himself
    `due_at` is that of the first, and null where there is no deadline. `pauses` lists when no clock of the game ran:
    begin, end, and why. `warned_at` is when the host was told that the game, not yet begun, will not be kept. `events`
    counts the public events, the newest of which was at `happened_at`; `outages` is the number of the newest outage
    that was made good.
    `seal` holds what the seal is made with (`key`, `deck`), `header` what its chain begins with, and `head` the
    head of the chain; all three are null until the start.
    `seating` is chosen, lot or rotation; `rematch_id` the game in which the same people play on.
    `repaired` is the number of the newest event by which the operator had its rows rebuilt, 0 if there is none.
    `version` is another with each change of the game or of a seat, so that what was kept in memory of them under one
    version holds as long as that stands. It is chosen by chance: two that change something at once count nothing twice.
    """

    __tablename__ = "games"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    name: Mapped[str] = mapped_column(String(40))
    host_id: Mapped[str] = mapped_column(ForeignKey("players.id"))
    edition: Mapped[str] = mapped_column(String(40))
    options: Mapped[dict[str, Any]] = mapped_column(JSON)
    clock: Mapped[dict[str, Any]] = mapped_column(JSON)
    visibility: Mapped[str] = mapped_column(String(8))
    code: Mapped[str] = mapped_column(String(32), unique=True)
    label: Mapped[str | None] = mapped_column(String(80), index=True)
    seating: Mapped[str] = mapped_column(String(8), default="chosen")
    rematch_id: Mapped[str | None] = mapped_column(ForeignKey("games.id"))
    status: Mapped[str] = mapped_column(String(8), index=True, default="open")
    position: Mapped[dict[str, Any] | None] = mapped_column(Encrypted("games.position", 2048), deferred=True)
    starts: Mapped[dict[str, int]] = mapped_column(JSON, default=dict)
    mr_x_start: Mapped[int | None] = mapped_column(Encrypted("games.mr_x_start"), deferred=True)
    seal: Mapped[dict[str, Any] | None] = mapped_column(Encrypted("games.seal", 1024), deferred=True)
    header: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True), deferred=True)
    head: Mapped[str | None] = mapped_column(String(52))
    turn: Mapped[int | None] = mapped_column()
    side: Mapped[str | None] = mapped_column(String(10))
    round: Mapped[int | None] = mapped_column()
    due_at: Mapped[datetime | None] = mapped_column(UtcTime)
    pauses: Mapped[list[list[str]]] = mapped_column(JSON, default=list)
    warned_at: Mapped[datetime | None] = mapped_column(UtcTime)
    events: Mapped[int] = mapped_column(default=0)
    happened_at: Mapped[datetime | None] = mapped_column(UtcTime)
    outages: Mapped[int] = mapped_column(default=0)
    mr_x_misses: Mapped[int] = mapped_column(default=0)
    winner: Mapped[str | None] = mapped_column(String(10))
    reason: Mapped[str | None] = mapped_column(String(40))
    final: Mapped[bool] = mapped_column(default=False)
    final_at: Mapped[datetime | None] = mapped_column(UtcTime)
    created_at: Mapped[datetime] = mapped_column(UtcTime)
    started_at: Mapped[datetime | None] = mapped_column(UtcTime)
    ended_at: Mapped[datetime | None] = mapped_column(UtcTime)
    repaired: Mapped[int] = mapped_column(default=0)
    version: Mapped[str] = mapped_column(String(32), default="", deferred=True)

    seats: Mapped[list["Seat"]] = relationship(order_by="Seat.number", back_populates="game")


class Seat(Base):
    """A place at the table. `invited_id` is who may take it while `player_id` is null.

    Where it is kept for a mail address, `invitation` says for which, be its owner known (`invited_id`) or not.
    `bot` names the player of the house who sits there instead of a person. `wants_draw`: whoever sits there would end
    the game in a draw. `late_since` is the deadline that he let pass, and `misses` how many it were in a row.
    `bank` is the time left to it in seconds, null until its first go is over. `cover` is the seat whose holder may
    move for it. `is_offered`: somebody else may take it, though the game runs. `bounces`: mails to its holder do not
    arrive; read only, as that is known of the player.
    """

    __tablename__ = "seats"
    __table_args__ = (UniqueConstraint("game_id", "player_id"),)

    game_id: Mapped[str] = mapped_column(ForeignKey("games.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    pawns: Mapped[list[str]] = mapped_column(JSON)
    player_id: Mapped[str | None] = mapped_column(ForeignKey("players.id"), index=True)
    invited_id: Mapped[str | None] = mapped_column(ForeignKey("players.id"), index=True)
    invitation_id: Mapped[str | None] = mapped_column(ForeignKey("invitations.id"), unique=True)
    bot: Mapped[str | None] = mapped_column(String(16))
    # Changes when the seat changes hands: with it every reply address of the seat.
    nonce: Mapped[str] = mapped_column(String(32))
    misses: Mapped[int] = mapped_column(default=0)
    late_since: Mapped[datetime | None] = mapped_column(UtcTime)
    wants_draw: Mapped[bool] = mapped_column(default=False)
    bank: Mapped[int | None] = mapped_column()
    cover: Mapped[int | None] = mapped_column()
    is_offered: Mapped[bool] = mapped_column(default=False)
    bounces: Mapped[bool | None] = column_property(
        select(Player.bounces).where(Player.id == player_id).scalar_subquery()
    )

    game: Mapped[Game] = relationship(back_populates="seats")
    invitation: Mapped[Invitation | None] = relationship()

    @property
    def is_kept(self) -> bool:
        """Whether somebody is invited to sit there."""
        return self.invited_id is not None or self.invitation_id is not None

    @property
    def is_taken(self) -> bool:
        """Whether somebody sits there, a person or a player of the house."""
        return self.player_id is not None or self.bot is not None

    @property
    def role(self) -> str:
        """`mr_x` or `detective`."""
        return "mr_x" if self.pawns == ["mr_x"] else "detective"


@event.listens_for(Session, "before_flush")
def _renew_versions(flushing: Session, _context: object, _only: object) -> None:
    changed = [row for row in (*flushing.new, *flushing.dirty, *flushing.deleted) if isinstance(row, Game | Seat)]
    for game in {row.game if isinstance(row, Seat) else row for row in changed if flushing.is_modified(row)}:
        game.version = runtime().new_id("version")


class FormerHolder(Base):
    """Who held a seat of a game that had begun, and what he saw there: `role` is mr_x or detective.

    So is kept too who gave a detective's seat back before the start, but had heard the team by then.

    Somebody who was Mr. X never sees the game again before it is final; who was a detective never becomes Mr. X.
    """

    __tablename__ = "former_holders"

    game_id: Mapped[str] = mapped_column(ForeignKey("games.id"), primary_key=True)
    player_id: Mapped[str] = mapped_column(ForeignKey("players.id"), primary_key=True)
    role: Mapped[str] = mapped_column(String(10), primary_key=True)


class Move(Base):
    """A committed move. The primary key is what makes two commits of one turn impossible.

    `by` is player, ahead or house. `notation` is the whole move, sealed for either side alike.
    """

    __tablename__ = "moves"

    game_id: Mapped[str] = mapped_column(ForeignKey("games.id"), primary_key=True)
    turn: Mapped[int] = mapped_column(primary_key=True)
    pawn: Mapped[str] = mapped_column(String(8))
    notation: Mapped[str] = mapped_column(Encrypted("moves.notation", 128))
    by: Mapped[str] = mapped_column(String(8))
    made_at: Mapped[datetime] = mapped_column(UtcTime)


class QueuedMove(Base):
    """A detective's move that waits for its turn in `round`."""

    __tablename__ = "moves_ahead"
    __table_args__ = (ForeignKeyConstraint(["game_id", "seat"], ["seats.game_id", "seats.number"]),)

    game_id: Mapped[str] = mapped_column(String(32), primary_key=True)
    pawn: Mapped[str] = mapped_column(String(8), primary_key=True)
    seat: Mapped[int] = mapped_column()
    round: Mapped[int] = mapped_column()
    notation: Mapped[str] = mapped_column(Encrypted("moves_ahead.notation", 128))
    kept_at: Mapped[datetime] = mapped_column(UtcTime)


class Event(Base):
    """Something public that happened. `moves` is how many moves were committed by then, itself included.

    `data` holds public facts only. `head` is that of the sealed chain after it, null before the start.
    """

    __tablename__ = "events"

    game_id: Mapped[str] = mapped_column(ForeignKey("games.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    kind: Mapped[str] = mapped_column(String(16))
    moves: Mapped[int] = mapped_column()
    data: Mapped[dict[str, Any]] = mapped_column(JSON)
    head: Mapped[str | None] = mapped_column(String(52))
    at: Mapped[datetime] = mapped_column(UtcTime)


class Deadline(Base):
    """Something that has to happen at `due_at`: kind is reminder, timeout, final, move (of a player of the house),
    vote (it closes), or invitation (a seat is kept no longer).

    It belongs to the go of a seat (`seat`, within `side` and `round`) or, where `seat` is 0, to one half of one round;
    an invitation to a seat of the `lobby`. `step` tells the reminders of one go apart, and of a timeout whether
    it is that of the go (0) or of the grace behind it (1). `serial` is the number of the event by which the go got its
    time, or by which the seat was kept; of the first games it is 1. `state` is armed, fired or cancelled; `try_at` is
    `due_at` until firing has failed.

    Of a timeout `began_at` is when its time began, `more` what was given on top (lengths, and why), and `steps` how it
    came about.
    """

    __tablename__ = "deadlines"
    __table_args__ = (
        UniqueConstraint("game_id", "kind", "round", "side", "seat", "step", "serial"),
        # What is to be done is found at once, whatever number of rows is yet to come or was done long ago; and nobody
        # who asks for the rows of a game takes this index for that.
        Index("ix_deadlines_waiting", "try_at", sqlite_where=_IS_ARMED, postgresql_where=_IS_ARMED),
    )

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    game_id: Mapped[str] = mapped_column(ForeignKey("games.id"), index=True)
    kind: Mapped[str] = mapped_column(String(10))
    side: Mapped[str] = mapped_column(String(10))
    round: Mapped[int] = mapped_column()
    seat: Mapped[int] = mapped_column(default=0)
    step: Mapped[int] = mapped_column(default=0)
    serial: Mapped[int] = mapped_column()
    began_at: Mapped[datetime | None] = mapped_column(UtcTime)
    more: Mapped[list[list[str]] | None] = mapped_column(JSON(none_as_null=True))
    steps: Mapped[list[list[Any]] | None] = mapped_column(JSON(none_as_null=True))
    due_at: Mapped[datetime] = mapped_column(UtcTime)
    state: Mapped[str] = mapped_column(String(10), default="armed")
    try_at: Mapped[datetime] = mapped_column(UtcTime)
    attempts: Mapped[int] = mapped_column(default=0)


class Motion(Base):
    """Something the players of a running game vote on: `kind` is pause, resume, extend, clock or claim.

    `wish` says what exactly. `seat` is who proposed it, null where the clock asks. `state` is open, carried, lost or
    lapsed; one that is open closes at `closes_at`.
    """

    __tablename__ = "motions"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    game_id: Mapped[str] = mapped_column(ForeignKey("games.id"), index=True)
    kind: Mapped[str] = mapped_column(String(8))
    wish: Mapped[dict[str, Any]] = mapped_column(JSON)
    seat: Mapped[int | None] = mapped_column()
    state: Mapped[str] = mapped_column(String(8), default="open")
    opened_at: Mapped[datetime] = mapped_column(UtcTime)
    closes_at: Mapped[datetime] = mapped_column(UtcTime)

    ballots: Mapped[list["Ballot"]] = relationship(order_by="Ballot.seat")


class Ballot(Base):
    """The vote of one seat on a motion; it can be changed while that is open."""

    __tablename__ = "ballots"

    motion_id: Mapped[str] = mapped_column(ForeignKey("motions.id"), primary_key=True)
    seat: Mapped[int] = mapped_column(primary_key=True)
    is_for: Mapped[bool] = mapped_column()
