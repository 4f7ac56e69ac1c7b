"""The replay of a game whose result is final: each move, where everybody stood, and where Mr. X could have been.

It is of the whole game, or of what the player of one seat knew at each moment.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from server import engine
from server.application.game import projection
from server.application.game.access import not_found
from server.application.game.look import look, look_at_any
from server.application.game.projection import PastView
from server.application.game.state import edition_of, rebuild
from server.house_rules.replays import is_shown
from server.house_rules.standing import SPECTATOR, Seat, Sight, Standing
from server.models import Account
from server.vocabulary.errors import Problem, refusal


class Trip(NamedTuple):
    """A trip of a pawn; `station` is None where the player of the seat did not know it.

    transport: the line taken, for Mr. X under a black ticket
    surfaced: he showed himself
    """

    ticket: str
    station: int | None
    transport: str = ""
    surfaced: bool = False


class Step(NamedTuple):
    """The game after a move, or before the first, as far as it was known.

    pawn: the one that moved; empty before the first move
    trips: the trips of that move: two of a double move
    places: the station of each pawn, without Mr. X where the player of the seat did not know it
    way: the stations where Mr. X has been, in their order, his start first; only where all of them were known
    possible: the stations where he could be by the public record; none if the player of the seat was not told
    view: the view that the player of the seat had, for the whole game that of Mr. X
    """

    number: int
    round: int
    pawn: str
    trips: Sequence[Trip]
    places: Mapping[str, int]
    way: Sequence[int]
    possible: frozenset[int]
    view: PastView

    @property
    def last_seen(self) -> int | None:
        """Return the station where Mr. X was last seen, if he is not known to be anywhere."""
        seen = self.view["pawns"]["mr_x"]["last_seen"]
        return seen["station"] if seen and "mr_x" not in self.places else None


class SeatKnowledge(PastView):
    """A view from a seat, and the stations where Mr. X could be; None in a game that did not tell."""

    seat: int
    stations: list[int] | None


def open_game(game_id: str, player: Account | None, *, by_link: bool = False) -> Sight:
    """Return a game that `player` may see and that can be replayed; `by_link` also one that its players show to all.

    Raises:
        Problem: `not-found`, also before the result is final, and for a game that never began.
    """
    try:
        game = look(game_id, player)
    except Problem:
        if not by_link or not is_open_to_all(game_id):
            raise
        game = look_at_any(game_id)
    if not game.final or game.turn is None:
        raise not_found()
    return game


def is_open_to_all(game_id: str) -> bool:
    """Return True if there is such a game, and its players show its replay to everybody who has the link."""
    with suppress(Problem):
        return is_shown(look_at_any(game_id))
    return False


def is_known(game: Standing, player: Account | None) -> bool:
    """Return True if the reader of a replay may see the game too, and not only what its link shows to everybody."""
    is_among_them = player is not None and (player.id == game.host_id or game.seat_held_by(player.id) is not None)
    return is_among_them or game.visibility == "public"


def view_from(game: Standing, number: int, turn: int | None) -> SeatKnowledge:
    """Return what the player of a seat knew in a game from `open_game`, when the move `turn` was to be made.

    Without a turn it is what they knew at the end. `stations` are those where Mr. X could be, None in a game that
    did not tell.

    Raises:
        Problem: `not-found` for a seat, and `form` for a turn, that there is not.
    """
    seat, last = game.check_number(number, "not-found"), game.turn or 1
    if turn is not None and turn > last:
        raise refusal("form", "a number from 1 to {last}, which is the end of this game.", last=last, field="turn")
    *_, view = projection.past_views(game, seat.pawns[0], turn or last)
    *_, public = projection.past_views(game, SPECTATOR, turn or last)
    is_told = edition_of(game).rules["deduction"]
    return {**view, "seat": number, "stations": sorted(engine.deduce(public)) if is_told else None}


def steps(game: Standing, seat: Seat | None = None) -> list[Step]:
    """Return the steps of a game from `open_game`, as the player of `seat` knew them, or else all of it."""
    return list(_steps(game, seat))


def _steps(game: Standing, seat: Seat | None) -> Iterator[Step]:
    # The public views alone tell where he could be: in his own he is where he is.
    public = projection.past_views(game, SPECTATOR)
    views = projection.past_views(game, seat.pawns[0] if seat else "mr_x")
    is_told = seat is None or edition_of(game).rules["deduction"]
    moves: Sequence[engine.Move | None] = [None, *rebuild(game).history]
    round_ = 1
    way: list[int | None] = []
    for number, (move, view, known) in enumerate(zip(moves, views, public, strict=True)):
        trips = _trips(move, view, len(way) - 1) if move else ()
        if move is None:
            way = [view["starts"].get("mr_x")]
        elif move.pawn == "mr_x":
            way = [*way, *(trip.station for trip in trips)]
        yield Step(
            number=number,
            round=round_,
            pawn=move.pawn if move else "",
            trips=trips,
            places={name: facts["station"] for name, facts in view["pawns"].items() if facts["station"] is not None},
            way=() if None in way else tuple(station for station in way if station is not None),
            possible=engine.deduce(known) if is_told else frozenset(),
            view=view,
        )
        round_ = view["round"]


def _trips(move: engine.Move, view: PastView, filled: int) -> Sequence[Trip]:
    """Return the trips that were made: of a double move that ended the game with its first, that one.

    `filled` is how many entries the travel log had before.
    """
    if move.pawn != "mr_x":
        return [Trip(*leg) for leg in move.legs]
    return [
        Trip(
            entry["ticket"],
            entry["station"],
            entry.get("transport", "") if entry["ticket"] == "black" else "",
            bool(entry.get("surfaced")),
        )
        for entry in view["log"][filled:]
    ]


class Lookback(NamedTuple):
    """The board after the move that filled `window` of the travel log, as a spectator knew it."""

    window: int
    view: engine.View
    possible: frozenset[int]


def lookback_windows(game: Standing, view: engine.BoardView) -> list[int]:
    """Return the windows that can be looked back at: all that are filled, in a game that shows where Mr. X can be."""
    return [entry["window"] for entry in view["log"]] if edition_of(game).rules["deduction"] else []


def look_back(game: Standing, window: int) -> Lookback | None:
    """Return the board after the move that filled `window`; None if it is empty, or the game hides such stations.

    It is made from a spectator's view of that time alone, also for Mr. X.
    """
    if window not in lookback_windows(game, projection.engine_view(game, SPECTATOR)):
        return None
    view = projection.spectator_view_at(game, window)
    return Lookback(window, view, engine.deduce(view))
