"""The seats whose move is missing, of a game read for a page or a mail."""

from server.application.decisions.turns import awaited
from server.application.game import queued_moves
from server.application.game.state import rebuild
from server.models import Game, Seat


def awaited_seats(game: Game) -> list[Seat]:
    """Return the seats whose move is missing in this phase; a seat that has queued its moves is not awaited."""
    if game.status != "running":
        return []
    return awaited(game.seats, rebuild(game), game.clock, {row.pawn for row in queued_moves.of_game(game.id)})
