"""The end of a game: every way in which one ends, and whether the result is final at once.

By play    captured, stranded and the like   final; provisional if the last move was made for its player
Agreed     all players want a draw           final; provisional in a game that is contestable
Resigned   Mr. X, or the last detective      final; provisional in a game that is contestable
Too late   Mr. X was late too often          provisional
Voided     by the operator                   provisional; final if the game is damaged
Abandoned  no clock runs, and nobody moves   final
Expired    the game was never started        final

A provisional result opens nothing of the travel log. The operator can take such a game up again until it is final.

A game is contestable once a deadline was missed in it, as the others may have given up for that, or once a guest's seat
was opened by a link of the host's, as it may not have been the guest who gave up.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from server import clock, engine
from server.house_rules import notices, sealed_log, timers
from server.house_rules.draft import Draft
from server.house_rules.situation import Situation


@dataclass(frozen=True)
class Ending:
    """The result of a game: the winner (`mr_x`, `detectives` or `draw`), why, and whether it can be undone.

    is_by_players: the players decided it, and so it can be undone in a contestable game alone
    """

    winner: str
    reason: str
    is_provisional: bool = True
    is_by_players: bool = False


AGREED = Ending("draw", "agreed", is_by_players=True)
MR_X_RESIGNED = Ending("detectives", "resigned", is_by_players=True)
DETECTIVES_RESIGNED = Ending("mr_x", "resigned", is_by_players=True)
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


def end(draft: Draft, ending: Ending, details: Mapping[str, object] | None = None) -> None:
    """End a game that has started, and write a mail to every player.

    A provisional result gets a timer, which makes it final. `details` are told in the mail.
    """
    game = draft.game
    can_be_undone = ending.is_provisional and not (ending.is_by_players and _is_beyond_doubt(draft))
    timers.cancel_all(game)
    for seat in game.seats:
        seat.wants_draw = False
    game.queue.clear()
    game.held.clear()
    provisional = clock.provisional_period(game.clock) if can_be_undone else None
    mark_over(game, ending, draft.now, final=not provisional)
    if provisional:
        game.final_at = draft.now + provisional
        draft.start_timer("final", game.final_at, serial=game.events)
    opened = sealed_log.opening(game.log_secrets, draft.state) if game.final else {}
    draft.publish("ended", winner=ending.winner, reason=ending.reason, final=game.final, **opened)
    notices.post_to_all(draft, "ended", details)


def _is_beyond_doubt(draft: Draft) -> bool:
    """Return True if no deadline was missed, one that is still to fire included, and nobody else can have given up."""
    return not draft.game.is_contestable and all(timer.due_at > draft.now for timer in draft.game.timeouts())


def end_as_damaged(
    draft: Draft, ending: Ending, details: Mapping[str, object], opened: Mapping[str, object] | None
) -> None:
    """End a game that nobody can go on with, whatever its rows say, and write a mail to every player.

    `opened` is what the end opens of the travel log; None if the end that is public already stands.
    """
    mark_over(draft.game, ending, draft.now, final=True)
    draft.publish("voided", **details)
    if opened is not None:
        draft.publish("ended", winner="draw", reason="voided", final=True, **opened)
    notices.post_to_all(draft, "ended", details)


def make_final(draft: Draft) -> None:
    """Make a provisional result final, which opens the travel log; do nothing for any other game."""
    game = draft.game
    if game.status == "over" and not game.final:
        game.final = True
        draft.publish("final", **sealed_log.opening(game.log_secrets, draft.state))
        notices.post_to_all(draft, "final")


def mark_over(game: Situation, ending: Ending, at: datetime, *, final: bool) -> None:
    """Write the result into a game."""
    game.status, game.winner, game.reason, game.final = "over", ending.winner, ending.reason, final
    game.ended_at = game.ended_at or at


def mark_running(game: Situation) -> None:
    """Take the result out of a game again."""
    game.status, game.winner, game.reason, game.ended_at, game.final_at = "running", None, None, None, None
