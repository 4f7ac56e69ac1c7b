"""The rows of invitations: those that a decision makes, renews or ends."""

from collections.abc import Collection
from typing import Any

from sqlalchemy import update

from server.application.game import situation_statements as statements
from server.house_rules.draft import Decision
from server.models import PENDING, Invitation, Outgoing, execute, insert


def write_new(decision: Decision[Any]) -> None:
    """Write the invitations that are new, before the seats that refer to them."""
    execute(insert(Invitation), [new._asdict() for new in decision.invitations])


def write_changed(decision: Decision[Any]) -> None:
    """Write which invitations were mailed once more, and which have ended."""
    for each in decision.reminded:
        new = {"of": each.id, "new_reminded_at": each.reminded_at, "new_digest": each.digest}
        execute(statements.UPDATE_REMINDED, new)
    end(decision.ended)


def end(ids: Collection[str]) -> None:
    """End invitations: delete their addresses, and withdraw their mails that are not sent."""
    if not ids:
        return
    execute(statements.END_INVITATIONS, [{"of": invitation_id} for invitation_id in ids])
    to_them = (Outgoing.cause.in_(ids), Outgoing.player_id.is_(None))
    execute(update(Outgoing).where(*to_them, Outgoing.state == PENDING).values(state="superseded"))
    execute(update(Outgoing).where(*to_them).values(message=None, details=None))
