"""Start a game: assign the seats, deal, and begin the first phase."""

from collections.abc import Sequence

from server import engine
from server.application.deciding import begin_to_write
from server.application.decisions.moves import begin
from server.application.errors import Problem
from server.application.game import sealed_log
from server.application.game.access import visible
from server.application.game.situations import carry_out, load
from server.application.game.state import edition_of
from server.application.seats import hosting, lobby
from server.application.seats.seating import assign_seats
from server.models import Game, Player, transaction
from server.runtime import now, runtime


def start(game_id: str, player: Player) -> Game:
    """Start the game: deal, and begin the first phase. Only the host may, and only when every seat is taken."""
    with transaction():
        game = visible(game_id, player, lock=True)
        hosting.check_host(game, player, "starts the game")
        lobby.check_open(game, "This game has started already.")
        missing = [seat.number for seat in game.seats if not seat.is_taken]
        if missing:
            raise Problem("seats-open", f"The game cannot start: {_why(game)}.", open=missing)
        begin_to_write()
        assign_seats(game)
        state = _deal(game)
        game.status = "running"
        game.started_at = now()
        game.turn = state.turn
        sealed_log.begin(game, state)
        carry_out(load(game.id), begin)
    return game


def _deal(game: Game) -> engine.Game:
    edition = edition_of(game)
    if game.position is not None:
        state = engine.Game.at(edition, game.position)
    else:
        state = engine.Game.deal(edition, players=len(game.seats), rng=runtime().rng("deal"))
        game.mr_x_start = state.starts["mr_x"]
    game.starts = {pawn: station for pawn, station in state.starts.items() if pawn != "mr_x"}
    return state


def _why(game: Game) -> str:
    """Return which seats nobody has taken, those apart for which somebody is invited."""
    free = [seat.number for seat in game.seats if not seat.is_taken and not seat.is_reserved]
    reserved = [seat.number for seat in game.seats if not seat.is_taken and seat.is_reserved]
    said = [f"{_list(free)} {'is' if len(free) == 1 else 'are'} open"] if free else []
    if reserved:
        said.append(f"{_list(reserved)} {'is' if len(reserved) == 1 else 'are'} reserved, and not accepted yet")
    return ", and ".join(said)


def _list(numbers: Sequence[int]) -> str:
    return "seat " + ", ".join(map(str, numbers)) if len(numbers) == 1 else "seats " + ", ".join(map(str, numbers))
