"""Welcome a new player by a mail that says how to begin."""

from server.application.game import outbox_rows
from server.application.people import players
from server.models import Player, transaction


def add_player(name: str, email: str, zone: str = "UTC") -> tuple[Player, str]:
    """Add a player and welcome them; return them with their first token. The caller vouches for the address."""
    with transaction():
        added, token = players.add_player(name, email, zone)
        welcome(added)
    return added, token


def welcome(player: Player, *, reason: str = "", in_reply_to: str | None = None, cause: str = "") -> None:
    """Write the mail that ends in a first move; `reason` is why something that they asked for was not done.

    Args:
        in_reply_to: the Message-ID of the mail that it answers.
        cause: the id of that mail in the inbox.
    """
    details = {"name": player.name, "reason": reason, "in_reply_to": in_reply_to}
    outbox_rows.post(player.id, "welcome", details=details, cause=cause)
