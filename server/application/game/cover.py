"""Cover: a detective who moves for a teammate, because the teammate named them or is late."""

from server.application.decisions import seats, submission
from server.application.game import timers
from server.application.game.situations import carry_out, load_visible
from server.application.game.waiting import awaited_seats
from server.models import Game, Player, Seat, transaction


def may_cover(game: Game, seat: Seat, other: Seat) -> bool:
    """Return True if `seat` may move for the detective `other`, who named it or is late and in the grace period."""
    if game.status != "running":
        return False
    return submission.may_cover(game, seat, other, timers.running(game), other in awaited_seats(game))


def name_cover(game_id: str, player: Player, number: int | None) -> None:
    """Let the detective of seat `number` move for `player` in this game; None lets nobody."""
    with transaction():
        carry_out(load_visible(game_id, player), lambda draft: seats.name_cover(draft, player.id, number))
