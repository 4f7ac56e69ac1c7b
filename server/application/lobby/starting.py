"""Start a game: assign the seats, deal, and begin the first phase."""

import random

from server import engine
from server.application.deciding import begin_to_write
from server.application.errors import Problem
from server.application.game import transcripts
from server.application.game.access import locked_visible
from server.application.game.look import standing_of
from server.application.game.projection import invited_address
from server.application.game.situations import carry_out, load
from server.application.game.state import edition_named
from server.application.lobby import hosting, lobby
from server.application.lobby.seat_assignment import assign_seats
from server.application.people import players
from server.house_rules.moves import begin
from server.house_rules.standing import Seat, Standing
from server.models import Game, Player, transaction
from server.runtime import now, runtime
from server.wording.words import join, pawn_names


def start(game_id: str, player: Player) -> Game:
    """Start the game: deal, and begin the first phase. Only the host may, and only when every seat is taken."""
    with transaction():
        game = locked_visible(game_id, player)
        hosting.check_host(game.host_id, player, "starts the game")
        lobby.check_open(game, "This game has started already.")
        missing = [seat.number for seat in game.seats if not seat.is_taken]
        if missing:
            why = _why(standing_of(game), player)
            raise Problem("seats-open", f"The game cannot start: {why}.", open=missing)
        begin_to_write()
        assign_seats(game)
        state = _deal(game)
        game.status = "running"
        game.started_at = now()
        game.turn = state.turn
        transcripts.begin_chain(game, state)
        carry_out(load(game.id), begin)
    return game


def _deal(game: Game) -> engine.Game:
    edition = edition_named(game.edition, game.options)
    if game.position is not None:
        state = engine.Game.at(edition, game.position)
    else:
        state = engine.Game.deal(edition, players=len(game.seats), rng=_rng(game))
        game.mr_x_start = state.starts["mr_x"]
    game.starts = {pawn: station for pawn, station in state.starts.items() if pawn != "mr_x"}
    return state


def _rng(game: Game) -> random.Random:
    """Return the chance of the deal: of its seed for a player alone; where people joined, nobody may know it before."""
    if sum(seat.player_id is not None for seat in game.seats) > 1:
        game.seed = None
    return runtime().rng("deal") if game.seed is None else runtime().draw("deal", game.seed)


def _why(game: Standing, host: Player) -> str:
    """Return which seats nobody has taken, and whose answer is missing, as `host` named them."""
    free = [_called(seat) for seat in game.seats if seat.is_free]
    reserved = [seat for seat in game.seats if not seat.is_taken and seat.is_reserved]
    names = players.names_of(_guest(seat) for seat in reserved)
    said = [f"{join(free)} {'is' if len(free) == 1 else 'are'} open"] if free else []
    for seat in reserved:
        who = invited_address(seat, host) or names.get(_guest(seat)) or "somebody"
        said.append(f"{who} has not accepted {_called(seat)} yet")
    return ", and ".join(said)


def _guest(seat: Seat) -> str | None:
    """Return the player who was invited by name, None for the reader of an address, who stays unknown."""
    if seat.invitation is None:
        return seat.invited_id
    return seat.invitation.guest_id if seat.invitation.email is None else None


def _called(seat: Seat) -> str:
    """Return `seat 3 (Red and Green)`, or `seat 3` before the pawns are drawn."""
    return f"seat {seat.number}" if seat.is_to_be_drawn else f"seat {seat.number} ({pawn_names(seat.pawns)})"
