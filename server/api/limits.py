"""The rate limit: of a player for all their tokens together, of an address for requests without a valid token."""

from flask import Flask, Response, g, request

from server.application.people.players import GoodToken, good_token, token_digest
from server.application.upkeep import rate_limit
from server.http import waiting
from server.runtime import networks, runtime


def register(app: Flask) -> None:
    """Add the headers of the rate limit to every answer of the API."""
    app.after_request(add_headers)


def count_and_authenticate(game_id: str | None = None, secret: str | None = None) -> GoodToken | None:
    """Count this request, and return its token if that is good, with the version of the game if its player may see it.

    All tokens of a player count for the player, so that more tokens do not buy more requests. A token that is not good
    counts for the address. Once the address has used up its rate, only tokens that were seen before are looked at, so
    that nobody can go on trying others. `secret` is the token's, where no header has it.

    Raises:
        Problem: `too-many` if the player or the address asks too often.
    """
    secret = _bearer() if secret is None else secret
    digest = token_digest(secret)
    token = None
    seen = runtime().seen_tokens
    if digest is not None and (seen.get(digest) or not rate_limit.is_spent("address", _address())):
        token = good_token(digest, game_id)
    if token is None or digest is None:
        count_address()
    else:
        seen.put(digest, True)
        _count("player", token.player.id)
    return token


def _bearer() -> str:
    scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
    return secret.strip() if scheme.lower() == "bearer" else ""


def count_address() -> None:
    """Count this request for the address it comes from; raise `Problem` too-many if that asks too often."""
    _count("address", _address())


def add_headers(response: Response) -> Response:
    """Add the headers of draft-ietf-httpapi-ratelimit-headers: the policy, and what is left of it.

    What is left to an address is told only if that is nothing: several people may share the address, and none of them
    should see how much another asks.
    """
    standing: rate_limit.Standing | None = g.get("standing")
    if standing is None:
        return response
    window = int(standing.rate.window.total_seconds())
    response.headers["RateLimit-Policy"] = f'"{standing.kind}";q={standing.rate.most};w={window}'
    if standing.kind == "player" or standing.remaining < 0:
        response.headers["RateLimit"] = f'"{standing.kind}";r={max(0, standing.remaining)};t={standing.seconds}'
    return response


def network() -> str:
    """Return the network that this request comes from, as `networks.network` names it."""
    return networks.network(_remote())


def _count(kind: str, name: str) -> None:
    g.standing = rate_limit.count(kind, name, is_repeated=waiting.is_repeated(request.environ))
    rate_limit.check(g.standing)


def _address() -> str:
    return networks.client(_remote())


def _remote() -> str:
    return request.remote_addr or "::"
