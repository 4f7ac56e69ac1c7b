"""Players, their addresses and tokens, and what they ask of each other."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from typing import Protocol, TypedDict

from sqlalchemy import JSON, ForeignKey, Index, String, event, inspect, text
from sqlalchemy.orm import Mapped, Session, make_transient_to_detached, mapped_column, relationship
from sqlalchemy.orm.attributes import manager_of_class

from server.models.base import Base, table_of
from server.models.statements import tally
from server.models.types import Encrypted, UtcTime
from server.runtime import runtime

_IS_SOFT = text("soft_since IS NOT NULL")
_IS_GUEST = text("network IS NOT NULL")
SCOPES = ("read", "play", "host", "admin")
CALENDAR = "calendar"  # the scope of a token that is the address of a calendar, and nothing else


class Account(Protocol):
    """A player of whom nothing but the id is needed: a `Player`, or an `AccountId`."""

    @property
    def id(self) -> str:
        """Return the id of the player."""


@dataclass(frozen=True)
class AccountId:
    """A player of whom nothing but the id was read."""

    id: str


class Player(Base):
    """A player: a person, or a script.

    email: their primary address, to which all mail goes
    language: the code of the language in which mails and pages are for them
    mail: their mail frequency, a word of `server.application.mail.mail_frequency`; a game may have another
    picture: on, off, or own: whether mails show the board as a picture (own: with Mr. X's own view, in his mails)
    station: mail, or page: mails to Mr. X tell nothing of where he is, and link to the page of the game instead
    bounces: mail to `email` does not arrive, and none is sent there until the player shows that it does again
    hold: doubtful, or always: which of their moves by mail or page wait for a while, in which they can be stopped
    night: the hours in which they sleep, in their zone, such as 23:00-07:00
    spends_vacation: days of vacation are spent before they are late
    network, provider: of a guest, who plays without an address until they give one, keyed hashes of the network they
        came from and of the wider one it is in; null for everybody else
    is_operator: they may open the operator's pages
    gone_at: when they deleted their account; games keep the row, without anything about the person
    skeleton: a hash of the looks of the name (`vocabulary.lookalikes.digest`), which keeps names apart; null for a
        former player
    taken_skeletons: such hashes of the names that an operator took away from them, which they cannot take again
    closing_lines: keyed hashes of the lines that ended their newest mails, each with the number of those mails
    """

    __tablename__ = "players"
    __table_args__ = (Index("ix_players_guests", "network", "provider", sqlite_where=_IS_GUEST),)

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    name: Mapped[str] = mapped_column(String(40))
    skeleton: Mapped[str | None] = mapped_column(String(64), unique=True)
    taken_skeletons: Mapped[list[str]] = mapped_column(JSON, default=list)
    email: Mapped[str] = mapped_column(String(254), unique=True)
    zone: Mapped[str] = mapped_column(String(64), default="UTC")
    mail: Mapped[str] = mapped_column(String(16), default="usual")
    picture: Mapped[str] = mapped_column(String(8), default="on")
    station: Mapped[str] = mapped_column(String(8), default="mail")
    bounces: Mapped[bool] = mapped_column(default=False)
    hold: Mapped[str] = mapped_column(String(8), default="doubtful")
    night: Mapped[str | None] = mapped_column(String(11))
    spends_vacation: Mapped[bool] = mapped_column(default=False)
    is_operator: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime] = mapped_column(UtcTime)
    gone_at: Mapped[datetime | None] = mapped_column(UtcTime, active_history=True)
    network: Mapped[str | None] = mapped_column(String(64))
    provider: Mapped[str | None] = mapped_column(String(64))
    closing_lines: Mapped[dict[str, int] | None] = mapped_column(JSON(none_as_null=True))
    language: Mapped[str] = mapped_column(String(8), server_default="en")

    @property
    def is_guest(self) -> bool:
        """Return True for a player without an address."""
        return self.network is not None


PLAYER_COLUMNS = tuple(table_of(Player).columns)
_NAMES = tuple(column.name for column in PLAYER_COLUMNS)


def detached(columns: Iterable[object]) -> Player:
    """Return the player with these `PLAYER_COLUMNS`, read without a session; no transaction reads them again."""
    player: Player = manager_of_class(Player).new_instance()  # the constructor would set column by column
    vars(player).update(zip(_NAMES, columns, strict=True))
    make_transient_to_detached(player)
    return player


@event.listens_for(Session, "before_flush")
def _tally(flushing: Session, _context: object, _only: object) -> None:
    for player in (row for row in (*flushing.new, *flushing.dirty) if isinstance(row, Player)):
        if player in flushing.new:
            tally("players", int(player.gone_at is None))
        elif inspect(player).attrs.gone_at.history.deleted == [None] and player.gone_at is not None:
            tally("players", -1)


class Absence(Base):
    """A time in which a player is away: part of their yearly vacation, taken by the player or `is_automatic`."""

    __tablename__ = "absences"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    player_id: Mapped[str] = mapped_column(ForeignKey("players.id"), index=True)
    begin: Mapped[datetime] = mapped_column(UtcTime)
    end: Mapped[datetime] = mapped_column(UtcTime)
    is_automatic: Mapped[bool] = mapped_column(default=False)


class Address(Base):
    """A confirmed mail address of a player, be it the primary one or another; in lower case.

    Mail from it is the player's, and no other player can have it. `bounced_at` is when mail to it was reported as not
    delivered for good. From `soft_since` on mails came back for now, as from a full mailbox, the last at `soft_at`.
    """

    __tablename__ = "addresses"
    __table_args__ = (Index("ix_addresses_soft", "soft_since", sqlite_where=_IS_SOFT),)

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    email: Mapped[str] = mapped_column(String(254), unique=True)
    player_id: Mapped[str] = mapped_column(ForeignKey("players.id"), index=True)
    confirmed_at: Mapped[datetime] = mapped_column(UtcTime)
    bounced_at: Mapped[datetime | None] = mapped_column(UtcTime)
    soft_since: Mapped[datetime | None] = mapped_column(UtcTime)
    soft_at: Mapped[datetime | None] = mapped_column(UtcTime)


class Token(Base):
    """A bearer token; only its hash is stored, so a dump of the database gives nobody access.

    Its owner refers to it by `id`; `scopes` are words of `SCOPES` with spaces between. `used_on` is the day of its last
    use, which only the owner may see.
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


class BrowserSession(Base):
    """A browser in which a player is signed in, until `expires_at`. Only the hash of its cookie is stored.

    Its owner refers to it by `id`. browser: its name and its system's, such as Firefox on Linux; `used_on` is the day
    of its last use.
    """

    __tablename__ = "browser_sessions"

    digest: Mapped[str] = mapped_column(String(64), primary_key=True)
    id: Mapped[str] = mapped_column(String(32), unique=True)
    player_id: Mapped[str] = mapped_column(ForeignKey("players.id"), index=True)
    browser: Mapped[str] = mapped_column(String(60))
    created_at: Mapped[datetime] = mapped_column(UtcTime)
    expires_at: Mapped[datetime] = mapped_column(UtcTime, index=True)
    used_on: Mapped[date] = mapped_column()

    player: Mapped[Player] = relationship()


class SignUp(Base):
    """A request for a code by mail: for an account, for one more address of a player (`player_id`), or to sign in.

    It is deleted after a day.

    address: a keyed hash, by which mails to one address are counted
    network: a keyed hash of the network of the request; null for a player's, and for a code beyond a limit
    digest, wanted: the hash of the code, and the request (`email`; of a sign-up also `name` and `zone`; `game` and
        `then` where it leads on to one); both null once the code was used
    pin, tries: of an address that a page asked for, a keyed hash of six digits and of the browser's session in which
        they count, and how many wrong ones were typed there
    purpose: the kind of the mail with the code, and what it is good for: code (a sign-up), address, or sign_in; or
        device or regain, of a link with which a guest goes on in another browser, made by them or by the host of a game
    """

    __tablename__ = "sign_ups"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    address: Mapped[str] = mapped_column(String(64), index=True)
    network: Mapped[str | None] = mapped_column(String(64))
    player_id: Mapped[str | None] = mapped_column(ForeignKey("players.id"), index=True)
    digest: Mapped[str | None] = mapped_column(String(64), unique=True)
    purpose: Mapped[str] = mapped_column(String(8), default="code")
    wanted: Mapped[dict[str, str] | None] = mapped_column(Encrypted("sign_ups.wanted", 1024))
    pin: Mapped[str | None] = mapped_column(String(64))
    tries: Mapped[int] = mapped_column(default=0)
    created_at: Mapped[datetime] = mapped_column(UtcTime, index=True)


class Invitation(Base):
    """An invitation to a seat, for a player or the owner of a mail address; the seat refers to it while it is valid.

    guest_id: the player, if there is one
    address: a keyed hash of the mail address, or of the player if no address was named; invitations are counted by it
    email, digest: the address, and the hash of the mailed code; null if no address was named, and once the invitation
        is no longer valid
    nonce: the seat's at that time, by which its reply address is recognised
    words: the host's own, without those of the server; empty once the invitation is no longer valid, null if there were
        none
    reminded_at: when the host reminded the guest last
    refused: the guest asked never to be invited again; such a row stays

    If a seat refers to an invitation with a `guest_id` and has no `invited_id`, the invitation is withheld: the guest
    has blocked the host and does not hear of it.
    """

    __tablename__ = "invitations"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    host_id: Mapped[str] = mapped_column(ForeignKey("players.id"), index=True)
    guest_id: Mapped[str | None] = mapped_column(ForeignKey("players.id"), index=True)
    address: Mapped[str] = mapped_column(String(64), index=True)
    email: Mapped[str | None] = mapped_column(Encrypted("invitations.email", 320))
    digest: Mapped[str | None] = mapped_column(String(64), unique=True)
    nonce: Mapped[str] = mapped_column(String(32), index=True)
    words: Mapped[str | None] = mapped_column(Encrypted("invitations.words", 1024))
    reminded_at: Mapped[datetime | None] = mapped_column(UtcTime)
    refused: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime] = mapped_column(UtcTime, index=True)


