"""Idempotency-Keys: a request under a key has one effect, and is answered the same when it is sent again.

Key, effect and answer are one transaction. `begin` writes the key, and `store` the answer, the last act of it. A
request that fails, or whose process is killed, leaves none of the three, and may be sent again under its key. The same
request, sent while the first is under way, waits for it: on SQLite for its turn to write, on PostgreSQL for the key.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta
from itertools import pairwise

from sqlalchemy import bindparam, func, select, update

from server.application.errors import Problem
from server.models import (
    Answered,
    Game,
    StoredAnswer,
    execute,
    insert,
    insert_new,
    rows,
    session,
    table_of,
    transaction,
)
from server.runtime import now

KEPT = timedelta(days=30)  # after the end of the game, or after the answer where there is no game

Place = tuple[str, str, str]
"""A key belongs to a player and a route: (id of the player, `POST /api/v1/games`, key)."""

_ANSWERED = table_of(Answered)
_AT = [column == bindparam(f"at_{column.name}") for column in _ANSWERED.primary_key]
_FIND = select(_ANSWERED.c.request, _ANSWERED.c.answer).where(*_AT)
_STORE = update(_ANSWERED).where(*_AT).values(answer=bindparam("new_answer", type_=_ANSWERED.c.answer.type))
_STORE = _STORE.returning(_ANSWERED.c.key)
_LOOK_LATER = update(_ANSWERED).where(*_AT)
_LOOK_LATER = _LOOK_LATER.values(look_at=bindparam("new_look_at", type_=_ANSWERED.c.look_at.type))


def begin(place: Place, request: str) -> StoredAnswer | None:
    """Take the key in the transaction under way; return the answer that is stored under it, or None if there is none.

    Args:
        request: a keyed hash of the request.

    Raises:
        Problem: `key-reused` if the key was used for another request.
    """
    return None if take(place, request) else stored_answer(place, request)


def take(place: Place, request: str) -> bool:
    """Take the key in the transaction under way; return False if it was used before."""
    return execute(insert_new(Answered), _row(place, request, {})).first() is not None


def stored_answer(place: Place, request: str) -> StoredAnswer:
    """Return the answer that is stored under a key that was used before; `Problem` as `begin`."""
    (found,) = rows(_FIND, **_at(place))
    if found.request != request:
        raise Problem("key-reused", "This Idempotency-Key was used for another request; take a new one.")
    answer: StoredAnswer = found.answer
    return answer


def store_answer(place: Place, request: str, answer: StoredAnswer) -> None:
    """Store the answer under the key that `take` took in the same transaction."""
    if not rows(_STORE, **_at(place), new_answer=answer):  # a player who gave their seat up had all keys deleted
        execute(insert(Answered), _row(place, request, answer))


def _row(place: Place, request: str, answer: StoredAnswer | None) -> dict[str, object]:
    player_id, route, key = place
    return {
        "player_id": player_id, "route": route, "key": key,
        "request": request, "answer": answer, "created_at": now(), "look_at": now() + KEPT,
    }  # fmt: skip


def _at(place: Place) -> dict[str, str]:
    return {f"at_{column.name}": value for column, value in zip(_ANSWERED.primary_key, place, strict=True)}


def forget_old() -> int:
    """Delete the answers about games that have been over for 30 days, and old ones about none; return how many.

    The others are not looked at again before the time when they may be.
    """
    with transaction():
        old = select(Answered.player_id, Answered.route, Answered.key).where(Answered.look_at <= now())
        places: list[Place] = [tuple(row) for row in session.execute(old)]  # type: ignore[misc]
        kept = _kept({game_id for _, route, _ in places for game_id in _ids_in(route)})
        later = [(place, kept[game_id]) for place in places for game_id in _ids_in(place[1]) & kept.keys()]
        # An answer is decrypted only if no game in its path keeps it.
        rows = [session.get_one(Answered, place) for place in places if not kept.keys() & _ids_in(place[1])]
        kept = _kept({game_id for row in rows for game_id in _ids_in(_location(row))})
        forgotten = [row for row in rows if not kept.keys() & _ids_in(_location(row))]
        for row in rows:
            row.look_at = max((kept[game_id] for game_id in _ids_in(_location(row)) & kept.keys()), default=now())
        for row in forgotten:
            session.delete(row)
        execute(_LOOK_LATER, [_at(place) | {"new_look_at": at} for place, at in later])
    return len(forgotten)


def _location(row: Answered) -> str:
    return row.answer.get("location") or ""


def _ids_in(path: str) -> set[str]:
    """Return the ids of games in a path or an address: one at most."""
    steps = path.split("?", maxsplit=1)[0].split("/")
    return {step for before, step in pairwise(steps) if before == "games"}


def _kept(ids: Iterable[str]) -> dict[str, datetime]:
    """Return the games among these that have not been over for `KEPT`, and when each may be, at the earliest."""
    ended = func.coalesce(Game.final_at, Game.ended_at)
    long_over = Game.final & (ended <= now() - KEPT)
    found = session.execute(select(Game.id, Game.final, ended.label("at")).where(Game.id.in_(ids), ~long_over))
    return {row.id: (row.at if row.final else now()) + KEPT for row in found}
