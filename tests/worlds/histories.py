"""Pairs of games that are equal to the public: in each of the two Mr. X was somewhere else.

His possible histories are worked out here a second time, from what is public alone and without the engine's
deduction: forwards, how many ways lead to each station after each trip; backwards, one of them is drawn.

    for pair in islice(pairs(seed=1), 100):
        for one, other in pair.steps():
            assert one.view("spectator") == other.view("spectator")

A pair begins from `one.position` (or `one.starts` of a dealt game) and `pair.moves`, so it can be played anywhere.
"""

import random
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from server.engine import Board, Edition, Game, Move
from tests.engine.playing import any_move
from tests.worlds.random_games import is_caught, random_game, random_game_until_a_capture

KINDS = ("any", "black", "start", "last", "caught")
"""What the worlds of a pair differ in.

any: whatever there is; black: only windows paid with black tickets; start: only the start card
last: only where Mr. X's last move before a capture ended; the games stop before the capture, which one of them is
caught: only his last move before a capture that comes in both, so the leg of a double move that nobody saw
"""

Path = tuple[int, ...]
"""The start station and the station of each trip, those of a double move that ended on its first leg included."""


@dataclass(frozen=True)
class Pair:
    """Two games with the same public side.

    kind: one of KINDS
    one, other: played to their ends, those of the kind "last" to just before it
    capture: of the kind "last", the detective's move that is next: it takes Mr. X in `one` and not in `other`
    """

    kind: str
    one: Game
    other: Game
    capture: Move | None = None

    @property
    def moves(self) -> list[tuple[str, str]]:
        """The moves of both games in their order, in notation; those of the detectives are the same."""
        return [(str(mine), str(theirs)) for mine, theirs in zip(self.one.history, self.other.history, strict=True)]

    def steps(self) -> Iterator[tuple[Game, Game]]:
        """Both games from the beginning, and again after each move; they are two games played on and on."""
        games = begun(self.one), begun(self.other)
        yield games
        for moves in zip(self.one.history, self.other.history, strict=True):
            for game, move in zip(games, moves, strict=True):
                game.play(move)
            yield games


@dataclass(frozen=True)
class Worlds:
    """One game, and other paths of Mr. X's that are equal to his own in public; `kind` and `capture` as of a Pair."""

    kind: str
    one: Game
    paths: tuple[Path, ...]
    capture: Move | None = None

    @property
    def pairs(self) -> list[Pair]:
        return [Pair(self.kind, self.one, retold(self.one, path), self.capture) for path in self.paths]

    def begun(self) -> list[Game]:
        """All worlds before the first move, the one first."""
        return [begun(self.one, path[0]) for path in (path_of(self.one), *self.paths)]

    def moves(self) -> Iterator[tuple[Move, ...]]:
        """Return the next move in each of the worlds, one after the other."""
        return zip(self.one.history, *(moves_of(self.one, path) for path in self.paths), strict=True)


def pairs(seed: object, kind: str | None = None) -> Iterator[Pair]:
    """Pairs without end, of one kind or of all in turn, each of a game of its own. The same seed gives the same."""
    for worlds in told(seed, kind, 1):
        yield from worlds.pairs


def told(seed: object, kind: str | None = None, each: int = 4) -> Iterator[Worlds]:
    """Worlds without end, up to `each` beside the first."""
    rng = random.Random(f"{seed} {kind}")
    while True:
        for wanted in [kind] if kind else KINDS:
            yield tell(rng, wanted, each)


def tell(rng: random.Random, kind: str, each: int) -> Worlds:
    """A random game that has other worlds of this kind, and up to `each` of them."""
    while True:
        game, capture = _played(rng, kind)
        paths = Histories(game, free_to_differ(game, kind)).others(rng, each)
        if kind == "last":
            paths = [path for path in paths if path[-1] != game.station("mr_x")]
        if paths:
            return Worlds(kind, game, tuple(paths), capture)


def _played(rng: random.Random, kind: str) -> tuple[Game, Move | None]:
    """A random game of which there may be worlds of this kind, and the capture that is next if it stops before one."""
    if kind == "last":
        return random_game_until_a_capture(rng)
    game = random_game(rng, near=kind == "start", keen=kind == "caught")
    while kind == "caught" and not is_caught(game):
        game = random_game(rng, keen=True)
    return game, None


def placed(board_name: str, rng: random.Random) -> Iterator[Worlds]:
    """For each station of a board a short game in which Mr. X begins there and nobody knows it."""
    board = Board.named(board_name)
    edition = Edition.named("milton-bradley-1985").with_options(board=board_name)
    for station in board.stations:
        far = rng.sample([s for s in board.stations if s != station and s not in board.reach["black"][station]], 2)
        pawns = [
            {"pawn": pawn, "station": s, "tickets": {"taxi": 4, "bus": 4, "underground": 4}}
            for pawn, s in zip(("red", "blue"), far, strict=True)
        ]
        his = {"station": station, "tickets": {"taxi": 2, "bus": 2, "underground": 2, "black": 2, "double": 1}}
        game = Game.at(edition, {"mr_x": his, "detectives": pawns, "log_used": 3})
        for _ in range(3):
            if game.outcome is None:
                game.play(any_move(game, rng))
        yield Worlds("any", game, tuple(Histories(game).others(rng, 1)))


