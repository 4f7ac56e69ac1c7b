"""The mark of a game: a short text that changes with all that one viewer may know of it, and with nothing else."""

import hashlib

from server.application.game import queued_moves
from server.application.game.projection import own_seat
from server.application.news import talk
from server.models import Game, Player


def of_game(game: Game, player: Player | None) -> str:
    """Return the mark of a game for one viewer: the number of its events, and a word for all that they may know."""
    seat = own_seat(game, player)
    queue = queued_moves.of_game(game.id) if seat is not None and seat.role == "detective" else []
    own = [f"{row.pawn} {row.kept_at.isoformat()}" for row in queue]
    heard = talk.number_heard(game, player) if player is not None else 0
    known = " ".join([game.version, str(heard), *own])
    return f"{game.events}.{hashlib.sha256(known.encode()).hexdigest()[:16]}"
