"""Idempotency-Keys: a request under a key has one effect, and is answered the same when it is sent again.

1. `claim` writes a row and commits it, so that every process sees that the request is under way.
2. The request runs in one transaction, the last act of which is `store`: effect and answer are committed together.
3. A request that failed gives its key back (`release`), and may be sent again under it.

A process that is killed between 1 and 2 has done nothing, and holds the key for `LEASE`, or until a worker starts and
proves that the process is dead. Then the next request may take the key over, and `store` refuses the old claim, however
late it comes: there are never two effects.
"""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from itertools import pairwise
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.exc import IntegrityError, OperationalError

from server.application import leases
from server.application.errors import Problem
from server.models import Answered, Game, session, transaction
from server.runtime import now

LEASE = timedelta(minutes=1)  # far longer than any request takes
KEPT = timedelta(days=30)  # after the end of the game, or after the answer where there is no game

Place = tuple[str, str, str]
"""A key belongs to a player and a route: (id of the player, `POST /api/v1/games`, key)."""


@dataclass(frozen=True)
class Claim:
    """The right to do what was asked under a key. `nonce` tells it from a claim that has taken its place."""

    place: Place
    nonce: str


def claim(place: Place, request: str) -> Claim | dict[str, Any]:
    """Claim the key; return the claim, or the answer that is stored under the key.

    Args:
        request: a keyed hash of the request.

    Raises:
        Problem: `key-reused` if the key was used for another request, `key-in-use` while its first one is under way.
    """
    try:
        return _claim(place, request)
    except IntegrityError:  # another process was faster
        return _claim(place, request)


def store(claim: Claim, answer: dict[str, Any]) -> None:
    """Store `answer` in the transaction under way; raise `Problem` key-in-use if the claim was taken over."""
    row = _locked(claim.place)
    if row is None or _claimed(row) != claim.nonce:
        raise _in_use()
    row.answer = answer


def release(claim: Claim) -> None:
    """Give the key back. Where the database is gone, the lease runs out instead."""
    with suppress(OperationalError), transaction():
        row = _locked(claim.place)
        if row is not None and _claimed(row) == claim.nonce:
            session.delete(row)


def release_of_the_dead() -> int:
    """Give back the keys that processes held which are proven dead; return how many."""
    recent = session.scalars(select(Answered).where(Answered.created_at > now() - LEASE)).all()
    places = [(row.player_id, row.route, row.key) for row in recent if leases.is_dead(_claimed(row))]
    for place in places:
        with transaction():
            row = _locked(place)
            if row is not None and leases.is_dead(_claimed(row)):
                session.delete(row)
    return len(places)


def forget_old() -> int:
    """Delete the answers about games that have been over for 30 days, and old ones about none; return how many."""
    with transaction():
        old = select(Answered.player_id, Answered.route, Answered.key).where(Answered.created_at <= now() - KEPT)
        places = [tuple(row) for row in session.execute(old)]
        alive = _alive({game_id for _, route, _ in places for game_id in _ids_in(route)})
        # An answer is decrypted only if no game in its path keeps it.
        rows = [session.get_one(Answered, place) for place in places if not alive & _ids_in(place[1])]
        alive |= _alive({game_id for row in rows for game_id in _ids_in(_location(row))})
        forgotten = [row for row in rows if not alive & _ids_in(_location(row))]
        for row in forgotten:
            session.delete(row)
    return len(forgotten)


def _claim(place: Place, request: str) -> Claim | dict[str, Any]:
    made = Claim(place, leases.new_name("claim"))
    with transaction():
        row = _locked(place)
        if row is not None and _claimed(row) is None:
            _check_same(row, request)
            return dict(row.answer)
        if row is None:
            player_id, route, key = place
            row = Answered(player_id=player_id, route=route, key=key)
            session.add(row)
        elif timedelta(0) <= now() - row.created_at < LEASE:
            _check_same(row, request)
            raise _in_use()
        row.request, row.answer, row.created_at = request, {"claim": made.nonce}, now()
    return made


def _locked(place: Place) -> Answered | None:
    return session.get(Answered, place, with_for_update=True, populate_existing=True)


def _claimed(row: Answered) -> str | None:
    """Return the nonce of the claim that holds the key, or None if an answer is stored."""
    return row.answer.get("claim")  # type: ignore[no-any-return]


def _check_same(row: Answered, request: str) -> None:
    if row.request != request:
        raise Problem("key-reused", "This Idempotency-Key was used for another request; take a new one.")


def _in_use() -> Problem:
    sentence = "The first request under this Idempotency-Key is still under way; send it again for the answer."
    return Problem("key-in-use", sentence, retry_after=1)


def _location(row: Answered) -> str:
    return row.answer.get("location") or ""


def _ids_in(path: str) -> set[str]:
    """Return the ids of games in a path or an address: one at most."""
    steps = path.split("?", maxsplit=1)[0].split("/")
    return {step for before, step in pairwise(steps) if before == "games"}


def _alive(ids: Iterable[str]) -> set[str]:
    """Return the ids of the games among these that have not been over for `KEPT`."""
    ended = func.coalesce(Game.final_at, Game.ended_at)
    long_over = Game.final & (ended <= now() - KEPT)
    return set(session.scalars(select(Game.id).where(Game.id.in_(ids), ~long_over)))
