"""The state of a game in the engine: rebuilt from its moves, and cached."""

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Protocol

from sqlalchemy import BindParameter, bindparam, select
from sqlalchemy.orm import undefer

from server import engine
from server.models import Game, Move, rows, session, under_way, when_committed
from server.runtime import runtime
from server.runtime.game_cache import GameCache

MOST_EDITIONS = 256  # with their options, cached
_THESE: BindParameter[Any] = bindparam("games", expanding=True)
_MOVES = select(Move.game_id, Move.notation).where(Move.game_id.in_(_THESE)).order_by(Move.game_id, Move.turn)
_WITH_STARTS = select(Game).where(Game.id.in_(_THESE)).options(undefer(Game.position), undefer(Game.mr_x_start))


def edition_of(game: Game) -> engine.Edition:
    """Return the edition with the options the host chose."""
    return _edition(game.edition, json.dumps(game.options))


@lru_cache(MOST_EDITIONS)
def _edition(name: str, options: str) -> engine.Edition:
    """Return an edition with options in JSON; checking them takes as long as playing ten moves."""
    return engine.Edition.named(name).with_options(**json.loads(options))


class Played(Protocol):
    """A game, or as much of it as says which one it is and how many moves it has."""

    id: Any
    repaired: Any
    turn: Any


def rebuild(game: Played, moves: int | None = None) -> engine.Game:
    """Return the state after the first `moves` moves (all of them when None).

    Committed moves never change, so a cached state is continued from where it stands.
    """
    asked = _played(game) if moves is None else moves
    cached = _cache().get(cache_key(game), asked)
    state = cached or initial_state(game if isinstance(game, Game) else session.get_one(Game, game.id))
    played = len(state.history)
    if played < asked:
        query = select(Move.notation).where(Move.game_id == game.id, Move.turn > played, Move.turn <= asked)
        for notation in session.scalars(query.order_by(Move.turn)):
            state.play(notation)
    if cached is None or played < asked:
        cache_state(game, state)
    return state


def rebuild_all(games: Sequence[Game]) -> dict[str, engine.Game]:
    """Return the current state of each game by its id; those that are not cached are read in two statements."""
    states, missing = {}, []
    for game in games:
        state = _cache().get(cache_key(game), _played(game))
        if state is not None and len(state.history) == _played(game):
            states[game.id] = state
        else:
            missing.append(game.id)
    return states | (_replay(missing) if missing else {})


def _replay(ids: Sequence[str]) -> dict[str, engine.Game]:
    moves: dict[str, list[str]] = {game_id: [] for game_id in ids}
    for row in rows(_MOVES, games=ids):
        moves[row.game_id].append(row.notation)
    states = {}
    for game in session.scalars(_WITH_STARTS, {"games": ids}):
        state = states[game.id] = initial_state(game)
        for notation in moves[game.id][: _played(game)]:
            state.play(notation)
        cache_state(game, state)
    return states


def _played(game: Played) -> int:
    return (game.turn or 1) - 1


def cache_state(game: Played, state: engine.Game) -> None:
    """Cache `state` for the next request; until its moves are committed, for the transaction under way alone."""
    _cache().put(cache_key(game), state)


def cache_key(game: Played) -> str:
    """Return the key of the game in the cache; a repair changes it, so that nothing cached before is used."""
    return f"{game.id} {game.repaired}" if game.repaired else game.id


def initial_state(game: Game) -> engine.Game:
    """Return the game as it was dealt, before its first move."""
    edition = edition_of(game)
    if game.position is not None:
        return engine.Game.at(edition, game.position)
    assert game.mr_x_start is not None
    return engine.Game(edition, players=len(game.seats), starts={"mr_x": game.mr_x_start, **game.starts})


def _cache() -> GameCache:
    """Return the cache of the process, or within a transaction the transaction's own in front of it."""
    work = under_way()
    if work is None:
        return runtime().game_cache
    if "game cache" not in work.found:
        work.found["game cache"] = GameCache(behind=runtime().game_cache)
        when_committed(_publish)
    return work.found["game cache"]  # type: ignore[no-any-return]


def _publish() -> None:
    work = under_way()
    assert work is not None
    work.found["game cache"].publish()
