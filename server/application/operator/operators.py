"""Operators: the players who may open the operator's pages, and what an operator does to the accounts of others.

Only the command line makes a player an operator.
"""

import re

from server.application.game import outbox_rows
from server.application.people import names
from server.application.people.accounts import deletion, renaming
from server.models import Player, session, transaction
from server.runtime import runtime
from server.vocabulary.errors import Problem
from server.vocabulary.lookalikes import digest

_GIVEN_NAME = re.compile(r"Player \d+")


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


def remove_guest(player_id: str) -> str:
    """Delete a guest with the games in which nobody else was, as if they had done it themselves; return their name.

    A seat among people that they have stays where it is, without a name, and is late from then on.

    Raises:
        Problem: `form` for a player with an address, whose account only they can delete.
    """
    with transaction():
        guest: Player = session.get_one(Player, player_id, with_for_update={"key_share": True})
        if not guest.is_guest:
            raise Problem("form", f"{guest.name} is no guest, and only they can delete their account.")
        name = guest.name
        deletion.delete_guests([guest])
    return name


def take_name(player_id: str) -> Player:
    """Give a player another name, `Player 1234`, in place of one that they cannot have again.

    A mail tells them; a guest gets none. Done twice, as by a double click, it has one effect.

    Raises:
        Problem: `form` for somebody who has deleted their account, and their name with it.
    """
    with transaction():
        player = session.get_one(Player, player_id, with_for_update={"key_share": True}, populate_existing=True)
        if player.gone_at is not None:
            raise Problem("form", "That player has deleted their account, and has no name any more.")
        if player.taken_skeletons and _GIVEN_NAME.fullmatch(player.name):
            return player
        former, taken = player.name, digest(player.name)
        free = names.free_like(f"Player {runtime().rng('name').randrange(1000, 10_000)}")
        renaming.rename(player_id, free)
        player.taken_skeletons = [*player.taken_skeletons, taken]
        if not player.is_guest:
            outbox_rows.post(player_id, "renamed", details={"former": former, "name": free})
    return player
