"""The replay of a game whose result is final: each move, where everybody stood, and where Mr. X could have been."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from server import engine
from server.application.game.access import not_found
from server.application.game.look import look
from server.application.game.state import dealt, rebuild
from server.house_rules.standing import Sight, Standing
from server.models import Player


class Trip(NamedTuple):
    """A trip of a pawn. `transport`: the line taken, for Mr. X under a black ticket; `surfaced`: he showed himself."""

    ticket: str
    station: int
    transport: str = ""
    surfaced: bool = False


class Step(NamedTuple):
    """The game after a move, or before the first.

    pawn: the one that moved; empty before the first move
    trips: the trips of that move: two of a double move
    places: the station of each pawn
    way: the stations where Mr. X has been, in their order, his start first
    possible: the stations where he could be by the public record
    """

    number: int
    round: int
    pawn: str
    trips: Sequence[Trip]
    places: Mapping[str, int]
    way: Sequence[int]
    possible: frozenset[int]


def open_game(game_id: str, player: Player | None) -> Sight:
    """Return a game that `player` may see and that can be replayed.

    Raises:
        Problem: `not-found`, also before the result is final, and for a game that never began.
    """
    game = look(game_id, player)
    if not game.final or game.turn is None:
        raise not_found()
    return game


def steps(game: Standing) -> list[Step]:
    """Return the steps of a game from `open_game`."""
    return list(_steps(dealt(game), rebuild(game).history))


def _steps(state: engine.Game, moves: Sequence[engine.Move]) -> Iterator[Step]:
    way = [state.station("mr_x")]
    yield _step(state, 0, "", (), way)
    for number, move in enumerate(moves, 1):
        filled = state.log_used
        state.play(move)
        trips = _trips(move, state.log[len(state.log) - (state.log_used - filled) :])
        if move.pawn == "mr_x":
            way += [trip.station for trip in trips]
        yield _step(state, number, move.pawn, trips, way)


def _trips(move: engine.Move, windows: Sequence[engine.Window]) -> Sequence[Trip]:
    """Return the trips that were made: of a double move that ended the game with its first, that one."""
    if move.pawn != "mr_x":
        return [Trip(*leg) for leg in move.legs]
    return [
        Trip(each.ticket, each.station, each.transport if each.ticket == "black" else "", each.surfaced)
        for each in windows
    ]


def _step(state: engine.Game, number: int, pawn: str, trips: Sequence[Trip], way: Sequence[int]) -> Step:
    places = {pawn: state.station(pawn) for pawn in ("mr_x", *state.pawns)}
    possible = engine.deduce(state.view("spectator"))
    return Step(number, state.rounds[-1] if number else 1, pawn, trips, places, tuple(way), possible)
