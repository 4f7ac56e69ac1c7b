"""The end of a game in words: who has won, who played, and what a player missed."""

from collections.abc import Mapping
from textwrap import wrap

from server.application.game import projection
from server.house_rules.standing import SPECTATOR, Standing
from server.vocabulary.translation import gettext
from server.vocabulary.words import pawn_name
from server.wording import situation

LONGEST_LINE = 100  # characters below a picture


def captions(game: Standing, names: Mapping[str | None, str]) -> list[str]:
    """Return the name of a game, who has won and how, and who played, as lines below a picture; `names` are by ids."""
    lines = wrap("; ".join(called(game, names).values()), LONGEST_LINE)
    return [f"Black Ticket: {game.name}", full_result(game, names), *lines]


def result(game: Standing) -> str:
    """Return who has won, and why; "" while the game goes on."""
    outcome = projection.outcome(game)
    return situation.result(outcome) if outcome else ""


def full_result(game: Standing, names: Mapping[str | None, str]) -> str:
    """Return the same, but of a capture who caught Mr. X, where and in which round, which takes a look at the game."""
    outcome = projection.outcome(game)
    if outcome is None or game.reason != "captured":
        return result(game)
    view = projection.engine_view(game, SPECTATOR)
    return situation.result(outcome, situation.capture(view, game.round, called(game, names)))


def called(game: Standing, names: Mapping[str | None, str]) -> dict[str, str]:
    """Return each pawn with its player: `Red (Ben)`, or `Red (a bot)`; alone where the name is not told."""
    whose = {pawn: seat.player_id for seat in game.seats for pawn in seat.pawns}
    people = {pawn: names.get(player_id) if player_id else gettext("a bot") for pawn, player_id in whose.items()}
    return {pawn: f"{pawn_name(pawn)} ({who})" if who else pawn_name(pawn) for pawn, who in people.items()}


def left_out(round_: int) -> str:
    """Return the sentence for a player who could move no pawn after a round, and for whom the game went on."""
    if not round_:
        return gettext("You could never move, and the game went on without you.")
    return gettext("You could not move any more after round {n}, and the game went on without you.", n=round_)
