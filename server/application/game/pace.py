"""The pace of a game: how long a round and the whole game take if everybody takes their whole time."""

from collections.abc import Sequence
from datetime import timedelta
from itertools import groupby
from typing import NamedTuple

from sqlalchemy import bindparam, select

from server import clock as clocks
from server import engine
from server.house_rules.standing import Standing
from server.models import Game, session
from server.runtime import now
from server.vocabulary.clocks import Clock
from server.vocabulary.durations import format_duration, parse_duration, say_duration
from server.vocabulary.translation import gettext

_POSITION = select(Game.position).where(Game.id == bindparam("game"))
EVENED_OUT = 35  # rounds, over which days off and times of day are


class Pace(NamedTuple):
    """The lengths of a round and of the whole game; None where the clock sets no such limit.

    Where days off and times of day make rounds unlike each other, that of a round `is_average`.
    """

    a_round: timedelta | None
    the_game: timedelta | None
    is_average: bool = False


def pace(options: engine.Options, clock: Clock, hands: Sequence[Sequence[str]]) -> Pace:
    """Return the pace of a game with these options and this clock that begins now.

    Args:
        hands: the pawns of each detective.
    """
    if clock["kind"] == "none":
        return Pace(None, None)
    whole = longest_of(options, clock, hands, engine.last_round(options))
    if clock["kind"] == "bank":  # in which time is not that of a round
        return Pace(None, whole)
    first = longest_of(options, clock, hands, 1)
    if clock["kind"] != "schedule" and not clock["days_off"]:
        return Pace(first, whole)
    several = longest_of(options, clock, hands, 1 + EVENED_OUT)
    assert first is not None
    assert several is not None
    return Pace((several - first) / EVENED_OUT, whole, is_average=True)


def longest(game: Standing) -> str | None:
    """Return how long the game takes at most if nobody is late or away, as an ISO 8601 duration; None without a limit.

    It is counted from now, as calendars differ. A first round that the detectives begin counts as a whole one.
    """
    options = game.options
    position = session.scalar(_POSITION, {"game": game.id})
    hands = [seat.pawns for seat in game.seats if seat.role == "detective"]
    windows_used, first = (position.get("log_used", 0), position.get("to_move", "mr_x")) if position else (0, "mr_x")
    rounds = engine.last_round(options, windows_used, is_mr_x_to_move=first == "mr_x")
    length = longest_of(options, game.clock, hands, rounds)
    return None if length is None else format_duration(length)


def longest_of(
    options: engine.Options, of_clock: Clock, hands: Sequence[Sequence[str]], rounds: int
) -> timedelta | None:
    """Return the longest time of so many rounds from now, as `longest`; `hands` are the pawns of each detective."""
    turns = _turns_a_round(options["turn_order"], hands)
    return clocks.longest_game(of_clock, now(), rounds, len(hands), turns)


def longest_in_words(game: Standing) -> str:
    """Return the longest time the game takes, as a sentence."""
    length = longest(game)
    if length is None:
        return gettext("It has no deadlines, and may take as long as it likes.")
    longest_time = say_duration(parse_duration(length))
    return gettext("If nobody is late or away, the game takes at most {length}.", length=longest_time)


def _turns_a_round(turn_order: str, hands: Sequence[Sequence[str]]) -> int:
    """Return how many turns follow each other in a round. Consecutive pawns of one seat share a turn."""
    if turn_order != "fixed":
        return 1 if turn_order == "any" else len(hands)
    holders = {pawn: number for number, hand in enumerate(hands) for pawn in hand}
    return len(list(groupby(holders[pawn] for pawn in engine.PAWNS if pawn in holders)))
