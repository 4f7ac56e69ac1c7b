"""Idempotency-Keys: a request under a key has one effect, and is answered the same when it is sent again within a day.

Key, effect and answer are one transaction. `take` writes the key, and `store_answer` the answer, the last act of it. A
request that fails, or whose process is killed, leaves none of the three, and may be sent again under its key. The same
request, sent while the first is under way, waits for it: on SQLite for its turn to write, on PostgreSQL for the key.
The key outlives the answer, which is large, so that what comes again later is known, and not done.
"""

from datetime import timedelta
from itertools import pairwise

from sqlalchemy import func, select
from sqlalchemy.orm import defer

from server.models import (
    Answered,
    Game,
    StoredAnswer,
    at,
    execute,
    insert_new,
    session,
    table_of,
    transaction,
    update_row,
)
from server.runtime import now
from server.vocabulary.durations import DAY
from server.vocabulary.errors import Problem

REPEATED = DAY
KEPT = timedelta(days=30)  # the key: after the end of the game, or after the answer where there is no game
BATCH = 500

Place = tuple[str, str, str]
"""A key belongs to a player and a route: (id of the player, `POST /api/v1/games`, key)."""


def take(place: Place, request: str) -> bool:
    """Take the key in the transaction under way; return False if it was used before.

    Args:
        request: a keyed hash of the request.
    """
    player_id, route, key = place
    row = {
        "player_id": player_id, "route": route, "key": key, "request": request, "game_id": None, "answer": None,
        "created_at": now(), "expires_at": now() + REPEATED,
    }  # fmt: skip
    return execute(insert_new(Answered), row).first() is not None


def stored_answer(place: Place, request: str) -> tuple[StoredAnswer | None, str | None]:
    """Return the answer under a key that was used before, None if it is gone, and the id of the game it is about.

    Raises:
        Problem: `key-reused` if the key was used for another request.
    """
    used = session.get_one(Answered, place, populate_existing=True)
    if used.request != request:
        raise Problem("key-reused", "This Idempotency-Key was used for another request; take a new one.")
    return used.answer, used.game_id


def store_answer(place: Place, answer: StoredAnswer) -> None:
    """Store the answer under the key that `take` took in the same transaction."""
    game_id = _game_in(answer["location"] or "") or _game_in(place[1])
    stored = {"new_answer": answer, "new_game_id": game_id}
    execute(update_row(Answered, "answer", "game_id"), at(Answered, *place) | stored)


def forget_old(limit: int = BATCH) -> int:
    """Drop answers that are a day old, and keys whose game has been over for 30 days; return how many were looked at.

    A key whose game is not over is looked at again when it may have been, at the earliest.
    """
    over_at = func.coalesce(Game.final_at, Game.ended_at)
    query = select(Answered, Game.final, over_at).join_from(Answered, Game, Game.id == Answered.game_id, isouter=True)
    query = query.where(Answered.expires_at <= now()).order_by(Answered.expires_at, *table_of(Answered).primary_key)
    with transaction():
        expired = session.execute(query.limit(limit).options(defer(Answered.answer))).all()
        for answered, is_final, ended_at in expired:
            end = KEPT + (answered.created_at if is_final is None else ended_at if is_final else now())
            if end > now():  # there is no game for the key, or it is not long over
                answered.answer, answered.expires_at = None, end
            else:
                session.delete(answered)
    return len(expired)


def _game_in(path: str) -> str | None:
    """Return the id of the game in a path or an address."""
    steps = path.split("?", maxsplit=1)[0].split("/")
    return next((step for before, step in pairwise(steps) if before == "games"), None)
