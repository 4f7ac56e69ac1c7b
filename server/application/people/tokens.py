"""Tokens, with which programs act for a player: making and revoking them, and finding the player of one."""

import base64
import hashlib
import re
import zlib
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple, TypedDict

from sqlalchemy import bindparam, delete, func, or_, select, update
from sqlalchemy.exc import OperationalError

from server.application.game.access import game_parameters, has_queue_for, version_for
from server.models import (
    CALENDAR,
    PLAYER_COLUMNS,
    SCOPES,
    AccountId,
    Player,
    Token,
    detached,
    execute,
    rows,
    session,
    topics,
    transaction,
    try_write,
)
from server.runtime import now, runtime
from server.vocabulary.durations import rfc3339
from server.vocabulary.errors import Problem, refusal
from server.vocabulary.lines import check_line
from server.vocabulary.translation import gettext

TOKEN_PREFIX = "bt_"  # noqa: S105 the public part of every token
LONGEST_LIFE = timedelta(days=3660)  # of a token that expires
MOST_TOKENS = 20  # of one player
# The first tokens had no checksum.
_FORM = re.compile(r"bt_(?P<secret>[a-z2-7]{32})(?P<sum>[a-z2-7]{6})?", re.ASCII)
_TOKEN_COLUMNS = (Token.player_id, Token.scopes, Token.used_on, Token.expires_at)
_TOKEN = select(*_TOKEN_COLUMNS).where(Token.digest == bindparam("digest"))
_WITH_PLAYER = _TOKEN.join(Token.player).add_columns(*PLAYER_COLUMNS)
_OF_GAME = (version_for(Token.player_id).label("version"), has_queue_for(Token.player_id).label("has_queue"))
# By whether all of the player is read, and whether a game is named.
_QUERIES = {
    (False, False): _TOKEN, (False, True): _TOKEN.add_columns(*_OF_GAME),
    (True, False): _WITH_PLAYER, (True, True): _WITH_PLAYER.add_columns(*_OF_GAME),
}  # fmt: skip


class GoodToken(NamedTuple):
    """A token that is good, with its player, and the version of the game that was asked for if they may see that.

    `player` is but the id where no more was asked for. `has_queue`: they have a seat in that game, and its detectives
    have queued moves; only views of theirs depend on it.
    """

    digest: str
    player: Player | AccountId
    scopes: tuple[str, ...]
    used_on: date | None
    version: str | None = None
    has_queue: bool = False


def good_token(digest: str, game_id: str | None = None, *, with_player: bool = True) -> GoodToken | None:
    """Return the token of this digest if it is good, with the version of a game if one is named.

    One statement reads all that lets a request in, and without the session, because every request waits for it. The
    player is detached, so that no transaction reads them again; many requests need no more of them than the id.
    """
    query = _QUERIES[with_player, game_id is not None]
    found = rows(query, digest=digest, **({} if game_id is None else game_parameters(game_id)))
    if not found or (found[0].expires_at is not None and found[0].expires_at <= now()):
        return None
    row, first = found[0], len(_TOKEN_COLUMNS)
    player = detached(row[first : first + len(PLAYER_COLUMNS)]) if with_player else AccountId(row.player_id)
    of_game = () if game_id is None else (row.version, bool(row.has_queue))
    return GoodToken(digest, player, tuple(row.scopes.split()), row.used_on, *of_game)


def token_digest(secret: str) -> str | None:
    """Return the hash by which a token is found; None for letters that cannot be a token."""
    return _digest(secret) if _is_token(secret) else None


