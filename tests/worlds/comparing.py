"""Everything the engine gives to anybody but Mr. X, and the first difference between worlds.

How much is asked for at each step is a choice: `everything`, `in_turn`, or `now_and_then`.
"""

import json
import random
from collections.abc import Callable, Iterator
from itertools import chain, zip_longest
from typing import Any, NamedTuple

from server.engine import Event, Game, Leg, Move, Moved, MoveError, deduce
from server.engine.ticket_kinds import PLAIN
from tests.worlds.histories import Worlds


class Asked(NamedTuple):
    """The questions at one step, beside the facts that are compared at every step.

    views: the viewers whose views are; records: those whose records and deduction are
    pawns: those whose state, tickets and moves are
    moves: the moves that are tried; texts: moves that are tried as a text
    """

    views: list[str]
    records: list[str]
    pawns: list[str]
    moves: list[Move]
    texts: list[str]


Ask = Callable[[int, list[Game]], Asked | None]
"""Says what is asked for after so many moves; None where nothing is."""


def difference(worlds: Worlds, ask: Ask) -> str | None:
    """Return the first difference between the worlds to an outsider, in a sentence, or None."""
    games = worlds.begun()
    events: list[Any] = [[] for _ in games]
    for number, moves in enumerate(chain(worlds.moves(), [None])):
        found = _difference_now(games, events, ask(number, games))
        if found or moves is None:
            return found and f"after {number} moves: {found}"
        events = [public_events(game.play(move)) for game, move in zip(games, moves, strict=True)]
    return None


def everything(worlds: Worlds, rng: random.Random) -> Ask:
    """Everything for all viewers at every step."""
    viewers, pawns = viewers_of(worlds.one), list(worlds.one.pawns)
    return lambda number, games: Asked(viewers, viewers, pawns, *tries(worlds, games, rng))


def in_turn(worlds: Worlds, rng: random.Random) -> Ask:
    """At every step what one of the viewers may see and try; at the end what all of them see."""
    viewers, pawns, end = viewers_of(worlds.one), list(worlds.one.pawns), len(worlds.one.history)

    def ask(number: int, games: list[Game]) -> Asked:
        moves, texts = tries(worlds, games, rng)
        viewer = [rng.choice(viewers)]
        record = viewer if number == end or rng.random() < 0.05 else []
        if number == end:
            return Asked(viewers, record, pawns, moves, texts)
        return Asked(viewer, record, [rng.choice(pawns)], [rng.choice(moves)], texts[: number % 2])

    return ask


def now_and_then(worlds: Worlds, rng: random.Random) -> Ask:
    """Return the view of one viewer at the end and at one step before, and the moves to try there."""
    viewers, pawns, end = viewers_of(worlds.one), list(worlds.one.pawns), len(worlds.one.history)
    chosen = rng.randrange(end) if end else 0

    def ask(number: int, games: list[Game]) -> Asked | None:
        if number not in (chosen, end):
            return None
        viewer = [rng.choice(viewers)]
        record = viewer if rng.random() < 0.08 else []
        moves, texts = tries(worlds, games, rng) if number == chosen or worlds.capture else ([], [])
        return Asked(viewer, record, [rng.choice(pawns)], moves, texts[:1])

    return ask


def _difference_now(games: list[Game], events: list[Any], asked: Asked | None) -> str | None:
    one, *others = map(facts, games, events)
    for other in others:
        if one != other:
            return f"{one} is not {other}"
    if asked is None:
        return None
    first, *rest = (list(outlets(game, asked)) for game in games)
    told = json.dumps(first)
    return next((_first_that_differs(first, given) for given in rest if json.dumps(given) != told), None)


def _first_that_differs(first: list[Any], given: list[Any]) -> str:
    outlets = ((json.dumps(mine), json.dumps(theirs)) for mine, theirs in zip_longest(first, given))
    return next(f"{mine} is not {theirs}" for mine, theirs in outlets if mine != theirs)


def facts(game: Game, events: list[Any]) -> list[Any]:
    """Return the facts that are quick to compare at every step: pawns to move, detectives' moves, effects of a move."""
    legal = game.legal_moves() if game.to_move != ("mr_x",) else []
    return [game.to_move, game.turn, game.round, game.log_used, game.outcome, legal, events]


def outlets(game: Game, asked: Asked) -> Iterator[tuple[str, Any]]:
    """Return what an outsider may learn of a game as it stands, as plain data by name."""
    yield "tickets of Mr. X", game.tickets("mr_x")
    for pawn in asked.pawns:
        yield f"pawn {pawn}", [game.mobility(pawn), game.station(pawn), game.tickets(pawn)]
        yield f"moves ahead of {pawn}", game.moves_ahead(pawn)
        if game.to_move != ("mr_x",):
            yield f"moves of {pawn}", game.legal_moves(pawn)
    for viewer in asked.views:
        yield f"view of {viewer}", game.view(viewer)
    for viewer in asked.records:
        yield f"record for {viewer}", [game.record(viewer), game.record_json(viewer), game.rounds]
        yield f"deduction of {viewer}", sorted(deduce(game.view(viewer)))
    for move in asked.moves:
        yield f"answer to {move}", answer(game.check, move)
        yield f"answer ahead to {move}", answer(game.check_ahead, move)
    for text in asked.texts:
        yield f"answer to {text!r}", answer(game.read, text)


def viewers_of(game: Game) -> list[str]:
    return [*game.pawns, "spectator"]


def tries(worlds: Worlds, games: list[Game], rng: random.Random) -> tuple[list[Move], list[str]]:
    """Moves that detectives may try: onto Mr. X in two of the worlds, anywhere, in forms they do not have; the
    capture that is next. And two of them as texts."""
    one = games[0]
    stations = [one.station("mr_x"), rng.choice(games).station("mr_x"), _any_station(one, rng)]
    pawn = rng.choice([*one.pawns, *(one.to_move if one.to_move != ("mr_x",) else ())])
    ticket = rng.choice([*PLAIN, *PLAIN, "black"])
    moves = [Move(pawn, (Leg(ticket, station),)) for station in stations]
    moves.append(rng.choice([Move(pawn, (*moves[0].legs, *moves[1].legs)), moves[0]._replace(surface=())]))
    if worlds.capture:
        moves.append(worlds.capture)
    texts = [str(moves[1])] if one.to_move == ("mr_x",) else [f"{ticket} {rng.choice(stations)}", str(moves[1])]
    return moves, texts


def _any_station(game: Game, rng: random.Random) -> int:
    """Any station, and now and then a number that is none."""
    if rng.random() < 0.2:
        return rng.choice([0, 108, 200, 10**9])
    return rng.choice(list(game.edition.board.stations))


def answer(ask: Callable[[Any], Move], move: Move | str) -> list[Any]:
    """Return the move as understood, or the error."""
    try:
        return [str(ask(move))]
    except MoveError as error:
        return [type(error).__name__, error.code, str(error), [str(legal) for legal in getattr(error, "legal", ())]]


def public_events(events: tuple[Event, ...]) -> list[Any]:
    """Return the public effects of a move: of Mr. X's trips only the tickets."""
    return [_public(event) for event in events]


def _public(event: Event) -> Any:
    if isinstance(event, Moved) and event.pawn == "mr_x":
        return ["mr_x", event.move.redacted(), [[w.number, w.ticket, w.surfaced] for w in event.windows]]
    if isinstance(event, Moved):
        return event.move
    return [type(event).__name__, repr(event)]
