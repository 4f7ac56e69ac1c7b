"""The story of the hunt in a game whose result is final; see `server.bots.hunt`, which reads it from the moves."""

from typing import NamedTuple

from sqlalchemy import bindparam, select

from server.application.game import projection
from server.application.game.access import not_found
from server.application.game.state import rebuild
from server.bots import hunt
from server.bots.hunt import Hunt
from server.house_rules.standing import Standing
from server.house_rules.substitution import HAS_ACCOUNT
from server.models import Event, rows
from server.runtime import runtime

MOST_MOVES = 250  # of a game with a story: nearly twice as many as any edition has
_SUBSTITUTED = select(Event.moves, Event.data).where(Event.game_id == bindparam("game"), Event.kind == "substituted")


class Story(NamedTuple):
    """The hunt, and how many moves had been made when the player of Mr. X took the seat."""

    hunt: Hunt
    since: int


def of(game: Standing) -> Story:
    """Return the story of a game, which is kept for its next readers.

    It is the same for everybody who may see the replay: who that is, `replay.open_game` says. A game of more than
    `MOST_MOVES` has an empty one, as its work grows with the square of the moves.

    Raises:
        Problem: `not-found` before the result is final, and for a game that never began.
    """
    if not game.final or game.turn is None:
        raise not_found()
    kept, place = runtime().endings, (f"{game.id} hunt", game.version)
    story: Story | None = kept.get(place)
    if story is None:
        kept.put(place, story := _made(game))
    return story


def _made(game: Standing) -> Story:
    state = rebuild(game)
    if len(state.history) > MOST_MOVES:
        return Story(Hunt([], []), 0)
    made = hunt.story(projection.past_views(game, "mr_x"), state.rounds, game.reason)
    changes = [change for change in rows(_SUBSTITUTED, game=game.id) if "mr_x" in change.data["pawns"]]
    since = max((change.moves for change in changes if change.data["reason"] != HAS_ACCOUNT), default=0)
    return Story(made, since)
