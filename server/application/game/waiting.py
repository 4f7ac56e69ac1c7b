"""The moves that are missing in a game which was read for a mail, and whether bots alone make those before a turn."""

from collections.abc import Sequence

from server.application.game import timer_rows
from server.application.game.state import rebuild
from server.house_rules.standing import QueuedMove, Seat, Sight, Standing
from server.house_rules.turns import awaited_seats, bots_lead_to


def is_awaited(game: Standing, seat: Seat | None, queue: Sequence[QueuedMove] | None = None) -> bool:
    """Return True if the seat's move is missing in this phase; a seat that has queued its moves is not awaited.

    `queue`, the queued moves of the game, saves reading them.
    """
    if seat is None or game.status != "running":
        return False
    queued = timer_rows.queue_of(game.id) if queue is None else queue
    awaited = awaited_seats(game, rebuild(game), queued)
    return seat.number in {each.number for each in awaited}


def unsent_beside(game: Sight, seat: Seat | None) -> list[Seat]:
    """Return the teammates of a detective's seat whose moves are neither due nor sent ahead, as this reader knows."""
    if seat is None or seat.role == "mr_x" or game.side == "mr_x" or game.status != "running":
        return []
    state = rebuild(game)
    missing = awaited_seats(game, state, game.queue)
    return [each for each in missing if each is not seat and not set(each.pawns) & set(state.to_move)]


def is_awaited_soon(game: Standing, seat: Seat, queue: Sequence[QueuedMove]) -> bool:
    """Return True if bots alone move until the turn of the seat begins; `queue`, the queued moves of its team."""
    return game.status == "running" and bots_lead_to(game, rebuild(game), seat, queue)
