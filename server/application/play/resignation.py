"""Resignation: a player gives up a running game."""

from server.application.game.deciding import Decided, use_case
from server.application.game.decision_rows import write
from server.application.game.look import sight_of
from server.application.game.situations import load_visible, sources
from server.application.play.former_holders import record_former_holder
from server.house_rules import resignation
from server.house_rules.draft import decide
from server.house_rules.standing import Sight
from server.models import Player


@use_case
def resign(game_id: str, player: Player) -> Decided[Sight]:
    """Carry a resignation out, and record the player as a former holder if they lost the seat; return what follows."""
    decision = decide(load_visible(game_id, player), lambda draft: resignation.give_up(draft, player.id), sources())

    def writing() -> Sight:
        seat = decision.before.seat_of_player(player.id)
        if decision.after.seat_of_number(seat.number).player_id != player.id:
            record_former_holder(game_id, seat)
        write(decision)
        return sight_of(decision.after, player.id)

    return Decided(writing)
