"""The tables, and the one session through which they are reached."""

from server.models.base import Base, connect, db, journal_mode, ring_when_committed, session, transaction
from server.models.game import Deadline, Event, FormerHolder, Game, Move, MoveAhead, Seat
from server.models.mail import Incoming, Outgoing, ReplyToken, Seen
from server.models.player import SCOPES, Answered, Player, SignUp, Token
from server.models.talk import Message, Muted

__all__ = [
    "SCOPES",
    "Answered",
    "Base",
    "Deadline",
    "Event",
    "FormerHolder",
    "Game",
    "Incoming",
    "Message",
    "Move",
    "MoveAhead",
    "Muted",
    "Outgoing",
    "Player",
    "ReplyToken",
    "Seat",
    "Seen",
    "SignUp",
    "Token",
    "connect",
    "db",
    "journal_mode",
    "ring_when_committed",
    "session",
    "transaction",
]
