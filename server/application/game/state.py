"""The state of a game in the engine: rebuilt from its moves, and cached."""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import BindParameter, bindparam, select

from server import engine
from server.house_rules.standing import Standing
from server.models import Game, Move, follows_commit, rows, under_way, when_committed
from server.runtime import runtime
from server.runtime.game_cache import GameCache

MOST_EDITIONS = 256  # with their options, cached
_THESE: BindParameter[list[str]] = bindparam("games", expanding=True)
_MOVES = select(Move.game_id, Move.notation).where(Move.game_id.in_(_THESE)).order_by(Move.game_id, Move.turn)
_MOVES_BETWEEN = (
    select(Move.notation)
    .where(Move.game_id == bindparam("game"), Move.turn > bindparam("played"), Move.turn <= bindparam("asked"))
    .order_by(Move.turn)
)
_DEALT = select(Game.id, Game.position, Game.mr_x_start, Game.starts).where(Game.id.in_(_THESE))


def edition_of(game: Standing) -> engine.Edition:
    """Return the edition with the options the host chose."""
    return edition_named(game.edition, game.options)


def edition_named(name: str, options: engine.Options) -> engine.Edition:
    """Return an edition with these options."""
    return _edition(name, json.dumps(options))


@lru_cache(MOST_EDITIONS)
def _edition(name: str, options: str) -> engine.Edition:
    """Return an edition with options in JSON; checking them takes as long as playing ten moves."""
    return engine.Edition.named(name).with_options(**json.loads(options))


def rebuild(game: Standing, moves: int | None = None) -> engine.Game:
    """Return the state after the first `moves` moves (all of them when None).

    Committed moves never change, so a cached state is continued from where it stands.
    """
    asked = game.moves if moves is None else moves
    cached = _cache().get(cache_key(game), asked)
    state = cached or dealt(game)
    played = len(state.history)
    if played < asked:
        for made in rows(_MOVES_BETWEEN, game=game.id, played=played, asked=asked):
            state.play(made.notation)
        if len(state.history) != asked:
            raise ValueError("moves of this game are missing")
    if cached is None or played < asked:
        cache_state(game, state)
    return state


def rebuild_all(games: Sequence[Standing], *, leaves_out_damaged: bool = False) -> dict[str, engine.Game]:
    """Return the current state of each game by its id; those that are not cached are read in two statements.

    With `leaves_out_damaged` a game whose rows cannot be played is missing, so that no list of others fails for it.
    """
    states, missing = {}, {}
    for game in games:
        state = _cache().get(cache_key(game), game.moves)
        if state is not None and len(state.history) == game.moves:
            states[game.id] = state
        else:
            missing[game.id] = game
    return states | (_replay(missing, leaves_out_damaged) if missing else {})


def _replay(games: Mapping[str, Standing], leaves_out_damaged: bool) -> dict[str, engine.Game]:
    moves: dict[str, list[str]] = {game_id: [] for game_id in games}
    for made in rows(_MOVES, games=list(games)):
        moves[made.game_id].append(made.notation)
    states = {}
    for row in rows(_DEALT, games=list(games)):
        game = games[row.id]
        try:
            state = _dealt(edition_of(game), len(game.seats), row)
            for notation in moves[game.id][: game.moves]:
                state.play(notation)
        except (AssertionError, engine.EngineError):
            if not leaves_out_damaged:
                raise
            continue
        cache_state(game, state)
        states[game.id] = state
    return states


def cache_state(game: Standing, state: engine.Game) -> None:
    """Cache `state` for the next request; until its moves are committed, for the transaction under way alone."""
    _cache().put(cache_key(game), state)


def cache_key(game: Standing) -> str:
    """Return the key of the game in the cache; a repair changes it, so that nothing cached before is used."""
    return f"{game.id} {game.repaired}" if game.repaired else game.id


def dealt(game: Standing) -> engine.Game:
    """Return the game as it was dealt, before its first move."""
    return _dealt(edition_of(game), len(game.seats), rows(_DEALT, games=[game.id])[0])


def states(game: Standing) -> Iterator[engine.Game]:
    """Yield the game as it was dealt, and after each of its moves: one object, which moves on."""
    state = dealt(game)
    yield state
    for move in rebuild(game).history:
        state.play(move)
        yield state


def initial_state(game: Game) -> engine.Game:
    """Return the game of a row as it was dealt, before its first move."""
    return _dealt(edition_named(game.edition, game.options), len(game.seats), game)


def _dealt(edition: engine.Edition, players: int, row: Any) -> engine.Game:
    if row.position is not None:
        return engine.Game.at(edition, row.position)
    assert row.mr_x_start is not None
    return engine.Game(edition, players=players, starts={"mr_x": row.mr_x_start, **row.starts})


def _cache() -> GameCache:
    """Return the cache of the process, or within a transaction the transaction's own in front of it."""
    work = under_way()
    if work is None:
        return runtime().game_cache
    if "game cache" not in work.found:
        work.found["game cache"] = GameCache(behind=runtime().game_cache)
        when_committed(publish_cache)
    return work.found["game cache"]  # type: ignore[no-any-return]


@follows_commit
def publish_cache() -> None:
    """Give the states that the transaction has computed to all requests."""
    work = under_way()
    assert work is not None
    work.found["game cache"].publish()
