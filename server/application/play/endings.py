"""The end of a game: every way in which one ends, and whether the result is final at once.

By play    captured, stranded and the like   final; provisional if the last move was made for its player
Agreed     all players want a draw           provisional
Resigned   Mr. X, or the last detective      provisional
Too late   Mr. X was late too often          provisional
Voided     by the operator                   provisional; final if the game is damaged
Abandoned  no clock runs, and nobody moves   final
Expired    the game was never started        final

A provisional result opens nothing of the travel log. The operator can take such a game up again until it is final.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from server import clock, engine
from server.application.game import notices, queued_moves, sealed_log, timers
from server.application.game.events import record_event
from server.application.game.state import rebuild
from server.models import Game
from server.runtime import now


@dataclass(frozen=True)
class Ending:
    """The result of a game: the winner (`mr_x`, `detectives` or `draw`), why, and whether it can be undone."""

    winner: str
    reason: str
    is_provisional: bool = True


AGREED = Ending("draw", "agreed")
MR_X_RESIGNED = Ending("detectives", "resigned")
DETECTIVES_RESIGNED = Ending("mr_x", "resigned")
OUT_OF_TIME = Ending("detectives", "out_of_time")
VOIDED = Ending("draw", "voided")
VOIDED_FOR_GOOD = Ending("draw", "voided", is_provisional=False)
ABANDONED = Ending("draw", "abandoned", is_provisional=False)
EXPIRED = Ending("draw", "expired", is_provisional=False)
# Reasons of results that play did not bring about: while one is provisional the game can be taken up again.
CAN_BE_TAKEN_UP = frozenset(
    ending.reason for ending in (AGREED, MR_X_RESIGNED, DETECTIVES_RESIGNED, OUT_OF_TIME, VOIDED)
)


def by_play(outcome: engine.Outcome, by: str = "player") -> Ending:
    """Return the result that the rules give; it is provisional if the last move was made `by` house or cover."""
    return Ending(outcome.winner, outcome.reason, is_provisional=by in ("house", "cover"))


def end(game: Game, state: engine.Game, ending: Ending, details: Mapping[str, Any] | None = None) -> None:
    """End a game that has started, in the transaction under way, and write a mail to every player.

    A provisional result gets a timer, which makes it final. `details` are told in the mail.
    """
    timers.cancel_all(game)
    for seat in game.seats:
        seat.wants_draw = False
    queued_moves.drop(queued_moves.of_game(game.id))
    provisional = clock.provisional_period(game.clock) if ending.is_provisional else None
    mark_over(game, ending, final=not provisional)
    if provisional:
        game.final_at = now() + provisional
        timers.add(game, "final", game.final_at, serial=game.events)
    opened = sealed_log.opening(game, state) if game.final else {}
    record_event(game, "ended", winner=ending.winner, reason=ending.reason, final=game.final, **opened)
    notices.post_to_all(game, "ended", details)


def expire(game: Game) -> None:
    """End a game that was never started, in the transaction under way; its mails are the caller's."""
    timers.cancel_all(game)
    mark_over(game, EXPIRED, final=True)
    record_event(game, "expired")


def make_final(game: Game) -> None:
    """Make a provisional result final, which opens the travel log; do nothing for any other game."""
    if game.status == "over" and not game.final:
        game.final = True
        record_event(game, "final", **sealed_log.opening(game, rebuild(game)))
        notices.post_to_all(game, "final")


def mark_over(game: Game, ending: Ending, *, final: bool) -> None:
    """Write the result into the game's row."""
    game.status, game.winner, game.reason, game.final = "over", ending.winner, ending.reason, final
    game.ended_at = game.ended_at or now()


def mark_running(game: Game) -> None:
    """Take the result out of the game's row again."""
    game.status, game.winner, game.reason, game.ended_at, game.final_at = "running", None, None, None, None
