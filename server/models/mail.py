"""Mail: the inbox, the outbox, and the reply addresses that connect them."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, BigInteger, ForeignKey, ForeignKeyConstraint, Index, String, UniqueConstraint, and_, text
from sqlalchemy.orm import Mapped, foreign, mapped_column, relationship

from server.models.base import Base
from server.models.game import Game
from server.models.player import Player
from server.models.types import Encrypted, UtcTime


class Message(Base):
    """A message from the holder of a seat. `audience` is team or all.

    `serial` is its place in the talk of the game. It never leaves the server: its gaps would reveal others' messages.
    `event` is the number of the game's newest event when it was written.
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
    event: Mapped[int] = mapped_column(default=0, server_default="0")

    author: Mapped[Player] = relationship(viewonly=True)


class Muted(Base):
    """A player who wants no mails about the messages of a game."""

    __tablename__ = "muted"

    game_id: Mapped[str] = mapped_column(ForeignKey("games.id"), primary_key=True)
    player_id: Mapped[str] = mapped_column(ForeignKey("players.id"), primary_key=True, index=True)


_HAS_BYTES = text("raw IS NOT NULL")
_WAITS = text("state = 'new'")
_IS_ASIDE = text("state = 'aside'")


class Incoming(Base):
    """A mail as it arrived, committed before its sender was told that it was accepted.

    sender: the envelope's, in small letters, as the addresses of players are
    state: new, done, or aside (given up after three failures of its own, or too costly to read)
    verdict: a word on the result
    recipient: the envelope's, encrypted because it may hold a reply token
    peer: the server that handed it over, if known
    checked: the result of checking the sender, if there is one
    attempts: how often reading it failed; `postponed`: how often that was no fault of the mail's, but of the machine
    not_before: when it is tried again, after a failure
    network, provider: of a mail to another address than a reply address, keyed hashes of the network or the domain that
        it came from, and of the wider one it is in
    author: a keyed hash of the reply address and the From, if the mail may not be from the player; with it the
        player is told once of each author
    """

    __tablename__ = "inbox"
    __table_args__ = (
        # All columns that the order of reading depends on: columns behind `raw` in a row are slow to read.
        Index(
            "ix_inbox_waiting",
            "state",
            "received_at",
            "id",
            "game_id",
            "sender",
            "provider",
            "network",
            "not_before",
            "postponed",
            sqlite_where=_WAITS,
        ),
        Index("ix_inbox_game_id", "game_id", "received_at"),
        Index("ix_inbox_raw", "received_at", sqlite_where=_HAS_BYTES),
        Index("ix_inbox_aside", "state", "verdict", "received_at", sqlite_where=_IS_ASIDE),
        Index("ix_inbox_aside_in_order", "state", "received_at", "id", sqlite_where=_IS_ASIDE),
    )

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    digest: Mapped[str] = mapped_column(String(64), index=True)
    sender: Mapped[str] = mapped_column(String(320), index=True)
    recipient: Mapped[str] = mapped_column(Encrypted("inbox.recipient", 384))
    source: Mapped[str] = mapped_column(String(16))
    raw: Mapped[bytes | None] = mapped_column(Encrypted("inbox.raw", 4096, raw=True))
    game_id: Mapped[str | None] = mapped_column(ForeignKey("games.id"))
    state: Mapped[str] = mapped_column(String(8), default="new")
    verdict: Mapped[str | None] = mapped_column(String(40))
    peer: Mapped[str | None] = mapped_column(String(45))
    network: Mapped[str | None] = mapped_column(String(64))
    provider: Mapped[str | None] = mapped_column(String(64))
    checked: Mapped[str | None] = mapped_column(String(80))
    author: Mapped[str | None] = mapped_column(String(64), index=True)
    attempts: Mapped[int] = mapped_column(default=0)
    postponed: Mapped[int] = mapped_column(default=0)
    not_before: Mapped[datetime | None] = mapped_column(UtcTime)
    received_at: Mapped[datetime] = mapped_column(UtcTime)


class Seen(Base):
    """A mail that was acted on: one submission has one effect, however often it is delivered.

    It stays for good; its row in the inbox may be gone.
    """

    __tablename__ = "seen_mails"

    fingerprint: Mapped[str] = mapped_column(String(64), primary_key=True)
    inbox_id: Mapped[str] = mapped_column(String(32))


