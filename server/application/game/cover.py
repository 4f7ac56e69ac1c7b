"""Cover: a detective who moves for a teammate, because the teammate named them or is late."""

from server.application.deciding import begin_to_write
from server.application.decisions import submission
from server.application.errors import Problem
from server.application.game import timers
from server.application.game.access import seat_of, visible
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
        game = visible(game_id, player, lock=True)
        seat = seat_of(game, player)
        others = [other.number for other in game.seats if other.role == "detective" and other is not seat]
        if seat.role == "mr_x" or number not in (None, *others):
            raise Problem("form", "A detective names a teammate to move for them, by the number of the seat.")
        begin_to_write()
        seat.cover = number