def add(
    player_id: str, name: str = "first", scopes: Sequence[str] = SCOPES, expires_at: datetime | None = None
) -> tuple[Token, str]:
    """Make a token, and return it with the secret that is shown this once: `bt_`, 32 random letters, 6 of a checksum.

    The scope `calendar` stands alone: the secret of such a token is part of a URL, so it may do nothing else.
    `Problem` enough when the player has as many tokens as there may be.
    """
    name = check_line(name, gettext("The name of a token"), 40)
    if list(scopes) != [CALENDAR] and (not scopes or set(scopes) - set(SCOPES)):
        sentence = gettext(
            "one or more of {choices}; or {calendar} alone.", choices=", ".join(SCOPES), calendar=CALENDAR
        )
        raise Problem("form", sentence, field="scopes")
    if expires_at is not None and not now() < expires_at <= now() + LONGEST_LIFE:
        raise refusal("form", "a time to come, within ten years.", field="expires_at")
    letters = runtime().new_id("token") + runtime().new_id("token")
    secret = f"{TOKEN_PREFIX}{letters}{checksum(letters)}"
    token = Token(
        digest=_digest(secret),
        player_id=player_id,
        name=name,
        scopes=" ".join(scope for scope in (*SCOPES, CALENDAR) if scope in scopes),
        created_at=now(),
        expires_at=expires_at and expires_at.astimezone(UTC),
    )
    with transaction():
        _make_room(player_id)
        session.add(token)
        session.flush()
    return token, secret


def _make_room(player_id: str) -> None:
    """Remove the player's expired tokens where room is needed; `Problem` enough if there is none then."""
    session.get_one(Player, player_id, with_for_update={"key_share": True})
    mine = Token.player_id == player_id
    if (session.scalar(select(func.count()).select_from(Token).where(mine)) or 0) < MOST_TOKENS:
        return
    expired = delete(Token).where(mine, Token.expires_at <= now()).returning(Token.digest)
    if not execute(expired).all():
        raise refusal(
            "enough", "A player has at most {most} tokens; take one away that is not used any more.", most=MOST_TOKENS
        )


class TokenView(TypedDict):
    """A token, without its secret."""

    id: str
    name: str
    scopes: list[str]
    created_at: str
    expires_at: str | None


class OwnToken(TokenView):
    """A token as its owner sees it; `last_used` is a day."""

    last_used: str | None


def tokens_of(player: Player) -> list[OwnToken]:
    """Return the player's tokens as `facts`, the oldest first."""
    return [facts(token) for token in _of(player)]


def _of(player: Player) -> Sequence[Token]:
    query = select(Token).where(Token.player_id == player.id).order_by(Token.created_at, Token.id)
    return session.scalars(query).all()


def for_others(player: Player) -> list[TokenView]:
    """Return the player's tokens for the operator, who does not see when they were used."""
    return [_for_others(token) for token in _of(player)]


def facts(token: Token) -> OwnToken:
    """Return a token as its owner sees it; `last_used` is a day."""
    return {**_for_others(token), "last_used": None if token.used_on is None else token.used_on.isoformat()}


def _for_others(token: Token) -> TokenView:
    return {
        "id": token.id,
        "name": token.name,
        "scopes": token.scopes.split(),
        "created_at": rfc3339(token.created_at),
        "expires_at": rfc3339(token.expires_at),
    }


def revoke(token_id: str, player: Player | None = None) -> None:
    """Revoke a token, of any player where none is named; `Problem` not-found when there is none."""
    with transaction():
        token = session.scalar(select(Token).where(Token.id == token_id))
        if token is None or (player is not None and token.player_id != player.id):
            raise refusal("not-found", "There is no such token.")
        session.delete(token)
        topics.tell([topics.end_of(token.digest)])


def store_use(token: GoodToken) -> None:
    """Store the day of the token's last use, once a day and before the request is carried out.

    A failure loses nothing but the day.
    """
    today = now().date()
    if token.used_on == today:
        return
    mine = (Token.digest == token.digest, or_(Token.used_on.is_(None), Token.used_on < today))
    with suppress(OperationalError):
        try_write(update(Token).where(*mine).values(used_on=today))


def checksum(letters: str) -> str:
    """Return the first 30 bits of the CRC-32 of `letters`, in base32; it tells a token from other text."""
    return base64.b32encode(zlib.crc32(letters.encode()).to_bytes(4))[:6].decode().lower()


def _is_token(secret: str) -> bool:
    match = _FORM.fullmatch(secret)
    return match is not None and match["sum"] in (None, checksum(match["secret"]))


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
