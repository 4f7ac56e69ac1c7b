"""The rate limit of the API: of a player for all their tokens, and of an address for requests without a valid token."""

from flask import Flask, Response, g

from server.application.limits import rate_limit
from server.application.people import blocked_networks
from server.http import peer


def register(app: Flask) -> None:
    """Add the headers of the rate limit to every answer of the API."""
    app.after_request(add_headers)


def refuse_blocked() -> None:
    """Raise `Problem` not-admitted if this request comes from a blocked network."""
    blocked_networks.check(peer.address())


def count_address() -> None:
    """Count this request for the address it comes from; raise `Problem` too-many if that asks too often."""
    _count("address", peer.client())


def count_player(player_id: str) -> None:
    """Count this request for its player; raise `Problem` too-many if they ask too often."""
    _count("player", player_id)


def is_address_spent() -> bool:
    """Return True if the address that this request comes from has used up its rate."""
    return rate_limit.is_spent("address", peer.client())


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


def _count(kind: str, name: str) -> None:
    g.standing = rate_limit.count(kind, name)
    rate_limit.check(g.standing)
