"""Resignation: a player gives up a running game."""

from server.application.deciding import begin_to_write
from server.application.decisions import resignation
from server.application.decisions.draft import decide
from server.application.game.access import seat_of
from server.application.game.situations import load_visible, sources, write
from server.application.seats.former_holders import record_former_holder
from server.models import Game, Player, session, transaction


def resign(game_id: str, player: Player) -> Game:
    """Carry a resignation out, and record the player as a former holder if they lost the seat."""
    with transaction():
        decision = decide(load_visible(game_id, player), lambda draft: resignation.resign(draft, player.id), sources())
        begin_to_write()
        game = session.get_one(Game, game_id)
        seat = seat_of(game, player)
        if decision.after.seat_of_number(seat.number).player_id != player.id:
            record_former_holder(seat)
        write(decision)
    return game
