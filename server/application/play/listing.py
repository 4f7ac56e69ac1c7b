"""Lists of games."""

from typing import Any

from sqlalchemy import ColumnElement, select, true

from server.application.game.access import closed_to
from server.application.game.views import summary
from server.application.game.waiting import awaited_seats
from server.models import Game, Player, Seat, session


def games(
    player: Player, *, status: str | None = None, mine: bool = False, waiting: bool = False,
    label: str | None = None, after: str | None = None, limit: int = 50,
) -> list[dict[str, Any]]:  # fmt: skip
    """Return the games `player` may see (`mine`: is in; `waiting`: has to move in), by id.

    They begin after the id `after`, and are at most `limit`.
    """
    query = select(Game).where(seen_by(player, mine=mine)).order_by(Game.id).limit(limit)
    if waiting:
        query = query.where(Game.id.in_([game.id for game in _waiting_for(player)]))
    if status is not None:
        query = query.where(Game.status == status)
    if label is not None:
        query = query.where(Game.label == label)
    if after is not None:
        query = query.where(Game.id > after)
    return [summary(game, player) for game in session.scalars(query).unique()]


def seen_by(player: Player | None, *, mine: bool = False) -> ColumnElement[bool]:
    """Return the condition for games that `player` may see, or is in (`mine`); for None, the operator, all games."""
    if player is None:
        return true()
    seated = select(Seat.game_id).where((Seat.player_id == player.id) | (Seat.invited_id == player.id))
    own = Game.id.in_(seated) | (Game.host_id == player.id)
    return (own if mine else own | (Game.visibility == "public")) & Game.id.not_in(closed_to(player))


def waiting_for(player: Player) -> list[dict[str, Any]]:
    """Return the running games in which a move of `player` is missing, the most urgent first."""
    return [summary(game) for game in _waiting_for(player)]


def _waiting_for(player: Player) -> list[Game]:
    query = select(Game).join(Seat).where(Seat.player_id == player.id, Game.status == "running")
    return [
        game
        for game in session.scalars(query.order_by(Game.due_at)).unique()
        if any(seat.player_id == player.id for seat in awaited_seats(game))
    ]
