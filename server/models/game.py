"""A game is a list of committed moves; these are the rows it is made of.

Everything that would tell where Mr. X is lies in sealed columns.
"""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, ForeignKeyConstraint, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from server.models.base import Base
from server.models.types import Sealed, UtcTime


class Game(Base):
    """`status` is open, running or over; `turn` the number of the move awaited.

    `side`, `round` and `due_at` say whose half it is and until when. `events` counts the public events, the newest
    of which was at `happened_at`.
    `seal` holds what the seal is made with (`key`, `deck`), `header` what its chain begins with, and `head` the
    head of the chain; all three are null until the start.
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
    status: Mapped[str] = mapped_column(String(8), index=True, default="open")
    position: Mapped[dict[str, Any] | None] = mapped_column(Sealed("games.position", 2048), deferred=True)
    starts: Mapped[dict[str, int]] = mapped_column(JSON, default=dict)
    mr_x_start: Mapped[int | None] = mapped_column(Sealed("games.mr_x_start"), deferred=True)
    seal: Mapped[dict[str, Any] | None] = mapped_column(Sealed("games.seal", 1024), deferred=True)
    header: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True), deferred=True)
    head: Mapped[str | None] = mapped_column(String(52))
    turn: Mapped[int | None] = mapped_column()
    side: Mapped[str | None] = mapped_column(String(10))
    round: Mapped[int | None] = mapped_column()
    due_at: Mapped[datetime | None] = mapped_column(UtcTime)
    events: Mapped[int] = mapped_column(default=0)
    happened_at: Mapped[datetime | None] = mapped_column(UtcTime)
    mr_x_misses: Mapped[int] = mapped_column(default=0)
    winner: Mapped[str | None] = mapped_column(String(10))
    reason: Mapped[str | None] = mapped_column(String(40))
    final: Mapped[bool] = mapped_column(default=False)
    final_at: Mapped[datetime | None] = mapped_column(UtcTime)
    created_at: Mapped[datetime] = mapped_column(UtcTime)
    started_at: Mapped[datetime | None] = mapped_column(UtcTime)
    ended_at: Mapped[datetime | None] = mapped_column(UtcTime)

    seats: Mapped[list["Seat"]] = relationship(order_by="Seat.number", back_populates="game")


class Seat(Base):
    """A place at the table. `invited_id` is who may take it while `player_id` is null.

    `bot` names the player of the house who sits there instead of a person.
    """

    __tablename__ = "seats"
    __table_args__ = (UniqueConstraint("game_id", "player_id"),)

    game_id: Mapped[str] = mapped_column(ForeignKey("games.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    pawns: Mapped[list[str]] = mapped_column(JSON)
    player_id: Mapped[str | None] = mapped_column(ForeignKey("players.id"), index=True)
    invited_id: Mapped[str | None] = mapped_column(ForeignKey("players.id"), index=True)
    bot: Mapped[str | None] = mapped_column(String(16))
    # Changes when the seat changes hands: with it every reply address of the seat.
    nonce: Mapped[str] = mapped_column(String(32))
    misses: Mapped[int] = mapped_column(default=0)

    game: Mapped[Game] = relationship(back_populates="seats")

    @property
    def is_taken(self) -> bool:
        """Whether somebody sits there, a person or a player of the house."""
        return self.player_id is not None or self.bot is not None

    @property
    def role(self) -> str:
        """`mr_x` or `detective`."""
        return "mr_x" if self.pawns == ["mr_x"] else "detective"


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
    notation: Mapped[str] = mapped_column(Sealed("moves.notation", 128))
    by: Mapped[str] = mapped_column(String(8))
    made_at: Mapped[datetime] = mapped_column(UtcTime)


class MoveAhead(Base):
    """A detective's move kept for his turn in `round`."""

    __tablename__ = "moves_ahead"
    __table_args__ = (ForeignKeyConstraint(["game_id", "seat"], ["seats.game_id", "seats.number"]),)

    game_id: Mapped[str] = mapped_column(String(32), primary_key=True)
    pawn: Mapped[str] = mapped_column(String(8), primary_key=True)
    seat: Mapped[int] = mapped_column()
    round: Mapped[int] = mapped_column()
    notation: Mapped[str] = mapped_column(Sealed("moves_ahead.notation", 128))
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
    """Something that has to happen at `due_at`: kind is reminder, timeout, final, or move (of a player of the house).

    It belongs to one half of one round (`side`, `round`). `serial` is 1, or the number of the event by which that half
    was given its time anew. `state` is armed, fired or cancelled; `try_at` is `due_at` until firing has failed.
    """

    __tablename__ = "deadlines"
    __table_args__ = (UniqueConstraint("game_id", "kind", "round", "side", "serial"),)

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    game_id: Mapped[str] = mapped_column(ForeignKey("games.id"), index=True)
    kind: Mapped[str] = mapped_column(String(10))
    side: Mapped[str] = mapped_column(String(10))
    round: Mapped[int] = mapped_column()
    serial: Mapped[int] = mapped_column()
    due_at: Mapped[datetime] = mapped_column(UtcTime)
    state: Mapped[str] = mapped_column(String(10), default="armed")
    try_at: Mapped[datetime] = mapped_column(UtcTime, index=True)
    attempts: Mapped[int] = mapped_column(default=0)
