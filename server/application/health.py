"""How the server stands, for its operator: numbers and times, nothing of any game."""

import re
import sqlite3
from typing import Any

from sqlalchemy import func, select

from server import migrations
from server.models import Deadline, Incoming, Outgoing, Player, journal_mode, session
from server.models.base import is_sqlite
from server.runtime import now, runtime
from server.settings import Settings


def report() -> dict[str, Any]:
    """What `doctor` prints."""
    settings = runtime().settings
    embedded = is_sqlite(settings.database_url)
    return {
        "database": "SQLite" if embedded else "PostgreSQL",
        "revision": migrations.current(),
        **({"sqlite_version": sqlite3.sqlite_version, "journal_mode": journal_mode()} if embedded else {}),
        "data_folder": str(settings.var),
        "mail_goes_to": settings.smtp_url.host if settings.smtp_url else str(settings.var / "mail"),
        "mail_comes_in_at": [str(listen) for listen in settings.mail_listen],
        "mails_to_read": _count(Incoming, Incoming.state == "new"),
        "mails_set_aside": _count(Incoming, Incoming.state == "aside"),
        "mails_to_send": _count(Outgoing, Outgoing.state == "pending"),
        "dead_letters": _count(Outgoing, Outgoing.state == "dead"),
        "overdue_deadlines": _count(Deadline, Deadline.state == "armed", Deadline.due_at <= now()),
        "warnings": _who_reads_our_mail(settings),
    }


def _who_reads_our_mail(settings: Settings) -> list[str]:
    """A sentence for each player whose address is a mailbox of ours: Mr. X's answers arrive there."""
    ours = [_mailbox(address) for address in (settings.play_address, settings.reply_address)]
    pattern = re.compile("|".join(re.escape(box).replace(re.escape("{token}"), ".*") for box in ours))
    return [
        f"{player.name} has the address {player.email}, which is a mailbox of this server: whoever reads it can read "
        "Mr. X's mail. Use a mailbox that no player reads."
        for player in session.scalars(select(Player).order_by(Player.name))
        if pattern.fullmatch(_mailbox(player.email))
    ]


def _mailbox(address: str) -> str:
    """Where mail to `address` arrives: without what follows a plus, in which letter case ever."""
    return re.sub(r"\+[^@]*(?=@)", "", address.lower())


def _count(table: type[Any], *where: Any) -> int:
    return session.scalar(select(func.count()).select_from(table).where(*where)) or 0
