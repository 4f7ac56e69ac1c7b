"""Authentication: the token of a request, and the player it belongs to."""

from flask import request

from server.api import limits
from server.application.people.tokens import GoodToken, KeptToken, good_token, token_digest
from server.runtime import runtime


def authenticate(
    game_id: str | None = None, secret: str | None = None, *, with_player: bool = True, changed: KeptToken | None = None
) -> GoodToken | None:
    """Return the token of this request if it is good, with the version of the game if its player may see it.

    The request is counted. All tokens of a player count for the player, so that more tokens do not buy more requests.
    A token that is not good counts for the address. Once the address has used up its rate, only tokens that were seen
    before are looked at, so that nobody can go on trying others. `secret` is the token's, where no header has it. With
    `changed` the request was counted for the player of `kept_token`, but the token is not as it was kept.

    Raises:
        Problem: `too-many` if the player or the address asks too often.
    """
    digest = token_digest(_bearer() if secret is None else secret)
    token = None
    seen = runtime().seen_tokens
    if digest is not None and (seen.get(digest) or not limits.is_address_spent()):
        token = good_token(digest, game_id, with_player=with_player)
    if token is None or digest is None:
        if digest is not None:
            seen.drop(digest)
        limits.count_address()
    else:
        seen.put(digest, token.row)
        if changed is None or changed.player_id != token.row.player_id:
            limits.count_player(token.row.player_id)
    return token


def kept_token() -> KeptToken | None:
    """Return the token of this request as this process saw it last, if it would be good today; no database is asked.

    The request is not counted yet.
    """
    digest = token_digest(_bearer())
    kept: KeptToken | None = None if digest is None else runtime().seen_tokens.get(digest)
    return kept if kept is not None and kept.is_fresh else None


def _bearer() -> str:
    scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
    return secret.strip() if scheme.lower() == "bearer" else ""
