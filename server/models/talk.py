"""Messages between players."""

from datetime import datetime

from sqlalchemy import ForeignKey, ForeignKeyConstraint, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from server.models.base import Base
from server.models.player import Player
from server.models.types import Encrypted, UtcTime


class Message(Base):
    """A message from the holder of a seat. `audience` is team or all.

    `serial` is its place in the talk of the game. It never leaves the server: its gaps would reveal others' messages.
    """

    __tablename__ = "messages"
    __table_args__ = (
        UniqueConstraint("game_id", "serial"),
        ForeignKeyConstraint(["game_id", "seat"], ["seats.game_id", "seats.number"]),
    )

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    game_id: Mapped[str] = mapped_column(ForeignKey("games.id"))
    serial: Mapped[int] = mapped_column()
    seat: Mapped[int] = mapped_column()
    player_id: Mapped[str] = mapped_column(ForeignKey("players.id"), index=True)
    audience: Mapped[str] = mapped_column(String(4))
    text: Mapped[str] = mapped_column(Encrypted("messages.text", 4096))
    at: Mapped[datetime] = mapped_column(UtcTime)

    author: Mapped[Player] = relationship(viewonly=True)


class Muted(Base):
    """A player who wants no mails about the messages of a game."""

    __tablename__ = "muted"

    game_id: Mapped[str] = mapped_column(ForeignKey("games.id"), primary_key=True)
    player_id: Mapped[str] = mapped_column(ForeignKey("players.id"), primary_key=True, index=True)
