"""The mark of a game: a short text that changes with all that one viewer may know of it, and with nothing else."""

import hashlib

from sqlalchemy import select

from server.application.play import talk
from server.house_rules.standing import Sight
from server.models import Game, Player, session


def of_game(game: Sight, player: Player | None) -> str:
    """Return the mark of a game for one viewer: the number of its events, and a word for all that they may know."""
    own = [f"{queued.pawn} {queued.kept_at.isoformat()}" for queued in game.queue]
    heard = talk.number_heard(game, player) if player is not None else 0
    known = " ".join([game.version, str(heard), *own, *_of_rematch(game, player)])
    return f"{game.events}.{hashlib.sha256(known.encode()).hexdigest()[:16]}"


def _of_rematch(game: Sight, player: Player | None) -> list[str]:
    """Return the version of the rematch, which the page of the game shows to those who played."""
    is_shown = game.rematch_id is not None and player is not None and game.seat_held_by(player.id) is not None
    return [session.scalars(select(Game.version).where(Game.id == game.rematch_id)).one()] if is_shown else []
