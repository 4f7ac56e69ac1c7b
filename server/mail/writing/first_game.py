"""The rules in brief, which come with the first turn of somebody's first game."""

from collections.abc import Sequence

from sqlalchemy import select

from server.application.game.as_of import AsOf
from server.application.game.state import edition_of
from server.models import Game, Player, Seat, session
from server.wording import rules


def rules_in_brief(then: AsOf, player: Player) -> Sequence[str]:
    """Return the rules for a player who has not played before, in the first round of their game; else nothing."""
    if then.phase[1] != 1 or not _is_first_game(then.game, player):
        return ()
    return rules.in_brief(edition_of(then.game))


def _is_first_game(game: Game, player: Player) -> bool:
    others = select(Game.id).join(Seat).where(Seat.player_id == player.id, Game.id != game.id)
    return session.scalar(others.where(Game.started_at <= game.started_at).limit(1)) is None
