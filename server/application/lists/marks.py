"""The mark of a game: a short text that changes with all that one viewer may know of it, and with nothing else."""

import hashlib

from server.application.play import talk
from server.house_rules.standing import Sight
from server.models import Player


def of_game(game: Sight, player: Player | None) -> str:
    """Return the mark of a game for one viewer: the number of its events, and a word for all that they may know."""
    own = [f"{queued.pawn} {queued.kept_at.isoformat()}" for queued in game.queue]
    heard = talk.number_heard(game, player) if player is not None else 0
    known = " ".join([game.version, str(heard), *own])
    return f"{game.events}.{hashlib.sha256(known.encode()).hexdigest()[:16]}"
