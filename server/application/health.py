"""How the server stands, for its operator: numbers and times, nothing of any game."""

import sqlite3
from typing import Any

from sqlalchemy import func, select

from server import migrations
from server.models import Deadline, Incoming, Outgoing, journal_mode, session
from server.models.base import is_sqlite
from server.runtime import now, runtime


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
    }


def _count(table: type[Any], *where: Any) -> int:
    return session.scalar(select(func.count()).select_from(table).where(*where)) or 0
