"""Authentication: the token of a request, and the player it belongs to."""

from flask import request

from server.api import limits
from server.application.people.tokens import GoodToken, good_token, token_digest
from server.runtime import runtime


def authenticate(
    game_id: str | None = None, secret: str | None = None, *, with_player: bool = True
) -> GoodToken | None:
    """Return the token of this request if it is good, with the version of the game if its player may see it.

    The request is counted. All tokens of a player count for the player, so that more tokens do not buy more requests.
    A token that is not good counts for the address. Once the address has used up its rate, only tokens that were seen
    before are looked at, so that nobody can go on trying others. `secret` is the token's, where no header has it.

    Raises:
        Problem: `too-many` if the player or the address asks too often.
    """
    digest = token_digest(_bearer() if secret is None else secret)
    token = None
    seen = runtime().seen_tokens
    if digest is not None and (seen.get(digest) or not limits.is_address_spent()):
        token = good_token(digest, game_id, with_player=with_player)
    if token is None or digest is None:
        limits.count_address()
    else:
        seen.put(digest, True)
        limits.count_player(token.player.id)
    return token


def _bearer() -> str:
    scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
    return secret.strip() if scheme.lower() == "bearer" else ""
