"""The rules in brief, which come with the first turn of somebody's first game."""

from collections.abc import Sequence

from sqlalchemy import bindparam, exists, select

from server.application.game.as_of import AsOf
from server.application.game.state import edition_of
from server.house_rules.standing import Standing
from server.models import Game, Player, Seat, rows
from server.wording import rules

_HAS_EARLIER = select(
    exists().where(
        Seat.game_id == Game.id,
        Seat.player_id == bindparam("player"),
        Game.id != bindparam("game"),
        Game.started_at <= bindparam("started_at"),
    )
)


def rules_in_brief(then: AsOf, player: Player) -> Sequence[str]:
    """Return the rules for a player who has not played before, in the first round of their game; else nothing."""
    if then.phase[1] != 1 or not _is_first_game(then.game, player):
        return ()
    return rules.in_brief(edition_of(then.game))


def _is_first_game(game: Standing, player: Player) -> bool:
    return not rows(_HAS_EARLIER, player=player.id, game=game.id, started_at=game.started_at)[0][0]
