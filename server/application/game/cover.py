"""Cover: a detective who moves for a teammate, because the teammate named them or is late."""

from server.application.decisions import cover
from server.application.game.situations import carry_out, load_visible
from server.models import Player, transaction


def name_cover(game_id: str, player: Player, number: int | None) -> None:
    """Let the detective of seat `number` move for `player` in this game; None lets nobody."""
    with transaction():
        carry_out(load_visible(game_id, player), lambda draft: cover.name_cover(draft, player.id, number))
