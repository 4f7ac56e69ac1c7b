"""Neglected games: one that is never started is closed after a warning, an abandoned one ends in a draw.

The worker looks for them now and then, and no timer is scheduled, as nobody counts on the hour.
"""

from sqlalchemy import delete, exists, select
from sqlalchemy.orm import aliased

from server.application.game.situations import carry_out, load
from server.house_rules import before_start, endings
from server.models import (
    OPEN,
    RUNNING,
    Deadline,
    Game,
    Outgoing,
    Pulse,
    ReplyToken,
    execute,
    session,
    transaction,
    unfinished,
)
from server.runtime import now
from server.vocabulary.durations import DAY

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
        game = load(game_id)
        assert game.happened_at is not None
        quiet = now() - game.happened_at
        warned_at = game.warned_at if game.warned_at is None or game.warned_at >= game.happened_at else None
        if game.status == "running" and game.due_at is None and quiet >= ABANDONED:
            carry_out(game, lambda draft: endings.end(draft, endings.ABANDONED))
        elif game.status == "open" and warned_at is not None and quiet >= UNSTARTED and now() - warned_at >= WARNING:
            carry_out(game, lambda draft: before_start.close_game(draft, {}))
        elif game.status == "open" and warned_at is None and quiet >= UNSTARTED - WARNING:
            carry_out(game, lambda draft: before_start.warn(draft, now() + WARNING))
        elif game.status == "open" and warned_at is None:
            carry_out(game, before_start.forget_warning)


KEPT = 30 * DAY
BATCH = 100
MARK = "leftovers"  # the end of the newest game whose leftovers are gone
_LIVE = ("pending", "held", "restored")


# Leftovers of games long over: rows that only a running game needs, such as timers, reply addresses and sent mails.
#
# They stay for 30 days after the end, as long as a mail that comes twice is told from a new one, and the players can
# see for as long what became of their mails. The moves and the events of a game stay for good.


def forget_leftovers(limit: int = BATCH) -> int:
    """Delete the leftovers of a batch of games, the one that ended first before the others; return how many."""
    with transaction():
        mark = session.get(Pulse, MARK)
        over = select(Game.id, Game.ended_at).where(Game.ended_at <= now() - KEPT, Game.final)
        if mark is not None:
            over = over.where(Game.ended_at > mark.at)
        found = session.execute(over.order_by(Game.ended_at).limit(limit)).all()
        if len(found) == limit:  # games that ended at one moment are never divided by the mark
            found = session.execute(over.where(Game.ended_at <= found[-1].ended_at).order_by(Game.ended_at)).all()
        for game_id, _ in found:
            _forget(game_id)
        if found:
            session.merge(Pulse(name=MARK, at=found[-1].ended_at))
    return len(found)


def _forget(game_id: str) -> None:
    gathered = aliased(Outgoing)
    is_named = exists().where(gathered.told_in == Outgoing.id)
    for statement in (
        delete(Deadline).where(Deadline.game_id == game_id, Deadline.state != "armed"),
        delete(ReplyToken).where(ReplyToken.game_id == game_id),
        delete(Outgoing).where(Outgoing.game_id == game_id, Outgoing.state.not_in(_LIVE), ~is_named),
    ):
        execute(statement)
