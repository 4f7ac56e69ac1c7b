"""Practice games, of one person against bots: the purposes of the bots' moves, and hints, all from public facts."""

from collections.abc import Iterable
from typing import TypedDict

from server import bots
from server.application.game import projection
from server.application.game.state import cache_key, edition_of, rebuild, states
from server.bots.belief import belief
from server.bots.purpose import Purpose, purpose
from server.house_rules.draft import PublicEvent
from server.house_rules.standing import SPECTATOR, Standing
from server.models import Account, Event
from server.runtime import runtime
from server.vocabulary.errors import Problem


class Likelihood(TypedDict):
    """A station, and how likely Mr. X is there."""

    station: int
    chance: float


class Hint(TypedDict):
    """The stations on which Mr. X may be after his last move, before the detectives moved: the likeliest first."""

    round: int
    stations: list[Likelihood]


def may_ask(game: Standing, player: Account | None) -> bool:
    """Return True for a person who hunts a Mr. X that is a bot, with bots or alone, in a game that runs."""
    seat = projection.own_seat(game, player)
    is_hunt = seat is not None and seat.role == "detective" and game.is_against_bots(seat)
    return is_hunt and game.status == "running" and edition_of(game).rules["deduction"]


def hint(game: Standing, player: Account | None) -> Hint:
    """Return the hint of the round: the learnt belief after Mr. X's last move, the same however often it is asked for.

    Raises:
        Problem: `game-not-running`, or `forbidden` to all for whom it is not, see `may_ask`.
    """
    game.check_running("it has no hints")
    if not may_ask(game, player):
        raise Problem("forbidden", "Hints are for a person who hunts a bot in a practice game.")
    movers = [move.pawn for move in rebuild(game).history]
    made = max((turn for turn, pawn in enumerate(movers, 1) if pawn == "mr_x"), default=0)
    state = rebuild(game, made)
    chances = belief(state.view(SPECTATOR))
    in_order = sorted(chances.items(), key=lambda each: (-round(each[1], 4), each[0]))
    stations: list[Likelihood] = [{"station": station, "chance": round(chance, 4)} for station, chance in in_order]
    return {"round": state.rounds[-1] if made else 1, "stations": stations}


def purposes(game: Standing, events: Iterable[PublicEvent | Event]) -> dict[int, Purpose]:
    """Return the purposes of the moves of bot detectives among these events, by their numbers.

    There are none outside of practice games, nor where players work out for themselves where Mr. X can be.
    """
    if not game.is_practice or game.turn is None or not edition_of(game).rules["deduction"]:
        return {}
    turns = {
        event.number: event.moves
        for event in events
        if event.kind == "moved" and event.data["by"] == "bot" and event.data["pawn"] != "mr_x"
    }
    kept, key = runtime().purposes, cache_key(game)
    known = {turn: found for turn in turns.values() if (found := kept.get((key, turn)))}
    if missing := {*turns.values()} - {*known}:
        for turn, (move, state) in enumerate(zip(rebuild(game).history, states(game), strict=False), 1):
            if turn in missing:
                level = game.seat_of_pawn(move.pawn).level or bots.USUAL
                known[turn] = purpose(state.view(SPECTATOR), move, state.legal_moves(move.pawn), level)
                kept.put((key, turn), known[turn])
    return {number: known[turn] for number, turn in turns.items()}
