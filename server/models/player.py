"""Players and the tokens they speak REST with."""

from datetime import date, datetime
from typing import Any

from sqlalchemy import ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column, relationship

from server.models.base import Base
from server.models.types import Sealed, UtcTime
from server.runtime import runtime

SCOPES = ("read", "play", "host", "admin")


class Player(Base):
    """A person (or a script) with a confirmed mail address. `email` is kept in lower case.

    `gone_at` is when he took his account away: games keep the row, which says nothing of him any more.
    """

    __tablename__ = "players"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    name: Mapped[str] = mapped_column(String(40))
    email: Mapped[str] = mapped_column(String(254), unique=True)
    zone: Mapped[str] = mapped_column(String(64), default="UTC")
    wants_mail: Mapped[bool] = mapped_column(default=True)
    created_at: Mapped[datetime] = mapped_column(UtcTime)
    gone_at: Mapped[datetime | None] = mapped_column(UtcTime)


class Token(Base):
    """A bearer token; only its hash is kept, so a dump lets nobody in.

    `id` is what its owner calls it by; `scopes` are words of `SCOPES` with spaces between. `used_on` is the day of its
    last use, which is nobody's business but its owner's.
    """

    __tablename__ = "tokens"

    digest: Mapped[str] = mapped_column(String(64), primary_key=True)
    id: Mapped[str] = mapped_column(String(32), unique=True, default=lambda: runtime().new_id("token's name"))
    player_id: Mapped[str] = mapped_column(ForeignKey("players.id"), index=True)
    name: Mapped[str] = mapped_column(String(40), default="first")
    scopes: Mapped[str] = mapped_column(String(40), default=" ".join(SCOPES))
    created_at: Mapped[datetime] = mapped_column(UtcTime)
    expires_at: Mapped[datetime | None] = mapped_column(UtcTime)
    used_on: Mapped[date | None] = mapped_column()

    player: Mapped[Player] = relationship()


class SignUp(Base):
    """Somebody asked for an account, and has not confirmed his address yet; forgotten after a day.

    `address` is a keyed hash, by which mails to one address are counted; `digest` that of the code, and `wanted` what
    he asked for (`name`, `email`, `zone`): both null once the code was used.
    """

    __tablename__ = "sign_ups"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    address: Mapped[str] = mapped_column(String(64), index=True)
    digest: Mapped[str | None] = mapped_column(String(64), unique=True)
    wanted: Mapped[dict[str, str] | None] = mapped_column(Sealed("sign_ups.wanted", 1024))
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
