"""Players and the tokens they speak REST with."""

from datetime import date, datetime
from typing import Any

from sqlalchemy import ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column, relationship

from server.models.base import Base
from server.models.types import Encrypted, UtcTime
from server.runtime import runtime

SCOPES = ("read", "play", "host", "admin")


class Player(Base):
    """A person (or a script). `email` is the primary one of his addresses, to which all mail goes.

    `mail` is how much of it he wants, a word of `server.application.people.mail_frequency`; a game may have its own.
    `picture`: whether his mails have the board as a picture: off, on, or own (Mr. X's own view, for himself).
    `bounces`: mail to that address does not arrive, and none is sent there until he shows that it does again.
    `asks_first`: a move that he mails is shown to him before it counts. `night` is when he sleeps, by the wall of his
    zone, such as 23:00-07:00. `spends_vacation`: days of his vacation are taken before he is late.
    `gone_at` is when he took his account away: games keep the row, which says nothing of him any more.
    `skeleton` is a hash of what the name looks like (`server.lookalikes.digest`), by which names are kept apart; null for a
    former player, and for one whose name collided with another before that was checked.
    """

    __tablename__ = "players"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    name: Mapped[str] = mapped_column(String(40))
    skeleton: Mapped[str | None] = mapped_column(String(64), unique=True)
    email: Mapped[str] = mapped_column(String(254), unique=True)
    zone: Mapped[str] = mapped_column(String(64), default="UTC")
    mail: Mapped[str] = mapped_column(String(16), default="usual")
    picture: Mapped[str] = mapped_column(String(8), default="off")
    bounces: Mapped[bool] = mapped_column(default=False)
    asks_first: Mapped[bool] = mapped_column(default=False)
    night: Mapped[str | None] = mapped_column(String(11))
    spends_vacation: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime] = mapped_column(UtcTime)
    gone_at: Mapped[datetime | None] = mapped_column(UtcTime)


class Absence(Base):
    """A player cannot play from `begin` to `end`: part of his yearly vacation, taken by himself or `is_automatic`."""

    __tablename__ = "absences"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    player_id: Mapped[str] = mapped_column(ForeignKey("players.id"), index=True)
    begin: Mapped[datetime] = mapped_column(UtcTime)
    end: Mapped[datetime] = mapped_column(UtcTime)
    is_automatic: Mapped[bool] = mapped_column(default=False)


class Address(Base):
    """A mail address that a player has shown to be his, the primary one like all others; in lower case.

    Mail from any of them is his. Nobody else can have it. `bounced_at` is when mail to it was found not to arrive, and
    `soft_bounces` counts the reports that it did not arrive for the time being, since something was heard from there.
    """

    __tablename__ = "addresses"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    email: Mapped[str] = mapped_column(String(254), unique=True)
    player_id: Mapped[str] = mapped_column(ForeignKey("players.id"), index=True)
    confirmed_at: Mapped[datetime] = mapped_column(UtcTime)
    bounced_at: Mapped[datetime | None] = mapped_column(UtcTime)
    soft_bounces: Mapped[int] = mapped_column(default=0)


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
    """Somebody asked for an account, or a player (`player_id`) for one more address; it is not confirmed yet.

    Forgotten after a day. `address` is a keyed hash, by which mails to one address are counted; `network` one of where
    the request came from, null for a player's; `digest` that of the code, and `wanted` what he asked for (`name`,
    `email`, `zone`; a player only `email`): null once the code was used.
    """

    __tablename__ = "sign_ups"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    address: Mapped[str] = mapped_column(String(64), index=True)
    network: Mapped[str | None] = mapped_column(String(64))
    player_id: Mapped[str | None] = mapped_column(ForeignKey("players.id"), index=True)
    digest: Mapped[str | None] = mapped_column(String(64), unique=True)
    wanted: Mapped[dict[str, str] | None] = mapped_column(Encrypted("sign_ups.wanted", 1024))
    created_at: Mapped[datetime] = mapped_column(UtcTime)


class Invitation(Base):
    """A seat is kept for a player, or for the reader of a mail address; the seat refers to it while it is good.

    `guest_id` is the player, as far as there is one. `address` is a keyed hash of the mail address, or of the player
    where they were named otherwise; invitations are counted by it. `email` and `digest` (of the code that was mailed)
    are null where no address was named, and once the invitation is good no longer. `nonce` is that of the seat then, by
    which its reply address is known. `refused` is when its reader asked never to be invited again: such a row stays.

    A seat that refers to one and names nobody in `invited_id` although there is a `guest_id` is withheld: the guest has
    blocked the host and learns nothing of it.
    """

    __tablename__ = "invitations"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    host_id: Mapped[str] = mapped_column(ForeignKey("players.id"), index=True)
    guest_id: Mapped[str | None] = mapped_column(ForeignKey("players.id"), index=True)
    address: Mapped[str] = mapped_column(String(64), index=True)
    email: Mapped[str | None] = mapped_column(Encrypted("invitations.email", 320))
    digest: Mapped[str | None] = mapped_column(String(64), unique=True)
    nonce: Mapped[str] = mapped_column(String(32), index=True)
    refused: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime] = mapped_column(UtcTime)


class Block(Base):
    """A player wants no invitations from another, and nothing of what they say to all, from `created_at` to `ended_at`.

    `blocked_id` is the other player. Where a mail address was named instead, `address` is its keyed hash and `email`
    the address for the owner of the list: such a block is about invitations alone, whoever has the address.
    """

    __tablename__ = "blocks"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    player_id: Mapped[str] = mapped_column(ForeignKey("players.id"), index=True)
    blocked_id: Mapped[str | None] = mapped_column(ForeignKey("players.id"), index=True)
    address: Mapped[str | None] = mapped_column(String(64))
    email: Mapped[str | None] = mapped_column(Encrypted("blocks.email", 320))
    created_at: Mapped[datetime] = mapped_column(UtcTime)
    ended_at: Mapped[datetime | None] = mapped_column(UtcTime)


class Answered(Base):
    """An answer given under an Idempotency-Key, to be given again: sealed, as it may be Mr. X's view."""

    __tablename__ = "answered"

    player_id: Mapped[str] = mapped_column(ForeignKey("players.id"), primary_key=True)
    route: Mapped[str] = mapped_column(String(120), primary_key=True)
    key: Mapped[str] = mapped_column(String(64), primary_key=True)
    request: Mapped[str] = mapped_column(String(64))
    answer: Mapped[Any] = mapped_column(Encrypted("answered.answer", 4096))
    created_at: Mapped[datetime] = mapped_column(UtcTime)
