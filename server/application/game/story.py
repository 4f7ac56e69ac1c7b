"""The story of a game: its moves round by round, as one player may know them.

It is made from the record and the view of that player, which are opened to everybody once the result is final.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from server import engine
from server.application.game import projection
from server.application.game.state import dealt, rebuild
from server.house_rules.standing import Standing
from server.models import Player


class Leg(NamedTuple):
    """A move of Mr. X's in the travel log; `station` is None if the player may not know it.

    `transport`: the line that he took, if the player may know that; `surfaced`: everybody saw him there.
    """

    window: int
    ticket: str
    station: int | None
    transport: str | None
    surfaced: bool


class DetectiveMove(NamedTuple):
    """A move of a detective."""

    pawn: str
    start: int
    ticket: str
    station: int


@dataclass(frozen=True)
class Round:
    """A round: the legs of Mr. X, two for a double move, and the moves of the detectives.

    `start`: where Mr. X was before, if the player may know it; `possible`: on how many stations he could be afterwards
    by his tickets, in a game that is open.
    """

    number: int
    start: int | None
    legs: Sequence[Leg]
    moves: Sequence[DetectiveMove]
    possible: int | None


class Scene(NamedTuple):
    """The board when Mr. X had just shown himself: the view of an open game, and where he could have been."""

    round: int
    window: int
    station: int
    view: engine.View
    possible: frozenset[int]


def rounds(game: Standing, player: Player | None) -> list[Round]:
    """Return the rounds of a game that has begun, as `player` may know them."""
    view = projection.engine_view(game, projection.viewer_of(game, player))
    windows = iter(view["log"])
    places: dict[str, int | None] = {**view["starts"]}
    counts = iter(_counted(game) if game.final else ())
    return [
        _round(number, moves, windows, places, counts)
        for number, moves in enumerate(projection.record(game, player)["moves"], 1)
    ]


def _round(
    number: int,
    moves: Sequence[str],
    windows: Iterator[engine.LogEntry],
    places: dict[str, int | None],
    counts: Iterator[int],
) -> Round:
    """Return a round, and leave in `places` where the pawns stand after it."""
    start, possible = places.get("mr_x"), None
    legs: list[Leg] = []
    detective_moves: list[DetectiveMove] = []
    for notation in moves:
        words = notation.split()
        if words[0] in engine.PAWNS:
            station = int(words[2])
            detective_moves.append(DetectiveMove(words[0], places[words[0]] or 0, words[1], station))
            places[words[0]] = station
            continue
        # A double move that ended the game with its first leg has one window.
        legs += map(_leg, islice(windows, 1 + (words[0] == "double")))
        places["mr_x"] = legs[-1].station
        possible = next(counts, None)
    return Round(number, start, legs, detective_moves, possible)


def _leg(entry: engine.LogEntry) -> Leg:
    surfaced = bool(entry.get("surfaced"))
    return Leg(entry["window"], entry["ticket"], entry["station"], entry.get("transport"), surfaced)


def scenes(game: Standing) -> list[Scene]:
    """Return the board each time Mr. X had shown himself, in a game whose result is final; else nothing."""
    if not game.final:
        return []
    return [
        _scene(state, window)
        for state, filled in _after_each_of_his(game)
        for window in state.log[-filled:]
        if window.surfaced
    ]


def _scene(state: engine.Game, window: engine.Window) -> Scene:
    view = state.view("spectator", opened=True)
    view["pawns"]["mr_x"]["station"] = window.station  # of a double move the first leg
    return Scene(state.rounds[-1], window.number, window.station, view, _possible_before(state, window.number))


def _possible_before(state: engine.Game, number: int) -> frozenset[int]:
    """Return where Mr. X could have been by the ticket in window `number`, had he not shown himself there."""
    view = state.view("spectator")
    log = [entry for entry in view["log"] if entry["window"] <= number]
    return engine.deduce(view | {"log": [*log[:-1], log[-1] | {"station": None}], "outcome": None})


def _counted(game: Standing) -> list[int]:
    """Return on how many stations Mr. X could be after each of his moves, before he showed himself if he did."""
    return [len(_possible_before(state, state.log_used)) for state, _ in _after_each_of_his(game)]


def _after_each_of_his(game: Standing) -> Iterator[tuple[engine.Game, int]]:
    """Yield the game after each move of Mr. X's, and how many windows of the log that move filled."""
    state = dealt(game)
    for move in rebuild(game).history:
        before = state.log_used
        state.play(move)
        if move.pawn == "mr_x":
            yield state, state.log_used - before
