"""Idempotency-Keys: a request under a key has one effect, and is answered the same when it is sent again within a day.

Key, effect and answer are one transaction. `take` writes the key, and `store_answer` the answer, the last act of it. A
request that fails, or whose process is killed, leaves none of the three, and may be sent again under its key. The same
request, sent while the first is under way, waits for it: on SQLite for its turn to write, on PostgreSQL for the key.
The key outlives the answer, which is large, so that what comes again later is known, and not done.
"""

from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

from sqlalchemy import bindparam, delete, func, select, update

from server.models import Answered, Game, StoredAnswer, execute, insert_new, rows, session, table_of, transaction
from server.runtime import now
from server.vocabulary.durations import DAY
from server.vocabulary.errors import Problem

REPEATED = DAY
KEPT = timedelta(days=30)  # the key: after the end of the game, or after the answer where there is no game
BATCH = 500

Place = tuple[str, str, str]
"""A key belongs to a player and a route: (id of the player, `POST /api/v1/games`, key)."""

_ANSWERED = table_of(Answered)
_AT = [column == bindparam(f"at_{column.name}") for column in _ANSWERED.primary_key]
_FIND = select(_ANSWERED.c.request, _ANSWERED.c.answer, _ANSWERED.c.game_id).where(*_AT)
_ANSWER = bindparam("new_answer", type_=_ANSWERED.c.answer.type)
_STORE = update(_ANSWERED).where(*_AT).values(answer=_ANSWER, game_id=bindparam("of_game"))
_KEEP = update(_ANSWERED).where(*_AT)
_KEEP = _KEEP.values(answer=None, expires_at=bindparam("until", type_=_ANSWERED.c.expires_at.type))
_DELETE = delete(_ANSWERED).where(*_AT)
_OVER_AT = func.coalesce(Game.final_at, Game.ended_at).label("over_at")
_EXPIRED = select(*_ANSWERED.primary_key, Answered.created_at, Game.final, _OVER_AT)
_EXPIRED = _EXPIRED.join_from(Answered, Game, Game.id == Answered.game_id, isouter=True)
_EXPIRED = _EXPIRED.order_by(Answered.expires_at, *_ANSWERED.primary_key)


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
    (used,) = rows(_FIND, **_at(place))
    if used.request != request:
        raise Problem("key-reused", "This Idempotency-Key was used for another request; take a new one.")
    return used.answer, used.game_id


def store_answer(place: Place, answer: StoredAnswer) -> None:
    """Store the answer under the key that `take` took in the same transaction."""
    game_id = _game_in(answer["location"] or "") or _game_in(place[1])
    execute(_STORE, _at(place) | {"new_answer": answer, "of_game": game_id})


def forget_old(limit: int = BATCH) -> int:
    """Drop answers that are a day old, and keys whose game has been over for 30 days; return how many were looked at.

    A key whose game is not over is looked at again when it may have been, at the earliest.
    """
    with transaction():
        expired = session.execute(_EXPIRED.where(Answered.expires_at <= now()).limit(limit)).all()
        until = [_at(row[:3]) | {"until": _until(row)} for row in expired]
        execute(_KEEP, [row for row in until if row["until"] > now()])
        execute(_DELETE, [row for row in until if row["until"] <= now()])
    return len(expired)


def _until(row: Any) -> datetime:
    """Return until when a key is kept at least; the row has no game if that was deleted."""
    end: datetime = row.created_at if row.final is None else row.over_at if row.final else now()
    return end + KEPT


def _at(place: Place) -> dict[str, Any]:
    return {f"at_{column.name}": value for column, value in zip(_ANSWERED.primary_key, place, strict=True)}


def _game_in(path: str) -> str | None:
    """Return the id of the game in a path or an address."""
    steps = path.split("?", maxsplit=1)[0].split("/")
    return next((step for before, step in pairwise(steps) if before == "games"), None)