_IS_TOLD = text("told_in IS NOT NULL")
_IS_HELD = text("state = 'held'")
_IS_DEAD = text("state = 'dead'")
_IS_UNFINISHED = text("state = 'pending' OR state = 'dead'")
_IS_REFUSED = text("refused_at IS NOT NULL")
_IS_TO_AN_ADDRESS = text("player_id IS NULL")


class MailWish(Base):
    """The mail frequency a player wants for one game, if it differs from their general one: `mail` as in `Player`."""

    __tablename__ = "mail_wishes"

    player_id: Mapped[str] = mapped_column(ForeignKey("players.id"), primary_key=True)
    game_id: Mapped[str] = mapped_column(ForeignKey("games.id"), primary_key=True)
    mail: Mapped[str] = mapped_column(String(16))


class Told(Base):
    """A digest watermark: the newest event of a game that the player was told of, or need not be told of."""

    __tablename__ = "told"

    player_id: Mapped[str] = mapped_column(ForeignKey("players.id"), primary_key=True)
    game_id: Mapped[str] = mapped_column(ForeignKey("games.id"), primary_key=True)
    event: Mapped[int] = mapped_column()


class Outgoing(Base):
    """A mail to be sent: (event, recipient, kind), written in the transaction that caused it.

    player_id: null if the recipient is no player yet; their address is in `details`
    details: encrypted facts that the event does not hold, such as the answer to a command
    state: pending, sent, bounced (sent, and reported as not delivered), superseded, suppressed or dead; or held until
        `not_before`, and then gathered, when the digest `told_in` has told its news; or restored from a backup, until
        the operator decides
    recipient: a keyed hash of the address it was sent to, by which a report about it is matched
    fence: the lease; only its holder may mark the mail as sent
    refusal: encrypted words of the relay that did not take the mail, without addresses
    refused_at: when the relay refused the mail for good; null again once the relay accepts any other mail
    """

    __tablename__ = "outbox"
    __table_args__ = (
        UniqueConstraint("game_id", "event", "player_id", "kind", "cause"),
        Index("ix_outbox_waiting", "state", "not_before", sqlite_where=_IS_UNFINISHED),
        Index("ix_outbox_player", "player_id", "created_at", "id"),
        Index("ix_outbox_cause", "cause", sqlite_where=_IS_TO_AN_ADDRESS),
        # Asked for when a mail is deleted, to which others may refer.
        Index("ix_outbox_told_in", "told_in", sqlite_where=_IS_TOLD),
        Index("ix_outbox_held", "player_id", sqlite_where=_IS_HELD),
        Index("ix_outbox_unfinished", "state", "created_at", "id", sqlite_where=_IS_UNFINISHED),
        Index("ix_outbox_dead", "kind", "not_before", sqlite_where=_IS_DEAD),
        Index("ix_outbox_refused", "refused_at", sqlite_where=_IS_REFUSED),
    )

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    game_id: Mapped[str | None] = mapped_column(ForeignKey("games.id"))
    event: Mapped[int | None] = mapped_column()
    player_id: Mapped[str | None] = mapped_column(ForeignKey("players.id"))
    kind: Mapped[str] = mapped_column(String(16))
    # It tells two mails of one kind about one event apart: the id of the inbox row that is answered, or nothing.
    cause: Mapped[str] = mapped_column(String(32), default="")
    details: Mapped[dict[str, Any] | None] = mapped_column(Encrypted("outbox.details", 1024))
    state: Mapped[str] = mapped_column(String(12), default="pending")
    message: Mapped[bytes | None] = mapped_column(Encrypted("outbox.message", 4096, raw=True))
    fence: Mapped[str | None] = mapped_column(String(32))
    not_before: Mapped[datetime] = mapped_column(UtcTime)
    attempts: Mapped[int] = mapped_column(default=0)
    error: Mapped[str | None] = mapped_column(String(200))
    recipient: Mapped[str | None] = mapped_column(String(64))
    created_at: Mapped[datetime] = mapped_column(UtcTime)
    sent_at: Mapped[datetime | None] = mapped_column(UtcTime)
    refused_at: Mapped[datetime | None] = mapped_column(UtcTime)
    told_in: Mapped[str | None] = mapped_column(ForeignKey("outbox.id"))
    refusal: Mapped[str | None] = mapped_column(Encrypted("outbox.refusal", 256))

    game: Mapped[Game | None] = relationship(viewonly=True)
    player: Mapped[Player | None] = relationship(viewonly=True)
    wish: Mapped[MailWish | None] = relationship(
        viewonly=True,
        primaryjoin=lambda: and_(
            Outgoing.player_id == foreign(MailWish.player_id), Outgoing.game_id == foreign(MailWish.game_id)
        ),
    )
    told: Mapped[Told | None] = relationship(
        viewonly=True,
        primaryjoin=lambda: and_(
            Outgoing.player_id == foreign(Told.player_id), Outgoing.game_id == foreign(Told.game_id)
        ),
    )
    said: Mapped[Message | None] = relationship(
        viewonly=True, primaryjoin=lambda: and_(foreign(Outgoing.cause) == Message.id, Outgoing.kind == "talk")
    )