# What is public, and what it leaves open ----------------------------------------------------------


class Trip(NamedTuple):
    """One trip of Mr. X's, as far as everybody knows it.

    ticket: what he laid down; shown: the station, where he showed himself or was caught
    occupied: where the detectives stood; searched: where they went before his next trip and did not find him
    made: False for the second leg of a double move that ended on its first
    """

    ticket: str
    shown: int | None
    occupied: frozenset[int]
    searched: frozenset[int] = frozenset()
    made: bool = True


class Histories:
    """All histories of Mr. X's that are equal to the public, or those that differ from the true one in `free` only.

    `free` are places in a Path; None is all of them.
    """

    def __init__(self, game: Game, free: Collection[int] | None = None) -> None:
        self.truth = path_of(game)
        self._game = game
        self._cut_off: bool = game.edition.option("cut_off")
        self._ways = ways(game.edition.board.name)
        self._trips, searched = public_trips(game)
        self._pins = {} if free is None else {n: s for n, s in enumerate(self.truth) if n not in free}
        self._layers = [self._pinned(0, dict.fromkeys(self._first() - searched, 1))]
        for number, trip in enumerate(self._trips, 1):
            self._layers.append(self._pinned(number, self._after(self._layers[-1], trip)))
        self._keep_those_who_end_so()

    @property
    def count(self) -> int:
        return sum(self._layers[-1].values())

    @property
    def last_stations(self) -> frozenset[int]:
        """Return the stations where Mr. X can be at the end."""
        made = [layer for layer, trip in zip(self._layers[1:], self._trips, strict=True) if trip.made]
        return frozenset(made[-1] if made else self._layers[0])

    def others(self, rng: random.Random, wanted: int) -> list[Path]:
        """Up to `wanted` different histories that are not the true one."""
        found: dict[Path, None] = {}
        there_are = self.count - self._is_possible(self.truth)
        while len(found) < min(wanted, there_are):
            path = self.draw(rng)
            if path != self.truth:
                found[path] = None
        return list(found)

    def draw(self, rng: random.Random) -> Path:
        """One of them, each as likely as any other."""
        path = [_weighed(rng, self._layers[-1])]
        for trip, layer in zip(reversed(self._trips), reversed(self._layers[:-1]), strict=True):
            before = self._stops(trip, path[-1])
            path.append(_weighed(rng, {station: layer[station] for station in before if station in layer}))
        return tuple(reversed(path))

    def _is_possible(self, path: Path) -> bool:
        steps = zip(pairwise(path), self._trips, strict=True)
        in_layers = all(station in layer for station, layer in zip(path, self._layers, strict=True))
        return in_layers and all(b in self._stops(trip, a) for (a, b), trip in steps)

    def _first(self) -> set[int]:
        game = self._game
        occupied = {station for pawn, station in game.starts.items() if pawn != "mr_x"}
        position = game.position
        if position is None or position.get("dealt"):
            cards = game.edition.option("start_cards")
            found = set(cards["mr_x"] if isinstance(cards, dict) else cards)
        elif position["last_seen"] and position["last_seen"]["window"] == position["log_used"]:
            found = {position["last_seen"]["station"]}
        else:
            found = set(game.edition.board.stations)
        if not self._trips and is_caught(game):
            return {game.station("mr_x")}
        return found - occupied

    def _pinned(self, number: int, layer: dict[int, int]) -> dict[int, int]:
        """Only the true station, where the worlds may not differ; a position may set him where no card does."""
        pin = self._pins.get(number)
        if pin is None:
            return layer
        return {pin: 1} if not number else only(layer, pin)

    def _after(self, layer: dict[int, int], trip: Trip) -> dict[int, int]:
        reached: dict[int, int] = {}
        for here, number in layer.items():
            for stop in self._stops(trip, here):
                reached[stop] = reached.get(stop, 0) + number
        if trip.shown is not None:
            return only(reached, trip.shown)
        if trip.made:
            for station in trip.occupied | trip.searched:
                reached.pop(station, None)
        return reached

    def _stops(self, trip: Trip, here: int) -> Collection[int]:
        """Return the stations a trip leads to from here; as lines run both ways, also those it can have come from."""
        return self._open(trip.ticket, here, trip.occupied)

    def _open(self, ticket: str, here: int, occupied: frozenset[int]) -> Collection[int]:
        stops = self._ways.get((ticket, here), {})
        if not self._cut_off:
            return stops
        return [stop for stop, lines in stops.items() if any(occupied.isdisjoint(over) for over in lines)]

    def _keep_those_who_end_so(self) -> None:
        """If his turn came, everybody knows whether he could move."""
        game = self._game
        reason = game.outcome.reason if game.outcome else None
        if game.to_move == ("mr_x",) or reason in ("detectives_stranded", "mr_x_trapped", "both_stuck"):
            could = reason not in ("mr_x_trapped", "both_stuck")
            last = self._layers[-1]
            self._layers[-1] = {station: n for station, n in last.items() if self._can_leave(station) == could}

    def _can_leave(self, station: int) -> bool:
        game = self._game
        occupied = frozenset(game.station(pawn) for pawn in game.pawns)
        barred = occupied if game.edition.option("mr_x_onto_detective") == "forbidden" else frozenset()
        held = [kind for kind, number in game.tickets("mr_x").items() if kind != "double" and number != 0]
        has_window = game.log_used < game.edition.option("log_windows")
        return has_window and any(set(self._open(kind, station, occupied)) - barred for kind in held)


