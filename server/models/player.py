"""Players and the tokens they speak REST with."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column

from server.models.base import Base
from server.models.types import Sealed, UtcTime


class Player(Base):
    """A person (or a script) with a confirmed mail address. `email` is kept in lower case."""

    __tablename__ = "players"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    name: Mapped[str] = mapped_column(String(40))
    email: Mapped[str] = mapped_column(String(254), unique=True)
    zone: Mapped[str] = mapped_column(String(64), default="UTC")
    wants_mail: Mapped[bool] = mapped_column(default=True)
    created_at: Mapped[datetime] = mapped_column(UtcTime)


class Token(Base):
    """A bearer token; only its hash is kept, so a dump lets nobody in."""

    __tablename__ = "tokens"

    digest: Mapped[str] = mapped_column(String(64), primary_key=True)
    player_id: Mapped[str] = mapped_column(ForeignKey("players.id"), index=True)
    created_at: Mapped[datetime] = mapped_column(UtcTime)


class Answered(Base):
    """An answer given under an Idempotency-Key, to be given again: sealed, as it may be Mr. X's view."""

    __tablename__ = "answered"

    player_id: Mapped[str] = mapped_column(ForeignKey("players.id"), primary_key=True)
    route: Mapped[str] = mapped_column(String(120), primary_key=True)
    key: Mapped[str] = mapped_column(String(64), primary_key=True)
    request: Mapped[str] = mapped_column(String(64))
    answer: Mapped[Any] = mapped_column(Sealed("answered.answer", 4096))
    created_at: Mapped[datetime] = mapped_column(UtcTime)
