"""Tables with which the operator keeps the peace: reports of people on each other, and blocked networks."""

from datetime import datetime

from sqlalchemy import ForeignKey, Index, String, text
from sqlalchemy.orm import Mapped, mapped_column

from server.models.base import Base
from server.models.types import UtcTime

_IS_OPEN = text("settled_at IS NULL")


class AbuseReport(Base):
    """A report to the operator: on a message, on the name of a player, or on an invitation, in one game.

    kind: message, name or invitation
    reporter_id: the player who reports; null for the reader of an invitation who is no player
    player_id: the player who is reported
    name: what that player was called when the report was made
    message_id: the message, whose text stays in the talk alone
    mail_id: the mail of the invitation, if its reader has reported it by the link there
    settled_at: when an operator was done with it; such a row is deleted later
    """

    __tablename__ = "abuse_reports"
    __table_args__ = (
        Index("ix_abuse_reports_settled", "settled_at", "created_at"),
        # PostgreSQL reads the open ones in their order by an index of them alone.
        Index("ix_abuse_reports_open", "created_at", "id", sqlite_where=_IS_OPEN),
    )

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    kind: Mapped[str] = mapped_column(String(10))
    game_id: Mapped[str] = mapped_column(ForeignKey("games.id"), index=True)
    reporter_id: Mapped[str | None] = mapped_column(ForeignKey("players.id"), index=True)
    player_id: Mapped[str] = mapped_column(ForeignKey("players.id"), index=True)
    name: Mapped[str] = mapped_column(String(40))
    message_id: Mapped[str | None] = mapped_column(ForeignKey("messages.id"), index=True)
    mail_id: Mapped[str | None] = mapped_column(String(32), unique=True)
    created_at: Mapped[datetime] = mapped_column(UtcTime)
    settled_at: Mapped[datetime | None] = mapped_column(UtcTime)


class BlockedNetwork(Base):
    """A network from which nobody gets anything of this server until `ends_at`, such as 192.0.2.0/24."""

    __tablename__ = "blocked_networks"

    network: Mapped[str] = mapped_column(String(43), primary_key=True)
    created_at: Mapped[datetime] = mapped_column(UtcTime)
    ends_at: Mapped[datetime] = mapped_column(UtcTime)
