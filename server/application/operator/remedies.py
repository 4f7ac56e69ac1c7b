"""Remedies of the operator for a game: more time, an end, and taking up again a game that was ended.

Each is a public event with the operator's reason, and a mail to all players.
"""

from datetime import timedelta

from server import clock
from server.application.game.access import locked
from server.application.game.look import sight_of, standing_of
from server.application.game.reasons import check_reason
from server.application.game.situations import carry_out, load
from server.application.operator import rebuilding
from server.house_rules import before_start, endings, remedies
from server.house_rules.standing import Standing
from server.models import Game, transaction
from server.vocabulary.durations import parse_duration
from server.vocabulary.errors import Problem


def extend(game_id: str, length: str, reason: str) -> Standing:
    """Give everybody whose time runs `length` more, such as P1D, and no less than that from now."""
    _check_length(length)
    with transaction():
        situation = load(game_id)
        situation.check_running("there is no deadline to be extended")
        details = {"reason": check_reason(situation, reason), "by": length}
        decision = carry_out(situation, lambda draft: remedies.give_time(draft, length, details))
    return sight_of(decision.after, None)


def void(game_id: str, reason: str) -> Game:
    """End a running game without a winner. Like any end that play did not bring about it is provisional.

    A game that is broken can be ended whatever its rows say; where they cannot be rebuilt, for good.
    """
    with transaction():
        game = locked(game_id)
        if not rebuilding.is_ended(game, reason):
            standing_of(game).check_running("there is nothing to be ended")
            details = {"reason": check_reason(standing_of(game), reason)}
            carry_out(load(game.id), lambda draft: remedies.end_void(draft, details))
    return game


def close(game_id: str, reason: str) -> Game:
    """Close a game, and write to its people: one that has not begun is over, and one that runs is ended as by `void`.

    Raises:
        Problem: `game-not-running` if it is over.
    """
    with transaction():
        game = locked(game_id)
        if rebuilding.is_ended(game, reason):
            return game
        if game.status != "open":
            return void(game_id, reason)
        why = check_reason(standing_of(game), reason)
        carry_out(load(game_id), lambda draft: before_start.close_game(draft, {"reason": why}))
    return game


def reinstate(game_id: str, reason: str) -> Standing:
    """Undo an end that play did not bring about, while the result is provisional; everybody to move gets full time.

    Raises:
        Problem: `game-not-running` if the game is not over, or its end cannot be undone.
    """
    with transaction():
        game = load(game_id)
        if game.status != "over" or game.final or game.reason not in endings.CAN_BE_TAKEN_UP:
            raise Problem(
                "game-not-running",
                "Only a game that something else than play ended, and that is not final, can be taken up.",
            )
        details = {"reason": check_reason(game, reason)}
        decision = carry_out(game, lambda draft: remedies.take_up_again(draft, details))
    return sight_of(decision.after, None)


def _check_length(length: str) -> None:
    try:
        is_fit = timedelta(0) < parse_duration(length) <= clock.LONGEST
    except ValueError as error:
        raise Problem("form", f"{error}.") from None
    if not is_fit:
        raise Problem("form", f"The time to be given is more than none and at most {clock.LONGEST.days} days.")
