"""Write the rows of mails that no decision about a running game causes: invitations, answers, messages.

The worker writes and sends them after the commit.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import cast

from sqlalchemy import bindparam, select, update

from server.application.game.situation_statements import IS_ON
from server.house_rules.standing import Standing
from server.models import (
    Game,
    Outgoing,
    Webhook,
    WebhookDelivery,
    execute,
    insert,
    rows,
    session,
    topics,
    wake_outbox,
    wake_webhooks,
    when_committed,
)
from server.runtime import now, runtime
from server.vocabulary.mails import MAIL_KINDS, check_mail
from server.vocabulary.translation import ENGLISH, current

_WEBHOOKS = select(Webhook.id, Webhook.player_id).where(
    Webhook.player_id.in_(bindparam("players", expanding=True)), Webhook.device.is_(None), IS_ON
)


def is_vacancy_told(game: Standing) -> bool:
    """Return True if the host has heard of a seat already since the newest event, such as of an earlier invitation."""
    same = (Outgoing.game_id == game.id, Outgoing.player_id == game.host_id, Outgoing.kind == "vacant")
    return session.scalar(select(Outgoing.id).where(*same, Outgoing.event == game.events)) is not None


def post_message(game: Standing, message_id: str, listeners: list[str]) -> None:
    """Tell the `listeners` of a message, by mail and webhook; the worker reads its text when it writes either."""
    mails = {player_id: _row(player_id, "talk", game, cause=message_id) for player_id in listeners}
    write_mails([*mails.values()])
    webhooks = rows(_WEBHOOKS, players=listeners, game=game.id) if listeners else ()
    about = {"game_id": game.id, "event": game.events, "at": now()}
    new = [
        about | {"id": runtime().new_id("delivery"), "webhook_id": webhook.id, "mail": mails[webhook.player_id]["id"]}
        for webhook in webhooks
    ]
    write_deliveries(new)


def drop_unsent(game_id: str, player_id: str) -> None:
    """Supersede the unsent mails to this player about the game."""
    is_unsent = Outgoing.state.in_(("pending", "held"))
    waiting = (Outgoing.game_id == game_id, Outgoing.player_id == player_id, is_unsent)
    statement = update(Outgoing).where(*waiting).values(state="superseded", message=None, details=None)
    execute(statement)


def post(
    player_id: str | None,
    kind: str,
    game: Game | Standing | None = None,
    *,
    details: Mapping[str, object] | None = None,
    cause: str = "",
    at: datetime | None = None,
) -> str:
    """Write one outbox row in the current transaction, about the newest event of `game`; it is sent at `at`, or now.

    Return its id.
    """
    row = _row(player_id, kind, game, details=details, cause=cause)
    write_mails([row if at is None else row | {"not_before": at}])
    return str(row["id"])


def write_mails(rows: Sequence[Mapping[str, object]]) -> None:
    """Write rows of the outbox; tell the streams of players to whom such a mail is an entry of their events."""
    if not rows:
        return
    execute(insert(Outgoing), [_in_language(row) for row in rows])
    when_committed(wake_outbox)
    for row in rows:
        if (player_id := row["player_id"]) and MAIL_KINDS[str(row["kind"])].entry:
            topics.tell([f"{row['game_id']}.{player_id}", topics.to_ask(str(player_id))])


def _in_language(row: Mapping[str, object]) -> Mapping[str, object]:
    """Return a row with the language for an address that is no player's: that of who has caused it."""
    if row["player_id"] is not None or current() == ENGLISH:
        return row
    return {**row, "details": {**cast("Mapping[str, object]", row["details"]), "language": current()}}


def write_deliveries(rows: Sequence[Mapping[str, object]]) -> None:
    """Write rows of messages to webhooks."""
    execute(insert(WebhookDelivery), rows)
    if rows:
        when_committed(wake_webhooks)


def _row(
    player_id: str | None,
    kind: str,
    game: Game | Standing | None,
    *,
    details: Mapping[str, object] | None = None,
    cause: str = "",
) -> dict[str, object]:
    check_mail(kind, details, has_player=player_id is not None)
    return {
        "id": runtime().new_id(f"{kind} notice"),
        "game_id": game.id if game else None,
        "event": game.events if game else None,
        "player_id": player_id,
        "kind": kind,
        "cause": cause,
        "details": details,
        "not_before": now(),
        "created_at": now(),
    }
