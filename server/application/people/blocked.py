"""Blocked players. Invitations and talk decide what a block leads to."""

from sqlalchemy import ColumnElement, exists, or_, select

from server.models import Address, Block, Message, session
from server.runtime.address_marks import address_mark


def has_blocked(player_id: str, other_id: str) -> bool:
    """Return True if the player wants no invitations from the other one now."""
    addresses = session.scalars(select(Address.email).where(Address.player_id == other_id)).all()
    named = or_(Block.blocked_id == other_id, Block.address.in_(list(map(address_mark, addresses))))
    query = select(Block.id).where(Block.player_id == player_id, Block.ended_at.is_(None), named)
    return session.scalar(query.limit(1)) is not None


def is_hidden_from(player_id: str | ColumnElement[str]) -> ColumnElement[bool]:
    """Return the condition of a message to all that a player does not read: its author was blocked when it was written.

    It stays hidden when the block ends, and what was said before the block stays to be read. So the messages that a
    player may read, and their numbers, never change afterwards.
    """
    lasted = (Block.created_at <= Message.at) & (Block.ended_at.is_(None) | (Block.ended_at > Message.at))
    block = exists().where(Block.player_id == player_id, Block.blocked_id == Message.player_id, lasted)
    return (Message.audience == "all") & block