def public_trips(game: Game) -> tuple[list[Trip], frozenset[int]]:
    """Return the public part of Mr. X's trips, and the stations searched before his first."""
    at = {pawn: station for pawn, station in game.starts.items() if pawn != "mr_x"}
    found: list[Trip] = []
    searched: list[set[int]] = [set()]
    used = game.log_used - len(game.log)
    for number, move in enumerate(game.history, 1):
        is_end = number == len(game.history) and is_caught(game)
        if move.pawn != "mr_x":
            at[move.pawn] = move.station
            if not is_end:
                searched[-1].add(move.station)
            continue
        for leg in move.legs:
            used += 1
            is_last = leg is move.legs[-1]
            surfaces = used in game.edition.option("surfacing") or (move.surface is not None and is_last)
            trip = Trip(leg.ticket, leg.station if surfaces else None, frozenset(at.values()))
            found.append(trip._replace(made=used <= game.log_used))
            searched.append(set())
    if is_caught(game) and found:
        _show_the_last(found, game.station("mr_x"))
    trips = [trip._replace(searched=frozenset(went)) for trip, went in zip(found, searched[1:], strict=True)]
    return trips, frozenset(searched[0])


def _show_the_last(trips: list[Trip], station: int) -> None:
    """Caught, he shows where he is; the leg of a double move that he did not make stays hidden."""
    last = max(number for number, trip in enumerate(trips) if trip.made)
    trips[last] = trips[last]._replace(shown=station)
    if last + 1 < len(trips):
        trips[last + 1] = trips[last + 1]._replace(shown=None)


@cache
def ways(board_name: str) -> dict[tuple[str, int], dict[int, list[frozenset[int]]]]:
    """(ticket, station) -> where it leads -> what each of the lines that go there passes over."""
    board = Board.named(board_name)
    found: dict[tuple[str, int], dict[int, list[frozenset[int]]]] = {}
    for transport, lines in board.lines.items():
        for a, b in [*lines, *((b, a) for a, b in lines)]:
            over = frozenset(board.passes_over.get((transport, a, b), ()))
            for ticket in {transport, "black"} - {"ferry"}:
                found.setdefault((ticket, a), {}).setdefault(b, []).append(over)
    return found


def only(layer: dict[int, int], station: int) -> dict[int, int]:
    return {station: layer[station]} if station in layer else {}


def _weighed(rng: random.Random, weights: dict[int, int]) -> int:
    (station,) = rng.choices(list(weights), list(weights.values()))
    return station


# Telling a history ----------------------------------------------------------------------------------


def path_of(game: Game) -> Path:
    legs = [leg for move in game.history if move.pawn == "mr_x" for leg in move.legs]
    return (game.starts["mr_x"], *(leg.station for leg in legs))


def begun(game: Game, mr_x: int | None = None) -> Game:
    """The game before its first move, with Mr. X on another station if one is named."""
    station = game.starts["mr_x"] if mr_x is None else mr_x
    position = game.position
    if position is None:
        return Game(game.edition, game.players, {**game.starts, "mr_x": station})
    return Game.at(game.edition, {**position, "mr_x": {**position["mr_x"], "station": station}})


def moves_of(game: Game, path: Path) -> Iterator[Move]:
    """The moves of a game, Mr. X's along another path."""
    stations = iter(path[1:])
    for move in game.history:
        if move.pawn == "mr_x":
            yield move._replace(legs=tuple(leg._replace(station=next(stations)) for leg in move.legs))
        else:
            yield move


def retold(game: Game, path: Path) -> Game:
    """The game along another path of Mr. X's."""
    other = begun(game, path[0])
    for move in moves_of(game, path):
        other.play(move)
    return other


def free_to_differ(game: Game, kind: str) -> Collection[int] | None:
    """The places in a path in which the worlds of this kind may differ."""
    legs = [leg for move in game.history if move.pawn == "mr_x" for leg in move.legs]
    if kind == "black":
        return [number for number, leg in enumerate(legs, 1) if leg.ticket == "black"]
    if kind == "start":
        return [0]
    if kind in ("last", "caught"):
        last = next((move for move in reversed(game.history) if move.pawn == "mr_x"), None)
        return range(len(legs) + 1 - len(last.legs), len(legs) + 1) if last else []
    return None
