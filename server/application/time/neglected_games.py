"""Neglected games: one that is never started is closed after a warning, an abandoned one ends in a draw.

The worker looks for them now and then, and no timer is scheduled, as nobody counts on the hour.
"""

from sqlalchemy import select

from server.application.game import outbox_rows
from server.application.game.situations import carry_out, load
from server.application.lobby import closing
from server.durations import DAY
from server.house_rules import endings
from server.models import OPEN, RUNNING, Game, session, transaction, unfinished
from server.runtime import now

UNSTARTED = 30 * DAY  # without anything happening
WARNING = 7 * DAY  # before that
ABANDONED = 60 * DAY  # without a move or anything else, where no clock is running
_RUNS = unfinished(Game.status, RUNNING)


def neglected() -> list[str]:
    """Return the ids of games in which nothing happened for long, and of those whose people were warned long ago."""
    last = Game.happened_at
    queries = (
        select(Game.id).where(Game.status == OPEN, Game.warned_at.is_(None), last <= now() - UNSTARTED + WARNING),
        select(Game.id).where(Game.status == OPEN, Game.warned_at <= now() - WARNING),
        select(Game.id).where(_RUNS, Game.due_at.is_(None), last <= now() - ABANDONED),
    )
    return sorted({game_id for query in queries for game_id in session.scalars(query)})


def warn_or_end(game_id: str) -> None:
    """Warn the people of a neglected game, or end it; do nothing if something has happened in it since."""
    with transaction():
        game = session.get_one(Game, game_id, with_for_update=True, populate_existing=True)
        assert game.happened_at is not None
        quiet = now() - game.happened_at
        if game.status == "running" and game.due_at is None and quiet >= ABANDONED:
            carry_out(load(game.id), lambda draft: endings.end(draft, endings.ABANDONED))
        elif game.status == "open" and _is_warned(game) and quiet >= UNSTARTED:
            _expire(game)
        elif game.status == "open" and not _is_warned(game):
            game.warned_at = None
            if quiet >= UNSTARTED - WARNING:
                _warn(game)


def _is_warned(game: Game) -> bool:
    """Return whether nothing has happened since a warning."""
    assert game.happened_at is not None
    return game.warned_at is not None and game.warned_at >= game.happened_at


def _warn(game: Game) -> None:
    game.warned_at = now()
    ends_at = now() + WARNING
    outbox_rows.post_to_open_game(game, "expiring", {"ends_at": ends_at.isoformat()})


def _expire(game: Game) -> None:
    """Close a game that was never started, once its people were warned for long enough."""
    assert game.warned_at is not None
    if now() - game.warned_at >= WARNING:
        closing.close_locked(game, {})
