"""Remedies of the operator: more time, an end, and taking up again a game that was ended.

Each is a public event with the operator's reason (`details`), and a mail to all players.
"""

from collections.abc import Mapping

from server.house_rules import endings, motions, moves, notices, timers
from server.house_rules.draft import Draft
from server.vocabulary.durations import rfc3339

WHY = "operator"


def give_time(draft: Draft, length: str, details: Mapping[str, object]) -> None:
    """Give everybody whose time runs `length` more, such as P1D, and no less than that from now.

    Raises:
        Problem: `form` if nobody's time runs.
    """
    timers.check_deadline(draft.game)
    timers.grant(draft, length, WHY, draft.game.events + 1)
    draft.publish("extended", **details, due_at=rfc3339(draft.game.due_at))
    notices.post_to_all(draft, "extended", details)


def end_void(draft: Draft, details: Mapping[str, object]) -> None:
    """End a running game without a winner."""
    draft.publish("voided", **details)
    # Where its moves had ended the game there is nothing to come back to.
    ending = endings.VOIDED if draft.state.outcome is None else endings.VOIDED_FOR_GOOD
    endings.end(draft, ending, details)


def take_up_again(draft: Draft, details: Mapping[str, object]) -> None:
    """Take up again a game whose end can be undone; everybody to move gets their full time."""
    game = draft.game
    timers.cancel_all(game)
    endings.mark_running(game)
    game.mr_x_misses = 0
    moves.clear_misses(game.seat_of_pawn("mr_x"))
    motions.expire_extensions(draft)
    motions.expire_claims(draft)
    draft.publish("reinstated", **details)
    moves.restart_timers(draft, serial=game.events)
    notices.post_to_all(draft, "reinstated", details)
