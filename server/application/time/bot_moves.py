"""Moves that the server chooses: for a bot in a seat of its own, and for a detective whose time is up."""

from server import bots, engine
from server.application.game import queued_moves
from server.application.game.state import rebuild
from server.application.play import moves
from server.models import Deadline, Game
from server.runtime import runtime


def play(game: Game, _timer: Deadline) -> None:
    """Move one pawn of a bot; where another bot's turn comes then, that one has a timer of its own."""
    if game.status != "running":
        return
    state = rebuild(game)
    for seat in game.seats:
        for pawn in seat.pawns:
            if seat.bot and pawn in state.to_move:
                moves.enter(game, state, choose(game, state, seat.bot, pawn), "bot")
                return


def choose(game: Game, state: engine.Game, bot: str, pawn: str) -> engine.Move:
    """Return the move that the bot of that name chooses for a pawn, given only what the pawn's holder sees."""
    legal = state.legal_moves(pawn)
    # A bot does not go where a queued move of a detective leads: that would come back, too late for another one.
    free = [move for move in legal if pawn == "mr_x" or move.station not in queued_moves.stations(game)]
    return bots.choose(bot, state.view(pawn), free or legal, runtime().rng("house"))
