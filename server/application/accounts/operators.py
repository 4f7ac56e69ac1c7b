"""Operators: the players who may open the operator's pages. Only the command line makes a player one."""

from server.application.errors import Problem
from server.models import Player, session, transaction


def change(player_id: str, *, granted: bool) -> Player:
    """Let a player open the operator's pages, or no longer; return the player.

    Raises:
        Problem: `form` for a guest, who has no address.
    """
    with transaction():
        player: Player = session.get_one(Player, player_id, with_for_update={"key_share": True})
        if player.is_guest:
            raise Problem("form", "A guest plays without an address, and cannot be an operator.")
        player.is_operator = granted
    return player
