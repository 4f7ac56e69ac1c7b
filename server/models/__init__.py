"""The tables, and the one session through which they are reached."""

from server.models.base import Base, connect, db, journal_mode, ring_when_committed, session, transaction
from server.models.game import Deadline, Event, FormerHolder, Game, Move, MoveAhead, Seat
from server.models.mail import Incoming, Outgoing, ReplyToken, Seen
from server.models.player import Answered, Player, Token

__all__ = [
    "Answered",
    "Base",
    "Deadline",
    "Event",
    "FormerHolder",
    "Game",
    "Incoming",
    "Move",
    "MoveAhead",
    "Outgoing",
    "Player",
    "ReplyToken",
    "Seat",
    "Seen",
    "Token",
    "connect",
    "db",
    "journal_mode",
    "ring_when_committed",
    "session",
    "transaction",
]
