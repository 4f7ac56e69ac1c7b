"""The rows of webhook messages that an event causes; `server.webhooks` sends them after the commit."""

from sqlalchemy import bindparam, select

from server.models import Game, Webhook, WebhookDelivery, execute, insert, rows, wake_webhooks, when_committed
from server.runtime import runtime

_ENABLED = select(Webhook.id).where(Webhook.player_id.in_(bindparam("people", expanding=True)))
_ENABLED = _ENABLED.where(Webhook.off_because.is_(None)).order_by(Webhook.id)


def insert_deliveries(game: Game) -> None:
    """Insert a message about the newest event for every webhook of the game's players, invitees and host."""
    people = {game.host_id, *(seat.player_id for seat in game.seats), *(seat.invited_id for seat in game.seats)}
    enabled = [webhook_id for (webhook_id,) in rows(_ENABLED, people=list(people - {None}))]
    if enabled:
        execute(insert(WebhookDelivery), [{
            "id": runtime().new_id("delivery"), "webhook_id": webhook_id,
            "game_id": game.id, "event": game.events, "at": game.happened_at,
        } for webhook_id in enabled])  # fmt: skip
        when_committed(wake_webhooks)