_HAS_TALK = text("talk IS NOT NULL")


class ReplyToken(Base):
    """A reply address that was sent, by the hash of its token. It belongs to one round of a seat.

    talk: the words beside a move that its player may pass on for a day
    """

    __tablename__ = "reply_tokens"
    __table_args__ = (Index("ix_reply_tokens_talk", "created_at", sqlite_where=_HAS_TALK),)

    digest: Mapped[str] = mapped_column(String(64), primary_key=True)
    game_id: Mapped[str] = mapped_column(ForeignKey("games.id"), index=True)
    seat: Mapped[int] = mapped_column()
    round: Mapped[int] = mapped_column("go")
    nonce: Mapped[str] = mapped_column(String(32))
    # A question that YES or NO at this address answers, such as a move nearly understood.
    question: Mapped[dict[str, Any] | None] = mapped_column(Encrypted("reply_tokens.question", 256))
    created_at: Mapped[datetime] = mapped_column(UtcTime)
    talk: Mapped[str | None] = mapped_column(Encrypted("reply_tokens.talk", 4096))


class MailAnswer(Base):
    """An answer to a mail, kept to count how many its author has had; and what a later mail of theirs may refer to.

    kind: `proven` or `unproven`, as the author of the mail was; `claimed` where From alone names them; `stranger` for
        one without an account; `alike` is none, as the same words were answered within a minute
    whom: the id of the player, or a keyed hash of the address of somebody without an account
    words: a keyed hash of what the mail said
    kept: encrypted, as a stranger's command or the games of a list
    send_at: when the answer goes out; `is_held`: that is not today, as its reader has had too many
    """

    __tablename__ = "mail_answers"
    __table_args__ = (
        Index("ix_mail_answers_whom", "whom", "created_at"),
        Index("ix_mail_answers_kind", "kind", "created_at"),
        Index("ix_mail_answers_held", "is_held", "created_at"),
    )

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    kind: Mapped[str] = mapped_column(String(8))
    whom: Mapped[str] = mapped_column(String(64))
    words: Mapped[str | None] = mapped_column(String(64))
    kept: Mapped[dict[str, Any] | None] = mapped_column(Encrypted("mail_answers.kept", 1024))
    send_at: Mapped[datetime] = mapped_column(UtcTime)
    is_held: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime] = mapped_column(UtcTime)


class Mailbox(Base):
    """A mailbox that is read by IMAP.

    All mails up to `last_uid` were read; the number is valid for one `uidvalidity` only. All mails that arrived before
    `read_at` are in the inbox, but those in `left`: the UIDs of mails that were too much, the next to try first.
    `error` says what is wrong. `holder` is the process that reads it, until `held_until`.
    """

    __tablename__ = "mailboxes"

    name: Mapped[str] = mapped_column(String(400), primary_key=True)
    uidvalidity: Mapped[int] = mapped_column(BigInteger, default=0)
    last_uid: Mapped[int] = mapped_column(BigInteger, default=0)
    left: Mapped[list[int]] = mapped_column(JSON, default=list)
    read_at: Mapped[datetime | None] = mapped_column(UtcTime)
    error: Mapped[str | None] = mapped_column(String(200))
    holder: Mapped[str | None] = mapped_column(String(32))
    held_until: Mapped[datetime | None] = mapped_column(UtcTime)


class ProviderCall(Base):
    """A provider's signature that was used: `mark` is its hash, `digest` that of the mail it came with."""

    __tablename__ = "provider_calls"

    mark: Mapped[str] = mapped_column(String(64), primary_key=True)
    digest: Mapped[str] = mapped_column(String(64))
    created_at: Mapped[datetime] = mapped_column(UtcTime, index=True)
