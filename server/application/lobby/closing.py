"""Close a game that has not started: by its host, by the operator, or because nothing happens in it."""

from collections.abc import Mapping
from typing import Any

from server.application.deciding import begin_to_write
from server.application.game import outbox_rows
from server.application.game.access import locked_visible
from server.application.game.events import record_event
from server.application.lobby import hosting, invitations, lobby
from server.application.play import talk
from server.house_rules import endings
from server.models import Game, Player, transaction
from server.runtime import now, runtime


def close(game_id: str, host: Player) -> Game:
    """Close a game that has not started, and write to its people. Only the host may."""
    with transaction():
        game = locked_visible(game_id, host)
        hosting.check_host(game.host_id, host, "closes a game")
        lobby.check_open(game, "This game has started already.")
        begin_to_write()
        close_locked(game, {"by_host": True}, but=host.id)
    return game


def close_locked(game: Game, details: Mapping[str, Any], *, but: str | None = None) -> None:
    """Close a locked game that has not started: free its seats, and write to its people; its row and events stay.

    Args:
        details: the operator's `reason`, or `by_host`; empty if it is closed for being neglected.
        but: the player who closes it, and needs no mail.
    """
    outbox_rows.post_to_open_game(game, "expired", dict(details), but=but)
    for seat in game.seats:
        talk.remember_leaving(seat)
        invitations.end(seat)
        seat.nonce = runtime().new_id("nonce")
    game.due_at = None
    endings.mark_over(game, endings.EXPIRED, now(), final=True)
    record_event(game, "expired")
