"""Practice games, of one person against bots: the purposes of the bots' moves, and hints, all from public facts."""

from collections.abc import Iterable
from typing import TypedDict

from server import bots
from server.application.game import projection
from server.application.game.state import edition_of, rebuild, states
from server.bots.belief import belief
from server.bots.purpose import Purpose, purpose
from server.house_rules.draft import PublicEvent
from server.house_rules.standing import SPECTATOR, Standing
from server.models import Account, Event
from server.vocabulary.errors import refusal


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
        raise refusal("forbidden", "Hints are for a person who hunts a bot in a practice game.")
    made = max((turn for turn, move in enumerate(rebuild(game).history, 1) if move.pawn == "mr_x"), default=0)
    state = rebuild(game, made)
    chances = [(round(chance, 4), station) for station, chance in belief(state.view(SPECTATOR)).items()]
    in_order = sorted(chances, key=lambda each: (-each[0], each[1]))
    return {
        "round": state.rounds[-1] if made else 1,
        "stations": [{"station": station, "chance": chance} for chance, station in in_order],
    }


def purposes(game: Standing, events: Iterable[PublicEvent | Event]) -> dict[int, Purpose]:
    """Return the purposes of the moves of bot detectives among these events, by their numbers.

    There are none outside of practice games, nor where players work out for themselves where Mr. X can be.
    """
    if not game.is_practice or game.turn is None or not edition_of(game).rules["deduction"]:
        return {}
    moved = [event for event in events if event.kind == "moved" and event.data["by"] == "bot"]
    numbers = {event.moves: event.number for event in moved if event.data["pawn"] != "mr_x"}
    if not numbers:
        return {}
    found = {}
    for turn, (move, state) in enumerate(zip(rebuild(game).history, states(game), strict=False), 1):
        if turn in numbers:
            level = game.seat_of_pawn(move.pawn).level or bots.USUAL
            found[numbers[turn]] = purpose(state.view(SPECTATOR), move, state.legal_moves(move.pawn), level)
    return found
