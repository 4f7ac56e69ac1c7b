"""Close a game that has not started, as its host wants it."""

from server.application.deciding import Decided, use_case
from server.application.game.situations import decided_for, load_visible
from server.house_rules import before_start
from server.house_rules.before_start import STARTED_ALREADY
from server.house_rules.standing import Sight
from server.models import Player


@use_case
def close(game_id: str, host: Player) -> Decided[Sight]:
    """Close a game that has not started, and write to its people. Only the host may."""
    game = load_visible(game_id, host)
    game.check_host(host.id, "closes a game")
    game.check_open(STARTED_ALREADY)
    return decided_for(game, host, lambda draft: before_start.close_game(draft, {"by_host": True}, but=host.id))
