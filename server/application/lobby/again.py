"""Try again: a practice game that goes on from a moment of a game whose result is final."""

from collections.abc import Mapping

from server import bots, engine
from server.application.game import replay
from server.application.game.deciding import Decided, use_case
from server.application.game.state import edition_of, rebuild
from server.application.lobby import opening
from server.house_rules.dealing import begin_again
from server.house_rules.standing import Sight, Standing
from server.models import Player
from server.vocabulary.errors import Problem

SIDES = ("mr_x", "detectives")
_NO_MOMENT = "there is no moment to go on from, as the game was over when it began."


@use_case
def try_again(
    host: Player, game_id: str, ply: int, side: str, level: str | None, clock: Mapping[str, object]
) -> Decided[Sight]:
    """Open a practice game of `host` that begins with the first moves of another game, and goes on from there.

    Bots have the seats of the other side. The new game deals the same start cards and has a sealed log of its own, so
    that all is as it was then, and nothing is in it that came later.

    Args:
        game_id: a game whose replay the host may see.
        ply: how many moves it begins with.
        side: one of `SIDES`; of the detectives the host holds all.
        level: of the bots; by default that of the bots of the other game, or else the easiest.

    Raises:
        Problem: `not-found` as of `replay.open_game`; `form` for a moment at which the game was over.
    """
    game = replay.open_game(game_id, host, by_link=True)
    state, edition = rebuild(game), edition_of(game)
    moves, last = state.history[:ply], last_moment(game)
    if ply > last:
        moments = f"a number of moves from 0 to {last}; after more the game was over." if last >= 0 else _NO_MOMENT
        raise Problem("form", moments, field="ply")
    people, starts = len(state.seats), list(state.starts.values())
    if side == "detectives" and people > 2:
        edition, people = edition.with_whole_team(len(state.pawns)), 2
        _check_order(edition, state, moves)
    level = level or usual_level(game)
    return opening.open_game.decide(
        host, game.edition, options=edition.options, clock=clock, position=state.position, is_limited=not host.is_guest,
        seats=opening.seats_of_practice(host, "mr_x" if side == "mr_x" else "detective", people, level),
        then=lambda draft: begin_again(draft, edition, starts, moves),
    )  # fmt: skip


def last_moment(game: Standing) -> int:
    """Return the number of the last move after which the game went on; -1 if it was over when it began."""
    state = rebuild(game)
    return len(state.history) - (state.outcome is not None)


def usual_level(game: Standing) -> str:
    """Return the level of the bots of a game, the easiest if it had none."""
    return next((seat.level for seat in game.seats if seat.level), bots.FIRST)


def _check_order(edition: engine.Edition, state: engine.Game, moves: tuple[engine.Move, ...]) -> None:
    """Raise `Problem` form if one player with all pawns could not have made the moves in this order.

    A pawn that was passed over would have had its turn after the others.
    """
    fresh = engine.Game.at(edition, state.position) if state.position else engine.Game(edition, 2, state.starts)
    try:
        for move in moves:
            fresh.play(move)
    except engine.MoveError:
        raise Problem("form", "mr_x alone, as a pawn had no turn here that it would have had.", field="side") from None
