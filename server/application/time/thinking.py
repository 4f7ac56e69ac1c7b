"""Work the move of a bot out before the game is locked for it.

A bot is a function of what it sees, and `server.bots` keeps what it has worked out from public facts. So here it is
only asked; in the transaction it is asked again, and then its answer takes a millisecond or two.
"""

from sqlalchemy import bindparam, select

from server import bots
from server.application.game.look import standing_of
from server.application.game.state import rebuild
from server.models import ARMED, Deadline, Game, session
from server.runtime import runtime

_GAME = (
    select(Game)
    .join(Deadline, Deadline.game_id == Game.id)
    .where(Deadline.id == bindparam("row"), Deadline.kind == "move", Deadline.state == ARMED, Game.status == "running")
)


def think_ahead(deadline_id: str) -> None:
    """Ask the bot whose move a row will make; do nothing if the row is for something else."""
    game = session.scalar(_GAME, {"row": deadline_id})
    if game is None:
        return
    state = rebuild(standing_of(game))
    for seat in game.seats:
        pawn = next((pawn for pawn in seat.pawns if pawn in state.to_move), None)
        if seat.bot and seat.level and pawn:
            rng = runtime().draw("thinking", game.id)
            bots.choose(seat.bot, state.view(pawn), state.legal_moves(pawn), rng, seat.level)
            return
