"""The browsers in which players are signed in. A browser holds the secret of its session as a cookie."""

from contextlib import suppress
from datetime import timedelta
from typing import Any

from sqlalchemy import ColumnElement, Row, bindparam, delete, select, update
from sqlalchemy.exc import OperationalError

from server.application.people import codes, devices
from server.models import (
    PLAYER_COLUMNS,
    BrowserSession,
    Player,
    detached,
    rows,
    session,
    topics,
    transaction,
    try_write,
)
from server.runtime import now, runtime
from server.vocabulary.durations import DAY, rfc3339
from server.vocabulary.errors import refusal

REMEMBERED: timedelta = 90 * DAY  # since the last day of use
MOST = 20  # browsers of one player; the one that was used longest ago goes first
_SESSION = select(BrowserSession.expires_at, BrowserSession.used_on, *PLAYER_COLUMNS).join(BrowserSession.player)
_SESSION = _SESSION.where(BrowserSession.digest == bindparam("digest"))


def sign_in(player_id: str, browser: str, secret: str = "") -> str:
    """Begin a session of the player in a browser; return its secret, a new one unless it is given."""
    secret = secret or runtime().new_id("browser session") + runtime().new_id("browser session")
    with transaction():
        session.get_one(Player, player_id, with_for_update={"key_share": True})
        _make_room(player_id)
        session.add(
            BrowserSession(
                digest=codes.digest(secret),
                id=runtime().new_id("browser session's name"),
                player_id=player_id,
                browser=browser[:60],
                created_at=now(),
                expires_at=now() + REMEMBERED,
                used_on=now().date(),
            )
        )
    return secret


def _make_room(player_id: str) -> None:
    """Delete the player's sessions that are over, and the oldest where there are too many."""
    session.execute(delete(BrowserSession).where(BrowserSession.expires_at <= now()))
    for surplus in list(_of(player_id))[MOST - 1 :]:
        session.delete(surplus)


def player_of(secret: str) -> Player | None:
    """Return the player of the session with this secret, None if there is none."""
    found = rows(_SESSION, digest=codes.digest(secret))
    return _player(found[0]) if found else None


def use_session(secret: str) -> tuple[Player, bool] | None:
    """Return the player who is signed in with this secret, None if nobody is any more.

    With the player comes whether this is the first use of the day: it is stored, and the browser remembered for longer.
    """
    digest = codes.digest(secret)
    found = rows(_SESSION, digest=digest)
    if not found or found[0].expires_at <= now():
        return None
    if found[0].used_on == now().date():
        return _player(found[0]), False
    is_stored = _store_use(digest)
    found = rows(_SESSION, digest=digest)  # what was read before a write is stale
    return (_player(found[0]), is_stored) if found else None


def _player(row: Row[Any]) -> Player:
    return detached(row[-len(PLAYER_COLUMNS) :])


def _store_use(digest: str) -> bool:
    changed = {"used_on": now().date(), "expires_at": now() + REMEMBERED}
    with suppress(OperationalError):  # a failure loses nothing but the day
        try_write(update(BrowserSession).where(BrowserSession.digest == digest).values(changed))
        return True
    return False


def sign_out(*secrets: str) -> None:
    """End the sessions with these secrets, if there are any, and their players' links to other browsers."""
    with transaction():
        _end(BrowserSession.digest.in_(map(codes.digest, secrets)))


def end_all(player_id: str) -> None:
    """End all sessions of a player, and the link to another browser, in the transaction under way."""
    session.get(Player, player_id, with_for_update={"key_share": True})  # whoever signs in meanwhile holds this lock
    codes.end_links(player_id)
    _end(BrowserSession.player_id == player_id)


def _end(which: ColumnElement[bool]) -> bool:
    """End sessions, and links of their players to other browsers; return False if there are no such sessions."""
    gone = delete(BrowserSession).where(which).returning(BrowserSession.player_id, BrowserSession.digest)
    ended = session.execute(gone).all()
    topics.tell(topics.end_of(digest) for _, digest in ended)
    players = {player_id for player_id, _ in ended}
    for player_id in players:
        codes.end_links(player_id)
    if players:
        devices.forget_signed_out(players)
    return bool(ended)


def browsers_of(player: Player, secret: str = "") -> list[dict[str, Any]]:
    """Return the player's sessions, the one used last first: `id`, `browser`, `created_at`, `last_used`, `is_this`.

    `is_this` is True for the session with this secret.
    """
    digest = codes.digest(secret)
    return [
        {
            "id": each.id,
            "browser": each.browser,
            "created_at": rfc3339(each.created_at),
            "last_used": each.used_on.isoformat(),
            "is_this": each.digest == digest,
        }
        for each in _of(player.id)
        if each.expires_at > now()
    ]


def revoke(player: Player, session_id: str) -> None:
    """End one of the player's sessions, and their link to another browser; `Problem` not-found if there is none."""
    with transaction():
        if not _end((BrowserSession.player_id == player.id) & (BrowserSession.id == session_id)):
            raise refusal("not-found", "There is no such browser.")


def _of(player_id: str) -> Any:
    query = select(BrowserSession).where(BrowserSession.player_id == player_id)
    return session.scalars(query.order_by(BrowserSession.used_on.desc(), BrowserSession.created_at.desc()))