class Block(Base):
    """A block: from `created_at` to `ended_at` a player gets no invitations and no messages to all from another.

    `blocked_id` is the other player. If a mail address was named instead, `address` is its keyed hash and `email` the
    address, shown to the owner of the list: such a block is about invitations only, regardless of who has the address.
    """

    __tablename__ = "blocks"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    player_id: Mapped[str] = mapped_column(ForeignKey("players.id"), index=True)
    blocked_id: Mapped[str | None] = mapped_column(ForeignKey("players.id"), index=True)
    address: Mapped[str | None] = mapped_column(String(64))
    email: Mapped[str | None] = mapped_column(Encrypted("blocks.email", 320))
    created_at: Mapped[datetime] = mapped_column(UtcTime)
    ended_at: Mapped[datetime | None] = mapped_column(UtcTime)


class StoredAnswer(TypedDict):
    """An answer as it is stored."""

    status: int
    body: object
    location: str | None


class Answered(Base):
    """A request with an Idempotency-Key that was carried out, and its answer, which is repeated for a day.

    A form of the pages that makes something is such a request; its key is a hash of the form.

    answer: encrypted, as it may be Mr. X's view; null once it is not repeated any more
    expires_at: when the answer goes, and then when the row may: not before its game has been over for 30 days
    game_id: the game it is about; it may be gone by now
    """

    __tablename__ = "answered"

    player_id: Mapped[str] = mapped_column(ForeignKey("players.id"), primary_key=True)
    route: Mapped[str] = mapped_column(String(120), primary_key=True)
    key: Mapped[str] = mapped_column(String(64), primary_key=True)
    request: Mapped[str] = mapped_column(String(64))
    answer: Mapped[StoredAnswer | None] = mapped_column(Encrypted("answered.answer", 4096))
    created_at: Mapped[datetime] = mapped_column(UtcTime)
    expires_at: Mapped[datetime] = mapped_column(UtcTime, index=True)
    game_id: Mapped[str | None] = mapped_column(String(32))
