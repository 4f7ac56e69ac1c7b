"""The seats whose move is missing, of a game read for a page or a mail."""

from collections.abc import Sequence

from server import engine
from server.application.decisions.turns import awaited
from server.application.game import queued_moves
from server.application.game.state import rebuild
from server.models import Game, Seat


def awaited_seats(
    game: Game, state: engine.Game | None = None, queue: Sequence[queued_moves.QueuedRow] | None = None
) -> list[Seat]:
    """Return the seats whose move is missing in this phase; a seat that has queued its moves is not awaited.

    `state` and `queue`, the queued moves, save reading them.
    """
    if game.status != "running":
        return []
    queued = {row.pawn for row in (queued_moves.of_game(game.id) if queue is None else queue)}
    return awaited(game.seats, state or rebuild(game), game.clock, queued)
