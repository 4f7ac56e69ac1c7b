"""The SQL tables, and the one session that reads and writes them."""

from server.models import liveness
from server.models.base import (
    Base,
    change_rows,
    connect,
    db,
    has_pending,
    insert,
    insert_new,
    journal_mode,
    rows,
    session,
    table_of,
    transaction,
    try_write,
    under_way,
    wake_when_committed,
    when_committed,
)
from server.models.game import ARMED, OVER, Ballot, Deadline, Event, FormerHolder, Game, Motion, Move, QueuedMove, Seat
from server.models.mail import HELD, Incoming, MailWish, Outgoing, ReplyToken, Seen, Told
from server.models.mailbox import Mailbox, ProviderCall
from server.models.player import SCOPES, Absence, Address, Answered, Block, Invitation, Player, SignUp, Token
from server.models.startup import wait_for
from server.models.talk import Message, Muted
from server.models.unavailable import Unavailable
from server.models.upkeep import Alert, KeyCheck, Outage, Pulse
from server.models.webhook import Webhook, WebhookDelivery

__all__ = [
    "ARMED",
    "HELD",
    "OVER",
    "SCOPES",
    "Absence",
    "Address",
    "Alert",
    "Answered",
    "Ballot",
    "Base",
    "Block",
    "Deadline",
    "Event",
    "FormerHolder",
    "Game",
    "Incoming",
    "Invitation",
    "KeyCheck",
    "MailWish",
    "Mailbox",
    "Message",
    "Motion",
    "Move",
    "Muted",
    "Outage",
    "Outgoing",
    "Player",
    "ProviderCall",
    "Pulse",
    "QueuedMove",
    "ReplyToken",
    "Seat",
    "Seen",
    "SignUp",
    "Token",
    "Told",
    "Unavailable",
    "Webhook",
    "WebhookDelivery",
    "change_rows",
    "connect",
    "db",
    "has_pending",
    "insert",
    "insert_new",
    "journal_mode",
    "liveness",
    "rows",
    "session",
    "table_of",
    "transaction",
    "try_write",
    "under_way",
    "wait_for",
    "wake_when_committed",
    "when_committed",
]
